// The gallery: every experiment of the papers, with its claim, its printed values and its runs.

import type { Side } from "./state.ts";

/** A run of an experiment. */
interface Run {
  label: string;
  /** Name of the scenario in the gallery's list of texts. */
  scenario: string;
  set: [string, string][];
}

/** An experiment of a paper. */
export interface Experiment {
  id: string;
  title: string;
  /** Place of the experiment in the paper. */
  where: string;
  /** The first claim of the experiment; empty if the experiment has none. */
  claim: string;
  /** True if the first claim holds with seed 1. */
  holds: boolean | null;
  /** Number of claims of the experiment, and number of those that hold with seed 1. */
  claims: number;
  claims_held: number;
  printed: string[];
  more_printed: number;
  runs: Run[];
}

interface Paper {
  id: string;
  title: string;
  authors: string[];
  year: number;
  experiments: Experiment[];
}

// The gallery is read when it is first needed, so that the page starts faster.
const gallery = () => require("../gallery.json") as { scenarios: Record<string, string>; papers: Paper[] };
const figures = () => require("../pictures.json") as Record<string, SmallFigure>;

/** The papers with their experiments. */
export function papers(): readonly Paper[] {
  return gallery().papers;
}

/** The small first figure of an experiment: its curves as SVG polylines, and the printed points, each with the number of its curve. */
export interface SmallFigure {
  title: string;
  axes: string;
  lines: string[];
  printed: [number, string][];
}

/** The small figure of an experiment, if it has one. */
export function figureOf(id: string): SmallFigure | undefined {
  return figures()[id];
}

/** The experiment with this name. */
export function experimentOf(id: string): Experiment | undefined {
  return papers().flatMap(({ experiments }) => experiments).find((experiment) => experiment.id === id);
}

/** Text of an experiment's first claim and whether it holds here; empty without a claim. */
export function claimed({ claim, holds, claims, claims_held }: Experiment): string {
  if (!claim) return "";
  const others = claims > 1 ? `; of its ${claims} claims ${claims_held} ${claims_held === 1 ? "holds" : "hold"}` : "";
  return `The paper claims: ${claim} Here, with seed 1, this ${holds ? "holds" : "does not hold"}${others}.`;
}

/** A run of an experiment as one side (run) of the page. */
export function sideOf(run: Run): Side {
  return { preset: "", name: run.scenario, text: gallery().scenarios[run.scenario] ?? "", set: run.set };
}
