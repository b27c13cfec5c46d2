// One side of the page: a scenario, its worker, its network and its charts. The page shows one or two sides.

import { type Change, changesOf, seconds } from "./changes.ts";
import { Charts, type Grown, type Touched } from "./charts.ts";
import { Client, type CurvesNews } from "./engine/client.ts";
import { startWorker } from "./engine/load.ts";
import type { Opened, Picture, Refused, Summary } from "./engine/messages.ts";
import { carried } from "./layer.ts";
import { NetworkView, signs } from "./network.ts";
import { number, time } from "./numbers.ts";
import { type Side, overrides } from "./state.ts";
import { readingsOf, settling } from "./settling.ts";
import { levels } from "./theory.ts";
import { type Told, titleOf } from "./title.ts";

/** Number of readings used to find the time at which a queue has grown. */
const FINE = 400;
/** Picoseconds in a second. */
const PS = 1e12;

/** Is called for each event of a side. */
export interface Heard extends Touched {
  opened(side: SideView): void;
  moved(side: SideView): void;
  ended(side: SideView): void;
  refused(side: SideView): void;
}

/** Shows one run. */
export class SideView {
  readonly element: HTMLElement;
  readonly client: Client;
  readonly charts: Charts;
  readonly #network: NetworkView;
  readonly #canvas: HTMLCanvasElement;
  readonly #status: HTMLElement;
  readonly #problem: HTMLElement;
  readonly #signs: HTMLElement;
  readonly #heard: Heard;
  side: Side;
  opened: Opened | undefined;
  summary: Summary | undefined;
  /** Settling time of the bottleneck's utilisation in seconds; not a number until it is known. */
  settled = Number.NaN;
  picture: Picture | undefined;
  /** Simulated time in seconds up to which the run has been computed. */
  now = 0;
  #asking = false;
  /** Ends when the picture that was asked for last is shown. */
  #drawing = Promise.resolve();
  #wanted: number | undefined;
  /** Real time in milliseconds from the last change of a setting to the first curves of the new run. */
  answered = 0;
  #asked = 0;
  #theory = false;
  #over: SideView | undefined;
  #beside: SideView | undefined;
  /** The text that was asked for last, and the text of `opened`. */
  #text = "";
  #openedText = "";

  constructor(name: string, side: Side, module: WebAssembly.Module, heard: Heard) {
    this.side = side;
    this.#heard = heard;
    this.element = document.createElement("section");
    this.element.className = "side";
    this.element.setAttribute("aria-label", name);
    this.#status = document.createElement("p");
    this.#status.className = "status";
    this.#problem = document.createElement("pre");
    this.#problem.className = "problem";
    this.#problem.hidden = true;
    this.#problem.setAttribute("role", "alert");
    const canvas = document.createElement("canvas");
    canvas.className = "network";
    canvas.setAttribute("role", "img");
    this.#signs = document.createElement("div");
    this.#signs.className = "signs-box";
    const charts = document.createElement("div");
    charts.className = "charts";
    charts.dataset.run = name;
    this.element.append(this.#status, this.#problem, canvas, this.#signs, charts);
    this.#canvas = canvas;
    this.#network = new NetworkView(canvas);
    this.charts = new Charts(charts, "time", heard);
    this.client = new Client(startWorker(), module, {
      opened: (opened) => this.#opened(opened),
      refused: (refused) => this.#refused(refused),
      curves: (news) => this.#curves(news),
      ended: (summary) => this.#ended(summary),
      broken: (message) => this.#refused({ error: message }),
    });
  }

  /** Reads the scenario again and runs it from time zero. */
  restart(text: string): void {
    this.#asked = performance.now();
    this.#text = text;
    this.answered = 0;
    this.element.dataset.pending = "";
    this.client.open(text, this.side.preset ? `${this.side.preset}.toml` : this.side.name || "scenario.toml", overrides(this.side));
  }

  /** True if the engine has refused the scenario: results and curves are those of the run before. */
  get isRefused(): boolean {
    return this.element.dataset.state === "refused";
  }

  /** True if `opened` is not the scenario that has been asked for but one before it. */
  get isOutdated(): boolean {
    return this.isRefused && this.#text !== this.#openedText;
  }

  /** True from a restart until the engine has read the scenario. */
  get isPending(): boolean {
    return this.element.dataset.pending !== undefined;
  }

  /** Draws the levels of theory over the curves, or removes them. */
  theory(wanted: boolean): void {
    this.#theory = wanted;
    const found = wanted && this.opened ? levels(this.opened.network) : [];
    this.element.dataset.levels = JSON.stringify(found);
    this.charts.theory(found);
  }

  /** Draws the curves of another side over these; without another side, removes them. */
  overlay(other: SideView | undefined): void {
    if (this.#over === other) return;
    this.#over = other;
    this.charts.overlay(other?.charts);
  }

  /** The first time in a part of the run at which a queue is longer than a length; if no reading finds it, the time of the longest queue. */
  async when({ from, to, length, tracks }: Grown): Promise<number> {
    // With a whole number of picoseconds between readings, each part of the answer is one reading.
    const [begin, step] = [Math.floor(from * PS), Math.ceil(((to - from) * PS) / FINE)];
    const at = (reading: number) => (begin + reading * step) / PS;
    const { numbers } = await this.client.ask<object>({ ask: "detail", from: at(0), to: at(FINE), pixels: FINE });
    const values = new Float32Array(numbers);
    const longest = Array.from({ length: FINE }, (_, i) => Math.max(...tracks.map((track) => values[(track * FINE + i) * 2] || 0)));
    const first = longest.findIndex((value) => value > length);
    return at(first >= 0 ? first : longest.indexOf(Math.max(...longest)));
  }

  /** Ends the side and its worker. */
  end(): void {
    this.client.end();
    this.element.remove();
  }

  /** Changes during the run: those that the user made on the page, or else those in the text of the scenario. */
  get changes(): Change[] {
    return this.side.changes ?? (this.opened ? changesOf(this.opened.scenario) : []);
  }

  get duration(): number {
    return this.opened?.network.duration_seconds ?? 1;
  }

  /** Shows the network at a time, at most at the time up to which the run has been computed. */
  look(seconds: number): void {
    this.charts.cursor(seconds);
    this.#wanted = Math.min(seconds, this.now);
    if (!this.#asking) this.#drawing = this.#ask();
  }

  /** The picture at the time of the last `look`. */
  async shown(): Promise<Picture | undefined> {
    await this.#drawing;
    return this.picture;
  }

  async #ask(): Promise<void> {
    if (!this.opened) return;
    this.#asking = true;
    while (this.#wanted !== undefined) {
      const at = this.#wanted;
      this.#wanted = undefined;
      const opened: Opened = this.opened;
      const { json, numbers } = await this.client.ask<Picture | Refused>({ ask: "picture", at });
      if ("error" in json || opened !== this.opened) continue;
      this.picture = json;
      this.element.dataset.longest = String(json.longest?.units ?? 0);
      this.#network.show(json, numbers);
    }
    this.#asking = false;
  }

  #opened(opened: Opened): void {
    this.#openedText = this.#text;
    delete this.element.dataset.pending;
    this.element.dataset.key = opened.key;
    this.opened = opened;
    this.summary = undefined;
    this.picture = undefined;
    this.now = 0;
    this.#problem.hidden = true;
    this.element.classList.remove("refused");
    this.#network.open(opened);
    this.#canvas.setAttribute("aria-label", `The network: hosts, switches, ${carried(opened.network).many} on their links, queues`);
    this.#signs.replaceChildren(signs(opened));
    this.charts.open(opened);
    this.theory(this.#theory);
    this.charts.changes(this.changes.map(({ at }) => seconds(at)));
    this.#say();
    this.#heard.opened(this);
  }

  #refused(refused: Refused): void {
    delete this.element.dataset.pending;
    this.#problem.textContent = told(refused);
    this.#problem.hidden = false;
    this.element.classList.add("refused");
    this.element.dataset.state = "refused";
    this.#status.textContent = `${this.title}: refused`;
    this.#heard.refused(this);
  }

  #curves(news: CurvesNews): void {
    this.now = news.now;
    if (this.answered === 0) {
      requestAnimationFrame(() => {
        this.answered = performance.now() - this.#asked;
        this.element.dataset.answered = this.answered.toFixed(1);
      });
    }
    this.charts.show(news);
    this.#say();
    this.#heard.moved(this);
  }

  #ended(summary: Summary): void {
    this.summary = summary;
    this.settled = Number.NaN;
    this.element.dataset.digest = summary.digest;
    this.#say();
    this.#heard.ended(this);
    void this.#settle(summary);
  }

  /** Finds the settling time of the run. */
  async #settle(summary: Summary): Promise<void> {
    const tracks = this.opened?.tracks.flatMap(({ chart }, i) => (chart === "utilisation" ? [i] : [])) ?? [];
    const { numbers } = await this.client.ask<object>(readingsOf(this.duration));
    if (summary !== this.summary || this.isPending) return;
    const starts = summary.flows.map(({ start_seconds }) => Number(start_seconds)).filter((start) => start < this.duration);
    this.settled = settling(new Float32Array(numbers), tracks, this.duration, Math.max(0, ...starts));
    this.#heard.ended(this);
  }

  #say(): void {
    this.element.dataset.state = this.summary ? "ended" : "running";
    if (!this.summary) {
      const share = Math.floor((this.now / this.duration) * 100);
      this.#status.textContent = `${this.title}: computing, ${share} % of ${time(this.duration)}`;
      return;
    }
    const shown = this.opened?.network.flows.length ?? 0;
    const most = this.opened?.most_flows ?? shown;
    const ports = this.opened?.ports.length ?? 0;
    const drawn = new Set(this.opened?.tracks.filter(({ chart }) => chart === "utilisation").map(({ of }) => of)).size;
    const parts = [...(shown > most ? [`${most} of ${number(shown)} flows`] : []), ...(ports > drawn ? [`${drawn} of ${number(ports)} ports`] : [])];
    const few = parts.length > 0 ? ` · charts show ${parts.join(" and ")}` : "";
    this.#status.textContent = `${this.title}: ${time(this.duration)}, ${number(this.summary.packet_hops ?? this.summary.cell_hops ?? 0)} ${carried(this.summary).one}-hops, digest ${this.summary.digest}${few}`;
  }

  /** Name of the scenario, with the settings that tell this run from the run beside it. */
  get title(): string {
    const name = this.side.title || this.side.preset || this.side.name.split("/").at(-1) || "own scenario";
    return titleOf(name, this.#told, this.#beside && this.#beside.#told);
  }

  get #told(): Told {
    const control = (this.opened?.scenario.switch as { control?: { scheme?: string } } | undefined)?.control;
    return { set: this.side.set, scheme: control?.scheme ?? "", changes: this.changes.length };
  }

  /** Names the run anew: beside another run, or alone. */
  beside(other: SideView | undefined): void {
    this.#beside = other;
    if (!this.isRefused) this.#say();
  }
}

/** The text of an error: with its position if it lies in the user's own text, otherwise with the value alone. */
function told({ error, diagnostics }: Refused): string {
  const first = diagnostics?.[0];
  if (first?.path !== "--set") return error.trimEnd();
  return [first.message, first.label, first.help].filter(Boolean).join("\n");
}
