// The box above the runs that explains them: a step of a lesson, or an experiment of a paper.

import { type Experiment, claimed } from "./gallery.ts";
import type { Lesson } from "./lessons.ts";

/** Shows a step of a lesson; `go` opens another step, or ends the lesson. */
export function tellStep(box: HTMLElement, lesson: Lesson, number: number, go: (number: number | undefined) => void): void {
  const step = lesson.steps[number];
  if (!step) return;
  const last = number === lesson.steps.length - 1;
  const place = document.createElement("p");
  place.className = "place";
  place.textContent = `${lesson.title}: ${number + 1} of ${lesson.steps.length}`;
  const head = document.createElement("h2");
  head.tabIndex = -1;
  head.textContent = step.title;
  const text = document.createElement("div");
  text.innerHTML = step.text;
  const buttons = document.createElement("div");
  buttons.className = "steps";
  buttons.append(button("Back", number > 0, () => go(number - 1)), button(last ? "End" : "Next", true, () => go(last ? undefined : number + 1)), button("Leave the lesson", !last, () => go(undefined)));
  box.replaceChildren(place, head, text, buttons);
  box.setAttribute("aria-label", "Lesson");
  box.hidden = false;
}

/** Shows an experiment: its claim, whether the claim holds, and its printed values. */
export function tellExperiment(box: HTMLElement, experiment: Experiment, close: () => void): void {
  const { id, title, where, printed, more_printed } = experiment;
  const head = document.createElement("h2");
  head.textContent = title;
  const place = document.createElement("p");
  place.className = "place";
  place.textContent = where;
  const text = document.createElement("p");
  text.textContent = claimed(experiment);
  const list = document.createElement("ul");
  for (const one of printed) {
    const item = document.createElement("li");
    item.textContent = `printed: ${one}`;
    list.append(item);
  }
  if (more_printed > 0) {
    const item = document.createElement("li");
    item.textContent = `${more_printed} more printed values: cellrate reproduce ${id}`;
    list.append(item);
  }
  box.replaceChildren(place, head, text, list, button("Close", true, close));
  box.setAttribute("aria-label", "Experiment");
  box.hidden = false;
}

function button(name: string, enabled: boolean, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = name;
  made.hidden = !enabled;
  made.onclick = act;
  return made;
}
