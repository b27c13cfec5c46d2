// Charts as an SVG picture, with the names of their curves and rounded numbers on their axes.

import { GAP, type Label, besideEachOther, place, roomFor } from "./labels.ts";
import { number, time } from "./numbers.ts";

/** A curve of a chart. */
export interface Curve {
  /** Quantity of the curve, and the port or flow that has it, such as `queue of A->B`. */
  name: string;
  colour: string;
  /** Lengths of dashes and gaps in pixels; empty for a line without gaps. */
  dash: readonly number[];
  y: readonly (number | null)[];
}

/** A chart for export. */
export interface Shown {
  /** The text above the chart, with the unit. */
  title: string;
  /** Times of the points, in seconds. */
  x: readonly number[];
  /** The shown times, in seconds, and values. */
  span: readonly [number, number];
  range: readonly [number, number];
  /** The measuring window in seconds; the times outside are shaded. */
  window: readonly [number, number];
  /** Instants of changes during the run, in seconds. */
  changes: readonly number[];
  curves: readonly Curve[];
  /** Names for the ends of curves; `y` is the last value of the curve. */
  labels: readonly Label[];
  /** Levels of theory. */
  levels: readonly { name: string; value: number }[];
}

/** Colours of the page. */
export interface Ink {
  ground: string;
  raised: string;
  ink: string;
  muted: string;
  faint: string;
}

const WIDTH = 900;
const PLOT = { left: 70, top: 26, bottom: 24, height: 120 };
const LETTERS = 11;
const LINE = 12;
/** Width of a wide letter of the picture's font, in pixels. */
const LETTER = 6.6;
/** Most marks on the axes of time and of values. */
const MARKS = { x: 10, y: 4 };

/** Rounded numbers from `from` to `to`, at most `most` of them and one more: multiples of 1, 2 or 5 times a power of ten. */
export function marks(from: number, to: number, most: number): number[] {
  const least = (to - from) / most;
  if (!(least > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((one) => one * power >= least * (1 - 1e-9)) ?? 10);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** All charts below each other. */
export function svgOf(charts: readonly Shown[], ink: Ink): string {
  const aside = roomFor(charts.flatMap(({ labels }) => labels.map(({ text }) => text)), WIDTH);
  const parts = charts.map((chart, row) => `<g transform="translate(0 ${row * (PLOT.top + PLOT.height + PLOT.bottom)})">${one(chart, WIDTH - PLOT.left - aside, aside, ink)}</g>`);
  const height = charts.length * (PLOT.top + PLOT.height + PLOT.bottom);
  const style = `font-family="system-ui, sans-serif" font-size="${LETTERS}" fill="${ink.ink}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" ${style}><rect width="100%" height="100%" fill="${ink.ground}"/>${parts.join("")}</svg>\n`;
}

function one(chart: Shown, width: number, aside: number, ink: Ink): string {
  const [[from, to], [low, high]] = [chart.span, chart.range];
  const { left, top, height } = PLOT;
  const x = (at: number) => left + ((at - from) / (to - from || 1)) * width;
  const y = (value: number) => top + (1 - (value - low) / (high - low || 1)) * height;
  const text = (at: number, down: number, anchor: string, words: string, colour = "") =>
    `<text x="${round(at)}" y="${round(down)}" text-anchor="${anchor}"${colour ? ` fill="${colour}"` : ""}>${escaped(words)}</text>`;
  const path = (points: string, stroke: string, more = "", title = "") => `<path d="${points}" fill="none" stroke="${stroke}"${more}>${title ? `<title>${escaped(title)}</title>` : ""}</path>`;
  const inside = (at: number) => Math.max(from, Math.min(to, at));
  const shade = ([begin, end]: [number, number]) => (end > begin ? `<rect x="${round(x(begin))}" y="${top}" width="${round(x(end) - x(begin))}" height="${height}" fill="${ink.raised}"/>` : "");
  const times = marks(from, to, MARKS.x).map((at) => path(`M${round(x(at))} ${top}v${height}`, ink.faint) + text(x(at), top + height + 15, "middle", time(at, (to - from) / 50), ink.muted));
  const values = marks(low, high, MARKS.y).map((value) => path(`M${left} ${round(y(value))}h${round(width)}`, ink.faint) + text(left - 6, y(value) + 4, "end", number(value), ink.muted));
  const curves = chart.curves.map(({ name, colour, dash, y: of }) => {
    const points = of.map((value, i) => (value === null ? "" : `${of[i - 1] == null ? "M" : "L"}${round(x(chart.x[i] ?? 0))} ${round(y(value))}`)).join("");
    return path(points, colour, ` stroke-width="1.2"${dash.length > 0 ? ` stroke-dasharray="${dash.join(" ")}"` : ""}`, name);
  });
  const inSight = chart.levels.filter(({ value }) => value >= low && value <= high);
  const named = inSight.map(({ name, value }) => ({ words: `${name} ${number(value)}`, y: Math.max(top + LETTERS, y(value) - 4) }));
  const far = besideEachOther(named.map(({ words, y }) => ({ y, width: words.length * LETTER })), LETTERS);
  const levels = inSight.map(({ value }, i) => path(`M${left} ${round(y(value))}h${round(width)}`, ink.ink, ' stroke-dasharray="2 4"') + text(left + width - 4 - (far[i] ?? 0), named[i]?.y ?? 0, "end", named[i]?.words ?? ""));
  const changes = chart.changes.filter((at) => at >= from && at <= to).map((at) => path(`M${round(x(at))} ${top}v${height}`, ink.ink, ' stroke-dasharray="4 4"'));
  const room = { width: aside - GAP, top, bottom: top + height, line: LINE };
  const ends = chart.labels.map((label) => ({ ...label, y: Math.max(top, Math.min(top + height, y(label.y))) }));
  const names = place(ends, room, (words) => words.length * LETTER).flatMap(({ lines, colour, y: at }) => lines.map((words, i) => text(left + width + GAP, at + i * LINE + 4, "start", words, colour ?? ink.muted)));
  return [text(4, 16, "start", chart.title), shade([from, inside(chart.window[0])]), shade([inside(chart.window[1]), to]), ...times, ...values, ...curves, ...levels, ...changes, ...names].join("");
}

function round(value: number): string {
  return String(Number(value.toFixed(1)));
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
