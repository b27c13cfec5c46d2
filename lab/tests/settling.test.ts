// Settling times of utilisations that are written down here; a part lasts 10 ms and has 20.48 readings.

import assert from "node:assert/strict";
import { test } from "node:test";

import { signed } from "../src/compare.ts";
import { READINGS } from "../src/engine/messages.ts";
import { settling } from "../src/settling.ts";

const DURATION = 2;

/** The settling time of links with these utilisations, in per cent, by the number of the part in 200 of them. */
function settled(links: ((part: number) => number)[], start = 0): number {
  const reading = (link: (part: number) => number) => (number: number) => {
    const [part, rest] = [Math.floor(number / 20.48), (number / 20.48) % 1];
    const beyond = Math.max(0, rest * 20.48 - 19.48);
    return link(part) * (1 - beyond) + (beyond > 0 ? link(Math.min(199, part + 1)) * beyond : 0);
  };
  // Each reading is followed by a part that tells nothing of its own.
  const values = links.flatMap((link) => Array.from({ length: READINGS }, (_, i) => [reading(link)(i), reading(link)(i), 1e9, 1e9]).flat());
  return settling(new Float32Array(values), links.map((_, i) => i), DURATION, start);
}

test("a utilisation settles at the first part after which all lie within a tenth of the final mean", () => {
  // 80 % is more than a tenth below 90 %; the part with the number 50 ends at 510 ms.
  const rising = (part: number) => (part < 50 ? 80 : 90);
  assert.equal(settled([rising]), 0.51);
  // From a last start at 300 ms it takes that much less. 82 % is within a tenth of 90 %.
  assert.ok(Math.abs(settled([rising], 0.3) - 0.21) < 1e-9);
  assert.equal(settled([(part) => (part < 50 ? 82 : 90)]), 0);
  // The most used link counts.
  assert.equal(settled([(part) => (part < 100 ? 10 : 20), rising, () => 0]), 0.51);
});

test("what leaves the band within the last fifth of the run has not settled, however long the run", () => {
  // The last fifth has 40 parts; an excursion just before it counts as settled after it, one within it does not.
  const once = (out: number) => (part: number) => (part === out ? 50 : 90);
  assert.equal(settled([once(159)]), 1.61);
  for (const out of [160, 188, 198, 199]) assert.equal(settled([once(out)]), Number.POSITIVE_INFINITY, `part ${out}`);
  // An oscillation between 70 % and 90 % never settles, wherever its last cycle ends.
  for (const period of [2, 7, 12, 30]) assert.equal(settled([(part) => (Math.floor(part / period) % 2 ? 70 : 90)]), Number.POSITIVE_INFINITY, `period ${period}`);
  // A last start at 1 s leaves 20 parts to the last fifth.
  assert.equal(settled([once(178)], 1), 0.8);
  assert.equal(settled([once(180)], 1), Number.POSITIVE_INFINITY);
});

test("a run without links, or with no time after the last start, has no settling time", () => {
  assert.ok(Number.isNaN(settled([])));
  assert.ok(Number.isNaN(settled([() => 90], 1.999)));
});

test("a difference from a run that has not settled is a dash", () => {
  assert.equal(signed(Number.POSITIVE_INFINITY - 50), "–");
  assert.equal(signed(50 - Number.POSITIVE_INFINITY), "–");
  assert.equal(signed(Number.NaN), "–");
  assert.deepEqual([12.5, 0, -3].map(signed), ["+12.5", "0", "−3"]);
});
