// Finds the engine's WebAssembly module and the worker's script: in files beside the page, or inside a page in a single file.

import type { Order } from "./worker.ts";

/** A page in a single file contains both as text; see build.mjs. */
interface Within {
  wasm: string;
  worker: string;
}

declare global {
  var CELLRATE_WITHIN: Within | undefined;
}

/** The worker of the first run; its script loads while the engine is fetched and compiled. */
let first: Worker | undefined = newWorker();

/** The engine; it is compiled while the rest of the page's script starts. */
const compiling = compiled();

/** The engine, compiled once for the page and all workers. */
export async function loadModule(): Promise<WebAssembly.Module> {
  const module = await compiling;
  first?.postMessage({ order: "start", module } satisfies Order);
  return module;
}

async function compiled(): Promise<WebAssembly.Module> {
  const within = globalThis.CELLRATE_WITHIN;
  if (within) {
    const packed = Uint8Array.from(atob(within.wasm), (letter) => letter.charCodeAt(0));
    const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(plain).arrayBuffer());
  }
  const answer = await fetch(new URL("engine.wasm", document.baseURI));
  if (!answer.ok) throw new Error(`engine.wasm: ${answer.status} ${answer.statusText}`);
  // The engine is compiled while it is received, if the server states its content type.
  if (answer.headers.get("Content-Type") === "application/wasm") return WebAssembly.compileStreaming(answer);
  return WebAssembly.compile(await answer.arrayBuffer());
}

/** A worker that has no run yet. */
export function startWorker(): Worker {
  const started = first ?? newWorker();
  first = undefined;
  return started;
}

function newWorker(): Worker {
  const within = globalThis.CELLRATE_WITHIN;
  if (within) {
    const script = new Blob([within.worker], { type: "text/javascript" });
    return new Worker(URL.createObjectURL(script));
  }
  return new Worker(new URL("worker.js", document.baseURI));
}
