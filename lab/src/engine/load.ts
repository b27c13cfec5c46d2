// Finds the engine's module and the worker's script: beside the page, or within it if the page is one file.

/** A page of one file carries both as text; see build.mjs. */
interface Within {
  wasm: string;
  worker: string;
}

declare global {
  var CELLRATE_WITHIN: Within | undefined;
}

export async function loadModule(): Promise<WebAssembly.Module> {
  const within = globalThis.CELLRATE_WITHIN;
  if (within) {
    const packed = Uint8Array.from(atob(within.wasm), (letter) => letter.charCodeAt(0));
    const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(plain).arrayBuffer());
  }
  const answer = await fetch(new URL("engine.wasm", document.baseURI));
  if (!answer.ok) throw new Error(`engine.wasm: ${answer.status} ${answer.statusText}`);
  return WebAssembly.compile(await answer.arrayBuffer());
}

export function startWorker(): Worker {
  const within = globalThis.CELLRATE_WITHIN;
  if (within) {
    const script = new Blob([within.worker], { type: "text/javascript" });
    return new Worker(URL.createObjectURL(script));
  }
  return new Worker(new URL("worker.js", document.baseURI));
}
