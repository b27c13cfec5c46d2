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

/** Fills the dialog; `templates` has names, each with a one-line description. */
export function fillFind(dialog: HTMLDialogElement, templates: { name: string; about: string }[], opens: Opens): void {
  const close = (act: () => void) => () => {
    dialog.close();
    act();
  };
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "a word of a title or a claim";
  search.setAttribute("aria-label", "Search lessons, templates and experiments");
  const lessons = section("Lessons", true);
  for (const { id, title, about, steps } of LESSONS) lessons.append(card(title, `${about} ${steps.length} steps.`, [["Begin", close(() => opens.lesson(id))]]));
  const presets = section("Templates", false);
  for (const { name, about } of templates) presets.append(card(name, about, [["Open", close(() => opens.template(name))]]));
  const ofPapers = papers().map((paper) => {
    const box = section(`${first(paper.authors)}${paper.year}: ${paper.title} (${paper.experiments.length})`, false);
    for (const experiment of paper.experiments) {
      const { id, title, where, runs } = experiment;
      const single: [string, () => void][] = runs.map((run) => [run.label, close(() => opens.experiment(id, [sideOf(run)]))]);
      const [first, second] = runs;
      const both: [string, () => void][] = first && second ? [["the first two side by side", close(() => opens.experiment(id, [sideOf(first), sideOf(second)]))]] : [];
      const one = card(`${title} · ${where}`, claimed(experiment), [...single, ...both]);
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
      for (const one of cards) one.hidden = !words.every((word) => (one.textContent ?? "").toLowerCase().includes(word));
      box.hidden = cards.every((one) => one.hidden);
      if (wanted) box.open = true;
    }
    nothing.textContent = sections.every((box) => box.hidden) ? `No title and no claim has "${search.value.trim()}".` : "";
  };
  const end = document.createElement("form");
  end.method = "dialog";
  const button = document.createElement("button");
  button.textContent = "Close";
  end.append(button);
  dialog.append(search, nothing, ...sections, end);
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
