// Exports from the page: files, and text for the clipboard.

import type { Charts } from "./charts.ts";
import { variable } from "./colours.ts";

/** Saves a file that the page has made. */
export function save(name: string, content: string | Blob, type = "text/plain"): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A word for a shell, quoted if necessary. */
function word(text: string): string {
  return /^[A-Za-z0-9_./=:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The command that runs the scenario of `file` with overrides. */
export function command(file: string, overrides: string[]): string {
  return ["cellrate", "run", word(file), ...overrides.flatMap((one) => ["--set", word(one)])].join(" ");
}

/** All charts below each other as a PNG picture. */
export async function png(charts: Charts): Promise<Blob> {
  const drawn = charts.canvases();
  const scale = devicePixelRatio || 1;
  const title = 22 * scale;
  const width = Math.max(...drawn.map(({ canvas }) => canvas.width));
  const height = drawn.reduce((sum, { canvas }) => sum + canvas.height + title, 0);
  const whole = new OffscreenCanvas(width, height);
  const context = whole.getContext("2d");
  if (!context) throw new Error("this browser draws no picture");
  context.fillStyle = variable("--ground");
  context.fillRect(0, 0, width, height);
  context.fillStyle = variable("--ink");
  context.font = `${12 * scale}px system-ui, sans-serif`;
  let y = 0;
  for (const one of drawn) {
    context.fillText(one.title, 6 * scale, y + title - 6 * scale);
    context.drawImage(one.canvas, 0, y + title);
    y += title + one.canvas.height;
  }
  return whole.convertToBlob({ type: "image/png" });
}

/** All charts below each other as an SVG picture. */
export function svg(charts: Charts): string {
  const [width, height, left, top] = [900, 170, 70, 26];
  const parts = charts.shown().map(({ title, unit, x, lines }, row) => {
    const [from, to] = [x[0] ?? 0, x.at(-1) ?? 1];
    const most = Math.max(1e-12, ...lines.flatMap(({ y }) => y.filter((value) => value !== null)));
    const px = (at: number) => (left + ((at - from) / (to - from || 1)) * (width - left - 10)).toFixed(1);
    const py = (value: number) => (top + (1 - value / most) * (height - top - 24)).toFixed(1);
    const path = (y: (number | null)[]) =>
      y.map((value, i) => (value === null ? "" : `${y[i - 1] == null ? "M" : "L"}${px(x[i] ?? 0)} ${py(value)}`)).join("");
    const drawn = lines.map(
      ({ name, colour, dashed, y }) =>
        `<path d="${path(y)}" fill="none" stroke="${colour}" stroke-width="1"${dashed ? ' stroke-dasharray="4 4"' : ""}><title>${escaped(name)}</title></path>`,
    );
    const text = (at: string, y: number, anchor: string, words: string) => `<text x="${at}" y="${y}" text-anchor="${anchor}">${escaped(words)}</text>`;
    return `<g transform="translate(0 ${row * height})">${text("4", 16, "start", unit ? `${title}, ${unit}` : title)}${text(String(left - 6), top + 8, "end", String(Number(most.toPrecision(3))))}${text(String(left - 6), height - 24, "end", "0")}${text(String(left), height - 6, "start", `${from} s`)}${text(String(width - 10), height - 6, "end", `${to} s`)}<path d="M${left} ${top}V${height - 24}H${width - 10}" fill="none" stroke="#888"/>${drawn.join("")}</g>`;
  });
  const style = `font-family="system-ui, sans-serif" font-size="12" fill="${variable("--ink")}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height * parts.length}" ${style}><rect width="100%" height="100%" fill="${variable("--ground")}"/>${parts.join("")}</svg>\n`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
