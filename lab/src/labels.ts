// Names of curves, right of a chart at the ends of the curves.

/** Size of the letters and height of a line, in pixels. */
export const LETTERS = 11;
export const LINE = 12;
/** Distance of a name from its chart, in pixels. */
export const GAP = 6;
/** Width of most letters, in pixels. */
const LETTER = 6.4;
/** Letters of the longest text that tells how many curves have no name. */
const MORE = "+99 more".length;

/** A name for a curve that ends at the height `y`. */
export interface Label {
  text: string;
  colour: string;
  /** Greatest value of the curve: the highest curves have names first. */
  most: number;
  y: number;
}

/** A name in its place; `y` is the middle of its first line. What tells of further curves has no colour. */
export interface Placed {
  lines: string[];
  colour?: string;
  y: number;
}

/** Where names may stand, beside the area of a chart from `top` to `bottom`, and the height of a line. */
export interface Room {
  width: number;
  top: number;
  bottom: number;
  line: number;
}

/** Width of the room for names beside a chart `width` pixels wide. */
export function roomFor(names: string[], width: number): number {
  const letters = Math.max(MORE, ...names.map(({ length }) => length));
  return Math.min(width < 480 ? 80 : 140, 2 * GAP + LETTER * letters);
}

/** Places names near the ends of their curves, wrapped and none over another. */
export function place(labels: Label[], { width, top, bottom, line }: Room, measure: (text: string) => number): Placed[] {
  // The first line may reach above the chart, but the last one not below it: there the axis has its numbers.
  const lowest = bottom - line / 2;
  const rows = Math.floor((lowest - top) / line) + 1;
  const all = labels.map((label) => ({ ...label, lines: wrapped(label.text, width, measure) })).sort((a, b) => b.most - a.most);
  const chosen = [...all];
  const rowsOf = () => chosen.reduce((sum, { lines }) => sum + lines.length, chosen.length < all.length ? 1 : 0);
  while (rowsOf() > rows) chosen.pop();
  const placed: Placed[] = chosen.sort((a, b) => a.y - b.y);
  if (chosen.length < all.length) placed.push({ lines: [`+${all.length - chosen.length} more`], y: lowest });
  placed.reduce((free, name) => {
    name.y = Math.max(name.y, free);
    return name.y + name.lines.length * line;
  }, top);
  placed.reduceRight((below, name) => {
    name.y = Math.min(name.y, below - name.lines.length * line);
    return name.y;
  }, lowest + line);
  return placed;
}

/** A name in lines that are not wider than `width`. They end behind a sign within the name, or within a word that is wider. */
function wrapped(text: string, width: number, measure: (text: string) => number): string[] {
  const words = text.split(/(?<=[>./_ ]|-(?!>))/);
  const pieces = words.flatMap((word) => (measure(word) > width ? [...word] : [word]));
  return pieces.reduce<string[]>((lines, piece) => {
    const last = lines.at(-1);
    if (last === undefined || measure(last + piece) > width) lines.push(piece);
    else lines[lines.length - 1] = last + piece;
    return lines;
  }, []);
}
