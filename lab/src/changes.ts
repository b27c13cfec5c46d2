// Changes during a run: settings that hold from an instant on, like `[[changes]]` in a scenario.

/** Settings from an instant on. */
export interface Change {
  /** The instant as a scenario writes it, such as `300 ms`. */
  at: string;
  /** Paths of the keys and their values, as for `--set`. */
  set: [string, string][];
}

type Values = Record<string, unknown>;

const UNITS: [string, number][] = [
  ["s", 1e9],
  ["ms", 1e6],
  ["us", 1e3],
  ["ns", 1],
];

/** A time in seconds as text for a scenario, to the nanosecond. */
export function written(seconds: number): string {
  const ns = Math.round(seconds * 1e9);
  const [unit, size] = UNITS.find(([, size]) => ns >= size) ?? ["s", 1e9];
  return `${ns / size} ${unit}`;
}

/** The seconds of a time that is written as in a scenario. */
export function seconds(at: string): number {
  const [number, unit] = at.trim().split(/\s+/);
  const size: Record<string, number> = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9, ps: 1e-12 };
  return Number(number) * (size[unit ?? "s"] ?? Number.NaN);
}

/** The changes of a scenario that has every default written out. */
export function changesOf(scenario: Values): Change[] {
  const found = (scenario.changes ?? []) as { at: string; set: Values }[];
  return found.map(({ at, set }) => ({ at, set: Object.entries(set).map(([path, value]) => [path, String(value)]) }));
}

/** True if the change is at the time `at`, whatever unit the two are written in. */
export function isAt(change: Change, at: string): boolean {
  return Math.abs(seconds(change.at) - seconds(at)) < 5e-13;
}

/** The changes with a setting at a time; without a value, the changes without this setting. They stay in order of time. */
export function withChange(changes: Change[], at: string, path: string, literal: string | undefined): Change[] {
  const before = changes.find((change) => isAt(change, at)) ?? { at, set: [] };
  const set = before.set.filter(([other]) => other !== path);
  const after: Change = { at, set: literal === undefined ? set : [...set, [path, literal]] };
  const others = changes.filter((change) => !isAt(change, at));
  const all = after.set.length > 0 ? [...others, after] : others;
  return all.sort((a, b) => seconds(a.at) - seconds(b.at));
}

/** The override that gives a scenario these changes. */
export function override(changes: Change[]): string {
  const one = ({ at, set }: Change) => `{at="${at}",set={${set.map(([path, literal]) => `"${path}"=${value(literal)}`).join(",")}}}`;
  return `changes=[${changes.map(one).join(",")}]`;
}

/** The value of a text as in TOML: a number, a truth value or another TOML value; any other text is a string. */
function value(literal: string): string {
  return /^(true|false|[+-]?\d[\d_]*(\.\d+)?([eE][+-]?\d+)?|["'{[].*)$/.test(literal) ? literal : JSON.stringify(literal);
}

/** The scenario with the values that hold at the time `at`. */
export function inForce(scenario: Values, changes: Change[], at: number): Values {
  const whole = structuredClone(scenario);
  for (const change of changes) {
    if (seconds(change.at) > at + 5e-10) break;
    for (const [path, literal] of change.set) put(whole, path.split("."), literal);
  }
  return whole;
}

/** Sets the key at the end of the path `keys` to a literal, if its table exists. */
export function put(whole: Values, keys: string[], literal: string): void {
  const last = keys.pop() ?? "";
  let table: unknown = whole;
  for (const key of keys) table = Array.isArray(table) ? table.find((one) => (one as Values).name === key) : (table as Values | undefined)?.[key];
  if (!table || typeof table !== "object") return;
  const plain = /^[+-]?[\d.]+([eE][+-]?\d+)?$/.test(literal) ? Number(literal) : literal === "true" || literal === "false" ? literal === "true" : literal;
  (table as Values)[last] = plain;
}
