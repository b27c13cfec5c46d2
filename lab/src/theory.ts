// Theory: levels that follow from the scenario by arithmetic, drawn over the measured curves.
//
// They are max-min fair shares, one window per round trip, and limits of queues. Fair shares divide what sources with a rate of their
// own leave of each link; no rate is below MCR or above PCR. The levels hold for the network before any change during the run. The fluid model is not computed here: see
// `cellrate theory`.

import type { Chart, Flow, Network } from "./engine/messages.ts";
import { isEthernet } from "./layer.ts";

/** A level: a constant value that theory predicts, drawn in a chart. */
export interface Level {
  chart: Chart;
  /** The value in the unit of the chart. */
  value: number;
  name: string;
}

const CELL_BITS = 424;

/** Rate on the line, in bit/s, of a source with a rate of its own; `undefined` for an elastic source. */
function ownRate({ own_rate, own_bits_per_second }: Flow): number | undefined {
  return own_bits_per_second ?? (own_rate ? own_rate.mean_cells_per_second * CELL_BITS : undefined);
}

/** Least and greatest rate of an elastic flow on the line, in bit/s: MCR and PCR. */
function limits({ abr, mcr_bits_per_second, pcr_bits_per_second }: Flow): [number, number] {
  const found = abr ?? { mcr_bits_per_second, pcr_bits_per_second };
  return [found.mcr_bits_per_second ?? 0, found.pcr_bits_per_second ?? Number.POSITIVE_INFINITY];
}

const rateAt = (share: number, flow: Flow): number => {
  const [least, most] = limits(flow);
  return Math.min(most, Math.max(least, share));
};

/** Number of halvings after which a share has all bits of a number. */
const HALVINGS = 60;

/** Share at which flows fill the capacity left of a link; infinite if they never do. */
function fillingShare(flows: Flow[], left: number): number {
  const sum = (share: number) => flows.reduce((all, flow) => all + rateAt(share, flow), 0);
  if (flows.length === 0 || sum(left) < left) return Number.POSITIVE_INFINITY;
  let [low, high] = [0, left];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (sum(middle) < left) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * Max-min fair rates of the elastic flows in bit/s on the line, by progressive filling (Bertsekas and Gallager); `undefined` for
 * other flows. A rate is the share, but at least MCR and at most PCR.
 */
export function fairShares({ links, flows }: Network): (number | undefined)[] {
  const left = links.map((link) => link.bits_per_second);
  const rates: (number | undefined)[] = flows.map(() => undefined);
  for (const flow of flows) {
    for (const link of flow.forward) left[link] = Math.max(0, (left[link] ?? 0) - (ownRate(flow) ?? 0));
  }
  const open = new Set(flows.filter((flow) => ownRate(flow) === undefined));
  while (open.size > 0) {
    const users = links.map((_, link) => [...open].filter((flow) => flow.forward.includes(link)));
    const shares = users.map((using, link) => fillingShare(using, left[link] ?? 0));
    const share = Math.min(...shares);
    // No link fills once all flows are at PCR.
    for (const flow of share === Number.POSITIVE_INFINITY ? [...open] : (users[shares.indexOf(share)] ?? [])) {
      const rate = rateAt(share, flow);
      rates[flows.indexOf(flow)] = rate;
      open.delete(flow);
      for (const link of flow.forward) left[link] = Math.max(0, (left[link] ?? 0) - rate);
    }
  }
  return rates;
}

/** The levels of a network; equal levels occur only once. */
export function levels(network: Network): Level[] {
  const found: Level[] = [];
  const add = (level: Level) => {
    const known = found.some((one) => one.chart === level.chart && one.name === level.name && Math.abs(one.value - level.value) <= 1e-6 * Math.abs(level.value));
    if (!known && Number.isFinite(level.value)) found.push(level);
  };
  fairShares(network).forEach((share, number) => {
    const flow = network.flows[number];
    if (share === undefined || !flow) return;
    // Over Ethernet, headers, preambles and gaps take a part of the line rate; the application gets the rest.
    const fair = isEthernet(network) ? (share * ((flow.payload_bytes ?? 1) / (flow.line_bytes ?? 1))) / 1e9 : share / 1e6;
    if (flow.abr) add({ chart: "rate", value: fair, name: "fair share" });
    const limit = isEthernet(network) ? delivered(flow) : windowRate(flow, network.encapsulation_bytes ?? 0);
    add({ chart: "throughput", value: fair, name: "fair share" });
    if (limit !== undefined && limit < fair) add({ chart: "throughput", value: limit, name: "window per round trip" });
  });
  for (const { switch: settings } of network.nodes) {
    const { buffer_bytes, buffer_cells, control } = (settings ?? {}) as { buffer_bytes?: number | null; buffer_cells?: number | null; control?: Record<string, unknown> };
    if (typeof buffer_bytes === "number") add({ chart: "queue", value: buffer_bytes / 1e3, name: "buffer" });
    if (typeof buffer_cells === "number") add({ chart: "queue", value: buffer_cells, name: "buffer" });
    for (const key of ["threshold_cells", "high_cells", "low_cells"]) {
      const value = control?.[key];
      if (typeof value === "number") add({ chart: "queue", value, name: key.replace("_cells", "") });
    }
  }
  return found;
}

/** Rate of the application in Gbit/s if one window is sent in each round trip through empty queues. */
function delivered({ tcp, propagation_round_trip_seconds }: Flow): number | undefined {
  return tcp && propagation_round_trip_seconds ? (8 * tcp.window_bytes) / propagation_round_trip_seconds / 1e9 : undefined;
}

/** Rate on the link in Mbit/s if one window is sent in each round trip through empty queues; no flow can send faster. */
function windowRate({ tcp, propagation_round_trip_seconds }: Flow, encapsulation: number): number | undefined {
  if (!tcp || !propagation_round_trip_seconds) return undefined;
  const { window_bytes, mss_bytes, header_bytes, timestamps } = tcp;
  // A segment with the headers of TCP and IP, time stamps (RFC 7323), encapsulation and the 8 bytes of AAL5's trailer, in cells of 48
  // bytes.
  const cells = Math.ceil((mss_bytes + header_bytes + (timestamps ? 12 : 0) + encapsulation + 8) / 48);
  return ((window_bytes / mss_bytes) * cells * CELL_BITS) / propagation_round_trip_seconds / 1e6;
}
