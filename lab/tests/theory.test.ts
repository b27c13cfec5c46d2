// Max-min fair rates of hand-worked networks, in Mbit/s.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Flow, Network, RateLimits } from "../src/engine/messages.ts";
import { fairShares } from "../src/theory.ts";

/** Fair rates of flows over links of some rates; a flow has the numbers of its links, and MCR and PCR. */
function rates(links: number[], flows: [number[], RateLimits?][]): (number | undefined)[] {
  const network = {
    links: links.map((rate) => ({ bits_per_second: rate })),
    flows: flows.map(([forward, abr]) => ({ forward, abr: abr ?? null }) as Flow),
  };
  return fairShares(network as unknown as Network).map((rate) => rate && Math.round(rate * 1e6) / 1e6);
}

test("a rate is the share, but at least MCR and at most PCR", () => {
  assert.deepEqual(rates([100], [[[0]], [[0]], [[0]], [[0]]]), [25, 25, 25, 25]);
  assert.deepEqual(rates([100], [[[0], { mcr_bits_per_second: 50 }], [[0]], [[0]]]), [50, 25, 25]);
  assert.deepEqual(rates([100], [[[0], { pcr_bits_per_second: 10 }], [[0]], [[0]]]), [10, 45, 45]);
  assert.deepEqual(rates([100], [[[0], { pcr_bits_per_second: 10 }], [[0], { pcr_bits_per_second: 20 }]]), [10, 20]);
});

test("flows share what flows limited elsewhere leave", () => {
  // The long flow has 30 of the second link, whose other flow has 30, so 70 are left of the first.
  assert.deepEqual(rates([100, 60], [[[0, 1]], [[0]], [[1]]]), [30, 70, 30]);
  // With an MCR of 40 it has 40, and leaves 60 and 20.
  assert.deepEqual(rates([100, 60], [[[0, 1], { mcr_bits_per_second: 40 }], [[0]], [[1]]]), [40, 60, 20]);
});
