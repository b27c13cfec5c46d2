// Names of curves, at the right of a chart, at the height where the curves end.

/** Size of the letters and height of a line, in pixels. */
export const LETTERS = 11;
export const LINE = 12;
/** Distance of a name from its chart, in pixels. */
export const GAP = 6;
/** Width of most letters, in pixels. */
const LETTER = 6.4;
/** Number of letters in the longest text that says how many curves have no name. */
const MORE = "+99 more".length;

/** A name for a curve that ends at the height `y`. */
export interface Label {
  text: string;
  colour: string;
  /** Greatest value of the curve. If there is too little room, the highest curves are named. */
  most: number;
  y: number;
}

/** A name at its position; `y` is the middle of its first line. The text that counts the curves without a name has no colour. */
export interface Placed {
  lines: string[];
  colour?: string;
  y: number;
}

/** Room for names beside a chart, whose area extends from `top` to `bottom`; `line` is the height of a line of text. */
export interface Room {
  width: number;
  top: number;
  bottom: number;
  line: number;
}

/** Width of the room for names, beside a chart that is `width` pixels wide; `size` is a factor of the usual size of letters. */
export function roomFor(names: string[], width: number, size = 1): number {
  const letters = Math.max(MORE, ...names.map(({ length }) => length));
  return Math.min(width < 480 ? 80 : 140 * size, 2 * GAP + LETTER * size * letters);
}

/** Places names near the ends of their curves, in several lines if necessary, so that none overlaps another. */
export function place(labels: Label[], { width, top, bottom, line }: Room, measure: (text: string) => number): Placed[] {
  // The first line may extend above the chart, but the last must not extend below it, where the numbers of the axis are.
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

/**
 * For the names of levels at the right edge of a chart, how far each is from that edge. A name that would overlap an earlier one stands
 * left of it. `y` is the height at which a name stands, and `line` the height of a line of text.
 */
export function besideEachOther(names: readonly { y: number; width: number }[], line: number): number[] {
  const far: number[] = [];
  names.forEach(({ y, width }, i) => {
    const near = names.slice(0, i).map((other, j) => ({ from: far[j] ?? 0, width: other.width, y: other.y })).filter((other) => Math.abs(other.y - y) < line);
    const places = [0, ...near.map((other) => other.from + other.width + GAP)].sort((a, b) => a - b);
    far.push(places.find((at) => near.every((other) => at >= other.from + other.width || at + width <= other.from)) ?? 0);
  });
  return far;
}

/**
 * A name in lines that are not wider than `width`. A line is broken after a sign in the name, or within a word that is wider than
 * `width`.
 */
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
