// The parameters of a scenario, found in its schema with the help of its values.

import { put } from "./changes.ts";
import type { Network, Schema, Search } from "./engine/messages.ts";
import { agree, read, write } from "./quantity.ts";

/** A parameter that can be set. */
export interface Parameter {
  /** Path of the parameter, as for `--set`. */
  path: string;
  key: string;
  about: string;
  /** Allowed form of the value, for quantities. */
  allowed: string;
  kind: "choice" | "variant" | "boolean" | "number" | "integer" | "quantity" | "text";
  /** Names to choose from, each with its description. */
  choices: { name: string; about: string }[];
  /** The key under which a variant has its name. */
  tag: string;
  value: unknown;
  fallback: unknown;
  /** The value in force if the parameter is not set and its value follows from others; `undefined` if there is none. */
  inForce: string | undefined;
  slider: Slider | undefined;
  /** The reason why the parameter cannot change during a run; `undefined` if it can. */
  fixed: string | undefined;
}

/** The range of a slider, in base units. */
export interface Slider {
  low: number;
  high: number;
  scale: Search["scale"];
  unit: string;
  step: number;
}

/** Parameters that belong together. */
export interface Group {
  title: string;
  about: string;
  parameters: Parameter[];
}

type Values = Record<string, unknown>;

/** The groups of all parameters of a scenario with every default written out; `network` has the values in force. */
export function groups(schema: Schema, scenario: Values, network: Network): Group[] {
  const walk = new Walk(schema, scenario, network);
  const found: Group[] = [];
  for (const [key, part] of Object.entries(schema.properties ?? {})) {
    if (key === "changes" || isIdle(key, network)) continue;
    if (key === "flow") {
      for (const flow of (scenario.flow ?? []) as Values[]) {
        found.push(walk.group(`flow.${String(flow.name)}`, `Flows ${String(flow.name)}`, part, part.items ?? {}, flow, ["tcp", "abr", "name"]));
      }
    } else if (scenario[key] != null) {
      found.push(walk.group(key, TITLES[key] ?? key, part, part, scenario[key]));
    }
  }
  return found.filter((group) => group.parameters.length > 0);
}

/** True for the parameters of end systems that no flow of the network has: they change nothing. */
function isIdle(key: string, { flows }: Network): boolean {
  return (key === "tcp" || key === "abr") && flows.every((flow) => flow[key] == null);
}

/** True for a number, a quantity or a truth value, whether or not it is allowed. */
export function isReadable(literal: string): boolean {
  return read(literal) !== undefined || /^[+-]?[\d.]+([eE][+-]?\d+)?$|^(true|false)$/.test(literal);
}

/** The scenario with the values that the engine has refused, if sliders can show them. A text that is not a value keeps the last value. */
export function withRefused(scenario: Values, set: readonly [string, string][]): Values {
  const whole = structuredClone(scenario);
  for (const [path, literal] of set) {
    if (isReadable(literal)) put(whole, path.split("."), literal);
  }
  return whole;
}

const TITLES: Record<string, string> = {
  run: "Run",
  measure: "Measuring window",
  topology: "Links",
  switch: "Switch ports",
  fcvc: "Credit control",
  pfc: "Priority-based flow control",
  cbfc: "Credit-based flow control of links",
  llr: "Link-level retry",
  link_errors: "Losses of links",
  ethernet: "Frames",
  tcp: "TCP",
  abr: "ABR end systems",
  aal5: "AAL5",
};

class Walk {
  readonly #definitions: Record<string, Schema>;
  readonly #scenario: Values;
  readonly #network: Network;

  constructor(schema: Schema, scenario: Values, network: Network) {
    this.#definitions = schema.$defs ?? {};
    this.#scenario = scenario;
    this.#network = network;
  }

  /** The value in force of a key that is not set, in the notation of a scenario. */
  #inForce(path: string): string | undefined {
    const keys = path.split(".");
    const key = keys.pop() ?? "";
    const { nodes, flows } = this.#network;
    const own = keys[0] === "flow" ? flows.filter(({ group }) => group === keys[1]) : flows;
    const part = keys.at(-1);
    const node = nodes.find((one) => one.switch)?.switch as Record<string, unknown> | undefined;
    const table = part === "control" ? node?.control : part === "tcp" ? own.find(({ tcp }) => tcp)?.tcp : part === "abr" ? own.find(({ abr }) => abr)?.abr : undefined;
    const has = (table ?? {}) as Record<string, unknown>;
    for (const [ending, unit] of ENDINGS) {
      const value = has[key + ending];
      if (typeof value === "number") return unit ? write(value, unit) : String(value);
    }
    return undefined;
  }

  group(path: string, title: string, marked: Schema, part: Schema, value: unknown, without: string[] = []): Group {
    const schema = this.#meant(part);
    const parameters = this.#table(path, schema, value as Values, within(undefined, marked), without);
    return { title, about: part.description ?? schema.description ?? "", parameters };
  }

  #meant(schema: Schema): Schema {
    const name = schema.$ref?.split("/").at(-1);
    return (name !== undefined && this.#definitions[name]) || schema;
  }

  #table(path: string, schema: Schema, value: Values, rule: string | undefined, without: string[] = []): Parameter[] {
    const variant = variantOf(schema, value);
    const properties = (variant ?? schema).properties ?? {};
    return Object.entries(properties).flatMap(([key, property]) =>
      property.const !== undefined || without.includes(key) ? [] : this.#property(`${path}.${key}`, key, property, value ?? {}, rule),
    );
  }

  #property(path: string, key: string, property: Schema, table: Values, rule: string | undefined): Parameter[] {
    const value = table[key];
    const inner = within(rule, property);
    const meant = this.#meant(property);
    const inForce = value == null && property.default == null ? this.#inForce(path) : undefined;
    const base = {
      path,
      key,
      about: property.description ?? meant.description ?? "",
      allowed: meant.pattern ? (meant.description ?? "") : "",
      choices: [],
      tag: "",
      value,
      fallback: property.default,
      inForce,
      slider: this.#slider(property, value ?? property.default ?? inForce, table),
      fixed: reason(rule, property),
    };
    const names = choices(meant);
    if (names.length > 0) return [{ ...base, kind: "choice", choices: names }];
    const tables = (meant.oneOf ?? []).filter((one) => one.properties);
    if (tables.length > 0) {
      if (value == null) return [];
      const tag = tagOf(tables[0]);
      const listed = tables.map((one) => ({ name: one.properties?.[tag]?.const ?? "", about: one.description ?? "" }));
      const plain = (meant.oneOf ?? []).filter((one) => one.const).map((one) => ({ name: one.const ?? "", about: one.description ?? "" }));
      const own: Parameter = { ...base, fixed: ANOTHER, kind: "variant", choices: [...plain, ...listed.filter((one) => !plain.some((p) => p.name === one.name))], tag };
      return typeof value === "object" ? [own, ...this.#table(path, meant, value as Values, inner)] : [own];
    }
    if (meant.type === "object") return value == null ? [] : this.#table(path, meant, value as Values, inner);
    if (meant.type === "array") return [];
    if (meant.type === "boolean") return [{ ...base, kind: "boolean" }];
    if (meant.type === "number") return [{ ...base, kind: "number" }];
    if (meant.type === "integer") return [{ ...base, kind: "integer" }];
    return [{ ...base, kind: meant.pattern && meant.description ? "quantity" : "text" }];
  }

  #slider(property: Schema, value: unknown, table: Values): Slider | undefined {
    const search = property["x-search"];
    if (!search || !applies(search.when ?? {}, table)) return undefined;
    const [low, high] = [number(search.low), number(search.high)];
    const whole = search.of ? this.#whole(search.of) : undefined;
    if (search.of && whole === undefined) return undefined;
    const present = typeof value === "string" ? (read(value) ?? (Number.isFinite(Number(value)) ? { value: Number(value), unit: "" } : undefined)) : undefined;
    const unit = present?.unit ?? (typeof search.low === "string" ? (read(search.low)?.unit ?? "") : search.of === "buffer" ? "cells" : search.of ? "Mbit/s" : "");
    if (typeof search.low === "string" && !agree(unit, read(search.low)?.unit ?? "")) return undefined;
    const factor = whole ?? 1;
    // A value outside the range extends the range of the slider.
    const at = present?.value ?? (typeof value === "number" ? value : low * factor);
    return {
      low: Math.min(low * factor, at),
      high: Math.max(high * factor, at),
      scale: search.scale,
      unit,
      step: search.step === undefined ? 0 : number(search.step),
    };
  }

  /** The quantity of which the range is a share: a buffer in cells, or a rate in bit/s. */
  #whole(of: string): number | undefined {
    const values = this.#scenario as { switch?: Values; abr?: Values; topology?: Values };
    if (of === "buffer") return read(String(values.switch?.buffer ?? ""))?.value;
    return read(String(values.abr?.pcr ?? values.topology?.link_rate ?? ""))?.value;
  }
}

/** Endings of the engine's keys, each with the unit in which the panel writes the value. */
const ENDINGS: [string, string][] = [
  ["", ""],
  ["_seconds", "ms"],
  ["_cells", "cells"],
  ["_bits_per_second", "Mbit/s"],
  ["_bytes", "bytes"],
];
const ANOTHER = "another kind has other state, so it needs a run of its own";
const NO_RANGE = "the key selects a variant; only numeric parameters can change during a run";

/** The reason why the keys of a table cannot change; `undefined` if keys with a range can. */
function within(rule: string | undefined, property: Schema): string | undefined {
  const mark = property["x-change"];
  return mark === true ? undefined : typeof mark === "string" ? mark : rule;
}

/** The reason why a key cannot change during a run; `undefined` if it can. The reader of scenarios applies the same rule. */
function reason(rule: string | undefined, property: Schema): string | undefined {
  const mark = property["x-change"];
  if (mark === true) return undefined;
  if (typeof mark === "string") return mark;
  if (rule !== undefined) return rule;
  return property["x-search"] ? undefined : (property["x-not-searched"] ?? NO_RANGE);
}

/** True if a range applies. It may depend on keys that must be set (true) or absent (false), or have one of several values. */
function applies(when: Record<string, unknown>, table: Values): boolean {
  return Object.entries(when).every(([key, wanted]) => {
    const value = table[key];
    if (Array.isArray(wanted)) return wanted.includes(value);
    return wanted === (typeof value === "boolean" ? value : value != null);
  });
}

function number(value: number | string): number {
  return typeof value === "number" ? value : (read(value)?.value ?? 0);
}

function tagOf(variant: Schema | undefined): string {
  return Object.entries(variant?.properties ?? {}).find(([, property]) => property.const !== undefined)?.[0] ?? "";
}

function variantOf(schema: Schema, value: Values | undefined): Schema | undefined {
  return schema.oneOf?.find((one) => {
    const tag = tagOf(one);
    return tag !== "" && one.properties?.[tag]?.const === value?.[tag];
  });
}

function choices(schema: Schema): { name: string; about: string }[] {
  if (schema.enum) return schema.enum.map((name) => ({ name, about: "" }));
  const found = (schema.oneOf ?? []).flatMap((one) =>
    one.const !== undefined ? [{ name: one.const, about: one.description ?? "" }] : (one.enum ?? []).map((name) => ({ name, about: "" })),
  );
  return (schema.oneOf ?? []).some((one) => one.properties) ? [] : found;
}
