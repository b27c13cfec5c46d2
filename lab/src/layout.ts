// Positions of hosts and switches, and of their names. Switches stand in the order of the path through them, with sources before and
// destinations after them. In a network of layers the hosts stand below. Switches that form a ring stand in a ring.

import type { Network } from "./engine/messages.ts";
import { isEthernet } from "./layer.ts";

/** A point of the picture, in pixels. */
export interface Place {
  x: number;
  y: number;
}

/** A rectangle of the picture: its left upper corner and its size, in pixels. */
export interface Box extends Place {
  width: number;
  height: number;
}

/** The name of a node, and the box in which it is drawn. */
export interface Name extends Box {
  node: number;
  text: string;
}

/** The side of the network on which a node stands. */
type Side = "left" | "right" | "above" | "below" | "switch";

/**
 * The layout of a network's picture: positions of its nodes, boxes for their names, which overlap neither each other nor a node, and
 * boxes for the lengths of queues.
 */
export interface Layout {
  nodes: (Place & { side: Side; radius: number })[];
  names: Name[];
  /** For links behind switches, the box for the length of the queue, as far as there is room beside its bar. */
  lengths: Map<number, Box>;
}

/** Height of a line of text. */
const LINE = 12;
/** Height of the strip at the lower edge, which shows the cells of the longest queue and a sentence about them. */
export const STRIP = 34;
/** For the bar of a queue: its distance from the switch, its least and greatest length, and its breadth, in pixels. */
export const QUEUE = { from: 5, least: 14, length: 70, breadth: 9 };
/** Least distance between two layers of switches. */
const TIER = 90;
/** Number of lines above or below a node in which a name is close to it. */
const CLOSE = 2;
/** Number of lines above or below a node in which a name may stand at all. */
const ROWS = 7;
/** Half the side of a switch and radius of a host, in pixels: usual, in a network of many nodes, and least. */
const RADIUS = { switch: 11, host: 5, crowded: 3, least: 2 };
/** Least distance between switches that the names of hosts at the sides leave, and least room for these names. */
const APART = { switches: 24, side: 30 };
/** Width of the picture below which there is little room for names. */
const NARROW = 480;
/** Length of the bar of a congestion window. */
export const WINDOW = 18;

/** True for a network in layers. Its hosts stand below, and there is no room for the bars of windows. */
export function isLayered(network: Network): boolean {
  return arranged(network).tiers > 0;
}

/**
 * Height at which each host on the side with more hosts has a line of its own; `size` is a factor of the usual size of letters, here and
 * below.
 */
export function heightFor(network: Network, size = 1): number {
  const { sides, tiers, least = 0 } = arranged(network);
  if (tiers > 0) return (tiers * TIER + STRIP + 110) * size;
  const rows = Math.max(...(["left", "right"] as const).map((side) => sides.filter((one) => one === side).length), least);
  return (rows * (LINE + 1) + STRIP + (sides.includes("below") ? 100 : 70)) * size;
}

/** Makes the layout of a picture with this width and height; `measure` returns the width of a text. All are in pixels. */
export function layout(network: Network, width: number, height: number, measure: (text: string) => number, size = 1): Layout {
  const line = LINE * size;
  const strip = STRIP * size;
  const { unit, sides, tiers, columns, least = 0 } = arranged(network);
  const isNarrow = width < NARROW;
  const outer = [...network.nodes.keys()].filter((node) => sides[node] === "left" || sides[node] === "right");
  // In a narrow picture, names of hosts are shortened: the position already says "src" or "dst".
  const formsOf = (node: number) => forms(network.nodes[node]?.name ?? "").slice(isNarrow ? -1 : 0);
  const longest = Math.max(0, ...outer.map((node) => measure(formsOf(node)[0] ?? "")));
  const beside = Math.max(APART.side, Math.min(width * 0.3, longest + 42 * size, (width - APART.switches * columns) / 2));
  const margin = { x: tiers > 0 ? 0 : beside, top: 52 * size, bottom: strip + (sides.includes("below") ? 46 : 16) * size };
  const many = network.nodes.length > 40;
  const places = unit.map(({ x, y }) => ({ x: margin.x + x * (width - 2 * margin.x), y: margin.top + y * (height - margin.top - margin.bottom) }));
  const radii = { switch: radius(places.filter((_, node) => sides[node] === "switch"), RADIUS.switch), host: radius(places.filter((_, node) => sides[node] !== "switch"), many ? RADIUS.crowded : RADIUS.host) };
  const nodes = places.map((place, node) => ({ ...place, side: sides[node] ?? "switch", radius: radii[sides[node] === "switch" ? "switch" : "host"] }));
  const taken: Box[] = [{ x: 0, y: height - strip, width, height: strip }];
  for (const { x, y, side, radius } of nodes) {
    const bar = side === "left" ? WINDOW + 5 : 0;
    taken.push({ x: x - radius - bar, y: y - radius, width: 2 * radius + bar, height: 2 * radius });
  }
  const lengths = new Map<number, Box>();
  for (const link of queueing(network, 2)) {
    const [from, to] = ends(network, link, nodes);
    const { begin, long } = queueBar(from, to, radii.switch);
    for (let at = begin; at < begin + long; at += 6) {
      const { x, y } = along(from, to, at);
      taken.push({ x: x - 4, y: y - 2, width: 8, height: 14 });
    }
  }
  const number = (link: number, offsets: number[]) => {
    const [from, to] = ends(network, link, nodes);
    const { begin, long } = queueBar(from, to, radii.switch);
    const middle = along(from, to, begin + long / 2);
    const box = (dy: number): Box => ({ x: middle.x - 18 * size, y: middle.y + (dy > 0 ? dy : dy - line + LINE), width: 36 * size, height: line });
    // Beside a steep link there is room for the number, above and below its bar there is none.
    const beside = [1, -1].map((way): Box => ({ x: middle.x + way * 30 * size - 18 * size, y: middle.y - line / 2, width: 36 * size, height: line }));
    const free = [...offsets.map(box), ...beside].find((one) => isFree(one, taken, width, height));
    if (!free) return;
    lengths.set(link, free);
    taken.push(free);
  };
  const names: Name[] = [];
  const name = (node: number) => {
    const at = nodes[node];
    if (!at) return;
    // Links of a ring lead up from the switches in its lower half.
    const isLow = least > 0 && (unit[node]?.y ?? 0) > 0.5;
    const boxesIn = (lines: number) => formsOf(node).map((text) => ({ text, boxes: candidates(at, measure(text), lines, line, isLow) }));
    // In a network of layers, a short name close to its switch is better than the whole name far from it. On a phone there is no room far
    // from a node: what stands there would be taken for the name of another.
    const tries = [...(tiers > 0 || isNarrow ? boxesIn(CLOSE) : []), ...(tiers === 0 && isNarrow ? [] : boxesIn(ROWS))];
    for (const { text, boxes } of tries) {
      const free = boxes.find((one) => isFree(one, taken, width, height) && isOf(one, node, nodes));
      if (!free) continue;
      names.push({ node, text, ...free });
      taken.push(free);
      return;
    }
  };
  const [switches, hosts] = [true, false].map((is) => [...nodes.keys()].filter((node) => (nodes[node]?.side === "switch") === is));
  const shared = queueing(network, 2);
  // Names and queue lengths with the fewest possible positions are placed first.
  if (isNarrow) switches?.forEach(name);
  for (const link of shared) number(link, isNarrow && least === 0 ? [16, -20] : [16, -20, 28, -32, 40]);
  if (!isNarrow) switches?.forEach(name);
  hosts?.forEach(name);
  for (const link of queueing(network, 1)) if (!lengths.has(link)) number(link, [16, -20]);
  return { nodes, names, lengths };
}

/** Both ends of a link. A link is drawn at the right of the line between its nodes, seen in its direction. */
export function ends(network: Network, link: number, nodes: readonly Place[]): [Place, Place] {
  const { from, to } = network.links[link] ?? { from: 0, to: 0 };
  const [a, b] = [nodes[from] ?? { x: 0, y: 0 }, nodes[to] ?? { x: 0, y: 0 }];
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const aside = { x: (-(b.y - a.y) / length) * 4, y: ((b.x - a.x) / length) * 4 };
  return [
    { x: a.x + aside.x, y: a.y + aside.y },
    { x: b.x + aside.x, y: b.y + aside.y },
  ];
}

/** The bar for the queue of a link at a switch with this radius: its distance from the middle of the switch and its length, in pixels. */
export function queueBar(from: Place, to: Place, radius: number): { begin: number; long: number } {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const begin = radius + QUEUE.from;
  return { begin, long: Math.min(QUEUE.length, Math.max(distance * 0.35, Math.min(QUEUE.least, distance - begin - 2))) };
}

/** A radius with which nodes at these places leave a gap between each other, at most `usual`. */
function radius(places: Place[], usual: number): number {
  const apart = Math.min(...places.flatMap((one, i) => places.slice(0, i).map((other) => Math.max(Math.abs(one.x - other.x), Math.abs(one.y - other.y)))));
  return Math.max(RADIUS.least, Math.min(usual, apart * 0.3));
}

/** True if a name in this box is taken for the name of its node: no other node is as near to its middle. */
function isOf(box: Box, node: number, nodes: readonly Place[]): boolean {
  const far = ({ x, y }: Place) => Math.hypot(box.x + box.width / 2 - x, box.y + box.height / 2 - y);
  const own = far(nodes[node] ?? box);
  return nodes.every((other, i) => i === node || far(other) > own);
}

function along(from: Place, to: Place, distance: number): Place {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) * distance) / length, y: from.y + ((to.y - from.y) * distance) / length };
}

/** Links behind switches that carry the data of at least `least` flows. */
function queueing(network: Network, least: number): number[] {
  const used = network.links.map(() => 0);
  for (const { forward } of network.flows) for (const link of forward) used[link] = (used[link] ?? 0) + 1;
  return network.links.flatMap(({ from }, link) => (network.nodes[from]?.switch && (used[link] ?? 0) >= least ? [link] : []));
}

/** Forms of a name: the full name, and a shorter form without the word that the side of the host already says. */
function forms(name: string): string[] {
  const short = name.replace(/^(src|dst)\.|(?<=^aggr)egation(?=\d)/, "");
  return short === name ? [name] : [name, short];
}

/** Boxes in which the name of a node may stand, the best first; at most `lines` of them, each `line` pixels high, lie over each other. */
function candidates({ x, y, side, radius }: Layout["nodes"][number], width: number, lines: number, line: number, isLow: boolean): Box[] {
  const box = (left: number, top: number): Box => ({ x: left, y: top, width, height: line });
  const beside = side === "left" ? x - radius - WINDOW - 7 - width : x + radius + 4;
  const rows = Array.from({ length: lines }, (_, row) => row * line);
  const over = rows.flatMap((row) => [0, -0.3, 0.3].map((shift) => box(x - width / 2 + shift * width, y - radius - 3 - line - row)));
  const under = rows.flatMap((row) => [0, -0.3, 0.3].map((shift) => box(x - width / 2 + shift * width, y + radius + 3 + row)));
  const next = [box(beside, y - line / 2), box(beside, y - line), box(beside, y)];
  if (side === "left" || side === "right") return next;
  // Links lead from a host towards its switch, so the name stands on the other side of the host.
  if (side === "switch") return isLow ? [...under, ...next, ...over] : [...over, ...next, ...under];
  return side === "below" ? [...under, ...next] : [...over, ...next];
}

function isFree(box: Box, taken: readonly Box[], width: number, height: number): boolean {
  const within = box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height;
  return within && taken.every((other) => !overlaps(box, other));
}

/** True if two boxes overlap by more than an edge. */
export function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** For every node of the network, a position in the unit square and the side on which it stands; also the number of layers or of columns, and the least number of lines of text that the picture has room for. */
function arranged(network: Network): { unit: Place[]; sides: Side[]; tiers: number; columns: number; least?: number } {
  const near = neighbours(network);
  const isSwitch = network.nodes.map((node) => node.switch !== null);
  const layers = isEthernet(network) ? layered(near, isSwitch) : undefined;
  if (layers) return layers;
  const circle = ring(near, isSwitch);
  if (circle.length > 0) return around(circle, near, isSwitch);
  const column = columns(network, near, isSwitch);
  const sources = new Set(network.flows.map((flow) => network.links[flow.forward[0] ?? -1]?.from));
  const last = Math.max(0, ...network.nodes.map((_, node) => (isSwitch[node] ? (column[node] ?? 0) : 0)));
  const width = last + 2;
  const unit: Place[] = network.nodes.map(() => ({ x: 0.5, y: 0.5 }));
  const sides: Side[] = network.nodes.map(() => "switch");
  const spread = new Map<string, { side: Side; at: number; nodes: number[] }>();
  network.nodes.forEach((_, node) => {
    const at = isSwitch[node] ? (column[node] ?? 0) : (column[(near[node] ?? []).find((n) => isSwitch[n]) ?? -1] ?? 0);
    const before = at === 0 ? "left" : "above";
    const behind = at === last ? "right" : "below";
    const side: Side = isSwitch[node] ? "switch" : sources.has(node) ? before : behind;
    const group = spread.get(`${side} ${at}`) ?? { side, at, nodes: [] };
    group.nodes.push(node);
    spread.set(`${side} ${at}`, group);
    sides[node] = side;
  });
  for (const { side, at, nodes } of spread.values()) {
    const x = (at + 1) / width;
    nodes.forEach((node, i) => {
      const share = (i + 0.5) / nodes.length;
      const aside = (share - 0.5) / width;
      const place: Record<Side, Place> = {
        left: { x: 0, y: share },
        right: { x: 1, y: share },
        above: { x: x + aside, y: 0 },
        below: { x: x + aside, y: 1 },
        switch: { x, y: nodes.length === 1 ? 0.5 : 0.2 + 0.6 * share },
      };
      unit[node] = place[side];
    });
  }
  return { unit, sides, tiers: 0, columns: width };
}

/**
 * Arranges switches in layers by their distance from the nearest host, and hosts below. Returns `undefined` unless every link leads
 * from one layer to the next and there are at least two layers of switches.
 */
function layered(near: number[][], isSwitch: boolean[]): ReturnType<typeof arranged> | undefined {
  const tier: (number | undefined)[] = isSwitch.map((is) => (is ? undefined : 0));
  const queue = [...isSwitch.keys()].filter((node) => !isSwitch[node]);
  for (const node of queue) {
    for (const next of near[node] ?? []) {
      if (tier[next] !== undefined) continue;
      tier[next] = (tier[node] ?? 0) + 1;
      queue.push(next);
    }
  }
  const top = Math.max(...tier.map((of) => of ?? 0));
  const isStepped = near.every((others, node) => others.every((other) => Math.abs((tier[other] ?? 0) - (tier[node] ?? 0)) === 1));
  if (top < 2 || !isStepped) return undefined;
  const unit: Place[] = tier.map(() => ({ x: 0.5, y: 1 }));
  // Hosts stand below their switches; switches are in the order of their numbers.
  const rank = (node: number) => (isSwitch[node] ? node : (near[node]?.[0] ?? node));
  for (let layer = top; layer >= 0; layer -= 1) {
    const nodes = [...tier.keys()].filter((node) => tier[node] === layer).sort((a, b) => rank(a) - rank(b) || a - b);
    nodes.forEach((node, i) => {
      unit[node] = { x: (i + 0.5) / nodes.length, y: 1 - layer / top };
    });
  }
  return { unit, sides: isSwitch.map((is) => (is ? "switch" : "below")), tiers: top, columns: 0 };
}

/** The switches in the order of the ring that they form: each has two others beside it, and each host one switch. Empty without a ring. */
function ring(near: number[][], isSwitch: boolean[]): number[] {
  const beside = near.map((others) => [...new Set(others)]);
  const switches = [...isSwitch.keys()].filter((node) => isSwitch[node]);
  const next = (node: number) => (beside[node] ?? []).filter((other) => isSwitch[other]);
  const isRing = switches.length > 2 && switches.every((node) => next(node).length === 2);
  if (!isRing || beside.some((others, node) => !isSwitch[node] && others.length !== 1)) return [];
  const found = switches.slice(0, 1);
  for (const node of found) found.push(...next(node).filter((other) => !found.includes(other)).slice(0, 1));
  return found.length === switches.length ? found : [];
}

/** Arranges a ring clockwise from the left, with its hosts at the left and right edges; no switch is above or below the middle. */
function around(circle: number[], near: number[][], isSwitch: boolean[]): ReturnType<typeof arranged> {
  const turned = circle.length % 4 === 0 ? 0.5 : 0;
  const unit: Place[] = isSwitch.map(() => ({ x: 0.5, y: 0.5 }));
  const sides: Side[] = isSwitch.map(() => "switch");
  circle.forEach((node, at) => {
    const angle = Math.PI - ((at + turned) * 2 * Math.PI) / circle.length;
    const place = { x: 0.5 + 0.36 * Math.cos(angle), y: 0.5 - 0.46 * Math.sin(angle) };
    unit[node] = place;
    const side = place.x < 0.5 ? "left" : "right";
    const hosts = [...new Set(near[node])].filter((other) => !isSwitch[other]);
    hosts.forEach((host, i) => {
      unit[host] = { x: side === "left" ? 0 : 1, y: place.y + ((i + 0.5) / hosts.length - 0.5) / circle.length };
      sides[host] = side;
    });
  });
  return { unit, sides, tiers: 0, columns: circle.length, least: 4 * circle.length };
}

function neighbours(network: Network): number[][] {
  const near: number[][] = network.nodes.map(() => []);
  for (const { from, to } of network.links) {
    near[from]?.push(to);
    near[to]?.push(from);
  }
  return near;
}

/** The column of every switch: its number of steps from one end of the longest path through switches. Sources enter at that end. */
function columns(network: Network, near: number[][], isSwitch: boolean[]): number[] {
  const switches = network.nodes.map((_, node) => node).filter((node) => isSwitch[node]);
  const first = switches[0];
  if (first === undefined) return network.nodes.map(() => 0);
  const far = (from: number) => {
    const steps: number[] = network.nodes.map(() => -1);
    steps[from] = 0;
    const queue = [from];
    for (const node of queue) {
      for (const next of near[node] ?? []) {
        if (isSwitch[next] && steps[next] === -1) {
          steps[next] = (steps[node] ?? 0) + 1;
          queue.push(next);
        }
      }
    }
    return { steps, end: queue.at(-1) ?? from };
  };
  const one = far(first).end;
  const entered = network.links[network.flows[0]?.forward[0] ?? -1]?.to;
  const { steps, end } = far(one);
  const turned = entered !== undefined && (steps[entered] ?? 0) > (steps[end] ?? 0) / 2;
  const found = turned ? far(end).steps : steps;
  return found.map((step) => Math.max(0, step));
}
