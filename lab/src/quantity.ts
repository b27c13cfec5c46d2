// Quantities of scenarios, such as "5 ms" or "155.52 Mbit/s", as numbers in a base unit and back.

const UNITS: Record<string, number> = {
  ps: 1e-12,
  ns: 1e-9,
  us: 1e-6,
  ms: 1e-3,
  s: 1,
  "bit/s": 1,
  "kbit/s": 1e3,
  "Mbit/s": 1e6,
  "Gbit/s": 1e9,
  "cells/s": 424,
  "cells/ms": 424e3,
  cell: 1,
  cells: 1,
  byte: 1,
  bytes: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  m: 1,
  km: 1e3,
};

/** Value and unit of a quantity; `undefined` for another text. */
export function read(text: string): { value: number; unit: string } | undefined {
  const found = /^\s*([0-9][0-9_.eE+-]*)\s*([A-Za-z/]+)\s*$/.exec(text);
  const factor = UNITS[found?.[2] ?? ""];
  if (!found || factor === undefined) return undefined;
  return { value: Number((found[1] ?? "").replaceAll("_", "")) * factor, unit: found[2] ?? "" };
}

/** A value of the base unit as a quantity in the unit given. */
export function write(value: number, unit: string): string {
  const shown = value / (UNITS[unit] ?? 1);
  const whole = unit.startsWith("cell") && !unit.includes("/");
  return `${whole ? Math.max(1, Math.round(shown)) : Number(shown.toPrecision(4))} ${unit}`;
}
