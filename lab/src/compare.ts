// A small table of the results of one run, or of two runs with their differences.

import type { Network, Summary } from "./engine/messages.ts";
import { isEthernet } from "./layer.ts";
import { number } from "./numbers.ts";

interface Row {
  name: string;
  unit: string;
  /** The link layer whose runs have this result; both if absent. */
  of?: "atm" | "ethernet";
  /** True for a result of the time before the measuring window; a run without such time has no such result. */
  before?: true;
  value(summary: Summary, settled: number): number;
}

const total = (key: string) => (summary: Summary) => summary.totals[key] ?? Number.NaN;
/** Payload that all flows delivered, in bit/s; flows without TCP are included. */
const delivered = ({ flows }: Summary) => flows.reduce((sum, flow) => sum + Number(flow.throughput_bits_per_second ?? flow.tcp_throughput_bits_per_second), 0);
const greatest = (key: string) => (summary: Summary) =>
  Math.max(...summary.ports.flatMap((port) => ((port.queues ?? []) as Record<string, number>[]).map((queue) => queue[key] ?? Number.NaN)));

const ROWS: Row[] = [
  { of: "atm", name: "Payload delivered", unit: "Mbit/s", value: (summary) => delivered(summary) / 1e6 },
  { of: "ethernet", name: "Payload delivered", unit: "Gbit/s", value: (summary) => delivered(summary) / 1e9 },
  { of: "atm", name: "Longest queue", unit: "cells", value: greatest("queue_max_cells") },
  { of: "atm", name: "Longest queue before the window", unit: "cells", before: true, value: greatest("queue_max_before_window_cells") },
  { of: "atm", name: "Cells lost at switches", unit: "cells", value: total("cells_dropped") },
  { of: "ethernet", name: "Longest queue", unit: "kB", value: (summary) => greatest("queue_max_bytes")(summary) / 1e3 },
  { of: "ethernet", name: "Longest queue before the window", unit: "kB", before: true, value: (summary) => greatest("queue_max_before_window_bytes")(summary) / 1e3 },
  { of: "ethernet", name: "Longest queue", unit: "packets", value: greatest("queue_max_packets") },
  { of: "ethernet", name: "Packets lost at switches", unit: "packets", value: total("packets_dropped") },
  { of: "ethernet", name: "Packets marked", unit: "packets", value: total("packets_marked") },
  { name: "Timeouts", unit: "", value: total("timeouts") },
  { name: "Jain's index", unit: "", value: total("jain_index") },
  { of: "ethernet", name: "Flows completed", unit: "", value: total("flows_completed") },
  { of: "ethernet", name: "99 % of them within", unit: "ms", value: (summary) => total("completion_p99_seconds")(summary) * 1e3 },
  { of: "atm", name: "Bottleneck settled after the last start", unit: "ms", value: (_, settled) => settled * 1e3 },
];

function layerOf(of: Network | Summary): "atm" | "ethernet" {
  return isEthernet(of) ? "ethernet" : "atm";
}

/**
 * The table has a row for each run, or a column on a narrow page. With two runs it also has the differences. A run that has not ended
 * has dashes.
 */
export function table(runs: { title: string; network: Network | undefined; summary: Summary | undefined; settled: number }[]): HTMLElement {
  const layers = new Set(runs.flatMap(({ network }) => (network ? [layerOf(network)] : [])));
  const isWarm = runs.some(({ network }) => network !== undefined && network.measure.from_seconds > 0);
  const rows = ROWS.filter(({ of, before }) => (of === undefined || layers.has(of)) && (isWarm || !before));
  const has = (row: Row, summary: Summary | undefined): summary is Summary => summary !== undefined && (row.of ?? layerOf(summary)) === layerOf(summary);
  const values = runs.map(({ summary, settled }) => rows.map((row) => (has(row, summary) ? row.value(summary, settled) : Number.NaN)));
  const lines = [
    ["In the measuring window", ...rows.map(({ name, unit }) => (unit ? `${name}, ${unit}` : name))],
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

/** A difference with its sign; a dash if one of the two values is unknown or infinite. */
export function signed(value: number): string {
  return value > 0 && Number.isFinite(value) ? `+${number(value)}` : number(value).replace("-", "−");
}
