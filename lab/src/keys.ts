// Control of the page by keyboard.

import type { Transport } from "./transport.ts";

/** Actions of keys that do not belong to the transport (play, pause, steps). */
export interface Moves {
  /** Moves the cursor by a share of the shown span. */
  move(share: number): void;
  /** Multiplies the length of the shown span by a factor. */
  zoom(factor: number): void;
  whole(): void;
  /** Switches between settings that hold from the start and settings that hold from the cursor on. */
  when(): void;
}

/** Listens to the page's keys, except while the user writes text or chooses from a list. */
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
  ".": (transport) => void transport.step("unit"),
  r: (transport) => void transport.step("rm"),
  t: (transport) => void transport.step("round-trip"),
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

/** True if the focused element uses the key itself: text fields, sliders and lists, and buttons for the space bar. */
function busy(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (target.closest("dialog[open]")) return true;
  if (target.matches("input[type='range']")) return MOVES.has(event.key);
  if (target.matches("input:not([type='checkbox']), select, textarea")) return true;
  return event.key === " " && target.closest("button, summary, input, label") !== null;
}
