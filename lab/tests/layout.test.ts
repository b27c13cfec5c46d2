// Names in the picture of a network and beside the charts: for every template and every run of the gallery, in four widths.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import type { About, Opened, Refused } from "../src/engine/messages.ts";
import { Engine } from "../src/engine/module.ts";
import { papers, sideOf } from "../src/gallery.ts";
import { GAP, LINE, besideEachOther, place, roomFor } from "../src/labels.ts";
import { isEthernet } from "../src/layer.ts";
import { heightFor, isLayered, layout, overlaps } from "../src/layout.ts";
import { lessonOf } from "../src/lessons.ts";
import { groups } from "../src/schema.ts";
import { short } from "../src/numbers.ts";
import { overrides } from "../src/state.ts";
import { ROOT } from "./page.ts";

/** A wide letter of the pictures' font, in pixels. */
const LETTER = 6.6;

async function scenarios(): Promise<[string, Opened][]> {
  const engine = new Engine(await WebAssembly.compile(await readFile(`${ROOT}out/lab/engine.wasm`)));
  const { templates } = engine.ask<About>({ ask: "about" }).json;
  const runs = papers().flatMap(({ experiments }) => experiments).flatMap(({ id, runs }) => runs.map((run) => ({ id, side: sideOf(run) })));
  const texts: [string, string, string[]][] = [...templates.map(({ name, text }): [string, string, string[]] => [name, text, []]), ...runs.map(({ id, side }): [string, string, string[]] => [id, side.text, overrides(side)])];
  const leafSpine = templates.find(({ name }) => name === "leaf-spine")?.text ?? "";
  // Fat trees of 16 and of 54 hosts, a leaf-spine network of 64, and 40 flows to one host.
  const tree = (k: number) => `topology={template="fat-tree",k=${k},rate="10 Gbit/s",delay="1 us"}`;
  for (const set of [[tree(4)], [tree(6)], ["topology.hosts_per_leaf=16"], ['topology.leaves=8', 'topology.spines=4']]) texts.push([`leaf-spine ${set.join(" ")}`, leafSpine, set]);
  texts.push(["ring", lessonOf("deadlock")?.text ?? "", []]);
  texts.push(["incast of 40", templates.find(({ name }) => name === "incast")?.text ?? "", ["flow.answer.count=40"]]);
  const shapes = new Map<string, [string, Opened]>();
  for (const [name, text, set] of texts) {
    const { json } = engine.ask<Opened | Refused>({ ask: "open", text, name, set });
    if ("error" in json) {
      // A page has no files to play.
      assert.match(json.error, /operation not supported/, name);
      continue;
    }
    const { nodes, links, flows } = json.network;
    const shape = JSON.stringify([nodes.map((node) => [node.name, node.switch !== null]), links.map(({ from, to }) => [from, to]), flows.map(({ forward }) => forward)]);
    if (!shapes.has(shape)) shapes.set(shape, [name, json]);
  }
  return [...shapes.values()];
}

const found = scenarios();

test("names never overlap each other or a node, and none is cut", async (t) => {
  const all = await found;
  assert.ok(all.length > 20, `${all.length} networks`);
  let without = 0;
  for (const [name, { network }] of all) {
    // The last is a projector's, with larger letters.
    for (const [width, least, size] of [[950, 340, 1], [570, 340, 1], [336, 240, 1], [1500, 340, 1.3]] as const) {
      const height = Math.max(least, Math.min(560 * size, heightFor(network, size)));
      const { nodes, names, lengths } = layout(network, width, height, (text) => text.length * LETTER * size, size);
      const isShared = network.links.some(({ from }, link) => network.nodes[from]?.switch && network.flows.filter(({ forward }) => forward.includes(link)).length > 1);
      if (width > 400 && isShared) assert.ok(lengths.size > 0, `${name}: no queue`);
      const boxes = [...names.map((one) => ({ of: one.text, ...one })), ...[...lengths].map(([link, one]) => ({ of: `queue of ${link}`, ...one }))];
      boxes.forEach((a, i) => {
        assert.ok(a.x >= 0 && a.y >= 0 && a.x + a.width <= width && a.y + a.height <= height, `${name}, ${width}: ${a.of} is cut`);
        for (const b of boxes.slice(0, i)) assert.ok(!overlaps(a, b), `${name}, ${width}: ${a.of} over ${b.of}`);
        for (const { x, y, radius } of nodes) assert.ok(!overlaps(a, { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius }), `${name}, ${width}: ${a.of} over a node`);
      });
      // A name belongs to the node that is nearest to it, and on a phone it stands beside that node.
      for (const { node, text, x, y, width: wide } of names) {
        const far = nodes.map((one) => Math.hypot(x + wide / 2 - one.x, y + 6 * size - one.y));
        assert.equal(far.indexOf(Math.min(...far)), node, `${name}, ${width}: ${text}`);
        const own = nodes[node] ?? { x: 0, y: 0, radius: 0 };
        if (width < 400 && !isLayered(network)) assert.ok(Math.max(Math.abs(y + 6 - own.y) - own.radius, 0) <= 24, `${name}, ${width}: ${text} is far from its node`);
      }
      // Squares of switches leave their links visible.
      const squares = nodes.filter(({ side }) => side === "switch");
      squares.forEach((a, i) => {
        for (const b of squares.slice(0, i)) assert.ok(Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y)) >= a.radius + b.radius + 4, `${name}, ${width}: switches touch`);
      });
      const named = new Set(names.map(({ node }) => node));
      const missing = network.nodes.filter((_, node) => !named.has(node)).map((node) => node.name);
      without += missing.length;
      // Hosts have names as far as there is room beside them; the pointer tells the others.
      if (network.nodes.length <= 40 && width > 900) assert.deepEqual(missing, [], `${name}, ${width}`);
      // Of 45 switches not all have room for a name on a phone.
      if (network.nodes.length > 80) continue;
      network.nodes.forEach((node, i) => assert.ok(!node.switch || named.has(i), `${name}, ${width}: ${node.name} has no name`));
    }
  }
  t.diagnostic(`${all.length} networks in four widths; ${without} hosts without a name for want of room`);
});

test("switches of a ring stand in a ring, with the length of each queue between them", async () => {
  const [, opened] = (await found).find(([name]) => name === "ring") ?? [];
  assert.ok(opened);
  const { network } = opened;
  for (const width of [950, 570, 336]) {
    const { nodes, lengths } = layout(network, width, Math.min(560, heightFor(network)), (text) => text.length * LETTER);
    const between = network.links.flatMap(({ from, to }, link) => (network.nodes[from]?.switch && network.nodes[to]?.switch ? [{ from, to, link }] : []));
    const used = between.filter(({ link }) => network.flows.some(({ forward }) => forward.includes(link)));
    assert.equal(used.length, 5);
    for (const { link } of used) assert.ok(lengths.has(link), `${width}: link ${link} has no length`);
    // No link passes over a third node.
    for (const { from, to } of between) {
      const [a, b] = [nodes[from], nodes[to]];
      assert.ok(a && b);
      for (const other of nodes.filter((one) => one !== a && one !== b)) {
        const longer: number = Math.hypot(a.x - other.x, a.y - other.y) + Math.hypot(b.x - other.x, b.y - other.y);
        assert.ok(longer > Math.hypot(a.x - b.x, a.y - b.y) + 4, `${width}: ${from} to ${to}`);
      }
    }
  }
});

test("the panel has parameters of end systems only where a flow has them", async () => {
  const engine = new Engine(await WebAssembly.compile(await readFile(`${ROOT}out/lab/engine.wasm`)));
  const { schemas } = engine.ask<About>({ ask: "about" }).json;
  const titles = async (name: string) => {
    const [, opened] = (await found).find(([one]) => one === name) ?? [];
    assert.ok(opened, name);
    const { network, scenario } = opened;
    return groups(isEthernet(network) ? schemas.ethernet : schemas.atm, scenario, network).map(({ title }) => title);
  };
  for (const [name, tcp, abr] of [["ring", false, false], ["n-source", true, true], ["gfc-2", false, true]] as const) {
    const shown = await titles(name);
    assert.deepEqual([shown.includes("TCP"), shown.includes("ABR end systems")], [tcp, abr], name);
  }
});

test("names of levels of theory never overlap, and the first stands at the edge", () => {
  const names = [10, 14, 5, 60, 16, 12].map((y, i) => ({ y, width: 60 + 10 * i }));
  const far = besideEachOther(names, LINE);
  assert.deepEqual([far[0], far[3]], [0, 0]);
  const boxes = names.map(({ y, width }, i) => ({ x: -(far[i] ?? 0) - width, y, width, height: LINE }));
  boxes.forEach((a, i) => boxes.slice(0, i).forEach((b) => assert.ok(!overlaps(a, b))));
});

test("numbers of an axis have seven letters at most", () => {
  const texts = [0, 2.5, 999.9, 50_000, 800_000, 1e6, 2_500_000, 8_000_000, 70_400_000, 1.2e9].map(short);
  assert.deepEqual(texts.filter((text) => text.length > 7), []);
  assert.deepEqual(texts.slice(5, 8), ["1 M", "2.5 M", "8 M"]);
});

test("names of curves never overlap, and none is cut", async () => {
  const measure = (text: string) => text.length * LETTER;
  for (const [name, { tracks }] of await found) {
    for (const width of [950, 570, 336]) {
      const room = { width: roomFor(tracks.map(({ of }) => of), width) - GAP, top: 8, bottom: 108, line: LINE };
      for (const chart of new Set(tracks.map((track) => track.chart))) {
        const names = [...new Set(tracks.filter((track) => track.chart === chart).map(({ of }) => of))];
        // Curves that all end at one height, at the top, and apart; one of them alone.
        const ends: ((i: number) => number)[] = [() => 108, () => 8, (i) => 8 + ((i * 37) % 100)];
        for (const [end, some] of [...ends.map((end) => [end, names] as const), ...names.map((of) => [() => 60, [of]] as const)]) {
          const placed = place(some.map((text, i) => ({ text, colour: "", most: i, y: end(i) })), room, measure);
          const told = Number(/^\+(\d+) more$/.exec(placed.at(-1)?.lines[0] ?? "")?.[1] ?? 0);
          assert.equal(placed.filter(({ colour }) => colour !== undefined).length + told, some.length, `${name}, ${width}, ${chart}`);
          if (some.length === 1) assert.equal(placed[0]?.lines.join(""), some[0]);
          let free = room.top;
          for (const { lines, y } of placed) {
            assert.ok(y >= free && y + (lines.length - 0.5) * LINE <= room.bottom, `${name}, ${width}, ${chart}: ${lines.join("")} at ${y}`);
            for (const line of lines) assert.ok(measure(line) <= room.width, `${name}, ${width}, ${chart}: ${line} is cut`);
            free = y + lines.length * LINE;
          }
        }
      }
    }
  }
});
