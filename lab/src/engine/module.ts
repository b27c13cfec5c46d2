// Calls the engine's WebAssembly module; crates/lab/src/exports.rs has the functions that are called.

import type { Answer, Question } from "./messages.ts";

interface Exports {
  memory: WebAssembly.Memory;
  room(bytes: number): number;
  ask(): number;
  answer(): number;
  answer_bytes(): number;
  listen(): void;
  last_words(): number;
  last_words_bytes(): number;
}

/** An instance of the engine. It answers one question at a time. */
export class Engine {
  readonly #exports: Exports;

  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
    this.#exports.listen();
  }

  /** The answer to a question. If the engine stops working, throws an `Error` with the message of its panic. */
  ask<T>(question: Question): Answer<T> {
    const engine = this.#exports;
    const bytes = new TextEncoder().encode(JSON.stringify(question));
    try {
      const room = engine.room(bytes.length);
      new Uint8Array(engine.memory.buffer, room, bytes.length).set(bytes);
      const json = engine.ask();
      const start = engine.answer();
      const text = new TextDecoder().decode(new Uint8Array(engine.memory.buffer, start, json));
      const numbers = engine.memory.buffer.slice(start + json, start + engine.answer_bytes());
      return { json: JSON.parse(text) as T, numbers };
    } catch (error) {
      const words = new Uint8Array(engine.memory.buffer, engine.last_words(), engine.last_words_bytes());
      const said = new TextDecoder().decode(words);
      throw new Error(said ? `a defect of cellrate, please report it: ${said}` : String(error));
    }
  }
}
