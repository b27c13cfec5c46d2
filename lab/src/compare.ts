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

/** The table, with a line for each run, or on a narrow page a column; differences are told where there are two runs. */
export function table(runs: { title: string; summary: Summary | undefined; settled: number }[]): HTMLElement {
  const values = runs.map((run) => ROWS.map(({ value }) => (run.summary ? value(run.summary, run.settled) : Number.NaN)));
  const lines = [
    ["In the measuring window", ...ROWS.map(({ name, unit }) => (unit ? `${name}, ${unit}` : name))],
    ...runs.map(({ title }, i) => [title, ...(values[i] ?? []).map(number)]),
  ];
  const [left, right] = values;
  if (left && right) lines.push(["Difference", ...right.map((value, i) => signed(value - (left[i] ?? Number.NaN)))]);
  const wide = !matchMedia("(max-width: 760px)").matches;
  const first = lines[0] ?? [];
  const made = document.createElement("table");
  made.className = wide ? "results wide" : "results";
  const body = made.createTBody();
  for (const [i, line] of (wide ? lines : first.map((_, i) => lines.map((line) => line[i] ?? ""))).entries()) {
    const row = (i === 0 ? made.createTHead() : body).insertRow();
    for (const [j, text] of line.entries()) {
      const cell = document.createElement(i === 0 || j === 0 ? "th" : "td");
      if (cell.tagName === "TH") (cell as HTMLTableCellElement).scope = i === 0 ? "col" : "row";
      cell.textContent = text;
      row.append(cell);
    }
  }
  return made;
}

function signed(value: number): string {
  return value > 0 ? `+${number(value)}` : number(value).replace("-", "−");
}
