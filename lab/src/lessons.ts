// Lessons: each step has one paragraph of text and a run that the user can change.

import binary from "../lessons/binary.json";
import buffer from "../lessons/buffer.json";
import credit from "../lessons/credit.json";
import deadlock from "../lessons/deadlock.json";
import erica from "../lessons/erica.json";
import loss from "../lessons/loss.json";
import parameters from "../lessons/parameters.json";
import pauses from "../lessons/pauses.json";
import type { Change } from "./changes.ts";
import type { Side, State } from "./state.ts";

/** A step: its text, its settings beside those of the lesson's scenario, the time and span to look at, and the parameter to change. */
export interface Step {
  title: string;
  /** Plain HTML. */
  text: string;
  set?: [string, string][];
  changes?: Change[];
  /** Settings of a second run beside the first; a table without a value is removed from the scenario. */
  other?: [string, string | null][];
  at?: number;
  view?: [number, number];
  /** Path of the parameter that the step is about. */
  touch?: string;
}

/** A lesson. */
export interface Lesson {
  id: string;
  title: string;
  about: string;
  /** Text of the lesson's scenario. */
  text: string;
  steps: Step[];
}

/** All lessons, in the order in which they build on each other. */
export const LESSONS = [binary, erica, loss, credit, buffer, parameters, pauses, deadlock] as unknown as Lesson[];

/** The lesson with this name. */
export function lessonOf(id: string): Lesson | undefined {
  return LESSONS.find((lesson) => lesson.id === id);
}

/** The state of the page that shows a step. */
export function stateOf(lesson: Lesson, number: number): State {
  const step = lesson.steps[number] ?? lesson.steps[0];
  const name = `${lesson.id}.toml`;
  const first: Side = { preset: "", name, title: lesson.title, text: lesson.text, set: step?.set ?? [], ...(step?.changes ? { changes: step.changes } : {}) };
  const sides = [first];
  if (step?.other) {
    const gone = step.other.filter(([, literal]) => literal === null).map(([path]) => `[${path}]\n`);
    const text = gone.reduce((rest, table) => rest.replace(table, ""), lesson.text);
    sides.push({ preset: "", name, title: lesson.title, text, set: step.other.filter((one): one is [string, string] => one[1] !== null) });
  }
  return { sides, at: step?.at ?? 0, view: step?.view ?? null, lens: 0, lesson: [lesson.id, number] };
}
