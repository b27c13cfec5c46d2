// The page: it connects the sides (runs), the panel of parameters, the transport (play, pause, steps) and the link that stores its
// state.

import "uplot/dist/uPlot.min.css";
import "./style.css";

import { inForce, isAt, seconds, withChange, written } from "./changes.ts";
import type { Charts } from "./charts.ts";
import { table } from "./compare.ts";
import { loadModule } from "./engine/load.ts";
import type { About } from "./engine/messages.ts";
import { Engine } from "./engine/module.ts";
import { fillFind } from "./find.ts";
import { experimentOf } from "./gallery.ts";
import { keys } from "./keys.ts";
import { isEthernet } from "./layer.ts";
import { type Lesson, lessonOf, stateOf } from "./lessons.ts";
import { showPanel } from "./panel.ts";
import { command, png, save, svg } from "./save.ts";
import { groups, isReadable, withRefused } from "./schema.ts";
import { SideView } from "./side.ts";
import { FIRST, LONGEST_LINK, type Side, type State, decode, encode, overrides, withSet } from "./state.ts";
import { tellExperiment, tellStep } from "./told.ts";
import { type Step, Transport } from "./transport.ts";

/** The element with this id. */
function element<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

/**
 * A scenario that the page contains besides the templates. The command `cellrate lab` gave it, or it is inside a page in a single
 * file.
 */
interface Given {
  name: string;
  text: string;
  set: [string, string][];
}

/** The entry in the list of scenarios for a scenario that is not a template. */
const OWN = "own";

class Page {
  #schemas: About["schemas"] | undefined;
  readonly #module: WebAssembly.Module;
  readonly #transport: Transport;
  readonly #both = document.createElement("div");
  readonly #results = document.createElement("div");
  #sides: SideView[] = [];
  #active = 0;
  /** True if settings hold from the time of the cursor on. */
  #during = false;
  #overlaid = false;
  #theory = false;
  /** True if the panel shows every parameter. */
  #all = false;
  #view: [number, number] | null = null;
  /** The open lesson with its step; also the open experiment. */
  #lesson: [string, number] | undefined;
  #experiment: string | undefined;
  #linkTimer = 0;
  #panelTimer = 0;
  readonly #own = new Option("", OWN);

  constructor(module: WebAssembly.Module) {
    this.#module = module;
    this.#both.id = "both";
    this.#results.className = "results-box";
    this.#transport = new Transport({
      now: () => Math.min(...this.#sides.map((side) => side.now)),
      duration: () => this.#sides[0]?.duration ?? 1,
      look: (at) => {
        for (const side of this.#sides) side.look(at);
        if (this.#during) this.#panelLater();
      },
      next: (step) => this.#next(step),
    });
    this.#both.append(this.#results);
    element("runs").append(this.#transport.element, this.#both);
    this.#controls();
  }

  /** Shows a state: that of a link, that of a step of a lesson, or the initial state. */
  show(state: State): void {
    this.#transport.pause();
    this.#view = state.view;
    this.#transport.at = state.at;
    this.#transport.lens = state.lens;
    this.#lesson = state.lesson;
    this.#experiment = state.experiment;
    this.#overlaid = state.overlay ?? false;
    this.#tell();
    while (this.#sides.length > state.sides.length) this.#sides.pop()?.end();
    for (const [i, side] of state.sides.entries()) {
      const view = this.#sides[i];
      if (!view) this.#add(side);
      else {
        view.side = side;
        view.restart(this.#text(side));
      }
    }
    this.#choose(0);
  }

  /** Explains the runs in the box above them, if they belong to a lesson or an experiment. */
  #tell(): void {
    const box = element("told");
    box.hidden = true;
    const lesson = this.#lesson && lessonOf(this.#lesson[0]);
    const experiment = this.#experiment === undefined ? undefined : experimentOf(this.#experiment);
    if (lesson && this.#lesson) tellStep(box, lesson, this.#lesson[1], (number) => this.#step(lesson, number));
    else if (experiment)
      tellExperiment(box, experiment, () => {
        this.#experiment = undefined;
        this.#tell();
        this.#linkSoon();
      });
  }

  /** Opens a step of a lesson; without a number, ends the lesson and keeps its runs. */
  #step(lesson: Lesson, number: number | undefined): void {
    if (number === undefined) {
      this.#lesson = undefined;
      this.#tell();
    } else {
      this.#during = lesson.steps[number]?.changes !== undefined;
      this.show(stateOf(lesson, number));
      this.#unfold(false);
      const told = element("told");
      told.scrollIntoView({ block: "nearest" });
      told.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
    }
    this.#linkSoon();
  }

  /** On a phone, opens the sheet of parameters at the parameter of the lesson's step, or closes the sheet. */
  #unfold(open: boolean): void {
    element("panel").classList.toggle("open", open);
    if (open) element("panel").querySelector(".wanted")?.scrollIntoView({ block: "center" });
    element("sheet").setAttribute("aria-expanded", String(open));
  }

  /** The parameter that a step of a lesson is about. */
  get #touched(): string | undefined {
    const lesson = this.#lesson && lessonOf(this.#lesson[0]);
    return lesson && this.#lesson && lesson.steps[this.#lesson[1]]?.touch;
  }

  /** Marks the parameter that a step of a lesson is about. */
  #mark(): void {
    const touch = this.#touched;
    const input = touch ? document.getElementById(`p-${touch}`) : null;
    const line = input?.closest<HTMLElement>(".parameter");
    if (!line) return;
    line.classList.add("wanted");
    const group = line.closest("details");
    if (group) group.open = true;
  }

  /** The present state of the page. */
  get state(): State {
    const overlaid = this.#overlaid && this.#sides.length === 2 ? { overlay: true } : {};
    const told = { ...overlaid, ...(this.#lesson ? { lesson: this.#lesson } : {}), ...(this.#experiment === undefined ? {} : { experiment: this.#experiment }) };
    return { sides: this.#sides.map(({ side }) => side), at: this.#transport.at, view: this.#view, lens: this.#transport.lens, ...told };
  }

  note(text: string, bad = false): void {
    const note = element("note");
    note.textContent = text;
    note.classList.toggle("bad", bad);
  }

  #text(side: Side): string {
    return side.preset ? (TEMPLATES.find(({ name }) => name === side.preset)?.text ?? "") : side.text;
  }

  #add(side: Side): void {
    const view = new SideView(`Run ${this.#sides.length + 1}`, side, this.#module, {
      opened: (opened) => this.#opened(opened),
      moved: () => {
        this.#transport.show();
        for (const one of this.#sides) one.look(this.#transport.at);
      },
      ended: () => this.#ended(),
      refused: (refused) => {
        if (refused === this.#present) this.#panel();
        this.#tabulate();
      },
      pick: (seconds) => this.#transport.seek(seconds),
      zoom: (from, to) => this.#zoom([from, to]),
    });
    view.theory(this.#theory);
    this.#sides.push(view);
    this.#both.append(view.element);
    this.#arrange();
    view.restart(this.#text(side));
  }

  #arrange(): void {
    const two = this.#sides.length === 2;
    this.#both.classList.toggle("two", two);
    const overlaid = two && this.#overlaid;
    this.#both.classList.toggle("overlaid", overlaid);
    element("overlay").hidden = !two;
    element("overlay").setAttribute("aria-pressed", String(overlaid));
    this.#sides[0]?.overlay(overlaid ? this.#sides[1] : undefined);
    element("compare").setAttribute("aria-pressed", String(two));
    element("compare").textContent = two ? "End comparison" : "Compare";
    const tabs = element("sides");
    tabs.hidden = !two;
    tabs.replaceChildren(
      ...this.#sides.map((_, i) => {
        const tab = document.createElement("button");
        tab.type = "button";
        tab.setAttribute("role", "tab");
        tab.setAttribute("aria-selected", String(i === this.#active));
        tab.textContent = i === 0 ? "Edit first run" : "Edit second run";
        tab.onclick = () => this.#choose(i);
        return tab;
      }),
    );
  }

  #choose(active: number): void {
    this.#active = Math.min(active, this.#sides.length - 1);
    this.#arrange();
    this.#panel();
  }

  get #present(): SideView | undefined {
    return this.#sides[this.#active];
  }

  #panel(): void {
    const present = this.#present;
    if (!present) return;
    const presets = element<HTMLSelectElement>("preset");
    this.#own.textContent = present.side.title ? `Lesson: ${present.side.title}` : present.side.name.split("/").at(-1) || "a file of your own";
    this.#own.hidden = present.side.preset !== "";
    presets.value = present.side.preset || OWN;
    const count = present.side.set.length;
    element("set").textContent = count === 0 ? "No parameter changed" : `${count} ${count === 1 ? "parameter" : "parameters"} changed`;
    element("reset").hidden = count === 0;
    this.#listChanges(present);
    if (!present.opened || !this.#schemas) return;
    const { scenario, network } = present.opened;
    const { isRefused } = present;
    const refused = isRefused ? present.side.set : [];
    const values = withRefused(scenario, refused);
    element("common").setAttribute("aria-pressed", String(!this.#all));
    element("all").setAttribute("aria-pressed", String(this.#all));
    const wanted = this.#touched;
    const schema = isEthernet(network) ? this.#schemas.ethernet : this.#schemas.atm;
    if (!this.#during) {
      const changed = new Set(present.side.set.map(([path]) => path));
      const shown = { changed, refused: new Map(refused), all: this.#all, wanted, during: false };
      showPanel(element("groups"), groups(schema, values, network), shown, (path, literal) => this.#set(path, literal));
      this.#mark();
      this.#still(present);
      return;
    }
    const at = this.#instant;
    const changed = new Set(present.changes.filter((change) => isAt(change, at)).flatMap(({ set }) => set.map(([path]) => path)));
    const readable = present.changes.map((change) => ({ ...change, set: change.set.filter(([, literal]) => isReadable(literal)) }));
    const found = groups(schema, inForce(values, isRefused ? readable : present.changes, seconds(at)), network);
    const typed = isRefused ? present.changes.filter((change) => isAt(change, at)).flatMap(({ set }) => set) : [];
    const shown = { changed, refused: new Map(typed), all: this.#all, wanted, during: true };
    showPanel(element("groups"), found, shown, (path, literal) => this.#change(at, path, literal));
    this.#mark();
    this.#still(present);
  }

  /** Disables the parameters if they are those of a scenario before the refused one. */
  #still(present: SideView): void {
    if (!present.isOutdated) return;
    for (const input of element("groups").querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLButtonElement>("input, select, button")) input.disabled = true;
    element("set").textContent = "Refused; these are the parameters of the scenario before";
  }

  /** Asks the engine for the schemas that the panel needs, while workers open the first scenarios. */
  askSchemas(): void {
    this.#schemas = new Engine(this.#module).ask<About>({ ask: "about" }).json.schemas;
    this.#panel();
  }

  /** The time of a change that the user makes now. */
  get #instant(): string {
    return written(this.#transport.at);
  }

  /** Lists the changes of the present side, each with its time and a button that undoes it. */
  #listChanges(present: SideView): void {
    element("when-start").setAttribute("aria-pressed", String(!this.#during));
    element("when-now").setAttribute("aria-pressed", String(this.#during));
    element("when-now").textContent = this.#during ? `from ${this.#instant}` : "from cursor";
    const list = element("changes");
    list.hidden = present.changes.length === 0;
    list.replaceChildren(
      ...present.changes.flatMap(({ at, set }) =>
        set.map(([path, literal]) => {
          const item = document.createElement("li");
          const go = document.createElement("button");
          go.type = "button";
          go.textContent = `${at}: ${path} = ${literal}`;
          go.onclick = () => {
            this.#transport.pause();
            this.#transport.seek(seconds(at));
            this.#panel();
          };
          const undo = document.createElement("button");
          undo.type = "button";
          undo.className = "undo";
          undo.textContent = "Undo";
          undo.setAttribute("aria-label", `Undo the change of ${path} at ${at}`);
          undo.onclick = () => this.#change(at, path, undefined);
          item.append(go, undo);
          return item;
        }),
      ),
    );
  }

  /** Makes settings hold from the start, or from the cursor on. */
  #when(during: boolean): void {
    this.#during = during;
    if (during) this.#transport.pause();
    this.#panel();
  }

  #change(at: string, path: string, literal: string | undefined): void {
    const present = this.#present;
    if (!present) return;
    present.side = { ...present.side, changes: withChange(present.changes, at, path, literal) };
    this.#restart(present);
    this.#listChanges(present);
  }

  #set(path: string, literal: string | undefined): void {
    const present = this.#present;
    if (!present) return;
    present.side = { ...present.side, set: withSet(present.side.set, path, literal) };
    this.#restart(present);
  }

  #restart(side: SideView): void {
    side.restart(this.#text(side.side));
    this.#panelSoon();
    this.#linkSoon();
  }

  /** Updates the panel when the cursor has stopped moving. */
  #panelLater(): void {
    clearTimeout(this.#panelTimer);
    this.#panelTimer = window.setTimeout(() => !this.#dragged && this.#panel(), 200);
  }

  /** True while the user drags a slider. */
  get #dragged(): boolean {
    return document.activeElement instanceof HTMLInputElement && document.activeElement.type === "range" && document.activeElement.matches(":active");
  }

  /** Makes the panel again only when the engine has answered, so that a slider that the user drags stays. */
  #panelSoon(): void {
    const count = this.#present?.side.set.length ?? 0;
    element("set").textContent = `${count} ${count === 1 ? "parameter" : "parameters"} changed`;
    element("reset").hidden = count === 0;
  }

  #opened(side: SideView): void {
    this.#ask(side);
    if (side === this.#sides[0] && side.opened) this.#transport.open(side.opened.network);
    if (side === this.#present && !this.#dragged) this.#panel();
    // While the user drags a slider, the last results stay until the next have come.
    if (!this.#dragged) this.#tabulate();
    this.#transport.show();
  }

  /** Shows the results of the runs. */
  #tabulate(): void {
    const [left, right] = this.#sides;
    left?.beside(right);
    right?.beside(left);
    this.#results.replaceChildren(table(this.#sides.map(({ title, opened, summary, settled, isRefused }) => ({ title, network: opened?.network, summary: isRefused ? undefined : summary, settled }))));
  }

  #ended(): void {
    this.#tabulate();
    const side = this.#sides[0];
    // A new scenario opens at the time when its first queue has grown, at a speed at which moving cells or packets can be seen.
    const lens = this.#visible;
    if (this.#transport.unchosen && lens !== undefined) this.#transport.lens = lens;
    if (this.#transport.at === 0 && side) void this.#begin(side);
    else this.#transport.seek(this.#transport.at);
    this.#linkSoon();
  }

  /** Moves the cursor to the time at which the first queue has grown, unless the user moves it meanwhile. */
  async #begin(side: SideView): Promise<void> {
    const grown = side.charts.firstQueue();
    const near = grown ? grown.from : side.duration / 10;
    this.#transport.seek(near);
    if (!grown) return;
    const { summary } = side;
    const at = await side.when(grown);
    if (side === this.#sides[0] && side.summary === summary && !side.isPending && this.#transport.at === near && !this.#transport.playing) this.#transport.seek(at);
  }

  #zoom(view: [number, number] | null): void {
    const duration = this.#sides[0]?.duration ?? 1;
    if (view) {
      const width = Math.min(duration, Math.max(view[1] - view[0], duration * 1e-7));
      const from = Math.max(0, Math.min(view[0], duration - width));
      view = width >= duration ? null : [from, from + width];
    }
    this.#view = view;
    for (const side of this.#sides) this.#ask(side);
    this.#linkSoon();
  }

  /** Asks for the curves of the shown span. Curves that are drawn over each other must have the same number of parts. */
  #ask(side: SideView): void {
    const wide = this.#overlaid ? (this.#sides[0] ?? side) : side;
    side.client.view(...(this.#view ?? [0, side.duration]), wide.charts.pixels);
  }

  async #next(step: Step): Promise<number | undefined> {
    if (step === "round-trip") return this.#roundTrip === undefined ? undefined : this.#transport.at + this.#roundTrip;
    const picture = await this.#sides[0]?.shown();
    return (step === "rm" ? picture?.next_rm_seconds : picture?.next_unit_seconds) ?? undefined;
  }

  /**
   * Simulated seconds in one second of play at which motion can be seen. Over ATM: half of a round trip. Over Ethernet: the least time
   * in which the longest packet crosses a link.
   */
  get #visible(): number | undefined {
    const network = this.#sides[0]?.opened?.network;
    if (!network || !isEthernet(network)) return this.#roundTrip === undefined ? undefined : this.#roundTrip / 2;
    const bits = 8 * Math.max(0, ...network.flows.map((flow) => flow.line_bytes ?? 0));
    return Math.min(...network.links.map(({ bits_per_second, delay_seconds }) => delay_seconds + bits / bits_per_second));
  }

  /** The shortest round trip of the first run by propagation, in seconds; `undefined` if there is none. */
  get #roundTrip(): number | undefined {
    const trips = this.#sides[0]?.opened?.network.flows.flatMap((flow) => flow.propagation_round_trip_seconds || []) ?? [];
    return trips.length > 0 ? Math.min(...trips) : undefined;
  }

  #linkSoon(): void {
    clearTimeout(this.#linkTimer);
    document.body.dataset.unlinked = "";
    const timer = window.setTimeout(async () => {
      await this.#link();
      if (timer === this.#linkTimer) delete document.body.dataset.unlinked;
    }, 300);
    this.#linkTimer = timer;
  }

  /** Writes the state into the page's address, if it fits. Returns the link, or `undefined` if it is too long. */
  async #link(): Promise<string | undefined> {
    const address = new URL(location.href);
    address.hash = await encode(this.state);
    if (address.href.length > LONGEST_LINK) return undefined;
    history.replaceState(null, "", address);
    return address.href;
  }

  #controls(): void {
    const presets = element<HTMLSelectElement>("preset");
    for (const { name, about } of TEMPLATES) presets.append(new Option(`${name}: ${about}`, name));
    presets.append(this.#own, new Option("open a file of your own", ""));
    presets.onchange = () => {
      if (presets.value) this.#open({ preset: presets.value, name: "", text: "", set: [] });
      else {
        element("file").click();
        this.#panel();
      }
    };
    element("reset").onclick = () => {
      const present = this.#present;
      if (present) this.#open({ ...present.side, set: [] });
    };
    for (const [id, all] of [["common", false], ["all", true]] as const)
      element(id).onclick = () => {
        this.#all = all;
        this.#panel();
      };
    element("sheet").onclick = () => this.#unfold(!element("panel").classList.contains("open"));
    element("when-start").onclick = () => this.#when(false);
    element("when-now").onclick = () => this.#when(true);
    element("compare").onclick = () => this.#compare();
    element("overlay").onclick = () => {
      this.#overlaid = !this.#overlaid;
      this.#arrange();
      // The charts have another width now.
      requestAnimationFrame(() => {
        for (const side of this.#sides) this.#ask(side);
      });
      this.#linkSoon();
    };
    element("theory").onclick = () => this.#drawTheory(!this.#theory);
    element("share").onclick = () => void this.#share();
    const find = element<HTMLDialogElement>("find");
    element("open-find").onclick = () => {
      if (!find.querySelector(".card"))
        fillFind(find, TEMPLATES, {
          lesson: (id) => {
            const lesson = lessonOf(id);
            if (lesson) this.#step(lesson, 0);
          },
          experiment: (id, sides) => {
            this.#during = false;
            this.show({ sides, at: 0, view: null, lens: 0, experiment: id });
            this.#linkSoon();
          },
          template: (name) => this.#open({ preset: name, name: "", text: "", set: [] }),
        });
      find.showModal();
    };
    element("keys").onclick = () => element<HTMLDialogElement>("help").showModal();
    this.#saving();
    this.#files();
    keys(this.#transport, {
      move: (share) => {
        const [from, to] = this.#view ?? [0, this.#sides[0]?.duration ?? 1];
        this.#transport.seek(this.#transport.at + share * (to - from));
      },
      zoom: (factor) => {
        const [from, to] = this.#view ?? [0, this.#sides[0]?.duration ?? 1];
        const middle = this.#transport.at >= from && this.#transport.at <= to ? this.#transport.at : (from + to) / 2;
        this.#zoom([middle - (middle - from) * factor, middle + (to - middle) * factor]);
      },
      whole: () => this.#zoom(null),
      when: () => this.#when(!this.#during),
    });
    this.#both.addEventListener("dblclick", (event) => (event.target as Element).closest(".chart") && this.#zoom(null));
    matchMedia("(max-width: 760px)").addEventListener("change", () => this.#tabulate());
  }

  /** Opens another scenario on the present side. */
  #open(side: Side): void {
    const present = this.#present;
    if (!present) return;
    present.side = side;
    [this.#lesson, this.#experiment] = [undefined, undefined];
    this.#tell();
    this.#view = null;
    this.#transport.pause();
    this.#transport.at = 0;
    this.#transport.lens = 0;
    this.#restart(present);
  }

  #drawTheory(wanted: boolean): void {
    this.#theory = wanted;
    element("theory").setAttribute("aria-pressed", String(wanted));
    for (const side of this.#sides) side.theory(wanted);
  }

  #compare(): void {
    if (this.#sides.length === 2) {
      this.#sides.pop()?.end();
      this.#choose(0);
      this.#tabulate();
    } else if (this.#present) {
      this.#add(structuredClone(this.#present.side));
      this.#choose(1);
    }
    this.#linkSoon();
  }

  async #share(): Promise<void> {
    const link = await this.#link();
    if (link === undefined) {
      this.note(`This state needs a link of more than ${LONGEST_LINK} characters, which mail and chats cut. Save the scenario as a file instead.`, true);
      return;
    }
    await copy(link);
    this.note(`The link is in the clipboard: ${link.length} characters, with scenario, changes, cursor and view.`);
  }

  #saving(): void {
    const name = () => this.#present?.side.preset || this.#present?.side.name.replace(/\.toml$/, "").split("/").at(-1) || "scenario";
    element("save-toml").onclick = async () => {
      const answer = await ran(this.#present)?.client.ask<{ text: string }>({ ask: "resolved" });
      if (answer) save(`${name()}.toml`, answer.json.text);
    };
    element("save-command").onclick = async () => {
      const side = ran(this.#present)?.side;
      if (!side) return;
      const text = command(`${name()}.toml`, overrides(side));
      await copy(text);
      this.note(side.preset ? `cellrate new ${side.preset} > ${side.preset}.toml; ${text}` : text);
    };
    /** The side whose run is saved; says so if there is none. */
    const ran = (side: SideView | undefined) => {
      if (side?.isRefused) this.note("The scenario is refused, so there is no run to save.", true);
      return side?.isRefused ? undefined : side;
    };
    // The charts of two runs that lie over each other are those of the first run.
    const charts = () => ran(this.#overlaid ? this.#sides[0] : this.#present)?.charts;
    const saving = (id: string, ending: string, type: string, made: (charts: Charts) => string | Blob | Promise<Blob>) => {
      element(id).onclick = async () => {
        const shown = charts();
        if (shown) save(`${name()}.${ending}`, await made(shown), type);
      };
    };
    saving("save-png", "png", "image/png", png);
    saving("save-svg", "svg", "image/svg+xml", svg);
    saving("save-csv", "csv", "text/csv", (shown) => shown.csv());
  }

  #files(): void {
    const take = async (file: File | null | undefined) => {
      if (!file) return;
      if (file.size > 8 << 20) this.note(`${file.name} has ${file.size} bytes; a scenario has at most 8 MiB`, true);
      else this.#open({ preset: "", name: file.name, text: await file.text(), set: [] });
    };
    const input = element<HTMLInputElement>("file");
    input.onchange = () => void take(input.files?.[0]).then(() => (input.value = ""));
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      document.body.classList.remove("dropping");
      void take(event.dataTransfer?.files[0]);
    });
  }
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page that was opened from a file may not write to the clipboard; the note shows the text instead.
  }
}

/** The scenario that came with the page; `undefined` if there is none. */
async function given(): Promise<Given | undefined> {
  const within = document.getElementById("given")?.textContent;
  if (within) return JSON.parse(within) as Given;
  if (new URLSearchParams(location.search).get("given") === null) return undefined;
  const answer = await fetch(new URL("given.json", document.baseURI));
  return answer.ok ? ((await answer.json()) as Given) : undefined;
}

async function start(): Promise<void> {
  const page = new Page(await loadModule());
  const hash = location.hash.slice(1);
  const linked = hash ? await decode(hash) : undefined;
  const own = linked ? undefined : await given();
  const first = own ? { ...FIRST, sides: [{ preset: "", name: own.name, text: own.text, set: own.set }] } : FIRST;
  page.show(linked ?? first);
  // A separate task lets the worker begin first.
  setTimeout(() => page.askSchemas());
  if (hash && !linked) page.note("The link is cut off or is none of this page; this is the first template instead.", true);
  addEventListener("hashchange", async () => {
    const state = await decode(location.hash.slice(1));
    if (state && JSON.stringify(state) !== JSON.stringify(page.state)) page.show(state);
  });
}

start().catch((error: unknown) => {
  const note = element("note");
  note.textContent = `The lab cannot start: ${error instanceof Error ? error.message : String(error)}`;
  note.classList.add("bad");
});
