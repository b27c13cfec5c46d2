// The panel of parameters, made from the schema of the scenario.

import type { Group, Parameter, Slider } from "./schema.ts";
import { named } from "./names.ts";
import { read, write } from "./quantity.ts";

/** Sets a parameter; without a value, undoes the setting. */
export type Set = (path: string, literal: string | undefined) => void;

/** Choice of the parameters that the panel shows, and their states. */
export interface Shown {
  /** Paths of the parameters that the user has set. */
  changed: ReadonlySet<string>;
  /** Texts that the engine has refused, by path. */
  refused: ReadonlyMap<string, string>;
  /** True if every parameter is shown, not only the common ones. */
  all: boolean;
  /** Path of a parameter that is always shown. */
  wanted: string | undefined;
  /** True if settings hold from the cursor on: only parameters that can change during a run are then enabled. */
  during: boolean;
}

/** Keys that most scenarios are about, and that are therefore always shown. */
const COMMON = new Set(["duration", "from", "seed", "count", "stagger", "link_rate", "bottleneck", "bottleneck_rate", "access", "leaves", "spines", "hosts_per_leaf", "host_rate", "spine_rate", "host_delay", "spine_delay", "k", "rate", "delay", "mtu", "pattern", "buffer", "window", "mss", "recovery", "min_rto", "icr", "rif", "rdf", "source", "service"]);
/** Groups that are open when the page is new. */
const OPEN = new Set(["Switch ports", "ABR end systems"]);

/** Fills `box` with a section for each group of parameters; sections that were open stay open. */
export function showPanel(box: HTMLElement, groups: Group[], shown: Shown, set: Set): void {
  const focus = document.activeElement instanceof HTMLElement && box.contains(document.activeElement) ? document.activeElement.id : "";
  const before = new Map([...box.querySelectorAll("details")].map((details) => [details.dataset.group, details.open]));
  const found = groups.map((group) => ({ ...group, parameters: group.parameters.filter((one) => isShown(one, shown)) })).filter(({ parameters }) => parameters.length > 0);
  box.replaceChildren(...found.map((group) => section(group, before.get(group.title) ?? OPEN.has(group.title), shown, set)));
  if (shown.during) found.flatMap(({ parameters }) => parameters).forEach(fix);
  if (focus) document.getElementById(focus)?.focus();
}

function isShown({ path, key, kind, slider }: Parameter, { all, changed, wanted }: Shown): boolean {
  if (all || changed.has(path) || path === wanted) return true;
  // Of a control scheme or policy, parameters with a range are shown. Of a flow's own TCP and ABR nothing is shown, because the
  // parameters of all flows are there.
  if (path.startsWith("switch.") && (kind === "variant" || slider !== undefined)) return true;
  return COMMON.has(key) && !/^flow\..*\.(tcp|abr)\./.test(path) && !path.startsWith("topology.node.");
}

function section(group: Group, open: boolean, shown: Shown, set: Set): HTMLElement {
  const details = document.createElement("details");
  details.dataset.group = group.title;
  details.open = open;
  const summary = document.createElement("summary");
  summary.textContent = group.title;
  summary.title = group.about;
  // Parameters with a range come first; otherwise the order is that of the schema.
  const sorted = [...group.parameters].sort((a, b) => Number(rank(b)) - Number(rank(a)));
  details.append(summary, ...sorted.map((parameter) => row(parameter, shown, set)));
  return details;
}

/** Disables a parameter that cannot change during a run, and says why. */
function fix({ path, fixed }: Parameter): void {
  if (fixed === undefined) return;
  for (const id of [`p-${path}`, `s-${path}`]) {
    const input = document.getElementById(id) as HTMLInputElement | null;
    if (input) input.disabled = true;
  }
  const about = document.getElementById(`p-${path}-about`);
  if (about) about.textContent = `Fixed during a run: ${fixed}.`;
}

function rank(parameter: Parameter): boolean {
  return parameter.kind === "variant";
}

function row(parameter: Parameter, shown: Shown, set: Set): HTMLElement {
  const changed = shown.changed.has(parameter.path);
  const line = document.createElement("div");
  line.className = changed ? "parameter changed" : "parameter";
  const id = `p-${parameter.path}`;
  const label = document.createElement("label");
  label.htmlFor = id;
  label.textContent = named(parameter.key);
  label.title = parameter.path;
  const input = control(parameter, set);
  input.id = id;
  const refused = shown.refused.get(parameter.path);
  if (refused !== undefined && input instanceof HTMLInputElement && input.type === "text") input.value = refused;
  const about = document.createElement("small");
  about.id = `${id}-about`;
  about.textContent = describe(parameter);
  input.setAttribute("aria-describedby", about.id);
  line.append(label, input);
  if (changed) line.append(undo(parameter, set));
  if (parameter.slider) line.append(slider(parameter, parameter.slider, input as HTMLInputElement, set));
  line.append(about);
  return line;
}

function undo(parameter: Parameter, set: Set): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "undo";
  button.textContent = "Undo";
  button.setAttribute("aria-label", `Undo the change of ${named(parameter.key)}`);
  button.onclick = () => set(parameter.path, undefined);
  return button;
}

function describe({ path, about, allowed, fallback, inForce, kind, choices }: Parameter): string {
  const parts = [about.replaceAll("\n", " ")];
  if (allowed) parts.push(`Allowed: ${allowed}.`);
  if (kind === "choice" || kind === "variant") parts.push(choices.filter((one) => one.about).map(({ name, about }) => `${name}: ${about.replaceAll("\n", " ")}`).join(" · "));
  if (fallback !== undefined && fallback !== null && typeof fallback !== "object") parts.push(`Default: ${String(fallback)}.`);
  else if (inForce !== undefined) parts.push(`Not set; in force: ${inForce}.`);
  parts.push(`Key: ${path}.`);
  return parts.filter(Boolean).join(" ");
}

function control(parameter: Parameter, set: Set): HTMLInputElement | HTMLSelectElement {
  const { kind, path, value, fallback, choices, tag } = parameter;
  if (kind === "choice" || kind === "variant") {
    const select = document.createElement("select");
    for (const { name } of choices) select.append(new Option(name, name));
    select.value = String(kind === "variant" && typeof value === "object" ? (value as Record<string, unknown>)[tag] : (value ?? fallback ?? ""));
    // The value of a recovery is a name, or a table if it has parameters. The values of other variants are always tables.
    const isTable = kind === "variant" && !path.endsWith(".recovery");
    select.onchange = () => set(path, isTable ? `{${tag}="${select.value}"}` : `"${select.value}"`);
    return select;
  }
  const input = document.createElement("input");
  if (kind === "boolean") {
    input.type = "checkbox";
    input.checked = Boolean(value ?? fallback);
    input.onchange = () => set(path, String(input.checked));
    return input;
  }
  input.type = "text";
  input.inputMode = kind === "number" || kind === "integer" ? "decimal" : "text";
  input.spellcheck = false;
  input.value = value == null ? "" : String(value);
  input.placeholder = fallback == null ? (parameter.inForce ?? "not set") : String(fallback);
  input.title = input.value || input.placeholder;
  input.onchange = () => {
    if (input.value.trim() !== "") set(path, input.value.trim());
  };
  return input;
}

const STEPS = 200;

function slider(parameter: Parameter, of: Slider, input: HTMLInputElement, set: Set): HTMLInputElement {
  const range = document.createElement("input");
  range.type = "range";
  range.id = `s-${parameter.path}`;
  range.setAttribute("aria-label", `${named(parameter.key)}, slider`);
  range.min = "0";
  const powers = of.scale === "powers-of-two";
  range.max = String(powers ? Math.round(Math.log2(of.high / of.low)) : STEPS);
  const present = typeof parameter.value === "number" ? parameter.value : read(String(parameter.value ?? parameter.fallback ?? parameter.inForce ?? ""))?.value ?? plain(parameter.inForce);
  range.value = String(position(present ?? of.low, of, Number(range.max)));
  range.oninput = () => {
    const value = valueAt(Number(range.value), of, Number(range.max));
    const whole = parameter.kind === "integer";
    input.value = of.unit ? write(value, of.unit) : String(whole ? Math.round(value) : powers ? value : Number(value.toPrecision(3)));
    range.setAttribute("aria-valuetext", input.value);
    set(parameter.path, input.value);
  };
  return range;
}

/** A number without a unit. */
function plain(text: string | undefined): number | undefined {
  return text !== undefined && Number.isFinite(Number(text)) ? Number(text) : undefined;
}

function valueAt(place: number, { low, high, scale, step }: Slider, most: number): number {
  const share = place / most;
  if (scale === "powers-of-two") return low * 2 ** place;
  const least = scale === "log" ? Math.max(low, high * 1e-9) : low;
  const value = scale === "log" ? least * (high / least) ** share : low + (high - low) * share;
  return step > 0 ? Math.max(step, Math.round(value / step) * step) : value;
}

function position(value: number, { low, high, scale }: Slider, most: number): number {
  if (scale === "powers-of-two") return Math.round(Math.log2(value / low));
  const least = Math.max(low, high * 1e-9);
  const share = scale === "log" ? Math.log(Math.max(value, least) / least) / Math.log(high / least) : (value - low) / (high - low);
  return Math.round(most * Math.min(1, Math.max(0, share)));
}
