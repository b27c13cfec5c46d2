// The dialog in which the user finds lessons, templates and experiments.

import { ofFlow } from "./colours.ts";
import { claimed, figureOf, papers, type SmallFigure, sideOf } from "./gallery.ts";
import { LESSONS } from "./lessons.ts";
import type { Side } from "./state.ts";

/** Functions that open what the user chooses in the dialog. */
export interface Opens {
  lesson(id: string): void;
  /** The runs of an experiment, one or two. */
  experiment(id: string, sides: Side[]): void;
  template(name: string): void;
}

/** Fills the dialog; `templates` has names, each with a one-line description and its text. */
export function fillFind(dialog: HTMLDialogElement, templates: { name: string; about: string; text: string }[], opens: Opens): void {
  const close = (act: () => void) => () => {
    dialog.close();
    act();
  };
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "a topic, an author, a name or a word of a claim";
  search.setAttribute("aria-label", "Search lessons, templates and experiments");
  const lessons = section("Lessons", true);
  for (const { id, title, about, steps } of LESSONS) {
    const one = card(title, `${about} ${steps.length} steps.`, [["Begin", close(() => opens.lesson(id))]]);
    one.dataset.words = [id, ...steps.flatMap((step) => [step.title, step.text])].join(" ");
    lessons.append(one);
  }
  const presets = section("Templates", false);
  for (const { name, about, text } of templates) {
    const one = card(name, about, [["Open", close(() => opens.template(name))]]);
    one.dataset.words = comments(text);
    presets.append(one);
  }
  const ofPapers = papers().map((paper) => {
    const box = section(`${first(paper.authors)}${paper.year}: ${paper.title} (${paper.experiments.length})`, false);
    for (const experiment of paper.experiments) {
      const { id, title, where, runs } = experiment;
      const single: [string, () => void][] = runs.map((run) => [run.label, close(() => opens.experiment(id, [sideOf(run)]))]);
      const [first, second] = runs;
      const both: [string, () => void][] = first && second ? [["the first two side by side", close(() => opens.experiment(id, [sideOf(first), sideOf(second)]))]] : [];
      const one = card(`${title} · ${where}`, claimed(experiment), [...single, ...both]);
      const texts = runs.map((run) => `${run.label} ${run.scenario} ${comments(sideOf(run).text)}`);
      one.dataset.words = [id, paper.title, ...paper.authors, String(paper.year), ...texts].join(" ");
      const figure = figureOf(id);
      if (figure) one.prepend(small(figure));
      box.append(one);
    }
    return box;
  });
  const sections = [lessons, presets, ...ofPapers];
  const nothing = document.createElement("p");
  nothing.setAttribute("role", "status");
  search.oninput = () => {
    const wanted = search.value.trim().toLowerCase();
    const words = wanted.split(/\s+/);
    for (const box of sections) {
      const cards = [...box.querySelectorAll<HTMLElement>(".card")];
      for (const one of cards) {
        const text = `${one.textContent} ${one.dataset.words}`.toLowerCase();
        one.hidden = !words.every((word) => text.includes(word));
      }
      box.hidden = cards.every((one) => one.hidden);
      if (wanted) box.open = true;
    }
    nothing.textContent = sections.every((box) => box.hidden) ? `No lesson, template or experiment has "${search.value.trim()}".` : "";
  };
  const end = document.createElement("form");
  end.method = "dialog";
  const button = document.createElement("button");
  button.textContent = "Close";
  end.append(button);
  dialog.append(search, nothing, ...sections, end);
}

/** The lines of comment above the first table of a scenario, which say what it is about. */
function comments(text: string): string {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => line.startsWith("["));
  return lines.slice(0, end < 0 ? undefined : end).filter((line) => line.startsWith("#")).join(" ");
}

/** The last name of the first author; `undefined` if no author is known. */
function first(authors: string[]): string {
  const name = authors[0]?.split(" ").at(-1);
  return name ? `${name} ` : "";
}

function section(title: string, open: boolean): HTMLDetailsElement {
  const box = document.createElement("details");
  box.open = open;
  const summary = document.createElement("summary");
  summary.textContent = title;
  box.append(summary);
  return box;
}

/** Width and height of a small figure in its own units. */
const [WIDE, HIGH] = [150, 90];

/** Draws a small figure: the computed curves, and the printed points as hollow diamonds. */
function small({ title, axes, lines, printed }: SmallFigure): SVGElement {
  const svg = ofSvg("svg", { viewBox: `-6 -6 ${WIDE + 12} ${HIGH + 12}`, role: "img", "aria-label": `${title}: ${axes}` });
  const hint = ofSvg("title", {});
  hint.textContent = `${title}: ${axes}`;
  svg.append(hint, ofSvg("path", { d: `M0,0V${HIGH}H${WIDE}`, class: "frame" }));
  lines.forEach((points, i) => svg.append(ofSvg("polyline", { points, stroke: ofFlow(i) })));
  for (const [curve, point] of printed) svg.append(ofSvg("path", { d: `M${point}m0,-4l4,4l-4,4l-4,-4z`, stroke: ofFlow(curve) }));
  return svg;
}

function ofSvg(name: string, attributes: Record<string, string>): SVGElement {
  const one = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  return one;
}

function card(title: string, about: string, acts: [string, () => void][]): HTMLElement {
  const box = document.createElement("div");
  box.className = "card";
  const head = document.createElement("strong");
  head.textContent = title;
  const text = document.createElement("p");
  text.textContent = about;
  const buttons = acts.map(([name, act]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.setAttribute("aria-label", `${title}: ${name}`);
    button.onclick = act;
    return button;
  });
  box.append(head, text, ...buttons);
  return box;
}
