// Settling time: the time until the utilisation of the most used link stays within a tenth of its mean over the last fifth of the run.

/** Number of equal parts of a run; the utilisation is averaged over each. */
export const PARTS = 200;
const BAND = 0.1;

/**
 * Seconds from `start` until the most used link stays within a tenth of its mean over the last fifth of the run, in every later part;
 * infinite if it never does. `values` has the least and the greatest value of each part, track after track; `tracks` has the numbers
 * of the tracks of links.
 */
export function settling(values: Float32Array, tracks: number[], duration: number, start: number): number {
  const of = (track: number) => Array.from({ length: PARTS }, (_, part) => {
    const at = (track * PARTS + part) * 2;
    return ((values[at] ?? 0) + (values[at + 1] ?? 0)) / 2;
  });
  const used = tracks.map(of).reduce<number[]>((most, one) => (mean(one) > mean(most) ? one : most), []);
  if (used.length === 0) return Number.NaN;
  const end = mean(used.slice((PARTS * 4) / 5));
  const last = used.findLastIndex((value) => !(Math.abs(value - end) <= BAND * end));
  return last === PARTS - 1 ? Number.POSITIVE_INFINITY : Math.max(0, ((last + 1) * duration) / PARTS - start);
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
