// Settling time, as `settling_time` in python/cellrate/simulation/dynamics.py defines it: the time until the utilisation of the most used
// link stays within a tenth of its final mean.

import { type Question, READINGS } from "./engine/messages.ts";

/** Number of equal parts of a run; the utilisation is averaged over each. */
const PARTS = 200;
const BAND = 0.1;
/** Share of the time from the last start of a flow over which the final mean is taken. */
const FINAL = 0.2;

/** The question whose answer has every reading of a run but the first at time zero, in every second part. */
export function readingsOf(duration: number): Question {
  // A part of half a step that begins a quarter of a step after a reading holds this reading alone.
  const ahead = (1.25 * duration) / READINGS;
  return { ask: "curves", from: ahead, to: duration + ahead, pixels: 2 * READINGS };
}

/**
 * Seconds from `start` until the most used link stays within a tenth of its final mean, in every later part. The final mean is that of
 * the last fifth of the time from `start`; infinite if a part of this fifth lies outside. `values` is the answer to `readingsOf`, track
 * after track; `tracks` has the numbers of the tracks of links.
 */
export function settling(values: Float32Array, tracks: number[], duration: number, start: number): number {
  const used = tracks.map((track) => means(values, track)).reduce<number[]>((most, one) => (mean(one) > mean(most) ? one : most), []);
  // The mean of a part is known at its end.
  const parts = used.map((value, i) => ({ at: ((i + 1) * duration) / PARTS, value })).filter(({ at }) => at >= start);
  const first = parts[0];
  if (first === undefined || parts.length < 2) return Number.NaN;
  const late = duration - FINAL * (duration - first.at);
  const end = mean(parts.filter(({ at }) => at >= late).map(({ value }) => value));
  const last = parts.findLastIndex(({ value }) => !(Math.abs(value - end) <= BAND * end));
  if (last < 0) return 0;
  if ((parts[last]?.at ?? duration) >= late) return Number.POSITIVE_INFINITY;
  return (parts[last + 1]?.at ?? duration) - start;
}

/** Means of a track over the parts of the run. A reading is the mean since the reading before it. A reading that covers the border of two parts counts in both, each with its share. */
function means(values: Float32Array, track: number): number[] {
  const sums: number[] = Array.from({ length: PARTS }, () => 0);
  const long = READINGS / PARTS;
  for (let reading = 0; reading < READINGS; reading += 1) {
    const value = values[(track * READINGS + reading) * 4] ?? Number.NaN;
    const part = Math.floor(reading / long);
    const beyond = Math.max(0, reading + 1 - (part + 1) * long);
    sums[part] = (sums[part] ?? 0) + value * (1 - beyond);
    if (beyond > 0 && part + 1 < PARTS) sums[part + 1] = (sums[part + 1] ?? 0) + value * beyond;
  }
  return sums.map((sum) => sum / long);
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
