// A small table of what differs between two runs, or of what one has given.

import type { Summary } from "./engine/messages.ts";
import { number } from "./numbers.ts";

interface Row {
  name: string;
  unit: string;
  value(summary: Summary, settled: number): number;
}

const total = (key: string) => (summary: Summary) => summary.totals[key] ?? Number.NaN;
const greatest = (key: string) => (summary: Summary) =>
  Math.max(...summary.ports.flatMap((port) => ((port.queues ?? []) as Record<string, number>[]).map((queue) => queue[key] ?? Number.NaN)));

const ROWS: Row[] = [
  { name: "Goodput of all flows", unit: "Mbit/s", value: (summary) => total("goodput_bits_per_second")(summary) / 1e6 },
  { name: "Longest queue", unit: "cells", value: greatest("queue_max_cells") },
  { name: "Longest queue before the window", unit: "cells", value: greatest("queue_max_before_window_cells") },
  { name: "Cells lost at switches", unit: "cells", value: total("cells_dropped") },
  { name: "Timeouts", unit: "", value: total("timeouts") },
  { name: "Jain's index", unit: "", value: total("jain_index") },
  { name: "Bottleneck settled after the last start", unit: "ms", value: (_, settled) => settled * 1e3 },
];

/** The table; differences are named where there are two runs. */
export function table(runs: { title: string; summary: Summary | undefined; settled: number }[]): HTMLElement {
  const made = document.createElement("table");
  made.className = "results";
  const head = made.createTHead().insertRow();
  for (const text of ["In the measuring window", ...runs.map((run) => run.title), ...(runs.length === 2 ? ["Difference"] : [])]) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = text;
    head.append(cell);
  }
  const body = made.createTBody();
  for (const { name, unit, value } of ROWS) {
    const line = body.insertRow();
    const title = document.createElement("th");
    title.scope = "row";
    title.textContent = unit ? `${name}, ${unit}` : name;
    line.append(title);
    const values = runs.map((run) => (run.summary ? value(run.summary, run.settled) : Number.NaN));
    for (const one of values) line.insertCell().textContent = number(one);
    const [a, b] = values;
    if (runs.length === 2 && a !== undefined && b !== undefined) line.insertCell().textContent = signed(b - a);
  }
  return made;
}

function signed(value: number): string {
  return value > 0 ? `+${number(value)}` : number(value).replace("-", "−");
}
