// Questions to the engine and its answers, with the same fields as in crates/lab/src/message.rs.

/** Number of readings of the curves in a whole run, `READINGS` in crates/lab/src/watched.rs. */
export const READINGS = 4096;

export interface Node {
  name: string;
  switch: unknown;
}

export interface Link {
  name: string;
  from: number;
  to: number;
  bits_per_second: number;
  delay_seconds: number;
}

/** Least and greatest rate of a source on the line; `null` without a limit. */
export interface RateLimits {
  mcr_bits_per_second?: number | null;
  pcr_bits_per_second?: number | null;
}

export interface Flow extends RateLimits {
  name: string;
  group: string;
  forward: number[];
  backward: number[];
  propagation_round_trip_seconds: number | null;
  tcp: { window_bytes: number; mss_bytes: number; header_bytes: number; timestamps?: boolean } | null;
  /** The next two fields exist over ATM only. */
  own_rate?: { mean_cells_per_second: number } | null;
  abr?: RateLimits | null;
  /** The next three fields, and the rate limits of the flow itself, exist over Ethernet only. */
  own_bits_per_second?: number | null;
  payload_bytes?: number;
  line_bytes?: number;
}

export interface Network {
  /** Absent over ATM. */
  link_layer?: "ethernet";
  measure: { from_seconds: number; to_seconds: number };
  seed: number;
  duration_seconds: number;
  nodes: Node[];
  links: Link[];
  flows: Flow[];
  /** Over ATM only. */
  encapsulation_bytes?: number;
}

export type Chart = "queue" | "rate" | "window" | "throughput" | "utilisation" | "loss" | "credit" | "scheme";

export interface Track {
  chart: Chart;
  quantity: string;
  of: string;
  flow: number | null;
  unit: string;
}

export interface Diagnostic {
  severity: "error" | "warning";
  message: string;
  path: string;
  line: number;
  column: number;
  label: string;
  help: string;
}

export interface Opened {
  network: Network;
  scenario: Record<string, unknown>;
  tracks: Track[];
  most_flows: number;
  /** Number of places into which a link is divided; 0 over Ethernet, where each frame states its position. */
  places: number;
  ports: number[];
  warnings: Diagnostic[];
  key: string;
}

export interface Refused {
  error: string;
  diagnostics?: Diagnostic[];
}

export interface PortPicture {
  link: number;
  /** Length and limit of each queue, in cells, or in bytes over Ethernet. */
  queues: [number, number | null][];
  /** Number of cells or packets in all queues. */
  units: number;
  lost: number;
  waiting: [number, number][];
}

export interface FlowPicture {
  cwnd: number | null;
  ssthresh: number | null;
}

export interface Picture {
  seconds: number;
  ports: PortPicture[];
  flows: FlowPicture[];
  /** Links at which PFC or CBFC holds frames back. */
  paused: number[];
  next_unit_seconds: number | null;
  next_rm_seconds: number | null;
  longest: { link: number; units: number; listed: number } | null;
}

export interface Events {
  seconds: number[];
  kind: string[];
  vc: string[];
  port: (string | null)[];
  cause: (string | null)[];
  omitted: number;
}

export interface Summary {
  version: string;
  /** Absent over ATM. */
  link_layer?: "ethernet";
  digest: string;
  /** Over ATM only. */
  cell_hops?: number;
  /** Over Ethernet only. */
  packet_hops?: number;
  wall_seconds: number;
  warnings: { message: string }[];
  totals: Record<string, number | null>;
  flows: Record<string, number | string | null>[];
  ports: Record<string, unknown>[];
}

export interface Template {
  name: string;
  about: string;
  text: string;
}

export interface About {
  version: string;
  schemas: { atm: Schema; ethernet: Schema };
  templates: Template[];
}

declare global {
  /** The engine's templates, which the build copies into the page. */
  const TEMPLATES: Template[];
}

/** A part of a JSON Schema, with the fields that the panel of parameters reads. */
export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string;
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  oneOf?: Schema[];
  enum?: string[];
  const?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  items?: Schema;
  "x-change"?: boolean | string;
  "x-not-searched"?: string;
  "x-search"?: Search;
  "x-documentation"?: string;
}

export interface Search {
  low: number | string;
  high: number | string;
  scale: "linear" | "log" | "powers-of-two";
  of?: string;
  step?: number | string;
  when?: Record<string, unknown>;
}

export type Question =
  | { ask: "about" }
  | { ask: "open"; text: string; name: string; set: string[] }
  | { ask: "advance"; readings: number }
  | { ask: "curves" | "detail"; from: number; to: number; pixels: number }
  | { ask: "picture"; at: number }
  | { ask: "events" }
  | { ask: "summary"; wall_seconds: number }
  | { ask: "resolved" };

export interface Answer<T> {
  json: T;
  numbers: ArrayBuffer;
}
