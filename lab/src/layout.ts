// Places of hosts and switches: switches in the order of the way through them, sources before, destinations behind.

import type { Network } from "./engine/messages.ts";

/** Position in a unit square. */
export interface Place {
  x: number;
  y: number;
}

/** A place for every node of the network. */
export function layout(network: Network): Place[] {
  const near = neighbours(network);
  const isSwitch = network.nodes.map((node) => node.switch !== null);
  const column = columns(network, near, isSwitch);
  const sources = new Set(network.flows.map((flow) => network.links[flow.forward[0] ?? -1]?.from));
  const last = Math.max(0, ...network.nodes.map((_, node) => (isSwitch[node] ? (column[node] ?? 0) : 0)));
  const places: Place[] = network.nodes.map(() => ({ x: 0.5, y: 0.5 }));
  const width = last + 2;
  const spread = new Map<string, number[]>();
  network.nodes.forEach((_, node) => {
    const at = isSwitch[node] ? (column[node] ?? 0) : (column[(near[node] ?? []).find((n) => isSwitch[n]) ?? -1] ?? 0);
    let key: string;
    if (isSwitch[node]) key = `switch ${at}`;
    else if (sources.has(node)) key = at === 0 ? "left" : `above ${at}`;
    else key = at === last ? "right" : `below ${at}`;
    spread.set(key, [...(spread.get(key) ?? []), node]);
  });
  for (const [key, nodes] of spread) {
    const [side, number] = key.split(" ");
    const at = (Number(number ?? 0) + 1) / width;
    nodes.forEach((node, i) => {
      const share = (i + 0.5) / nodes.length;
      const aside = ((i + 1) / (nodes.length + 1) - 0.5) * (0.9 / width);
      const place: Record<string, Place> = {
        left: { x: 0, y: share },
        right: { x: 1, y: share },
        above: { x: at + aside, y: 0.06 },
        below: { x: at + aside, y: 0.94 },
        switch: { x: at, y: nodes.length === 1 ? 0.5 : 0.2 + 0.6 * share },
      };
      places[node] = place[side ?? "switch"] ?? { x: 0.5, y: 0.5 };
    });
  }
  return places;
}

function neighbours(network: Network): number[][] {
  const near: number[][] = network.nodes.map(() => []);
  for (const { from, to } of network.links) {
    near[from]?.push(to);
    near[to]?.push(from);
  }
  return near;
}

/** Steps of every switch from one end of the longest way over switches; sources enter at that end. */
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
