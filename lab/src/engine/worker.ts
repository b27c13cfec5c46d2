// The worker: it has one engine, runs a scenario to the end in short slices of computing time, and answers questions between two slices.

import { Engine } from "./module.ts";
import { type Opened, type Question, READINGS, type Refused, type Summary } from "./messages.ts";

/** Messages of the page: the module first, then orders. */
export type Order =
  | { order: "start"; module: WebAssembly.Module }
  | { order: "open"; run: number; text: string; name: string; set: string[] }
  | { order: "view"; from: number; to: number; pixels: number }
  | { order: "ask"; id: number; question: Question }
  | { order: "stop" };

/** Messages of the worker; `run` is the number of the `open` order to which the message belongs. */
export type News =
  | { news: "opened"; run: number; opened: Opened }
  | { news: "refused"; run: number; refused: Refused }
  | { news: "curves"; run: number; now: number; ended: boolean; from: number; to: number; pixels: number; values: Float32Array }
  | { news: "ended"; run: number; summary: Summary }
  | { news: "answer"; id: number; json: unknown; numbers: ArrayBuffer }
  | { news: "broken"; message: string };

/** Longest slice of computing time in milliseconds, which is also the longest wait of a question. */
const TURN = 8;
/** Time in milliseconds between two updates of the curves during a run. */
const BETWEEN_CURVES = 60;
const port = self as unknown as {
  postMessage(news: News, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<Order>) => void) | null;
};

let engine: Engine | undefined;
let run = 0;
let ended = true;
let now = 0;
let duration = 0;
let began = 0;
let view = { from: 0, to: 0, pixels: 400 };
let drawnAt = 0;
let perTurn = 8;

// A message to the worker itself is queued after messages that already wait, so questions are answered between two slices.
const turns = new MessageChannel();
turns.port1.onmessage = () => guarded(turn);

port.onmessage = (event) => guarded(() => handle(event.data));

function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    ended = true;
    port.postMessage({ news: "broken", message: error instanceof Error ? error.message : String(error) });
  }
}

function handle(order: Order): void {
  if (order.order === "start") {
    engine ??= new Engine(order.module);
    return;
  }
  if (!engine) throw new Error("the worker has no engine yet");
  switch (order.order) {
    case "open":
      open(engine, order);
      break;
    case "view":
      view = order;
      curves(engine);
      break;
    case "stop":
      ended = true;
      break;
    case "ask": {
      const { json, numbers } = engine.ask<unknown>(order.question);
      port.postMessage({ news: "answer", id: order.id, json, numbers }, [numbers]);
    }
  }
}

function open(engine: Engine, order: Extract<Order, { order: "open" }>): void {
  run = order.run;
  ended = true;
  const { json } = engine.ask<Opened | Refused>({ ask: "open", text: order.text, name: order.name, set: order.set });
  if ("error" in json) {
    port.postMessage({ news: "refused", run, refused: json });
    return;
  }
  [ended, now, began] = [false, 0, performance.now()];
  duration = json.network.duration_seconds;
  view = { ...view, from: 0, to: duration };
  port.postMessage({ news: "opened", run, opened: json });
  turns.port2.postMessage(null);
}

function turn(): void {
  if (ended || !engine) return;
  const start = performance.now();
  const { json } = engine.ask<{ now: number; ended: boolean } | Refused>({ ask: "advance", readings: perTurn });
  if ("error" in json) {
    ended = true;
    port.postMessage({ news: "refused", run, refused: json });
    return;
  }
  const took = performance.now() - start;
  perTurn = Math.max(1, Math.min(512, Math.round((perTurn * TURN) / Math.max(took, 0.5))));
  [now, ended] = [json.now, json.ended];
  if (ended || start - drawnAt >= BETWEEN_CURVES) curves(engine);
  if (ended) {
    const { json: summary } = engine.ask<Summary>({ ask: "summary", wall_seconds: (performance.now() - began) / 1000 });
    port.postMessage({ news: "ended", run, summary });
  } else {
    turns.port2.postMessage(null);
  }
}

function curves(engine: Engine): void {
  drawnAt = performance.now();
  const { from, to, pixels } = view;
  // A run is read at 4,096 times. If the user zooms in, the span is simulated again from the last copy of the state before it.
  const close = ended && (duration / (to - from)) * pixels > 2 * READINGS && to <= now;
  const { numbers } = engine.ask<unknown>({ ask: close ? "detail" : "curves", from, to, pixels });
  const values = new Float32Array(numbers);
  port.postMessage({ news: "curves", run, now, ended, from, to, pixels, values }, [numbers]);
}
