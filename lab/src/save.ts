// Exports from the page: files, and text for the clipboard.

import type { Charts } from "./charts.ts";
import { variable } from "./colours.ts";
import { size } from "./size.ts";
import { type Ink, svgOf } from "./svg.ts";

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
  const title = 22 * scale * size();
  const width = Math.max(...drawn.map(({ canvas }) => canvas.width));
  const height = drawn.reduce((sum, { canvas }) => sum + canvas.height + title, 0);
  const whole = new OffscreenCanvas(width, height);
  const context = whole.getContext("2d");
  if (!context) throw new Error("this browser draws no picture");
  context.fillStyle = variable("--ground");
  context.fillRect(0, 0, width, height);
  context.fillStyle = variable("--ink");
  context.font = `${12 * scale * size()}px system-ui, sans-serif`;
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
  const ink = (name: keyof Ink) => variable(`--${name}`);
  return svgOf(charts.shown(), { ground: ink("ground"), raised: ink("raised"), ink: ink("ink"), muted: ink("muted"), faint: ink("faint") });
}
