// Numbers and times as texts for the user.

/** A number with four significant digits and a separator between thousands. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const digits = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en-US", { maximumFractionDigits: Math.min(digits, 6) });
}

/** A number for an axis, which has room for seven letters: in millions (M) from a million on. */
export function short(value: number): string {
  return Math.abs(value) >= 1e6 ? `${number(value / 1e6)} M` : number(value);
}

const TIMES: [number, string][] = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "µs"],
  [1e-9, "ns"],
];

/** A time in seconds as text with a suitable unit; `resolution` is the least difference that must be visible. */
export function time(seconds: number, resolution = 0): string {
  if (seconds === 0) return "0 s";
  const [unit, name] = TIMES.find(([unit]) => Math.abs(seconds) >= unit) ?? [1e-9, "ns"];
  const places = resolution > 0 ? Math.max(0, Math.min(9, Math.ceil(-Math.log10(resolution / unit)))) : undefined;
  const value = seconds / unit;
  const text = places === undefined ? String(Number(value.toPrecision(4))) : value.toFixed(places);
  return `${text} ${name}`;
}

export function megabits(cellsPerSecond: number): number {
  return (cellsPerSecond * 424) / 1e6;
}
