// Charts below each other on one axis of time.

import uPlot from "uplot";

import { ofFlow, variable } from "./colours.ts";
import type { CurvesNews } from "./engine/client.ts";
import type { Chart, Opened, Track } from "./engine/messages.ts";
import { number, time } from "./numbers.ts";
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
const ORDER: Chart[] = ["queue", "rate", "window", "throughput", "utilisation", "credit", "scheme", "loss"];
const DASHED = new Set(["ER", "ssthresh"]);
const HEIGHT = 132;

interface Drawn {
  chart: Chart;
  title: string;
  tracks: number[];
  /** Tracks of the run that is drawn over this one. */
  others: number[];
  plot: uPlot;
}

/** Receives what the reader does to the axis of time. */
export interface Touched {
  /** Puts the cursor there. */
  pick(seconds: number): void;
  /** Shows this span. */
  zoom(from: number, to: number): void;
}

/** The charts of one run. */
export class Charts {
  readonly #box: HTMLElement;
  readonly #touched: Touched;
  readonly #key: string;
  #tracks: Track[] = [];
  #drawn: Drawn[] = [];
  #cursor = 0;
  #changes: number[] = [];
  #levels: Level[] = [];
  /** Charts of another run whose curves are drawn here, too, dotted. */
  #over: Charts | undefined;
  /** Charts that draw the curves of this one. */
  #under: Charts | undefined;
  #last: CurvesNews | undefined;

  constructor(box: HTMLElement, key: string, touched: Touched) {
    this.#box = box;
    this.#key = key;
    this.#touched = touched;
    new ResizeObserver(() => this.#resize()).observe(box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#build());
  }

  /** Parts into which a span is cut: each gets its least and greatest value. */
  get pixels(): number {
    return Math.max(60, Math.min(500, Math.round((this.#box.clientWidth - 70) / 2)));
  }

  open(opened: Opened): void {
    const same = JSON.stringify(opened.tracks) === JSON.stringify(this.#tracks);
    this.#tracks = opened.tracks;
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
    const other = this.#over ? this.#over.#last : undefined;
    for (const { chart, tracks, others, plot } of this.#drawn) {
      const own = tracks.map((track) => rowOf(values, track, pixels));
      // Curves of another span would lie at the wrong times.
      const fits = other?.from === from && other.to === to && other.pixels === pixels;
      const rows = [...own, ...others.map((track) => (fits ? rowOf(other.values, track, pixels) : own[0]?.map(() => null) ?? []))];
      plot.setData([x, ...rows] as uPlot.AlignedData, false);
      plot.batch(() => {
        plot.setScale("x", { min: from, max: to });
        // Rates are shown with their levels; a buffer far above its queue would flatten it.
        const levels = chart === "queue" ? [] : this.#levels.filter((level) => level.chart === chart).map(({ value }) => value);
        plot.setScale("y", range([...rows, levels]));
      });
    }
  }

  /** Draws the curves of another run here, too, dotted; no longer if there is none. */
  overlay(other: Charts | undefined): void {
    if (this.#over) this.#over.#under = undefined;
    this.#over = other;
    if (other) other.#under = this;
    this.#build();
  }

  /** Draws what theory says over the curves. */
  theory(levels: Level[]): void {
    this.#levels = levels;
    if (this.#last) this.show(this.#last);
  }

  /** Marks the instants of changes. */
  changes(instants: number[]): void {
    this.#changes = instants;
    for (const { plot } of this.#drawn) this.#place(plot);
  }

  /** Draws what is shown again. */
  again(): void {
    if (this.#last) this.show(this.#last);
  }

  /** Moves the line that shows the instant of the picture. */
  cursor(seconds: number): void {
    this.#cursor = seconds;
    for (const { plot } of this.#drawn) this.#place(plot);
  }

  /** The values shown, as a table with one row for each instant: comma-separated text. */
  csv(): string {
    const news = this.#last;
    if (!news) return "";
    const { from, to, pixels, values } = news;
    const names = this.#tracks.flatMap((track) => {
      const unit = track.unit ? ` in ${track.unit}` : "";
      return ["least", "greatest"].map((which) => `"${track.quantity} of ${track.of}${unit}, ${which}"`);
    });
    const lines = [`seconds,${names.join(",")}`];
    for (let pixel = 0; pixel < pixels; pixel += 1) {
      const row = this.#tracks.flatMap((_, track) => {
        const at = (track * pixels + pixel) * 2;
        return [values[at], values[at + 1]].map((value) => (value === undefined || Number.isNaN(value) ? "" : String(value)));
      });
      lines.push([from + ((to - from) * pixel) / pixels, ...row].join(","));
    }
    return `${lines.join("\n")}\n`;
  }

  /** The canvases of the charts with their titles, in order. */
  canvases(): { title: string; canvas: HTMLCanvasElement }[] {
    return this.#drawn.map(({ title, plot }) => ({ title, canvas: plot.ctx.canvas }));
  }

  /** The data of the charts, in order, for a drawing in another form. */
  shown(): { title: string; unit: string; x: number[]; lines: { name: string; colour: string; dashed: boolean; y: (number | null)[] }[] }[] {
    return this.#drawn.map(({ title, tracks, plot }) => ({
      title,
      unit: this.#tracks[tracks[0] ?? 0]?.unit ?? "",
      x: [...(plot.data[0] ?? [])],
      lines: tracks.map((track, i) => ({
        name: this.#name(track),
        colour: this.#colour(track, i),
        dashed: DASHED.has(this.#tracks[track]?.quantity ?? ""),
        y: [...((plot.data[i + 1] ?? []) as (number | null)[])],
      })),
    }));
  }

  #build(): void {
    for (const { plot } of this.#drawn) plot.destroy();
    this.#box.replaceChildren();
    this.#drawn = ORDER.flatMap((chart) => {
      const tracks = this.#tracks.map((_, i) => i).filter((i) => this.#tracks[i]?.chart === chart);
      // What a scheme counts has units of its own, so each quantity has its chart.
      const apart = chart === "scheme" ? new Set(tracks.map((i) => this.#tracks[i]?.quantity ?? "")) : [undefined];
      return [...apart].flatMap((quantity) => {
        const these = quantity === undefined ? tracks : tracks.filter((i) => this.#tracks[i]?.quantity === quantity);
        const others = (this.#over ? this.#over.#tracks : []).flatMap((track, i) => (track.chart === chart && (quantity === undefined || track.quantity === quantity) ? [i] : []));
        return these.length > 0 ? [this.#chart(chart, quantity === undefined ? TITLES[chart] : `${TITLES[chart]}: ${quantity.replaceAll("_", " ")}`, these, others)] : [];
      });
    });
    if (this.#last) this.show(this.#last);
  }

  #name(track: number): string {
    const { quantity, of } = this.#tracks[track] ?? { quantity: "", of: "" };
    return `${quantity} of ${of}`;
  }

  #colour(track: number, index: number): string {
    return ofFlow(this.#tracks[track]?.flow ?? index);
  }

  #chart(chart: Chart, name: string, tracks: number[], others: number[]): Drawn {
    const figure = document.createElement("figure");
    figure.className = "chart";
    figure.dataset.chart = chart;
    const title = document.createElement("figcaption");
    const unit = this.#tracks[tracks[0] ?? 0]?.unit ?? "";
    const reading = document.createElement("output");
    title.append(unit ? `${name}, ${unit}` : name, reading);
    const box = document.createElement("div");
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", `${name} over time`);
    figure.append(title, box);
    this.#box.append(figure);
    const axis = { stroke: variable("--muted"), grid: { stroke: variable("--faint"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    const options: uPlot.Options = {
      width: Math.max(120, this.#box.clientWidth),
      height: HEIGHT,
      legend: { show: false },
      padding: [8, 24, 0, 0],
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
          ...(DASHED.has(this.#tracks[track]?.quantity ?? "") ? { dash: [4, 4] } : {}),
        })),
        ...others.map((track, i) => ({
          label: `${this.#over ? this.#over.#name(track) : ""}, right`,
          stroke: this.#over ? this.#over.#colour(track, i) : "",
          width: 1.2,
          points: { show: false },
          dash: [1, 3],
        })),
      ],
      axes: [
        { ...axis, size: 24, values: (plot, splits) => splits.map((at) => label(at, plot)) },
        { ...axis, size: 54, values: (_, splits) => splits.map((value) => number(value)) },
      ],
      hooks: {
        ready: [
          (plot) => {
            const line = document.createElement("div");
            line.className = "playhead";
            plot.over.append(line);
          },
        ],
        draw: [(plot) => this.#drawLevels(plot, chart)],
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
    return { chart, title: name, tracks, others, plot };
  }

  #drawLevels(plot: uPlot, chart: Chart): void {
    const { left, top, width, height } = plot.bbox;
    const context = plot.ctx;
    context.save();
    context.strokeStyle = variable("--ink");
    context.fillStyle = variable("--ink");
    context.font = `${11 * devicePixelRatio}px system-ui`;
    context.textAlign = "right";
    context.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio]);
    for (const { value, name } of this.#levels.filter((level) => level.chart === chart)) {
      const y = plot.valToPos(value, "y", true);
      if (y < top || y > top + height) continue;
      context.beginPath();
      context.moveTo(left, y);
      context.lineTo(left + width, y);
      context.stroke();
      context.fillText(`${name} ${number(value)}`, left + width - 4, y - 4 * devicePixelRatio < top + 11 ? y + 12 * devicePixelRatio : y - 4 * devicePixelRatio);
    }
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

  /** Writes the values under the pointer, the greatest first, as many as fit. */
  #read(plot: uPlot, tracks: number[], reading: HTMLOutputElement): void {
    const index = plot.cursor.idx;
    if (index == null || !this.#last) {
      reading.textContent = "";
      return;
    }
    const values = tracks
      .map((track, i) => ({ of: this.#tracks[track]?.of ?? "", quantity: this.#tracks[track]?.quantity, value: plot.data[i + 1]?.[index] }))
      .filter((one): one is { of: string; quantity: string; value: number } => one.value != null)
      .sort((a, b) => b.value - a.value);
    const shown = values.slice(0, 3).map(({ of, quantity, value }) => `${DASHED.has(quantity) ? `${quantity} ` : ""}${of} ${number(value)}`);
    const more = values.length > 3 ? `, ${values.length - 3} more down to ${number(values.at(-1)?.value ?? 0)}` : "";
    const { from, to } = this.#last;
    reading.textContent = `${time(plot.data[0]?.[index] ?? 0, (to - from) / 1000)}: ${shown.join(", ")}${more}`;
  }

  #resize(): void {
    const width = Math.max(120, this.#box.clientWidth);
    for (const { plot } of this.#drawn) if (plot.width !== width) plot.setSize({ width, height: HEIGHT });
  }
}

/** Least and greatest values of a track, one after the other. */
function rowOf(values: Float32Array, track: number, pixels: number): (number | null)[] {
  const row: (number | null)[] = [];
  for (let i = track * 2 * pixels; i < (track + 1) * 2 * pixels; i += 1) {
    const value = values[i] ?? Number.NaN;
    row.push(Number.isNaN(value) ? null : value);
  }
  return row;
}

/** From zero, or the least value, to a little above the greatest. */
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

