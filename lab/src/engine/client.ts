// The page's side of a worker: starts a run, receives its reports, and sends questions whose answers are promises.

import type { Answer, Opened, Question, Refused, Summary } from "./messages.ts";
import type { News, Order } from "./worker.ts";

export interface CurvesNews {
  now: number;
  ended: boolean;
  from: number;
  to: number;
  pixels: number;
  values: Float32Array;
}

/** Is called for each event of a run. */
export interface Listener {
  opened(opened: Opened): void;
  refused(refused: Refused): void;
  curves(news: CurvesNews): void;
  ended(summary: Summary): void;
  broken(message: string): void;
}

/** A worker with its own instance of the engine. */
export class Client {
  readonly #worker: Worker;
  readonly #listener: Listener;
  readonly #waiting = new Map<number, (answer: Answer<never>) => void>();
  #run = 0;
  #question = 0;

  constructor(worker: Worker, module: WebAssembly.Module, listener: Listener) {
    this.#worker = worker;
    this.#listener = listener;
    worker.onmessage = (event: MessageEvent<News>) => this.#receive(event.data);
    worker.onerror = (event) => listener.broken(event.message);
    this.#send({ order: "start", module });
  }

  /** Reads a scenario and runs it. Reports of an earlier run are no longer delivered. */
  open(text: string, name: string, set: string[]): void {
    this.#run += 1;
    this.#send({ order: "open", run: this.#run, text, name, set });
  }
  /** Sets the span of time that the curves show, and its width in pixels. */
  view(from: number, to: number, pixels: number): void {
    this.#send({ order: "view", from, to, pixels });
  }
  /** Ends the run at the time that it has reached. */
  stop(): void {
    this.#send({ order: "stop" });
  }
  /** Ends the worker, which then answers no more questions. */
  end(): void {
    this.#worker.terminate();
  }
  ask<T>(question: Question): Promise<Answer<T>> {
    this.#question += 1;
    const id = this.#question;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve as (answer: Answer<never>) => void);
      this.#send({ order: "ask", id, question });
    });
  }

  #send(order: Order): void {
    this.#worker.postMessage(order);
  }

  #receive(news: News): void {
    if (news.news === "answer") {
      this.#waiting.get(news.id)?.({ json: news.json as never, numbers: news.numbers });
      this.#waiting.delete(news.id);
    } else if (news.news === "broken") {
      this.#listener.broken(news.message);
    } else if (news.run === this.#run) {
      if (news.news === "opened") this.#listener.opened(news.opened);
      if (news.news === "refused") this.#listener.refused(news.refused);
      if (news.news === "curves") this.#listener.curves(news);
      if (news.news === "ended") this.#listener.ended(news.summary);
    }
  }
}
