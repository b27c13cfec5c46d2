// Everything by keyboard.

import type { Transport } from "./transport.ts";

/** What keys do besides the transport. */
export interface Moves {
  /** Moves the cursor by a share of the span shown. */
  move(share: number): void;
  /** Shows a span that is longer by a factor. */
  zoom(factor: number): void;
  whole(): void;
  /** Lets settings act from the cursor on, or from the start. */
  when(): void;
}

/** Listens to the page's keys, except where somebody writes or chooses. */
export function keys(transport: Transport, moves: Moves): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || busy(event)) return;
    const act = ACTS[event.key] ?? ACTS[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act(transport, moves);
  });
}

const ACTS: Record<string, (transport: Transport, moves: Moves) => void> = {
  " ": (transport) => transport.toggle(),
  ".": (transport) => transport.step("unit"),
  r: (transport) => transport.step("rm"),
  t: (transport) => transport.step("round-trip"),
  "[": (transport) => transport.turn(1),
  "]": (transport) => transport.turn(-1),
  ArrowLeft: (_, moves) => moves.move(-0.01),
  ArrowRight: (_, moves) => moves.move(0.01),
  "+": (_, moves) => moves.zoom(0.5),
  "=": (_, moves) => moves.zoom(0.5),
  "-": (_, moves) => moves.zoom(2),
  "0": (_, moves) => moves.whole(),
  c: (_, moves) => moves.when(),
};

/** Keys that move a slider. */
const MOVES = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"]);

/** True if the key belongs to what has the focus: text, sliders, lists; and the space bar to buttons. */
function busy(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (target.closest("dialog[open]")) return true;
  if (target.matches("input[type='range']")) return MOVES.has(event.key);
  if (target.matches("input:not([type='checkbox']), select, textarea")) return true;
  return event.key === " " && target.closest("button, summary, input, label") !== null;
}
