// Charts as SVG: what stands on their axes and at the ends of their curves.

import assert from "node:assert/strict";
import { test } from "node:test";

import { type Shown, marks, svgOf } from "../src/svg.ts";

const INK = { ground: "#fff", raised: "#f5f6f8", ink: "#1c2127", muted: "#59636e", faint: "#d9dee4" };

function chart(more: Partial<Shown>): Shown {
  const curve = { name: "queue of A->B", colour: "#0072b2", dash: [], y: [0, 50, 100] };
  return { title: "Queues, cells", x: [0, 1, 2], span: [0, 2], range: [0, 105], window: [0.5, 2], changes: [], curves: [curve], labels: [], levels: [], ...more };
}

const texts = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text ?? "");

test("marks of an axis are rounded numbers", () => {
  assert.deepEqual(marks(0, 1.9977324263038547, 10), [0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8]);
  assert.deepEqual(marks(0, 101.0001, 4), [0, 50, 100]);
  assert.deepEqual(marks(0, 28_000, 4), [0, 10_000, 20_000]);
  assert.deepEqual(marks(0, 1, 4), [0, 0.5, 1]);
  assert.deepEqual(marks(0.0431, 0.0472, 4), [0.044, 0.046]);
  assert.deepEqual(marks(-40, 70, 4), [0, 50]);
  assert.deepEqual(marks(3, 3, 4), [3]);
});

test("axes have rounded numbers with their units, also where nothing was lost", () => {
  const svg = svgOf([chart({ span: [0, 1.9977324263038547], range: [0, 101.0001] }), chart({ title: "Cells lost so far, cells", range: [0, 1], span: [0, 0.5] })], INK);
  const found = texts(svg);
  assert.deepEqual(found.slice(0, 1), ["Queues, cells"]);
  for (const text of ["0 s", "200 ms", "1.00 s", "50", "100", "Cells lost so far, cells", "0.5", "1"]) assert.ok(found.includes(text), `${text} in ${found.join(" | ")}`);
  for (const text of found) assert.doesNotMatch(text, /\d\.\d{3}|e-/);
});

test("curves are named at their ends, with dashes as in the page", () => {
  const curves = [
    { name: "ACR of tcp.1", colour: "#0072b2", dash: [], y: [0, 50, null, 100] },
    { name: "ACR of a<b, second run", colour: "#d55e00", dash: [1, 3], y: [0, 10, 20, 30] },
  ];
  const labels = [
    { text: "tcp.1", colour: "#0072b2", most: 100, y: 100 },
    { text: "a<b right", colour: "#d55e00", most: 30, y: 30 },
  ];
  const svg = svgOf([chart({ x: [0, 0.5, 1, 2], curves, labels, changes: [1] })], INK);
  assert.match(svg, /<text [^>]*fill="#0072b2">tcp\.1<\/text>/);
  assert.match(svg, /<text [^>]*fill="#d55e00">a&lt;b right<\/text>/);
  assert.match(svg, /stroke="#d55e00"[^>]*stroke-dasharray="1 3"><title>ACR of a&lt;b, second run<\/title>/);
  // A curve is interrupted where it has no value. The name stands at the height of the end: 100 of 105 is 5.7 of 120 pixels below 26.
  const [, points = ""] = /d="([^"]*)" fill="none" stroke="#0072b2"/.exec(svg) ?? [];
  assert.deepEqual(points.match(/[ML]/g), ["M", "L", "M"]);
  assert.match(points, / 31\.7$/);
  assert.match(svg, /y="35\.7"[^>]*>tcp\.1</);
});
