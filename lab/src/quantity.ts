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
  packet: 1,
  packets: 1,
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

/** Value and unit of a quantity; `undefined` if the text is not a quantity. */
export function read(text: string): { value: number; unit: string } | undefined {
  const found = /^\s*([0-9][0-9_.eE+-]*)\s*([A-Za-z/]+)\s*$/.exec(text);
  const factor = UNITS[found?.[2] ?? ""];
  if (!found || factor === undefined) return undefined;
  return { value: Number((found[1] ?? "").replaceAll("_", "")) * factor, unit: found[2] ?? "" };
}

/** True if both units measure the same kind of quantity; packets and bytes do not. */
export function agree(one: string, other: string): boolean {
  return /^packets?$/.test(one) === /^packets?$/.test(other);
}

/** A value in the base unit as a quantity in the given unit. */
export function write(value: number, unit: string): string {
  const size = UNITS[unit] ?? 1;
  const exact = value / size;
  const shown = Number(exact.toPrecision(4));
  if (/^(cell|packet)s?$/.test(unit)) return `${Math.max(1, Math.round(exact))} ${unit}`;
  const parts = shown * size;
  // A size must have whole bytes: 84.45 KiB would be 86,476.8 bytes.
  const isBroken = /^(bytes?|[kKMG]i?B)$/.test(unit) && Math.abs(parts - Math.round(parts)) > 1e-6;
  if (isBroken) return exact >= 10 ? `${Math.round(exact)} ${unit}` : `${Math.round(value)} bytes`;
  return `${shown} ${unit}`;
}
