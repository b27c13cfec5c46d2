// Charts below each other with one axis of time.

import uPlot from "uplot";

import { ofFlow, variable } from "./colours.ts";
import type { CurvesNews } from "./engine/client.ts";
import type { Chart, Opened, Track } from "./engine/messages.ts";
import { GAP, LETTERS, LINE, type Label, besideEachOther, place, roomFor } from "./labels.ts";
import { isEthernet } from "./layer.ts";
import { megabits, number, short, time } from "./numbers.ts";
import { named } from "./names.ts";
import { size, whenSized } from "./size.ts";
import type { Shown } from "./svg.ts";
import type { Level } from "./theory.ts";

const TITLES: Record<Chart, string> = {
  queue: "Queues",
  rate: "ACR (line) and ER (dashed)",
  window: "cwnd (line) and ssthresh (dashed)",
  throughput: "Throughput per flow, cells received",
  utilisation: "Utilisation of links",
  loss: "Cells lost so far",
  credit: "Credit of sources",
  scheme: "Counted by the control scheme",
};
/** Titles of charts that differ over Ethernet. */
const OF_ETHERNET: Partial<Record<Chart, string>> = { throughput: "Throughput per flow, data received", loss: "Packets lost so far" };
const ORDER: Chart[] = ["queue", "rate", "window", "throughput", "utilisation", "credit", "scheme", "loss"];
const DASHED = new Set(["ER", "ssthresh"]);
/** Lengths of dashes and gaps, in pixels: of the curves named in `DASHED`, and of the curves of the second run. */
const DASH = [4, 4];
const DOTS = [1, 3];
const HEIGHT = 132;
/** Variables from which a scheme computes rates; their charts are always shown, while its counters are collapsed. */
const SHOWN_OF_SCHEME = /load_factor|_cells_per_second$/;
/** Share of the chart's greatest value; a curve that stays below it gets no name. */
const FLAT = 0.01;
/** Queue length, in cells or kB, from which on a queue counts as grown, unless the longest queue is short. */
const GROWN = 20;

interface Drawn {
  chart: Chart;
  /** The text above the chart, with the unit. */
  title: string;
  tracks: number[];
  /** Tracks (curves) of another run that are drawn over those of this run. */
  others: number[];
  plot: uPlot;
  /** The last and the greatest value of each curve. */
  ends: { last: number; most: number }[];
}

/** Is called when the user picks a time or a span in a chart. */
export interface Touched {
  /** Moves the cursor to this time. */
  pick(seconds: number): void;
  /** Shows this span. */
  zoom(from: number, to: number): void;
}

/** A part of a run in which a queue is longer than a length. */
export interface Grown {
  from: number;
  to: number;
  /** Length in the unit of the chart of queues. */
  length: number;
  /** Numbers of the tracks of queues. */
  tracks: readonly number[];
}

/** The charts of one run. */
export class Charts {
  readonly #box: HTMLElement;
  readonly #touched: Touched;
  readonly #key: string;
  #tracks: Track[] = [];
  #titles = TITLES;
  /** For a chart that does not draw all flows or ports, a note on those that it draws. */
  #few: Partial<Record<Chart, string>> = {};
  #drawn: Drawn[] = [];
  #cursor = 0;
  #changes: number[] = [];
  #levels: Level[] = [];
  /** Charts of another run; their curves are also drawn here, dotted. */
  #over: Charts | undefined;
  /** Charts that draw the curves of these charts over their own. */
  #under: Charts | undefined;
  #last: CurvesNews | undefined;
  /** The measuring window, in seconds. */
  #window: [number, number] = [0, Number.POSITIVE_INFINITY];
  /** Width of a chart, in pixels. */
  #width = 120;
  /** Width of the space at the right for the names of curves. It is equal in all charts, so that a time has the same position in all. */
  #aside = 0;
  /** True if the charts of the scheme's counters are open. */
  #counters = false;

  constructor(box: HTMLElement, key: string, touched: Touched) {
    this.#box = box;
    this.#key = key;
    this.#touched = touched;
    new ResizeObserver(() => this.#resize()).observe(box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#build());
    whenSized(() => this.#build());
  }

  /** Number of parts into which the span is divided; the least and greatest value in each part are drawn. */
  get pixels(): number {
    return Math.max(60, Math.min(500, Math.round((this.#box.clientWidth - 70) / 2)));
  }

  open(opened: Opened): void {
    const same = JSON.stringify(opened.tracks) === JSON.stringify(this.#tracks);
    this.#tracks = opened.tracks;
    // Over Ethernet a source under rate control has an ACR; over RoCE it has R_C under DCQCN, and R under others.
    const rates = new Set(opened.tracks.filter(({ chart }) => chart === "rate").map(({ quantity }) => quantity));
    this.#titles = isEthernet(opened.network) ? { ...TITLES, ...OF_ETHERNET, rate: [...rates].join(" and ") } : TITLES;
    this.#few = fewOf(opened);
    const { from_seconds, to_seconds } = opened.network.measure;
    this.#window = [from_seconds, to_seconds];
    this.#last = undefined;
    if (!same || this.#drawn.length === 0) this.#build();
    if (!same && this.#under) this.#under.#build();
  }

  show(news: CurvesNews): void {
    this.#last = news;
    this.#under?.again();
    const { from, to, pixels, values } = news;
    const x: number[] = [];
    for (let pixel = 0; pixel < pixels; pixel += 1) {
      const at = from + ((to - from) * pixel) / pixels;
      x.push(at, at + (to - from) / pixels / 2);
    }
    // The curves of the other run are drawn only if they cover the same span.
    const other = this.#fitting(news);
    // Charts in a closed section are drawn when the section is opened.
    for (const drawn of this.#unfolded) {
      const { chart, tracks, others, plot } = drawn;
      const own = tracks.map((track) => rowOf(values, track, pixels, this.#factor(track)));
      const rows = [...own, ...others.map((track) => (other ? rowOf(other.values, track, pixels, this.#over ? this.#over.#factor(track) : 1) : x.map(() => null)))];
      drawn.ends = rows.map(endOf);
      plot.setData([x, ...rows] as uPlot.AlignedData, false);
      plot.batch(() => {
        plot.setScale("x", { min: from, max: to });
        // The axis of rates includes the levels of theory. The axis of queues does not: a buffer far above the queue would flatten the
        // curves.
        const levels = chart === "queue" ? [] : this.#levels.filter((level) => level.chart === chart).map(({ value }) => value);
        plot.setScale("y", range([...rows, levels]));
      });
    }
  }

  /** The first part of the shown span in which a queue has grown, and the length above which it has; `undefined` if none grows. */
  firstQueue(): Grown | undefined {
    const news = this.#last;
    if (!news) return undefined;
    const { from, to, pixels, values } = news;
    const rows = this.#tracks.flatMap(({ chart }, track) => (chart === "queue" ? [rowOf(values, track, pixels, 1)] : []));
    const longest = Math.max(0, ...rows.map((row) => endOf(row).most));
    const grown = Math.min(GROWN, longest / 2);
    const at = Math.min(...rows.map((row) => row.findIndex((value) => value !== null && value > grown)).filter((index) => index >= 0));
    if (longest <= 2 || !Number.isFinite(at)) return undefined;
    const part = Math.floor(at / 2);
    const time = (number: number) => from + ((to - from) * number) / pixels;
    return { from: time(part), to: time(part + 1), length: grown, tracks: this.#tracks.flatMap(({ chart }, track) => (chart === "queue" ? [track] : [])) };
  }

  /** Draws the curves of another run over these, dotted; without another run, removes them. */
  overlay(other: Charts | undefined): void {
    if (this.#over) this.#over.#under = undefined;
    this.#over = other;
    if (other) other.#under = this;
    this.#build();
  }

  /** Draws the levels that follow from theory over the curves. */
  theory(levels: Level[]): void {
    this.#levels = levels;
    if (this.#last) this.show(this.#last);
  }

  /** Marks the times of changes. */
  changes(instants: number[]): void {
    this.#changes = instants;
    for (const { plot } of this.#drawn) this.#place(plot);
  }

  /** Draws the shown charts again. */
  again(): void {
    if (this.#last) this.show(this.#last);
  }

  /** Moves the line at the time of the picture. */
  cursor(seconds: number): void {
    this.#cursor = seconds;
    for (const { plot } of this.#drawn) this.#place(plot);
  }

  /** The shown values as a table with a row for each time, as comma-separated text. Curves that are drawn over these have columns, too. */
  csv(): string {
    const news = this.#last;
    if (!news) return "";
    const { from, to, pixels } = news;
    const over = this.#fitting(news);
    const parts = [{ charts: this as Charts, news, suffix: "" }, ...(over && this.#over ? [{ charts: this.#over, news: over, suffix: ", second run" }] : [])];
    const names = parts.flatMap(({ charts, suffix }) =>
      charts.#tracks.flatMap((track) => {
        const unit = track.unit ? ` in ${track.unit}` : "";
        return ["least", "greatest"].map((which) => `"${track.quantity} of ${track.of}${unit}, ${which}${suffix}"`);
      }),
    );
    const lines = [`seconds,${names.join(",")}`];
    for (let pixel = 0; pixel < pixels; pixel += 1) {
      const row = parts.flatMap(({ charts, news: { values } }) =>
        charts.#tracks.flatMap((_, track) => {
          const at = (track * pixels + pixel) * 2;
          return [values[at], values[at + 1]].map((value) => (value === undefined || Number.isNaN(value) ? "" : String(value)));
        }),
      );
      lines.push([from + ((to - from) * pixel) / pixels, ...row].join(","));
    }
    return `${lines.join("\n")}\n`;
  }

  /** The last curves of the other run, if they cover the same span in as many parts. */
  #fitting({ from, to, pixels }: CurvesNews): CurvesNews | undefined {
    const other = this.#over && this.#over.#last;
    return other?.from === from && other.to === to && other.pixels === pixels ? other : undefined;
  }

  /** The canvases of the charts with their titles, in order. */
  canvases(): { title: string; canvas: HTMLCanvasElement }[] {
    return this.#unfolded.map(({ title, plot }) => ({ title, canvas: plot.ctx.canvas }));
  }

  /** The charts in order, for export in another form. */
  shown(): Shown[] {
    return this.#unfolded.map((drawn) => {
      const { chart, title, tracks, others, plot } = drawn;
      const { x, y } = plot.scales;
      const row = (i: number) => [...((plot.data[i + 1] ?? []) as (number | null)[])];
      return {
        title,
        x: [...(plot.data[0] ?? [])],
        span: [x?.min ?? 0, x?.max ?? 1],
        range: [y?.min ?? 0, y?.max ?? 1],
        window: this.#window,
        changes: this.#changes,
        curves: [
          ...tracks.map((track, i) => ({ name: this.#name(track), colour: this.#colour(track, i), dash: this.#dash(track), y: row(i) })),
          ...others.map((track, i) => ({ name: this.#otherName(track), colour: this.#otherColour(track, i), dash: DOTS, y: row(tracks.length + i) })),
        ],
        labels: this.#labels(drawn),
        levels: this.#levels.filter((level) => level.chart === chart),
      };
    });
  }

  /** The charts that are drawn: all but those in a closed section. */
  get #unfolded(): Drawn[] {
    return this.#drawn.filter(({ plot }) => !plot.root.closest("details:not([open])"));
  }

  #build(): void {
    for (const { plot } of this.#drawn) plot.destroy();
    this.#box.replaceChildren();
    // The width is read only once: after each added chart, the browser would compute the layout again.
    this.#width = Math.max(120, this.#box.clientWidth);
    const own = this.#tracks.map(({ of }) => of);
    const over = (this.#over ? this.#over.#tracks : []).flatMap(({ of }) => (own.includes(of) ? [] : [`${of} second`]));
    this.#aside = roomFor([...own, ...over], this.#width, size());
    this.#drawn = ORDER.flatMap((chart) => {
      const tracks = this.#tracks.map((_, i) => i).filter((i) => this.#tracks[i]?.chart === chart);
      // The variables of a scheme have different units, so each has a chart of its own.
      if (chart === "scheme") return this.#ofScheme(tracks);
      const others = this.#others(chart);
      if (tracks.length === 0 && others.length === 0) return [];
      const titles = tracks.length > 0 || !this.#over ? this.#titles : this.#over.#titles;
      return [this.#chart(chart, titles[chart], tracks, others, this.#box)];
    });
    if (this.#last) this.show(this.#last);
  }

  /** Tracks of the other run that belong to a chart. */
  #others(chart: Chart, quantity?: string): number[] {
    return (this.#over ? this.#over.#tracks : []).flatMap((track, i) => (track.chart === chart && (quantity === undefined || track.quantity === quantity) ? [i] : []));
  }

  /**
   * Makes a chart for each variable of the control scheme. Rates and load factors are always shown; the counters are in a collapsed
   * section, and drawn when it is opened.
   */
  #ofScheme(tracks: number[]): Drawn[] {
    const over = this.#over ? this.#over.#tracks : [];
    const all = [...tracks.map((i) => this.#tracks[i]), ...this.#others("scheme").map((i) => over[i])];
    const quantities = [...new Set(all.map((track) => track?.quantity ?? ""))];
    const folded = quantities.filter((quantity) => !SHOWN_OF_SCHEME.test(quantity));
    const draw = (quantity: string, into: HTMLElement) => {
      const these = tracks.filter((i) => this.#tracks[i]?.quantity === quantity);
      return this.#chart("scheme", named(quantity.replace(/_cells_per_second$/, "")), these, this.#others("scheme", quantity), into);
    };
    const shown = quantities.filter((quantity) => !folded.includes(quantity)).map((quantity) => draw(quantity, this.#box));
    if (folded.length === 0) return shown;
    const fold = document.createElement("details");
    fold.className = "counters";
    fold.open = this.#counters;
    const summary = document.createElement("summary");
    summary.textContent = `Counters of the control scheme (${folded.length})`;
    fold.append(summary);
    this.#box.append(fold);
    const unfold = () => folded.map((quantity) => draw(quantity, fold));
    fold.ontoggle = () => {
      this.#counters = fold.open;
      if (fold.open && !fold.querySelector(".chart")) {
        const place = this.#drawn.findLastIndex(({ chart }) => ORDER.indexOf(chart) <= ORDER.indexOf("scheme")) + 1;
        this.#drawn.splice(place, 0, ...unfold());
        this.#resize();
      }
      this.again();
    };
    return fold.open ? [...shown, ...unfold()] : shown;
  }

  /** Factor for the values of a track: rates of a scheme are shown in Mbit/s, like those of sources. */
  #factor(track: number): number {
    return this.#tracks[track]?.quantity.endsWith("_cells_per_second") ? megabits(1) : 1;
  }

  #name(track: number): string {
    const { quantity, of } = this.#tracks[track] ?? { quantity: "", of: "" };
    return `${quantity} of ${of}`;
  }

  /** Name of a curve of the other run. */
  #otherName(track: number): string {
    return `${this.#over ? this.#over.#name(track) : ""}, second run`;
  }

  #otherColour(track: number, index: number): string {
    return this.#over ? this.#over.#colour(track, index) : "";
  }

  #dash(track: number): number[] {
    return DASHED.has(this.#tracks[track]?.quantity ?? "") ? DASH : [];
  }

  #colour(track: number, index: number): string {
    return ofFlow(this.#tracks[track]?.flow ?? index);
  }

  #chart(chart: Chart, name: string, tracks: number[], others: number[], into: HTMLElement): Drawn {
    const figure = document.createElement("figure");
    figure.className = "chart";
    figure.dataset.chart = chart;
    const title = document.createElement("figcaption");
    // A chart that only the other run has takes its unit, and its note on the flows or ports drawn, from that run.
    const [of, first] = tracks.length > 0 || !this.#over ? [this as Charts, tracks[0]] : [this.#over, others[0]];
    const unit = of.#factor(first ?? 0) === 1 ? (of.#tracks[first ?? 0]?.unit ?? "") : "Mbit/s";
    const reading = document.createElement("output");
    const few = of.#few[chart];
    const head = [unit ? `${name}, ${unit}` : name, ...(few ? [few] : []), ...(others.length > 0 ? ["dotted: second run"] : [])].join(" · ");
    title.append(head, reading);
    const box = document.createElement("div");
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", `${name} over time`);
    figure.append(title, box);
    into.append(figure);
    const axis = { stroke: variable("--muted"), grid: { stroke: variable("--faint"), width: 1 }, ticks: { show: false }, font: `${LETTERS * size()}px system-ui` };
    const options: uPlot.Options = {
      width: this.#width,
      height: HEIGHT * size(),
      legend: { show: false },
      padding: [8, this.#aside, 0, 0],
      cursor: {
        sync: { key: this.#key },
        points: { show: false },
        drag: { x: true, y: false, setScale: false },
      },
      scales: { x: { time: false, auto: false }, y: { auto: false } },
      series: [
        {},
        ...tracks.map((track, i) => ({
          label: this.#name(track),
          stroke: this.#colour(track, i),
          width: 1.2,
          points: { show: false },
          dash: this.#dash(track),
        })),
        ...others.map((track, i) => ({
          label: this.#otherName(track),
          stroke: this.#otherColour(track, i),
          width: 1.2,
          points: { show: false },
          dash: DOTS,
        })),
      ],
      axes: [
        { ...axis, size: 24 * size(), space: 50 * size(), values: (plot, splits) => splits.map((at) => label(at, plot)) },
        { ...axis, size: 54 * size(), values: (_, splits) => splits.map(short) },
      ],
      hooks: {
        ready: [
          (plot) => {
            const line = document.createElement("div");
            line.className = "playhead";
            plot.over.append(line);
          },
        ],
        drawClear: [(plot) => this.#shade(plot)],
        draw: [
          (plot) => {
            this.#drawLevels(plot, chart);
            if (drawn) this.#drawNames(drawn);
          },
        ],
        setScale: [(plot) => this.#place(plot)],
        setSize: [(plot) => this.#place(plot)],
        setCursor: [(plot) => this.#read(plot, tracks, reading)],
        setSelect: [
          (plot) => {
            const { left, width } = plot.select;
            if (width > 4) this.#touched.zoom(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    };
    let drawn: Drawn | undefined;
    const plot = new uPlot(options, [[]], box);
    let down = 0;
    plot.over.addEventListener("mousedown", (event) => {
      down = event.clientX;
    });
    plot.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - down) <= 4) {
        this.#touched.pick(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
      }
    });
    drawn = { chart, title: head, tracks, others, plot, ends: [] };
    return drawn;
  }

  /** Shades the times before and after the measuring window. */
  #shade(plot: uPlot): void {
    const { left, top, width, height } = plot.bbox;
    const [from, to] = this.#window.map((at) => Math.max(left, Math.min(left + width, plot.valToPos(Number.isFinite(at) ? at : 1e9, "x", true))));
    if (from === undefined || to === undefined || !Number.isFinite(from)) return;
    plot.ctx.fillStyle = variable("--raised");
    plot.ctx.fillRect(left, top, from - left, height);
    plot.ctx.fillRect(to, top, left + width - to, height);
  }

  /**
   * The names of curves; `y` is the last value of the curve. A curve of the other run is named if no curve of this run has its name: a dotted
   * curve has the colour of the curve with the same name.
   */
  #labels({ tracks, others, ends }: Drawn): Label[] {
    const most = Math.max(0, ...ends.map((end) => end.most));
    const found = (charts: Charts, of: number[], from: number) =>
      of.flatMap((track, i) => {
        const { last, most: own } = ends[from + i] ?? { last: Number.NaN, most: 0 };
        const isNamed = !DASHED.has(charts.#tracks[track]?.quantity ?? "") && Number.isFinite(last) && own > FLAT * most;
        return isNamed ? [{ text: charts.#tracks[track]?.of ?? "", colour: charts.#colour(track, i), most: own, y: last }] : [];
      });
    const own = found(this, tracks, 0);
    const names = new Set(own.map(({ text }) => text));
    const over = this.#over ? found(this.#over, others, tracks.length) : [];
    return [...own, ...over.filter(({ text }) => !names.has(text)).map((label) => ({ ...label, text: `${label.text} second` }))];
  }

  /** Names the curves at their ends. */
  #drawNames(drawn: Drawn): void {
    const { plot } = drawn;
    const { left, top, width, height } = plot.bbox;
    const scale = devicePixelRatio * size();
    const curves = this.#labels(drawn).map((label) => ({ ...label, y: Math.max(top, Math.min(top + height, plot.valToPos(label.y, "y", true))) }));
    const context = plot.ctx;
    context.save();
    context.font = `${LETTERS * scale}px system-ui`;
    context.textAlign = "left";
    context.textBaseline = "middle";
    const line = LINE * scale;
    const room = { width: (this.#aside - GAP) * devicePixelRatio, top, bottom: top + height, line };
    for (const { lines, colour, y } of place(curves, room, (text) => context.measureText(text).width)) {
      context.fillStyle = colour ?? variable("--muted");
      lines.forEach((text, i) => context.fillText(text, left + width + GAP * scale, y + i * line));
    }
    context.restore();
  }

  #drawLevels(plot: uPlot, chart: Chart): void {
    const { left, top, width, height } = plot.bbox;
    const context = plot.ctx;
    context.save();
    context.strokeStyle = variable("--ink");
    context.fillStyle = variable("--ink");
    const letters = LETTERS * devicePixelRatio * size();
    context.font = `${letters}px system-ui`;
    context.textAlign = "right";
    context.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio]);
    const inSight = this.#levels.filter((level) => level.chart === chart).map(({ value, name }) => ({ text: `${name} ${number(value)}`, y: plot.valToPos(value, "y", true) })).filter(({ y }) => y >= top && y <= top + height);
    const names = inSight.map(({ text, y }) => ({ text, width: context.measureText(text).width, y: y - 4 * devicePixelRatio < top + letters ? y + letters + devicePixelRatio : y - 4 * devicePixelRatio }));
    const far = besideEachOther(names, letters);
    for (const { y } of inSight) {
      context.beginPath();
      context.moveTo(left, y);
      context.lineTo(left + width, y);
      context.stroke();
    }
    names.forEach(({ text, y }, i) => context.fillText(text, left + width - 4 - (far[i] ?? 0), y));
    context.restore();
  }

  #place(plot: uPlot): void {
    const line = plot.over?.querySelector<HTMLElement>(".playhead");
    if (!line) return;
    const x = plot.valToPos(this.#cursor, "x");
    line.style.transform = `translateX(${x}px)`;
    line.hidden = !Number.isFinite(x) || x < 0 || x > plot.over.clientWidth;
    for (const old of plot.over.querySelectorAll(".change-mark")) old.remove();
    for (const instant of this.#changes) {
      const at = plot.valToPos(instant, "x");
      if (!Number.isFinite(at) || at < 0 || at > plot.over.clientWidth) continue;
      const mark = document.createElement("div");
      mark.className = "change-mark";
      mark.style.transform = `translateX(${at}px)`;
      plot.over.append(mark);
    }
  }

  /** Writes the value of the curve nearest to the pointer; in the other charts, the values of the highest curves. */
  #read(plot: uPlot, tracks: number[], reading: HTMLOutputElement): void {
    const index = plot.cursor.idx;
    if (index == null || !this.#last) {
      reading.textContent = "";
      return;
    }
    const pointer = plot.over.matches(":hover") ? (plot.cursor.top ?? -1) : -1;
    const values = tracks
      .map((track, i) => ({ of: this.#tracks[track]?.of ?? "", quantity: this.#tracks[track]?.quantity, value: plot.data[i + 1]?.[index] }))
      .filter((one): one is { of: string; quantity: string; value: number } => one.value != null)
      .map((one) => ({ ...one, far: pointer < 0 ? -one.value : Math.abs(plot.valToPos(one.value, "y") - pointer) }))
      .sort((a, b) => a.far - b.far);
    const shown = values.slice(0, pointer < 0 ? 3 : 1).map(({ of, quantity, value }) => `${DASHED.has(quantity) ? `${quantity} ` : ""}${of} ${number(value)}`);
    const { from, to } = this.#last;
    reading.textContent = `${time(plot.data[0]?.[index] ?? 0, (to - from) / 1000)}: ${shown.join(", ")}`;
  }

  #resize(): void {
    // Charts that are hidden keep their size until they are shown again.
    if (this.#box.clientWidth === 0) return;
    const width = Math.max(120, this.#box.clientWidth);
    for (const { plot } of this.#drawn) if (plot.width !== width) plot.setSize({ width, height: HEIGHT * size() });
  }
}

/** The least and greatest values of a track in each part, one after the other. */
function rowOf(values: Float32Array, track: number, pixels: number, factor: number): (number | null)[] {
  const row: (number | null)[] = [];
  for (let i = track * 2 * pixels; i < (track + 1) * 2 * pixels; i += 1) {
    const value = values[i] ?? Number.NaN;
    row.push(Number.isNaN(value) ? null : value * factor);
  }
  return row;
}

/** Notes on the flows or ports drawn, for charts that do not draw all of a scenario. */
function fewOf({ network, most_flows, ports, tracks }: Opened): Partial<Record<Chart, string>> {
  const flows = network.flows.length > most_flows ? `first ${most_flows} of ${number(network.flows.length)} flows` : undefined;
  const drawn = new Set(tracks.filter(({ chart }) => chart === "utilisation").map(({ of }) => of)).size;
  const links = ports.length > drawn ? `${drawn} of ${number(ports.length)} ports, those of most flows` : undefined;
  const few = (text: string | undefined, charts: Chart[]) => (text ? charts.map((chart): [Chart, string] => [chart, text]) : []);
  return Object.fromEntries([...few(flows, ["rate", "window", "throughput", "credit"]), ...few(links, ["queue", "utilisation", "loss", "scheme"])]);
}

function endOf(row: (number | null)[]): { last: number; most: number } {
  const last = row.findLast((value) => value !== null) ?? Number.NaN;
  return { last, most: row.reduce<number>((most, value) => Math.max(most, value ?? 0), 0) };
}

/** The range of the axis: from zero, or from the least value if that is negative, to a little above the greatest. */
function range(rows: (number | null)[][]): { min: number; max: number } {
  let [low, high] = [0, 0];
  for (const row of rows) {
    for (const value of row) {
      if (value === null) continue;
      if (value > high) high = value;
      if (value < low) low = value;
    }
  }
  return { min: low, max: high > low ? high * 1.05 : low + 1 };
}

function label(at: number, plot: uPlot): string {
  const span = (plot.scales.x?.max ?? 1) - (plot.scales.x?.min ?? 0);
  return time(at, span / 50);
}

