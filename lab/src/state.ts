// The state that a link contains: the scenario as its differences from a preset, the cursor, and the view.

import { type Change, override } from "./changes.ts";

/** One side of the page: a scenario and the settings made by the user. */
export interface Side {
  /** Name of a template; empty if the scenario is the user's own text. */
  preset: string;
  /** Name of the user's own file. */
  name: string;
  /** The text of the user's own scenario. */
  text: string;
  /** Title of the run, if it is not the name of its preset or file. */
  title?: string;
  /** Overrides in the order in which they apply: path and value, as for `--set`. */
  set: [string, string][];
  /** Changes during the run; if absent, those in the text of the scenario. */
  changes?: Change[];
}

/** State of the page. */
export interface State {
  sides: Side[];
  /** Time of the picture, in seconds. */
  at: number;
  /** Span of the charts; the whole run if absent. */
  view: [number, number] | null;
  /** Simulated seconds that pass in one second of play; 0 if the speed follows from the round trip. */
  lens: number;
  /** True if the curves of the second side are drawn over those of the first. */
  overlay?: boolean;
  /** Name of the lesson that is open, and its step from 0. */
  lesson?: [string, number];
  /** Name of the experiment that is open. */
  experiment?: string;
}

/** Longest link, in characters; mail programs and chats cut longer links. */
export const LONGEST_LINK = 2000;

export const FIRST: State = { sides: [{ preset: "n-source", name: "", text: "", set: [] }], at: 0, view: null, lens: 0 };

/** Sets a path; without a value, undoes the setting. Earlier settings at the path or below it are removed. */
export function withSet(set: [string, string][], path: string, literal: string | undefined): [string, string][] {
  const others = set.filter(([other]) => other !== path && !other.startsWith(`${path}.`));
  return literal === undefined ? others : [...others, [path, literal]];
}

/** Overrides as the engine and the command line take them. */
export function overrides(side: Side): string[] {
  const set = side.set.map(([path, literal]) => `${path}=${literal}`);
  return side.changes ? [...set, override(side.changes)] : set;
}

/** The state as the part of a link behind its `#`. */
export async function encode(state: State): Promise<string> {
  const packed = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const letters = btoa(String.fromCharCode(...bytes));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The state in a link; `undefined` if the text is not a link of this page or is cut off. */
export async function decode(text: string): Promise<State | undefined> {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return checked(JSON.parse(await new Response(plain).text()));
  } catch {
    return undefined;
  }
}

function checked(value: unknown): State | undefined {
  const state = value as Partial<State>;
  const isPair = (pair: unknown) => Array.isArray(pair) && pair.length === 2 && pair.every((text) => typeof text === "string");
  const isChange = (change: Partial<Change> | undefined) => typeof change?.at === "string" && Array.isArray(change.set) && change.set.every(isPair);
  const isChanging = (changes: unknown) => changes === undefined || (Array.isArray(changes) && changes.every(isChange));
  const isSide = (side: Partial<Side> | undefined) =>
    typeof side?.preset === "string" && typeof side.name === "string" && typeof side.text === "string" && Array.isArray(side.set) && side.set.every(isPair) && isChanging(side.changes);
  const sides = state.sides ?? [];
  const right = Array.isArray(sides) && (sides.length === 1 || sides.length === 2) && sides.every(isSide);
  const view = state.view ?? null;
  const isView = view === null || (Array.isArray(view) && view.length === 2 && view.every(Number.isFinite));
  const isLesson = state.lesson === undefined || (Array.isArray(state.lesson) && typeof state.lesson[0] === "string" && Number.isInteger(state.lesson[1]));
  const isExperiment = state.experiment === undefined || typeof state.experiment === "string";
  return right && isView && isLesson && isExperiment && Number.isFinite(state.at) && Number.isFinite(state.lens) ? (value as State) : undefined;
}
