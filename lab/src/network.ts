// The network on a canvas: nodes, links, cells or packets in flight, queues, windows and losses.

import { ofFlow, variable } from "./colours.ts";
import type { Network, Opened, Picture } from "./engine/messages.ts";
import { carried, isEthernet } from "./layer.ts";
import { type Layout, type Place, QUEUE, WINDOW, ends, heightFor, isLayered, layout, queueBar } from "./layout.ts";
import { number } from "./numbers.ts";
import { size, whenSized } from "./size.ts";

const font = () => `${11 * size()}px system-ui, sans-serif`;
const RM = 1;
const MARKED = 4;
const CREDIT = 8;
/** Mark of a TCP segment without payload. */
const EMPTY = 16;
/** Marks of PFC frames, which begin or end pauses. */
const PAUSE = 32;
const RESUME = 64;
const TELEMETRY = 128;
const PLACE_BYTES = 4;
/** Bytes of a packet on a link: the link, the flow, marks, and how far the first and the last bit of the packet have travelled. */
const FRAME_BYTES = 16;
/** Least length of a packet on a link, and breadths of packets with and without payload, in pixels. */
const FRAME = { least: 2, broad: 5, slim: 2 };
/** Least length and breadth of a PFC frame, and the bar at a link that a pause stops: its distance from the node and half its length, in pixels. */
const PFC = { least: 6, broad: 9, from: 14, half: 9 };
/** Bytes in one step of the length of a listed packet. */
const LENGTH_STEP = 64;
/** Bytes at which the bar of a queue without a limit is full. */
const ROOM = 30_000;
/** Number of cells in one place from which on they cannot be told apart. */
const CROWD = 6;
/** Time for which a loss is shown, in milliseconds. */
const FLASH = 500;

interface Loss {
  link: number;
  units: number;
  at: number;
}

/** Draws pictures of one network. */
export class NetworkView {
  readonly #canvas: HTMLCanvasElement;
  #network: Network | undefined;
  #layout: Layout = { nodes: [], names: [], lengths: new Map() };
  /** Width and height for which the layout was made; empty for a new network. */
  #shape = "";
  #perLink = 0;
  /** Largest number of cells or packets that each port has held, and their greatest length. */
  #largest: { units: number; length: number }[] = [];
  #window = 1;
  #lost: number[] = [];
  #flashes: Loss[] = [];
  #last: { picture: Picture; cells: Uint8Array } | undefined;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    new ResizeObserver(() => this.redraw()).observe(canvas);
    whenSized(() => {
      this.#heighten();
      this.redraw();
    });
    canvas.addEventListener("pointermove", (event) => this.#hint(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  open(opened: Opened): void {
    this.#network = opened.network;
    this.#perLink = opened.places;
    this.#shape = "";
    this.#heighten();
    this.#largest = opened.ports.map(() => ({ units: 0, length: 0 }));
    this.#window = 1;
    [this.#lost, this.#flashes, this.#last] = [[], [], undefined];
    this.redraw();
  }

  #heighten(): void {
    if (this.#network) this.#canvas.style.minHeight = `${Math.min(560 * size(), heightFor(this.#network, size()))}px`;
  }

  show(picture: Picture, cells: ArrayBuffer): void {
    const later = this.#last !== undefined && picture.seconds > this.#last.picture.seconds;
    picture.ports.forEach((port, i) => {
      const more = port.lost - (this.#lost[i] ?? 0);
      if (later && more > 0) this.#flashes.push({ link: port.link, units: more, at: performance.now() });
      this.#lost[i] = port.lost;
      const { units, length } = this.#largest[i] ?? { units: 0, length: 0 };
      this.#largest[i] = { units: Math.max(units, port.units), length: Math.max(length, ...port.queues.map(([length]) => length)) };
    });
    this.#window = Math.max(this.#window, ...picture.flows.map((flow) => flow.cwnd ?? 0));
    this.#last = { picture, cells: new Uint8Array(cells) };
    this.redraw();
  }

  /** Draws the network again, for instance in another size. */
  redraw(): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const context = this.#canvas.getContext("2d");
    if (!this.#network || !context || width === 0) return;
    const scale = devicePixelRatio || 1;
    if (this.#canvas.width !== Math.round(width * scale) || this.#canvas.height !== Math.round(height * scale)) {
      this.#canvas.width = Math.round(width * scale);
      this.#canvas.height = Math.round(height * scale);
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = font();
    const shape = `${width} ${height} ${size()}`;
    if (shape !== this.#shape) this.#layout = layout(this.#network, width, height, (text) => context.measureText(text).width, size());
    this.#shape = shape;
    this.#links(context, this.#network);
    if (this.#last) {
      if (isEthernet(this.#network)) this.#frames(context, this.#network, this.#last);
      else this.#cells(context, this.#network, this.#last.cells);
      this.#queues(context, this.#network, this.#last.picture);
    }
    this.#nodes(context, this.#network, this.#last?.picture);
    this.#names(context);
    this.#losses(context, this.#network);
    if (this.#last) this.#longestQueue(context, this.#network, this.#last, width, height);
  }

  /** Draws the cells or packets of the longest queue in a row; the next to leave is at the left. */
  #longestQueue(context: CanvasRenderingContext2D, network: Network, { picture, cells }: { picture: Picture; cells: Uint8Array }, width: number, height: number): void {
    const { longest } = picture;
    if (!longest || longest.units < 2) return;
    const first = cells.length - longest.listed * PLACE_BYTES;
    const shown = Math.min(longest.listed, Math.floor(width - 20));
    const lengths = Array.from({ length: shown }, (_, i) => (isEthernet(network) ? ((cells[first + i * PLACE_BYTES + 3] ?? 0) + 1) / (1536 / LENGTH_STEP) : 1));
    const scale = Math.min(6, (width - 20) / lengths.reduce((sum, length) => sum + length, 0));
    const y = height - 14;
    let x = 10;
    for (const [i, length] of lengths.entries()) {
      const step = length * scale;
      const byte = first + i * PLACE_BYTES;
      const flow = (cells[byte] ?? 0) + 256 * (cells[byte + 1] ?? 0) - 1;
      const marks = cells[byte + 2] ?? 0;
      context.fillStyle = ofFlow(flow);
      // An RM cell is drawn higher than data cells, and a marked cell lower.
      context.fillRect(x, marks & RM ? y - 6 : y, Math.max(1, step - (step > 2 ? 1 : 0)), marks & (RM | MARKED) ? 12 : marks & EMPTY ? 3 : 6);
      x += step;
    }
    context.fillStyle = variable("--ink");
    context.font = font();
    context.textAlign = "left";
    const signs = isEthernet(network) ? "marked packets hang lower, those without data are low" : "RM cells are drawn taller, EFCI-marked cells hang lower";
    const legend = width > 640 ? `, the next to leave at the left; ${signs}` : "";
    const rest = longest.units > shown ? `, the first ${number(shown)} of them` : "";
    context.fillText(`${network.links[longest.link]?.name ?? ""}: ${number(longest.units)} ${carried(network).many} wait${rest}${legend}`, 10, y - 10);
  }

  #links(context: CanvasRenderingContext2D, network: Network): void {
    context.strokeStyle = variable("--faint");
    context.lineWidth = 1;
    context.beginPath();
    network.links.forEach((_, link) => {
      const [from, to] = this.#ends(network, link);
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
    });
    context.stroke();
  }

  #ends(network: Network, link: number): [Place, Place] {
    return ends(network, link, this.#layout.nodes);
  }

  #cells(context: CanvasRenderingContext2D, network: Network, cells: Uint8Array): void {
    const hollow: [number, number, number, number][] = [];
    const marked: [number, number][] = [];
    network.links.forEach((_, link) => {
      const [from, to] = this.#ends(network, link);
      for (let place = 0; place < this.#perLink; place += 1) {
        const byte = (link * this.#perLink + place) * PLACE_BYTES;
        const count = cells[byte + 3] ?? 0;
        if (count === 0) continue;
        const flow = (cells[byte] ?? 0) + 256 * (cells[byte + 1] ?? 0) - 1;
        const marks = cells[byte + 2] ?? 0;
        const share = (place + 0.5) / this.#perLink;
        const x = from.x + (to.x - from.x) * share;
        const y = from.y + (to.y - from.y) * share;
        if (marks & RM) {
          // If many cells share a place, nearly every place has an RM cell, so RM cells are then drawn small.
          hollow.push([x, y, flow, count > CROWD ? 2.5 : 5]);
          continue;
        }
        context.fillStyle = marks & CREDIT ? variable("--muted") : ofFlow(flow);
        const size = marks & CREDIT ? 1.5 : 2.2;
        context.fillRect(x - size, y - size, 2 * size, 2 * size);
        if (marks & MARKED) marked.push([x, y]);
      }
    });
    context.fillStyle = variable("--mark");
    for (const [x, y] of marked) context.fillRect(x - 1, y - 1, 2, 2);
    for (const [x, y, flow, size] of hollow) {
      context.beginPath();
      context.moveTo(x, y - size);
      context.lineTo(x + size, y);
      context.lineTo(x, y + size);
      context.lineTo(x - size, y);
      context.closePath();
      context.fillStyle = variable("--ground");
      context.fill();
      context.strokeStyle = ofFlow(flow);
      context.lineWidth = size > 3 ? 2 : 1.2;
      context.stroke();
    }
  }

  /**
   * Draws packets from the first to the last bit: those with payload broad, those without slim, and those with a mark or telemetry with a line
   * inside. PFC frames are the broadest. A bar stands across each link that PFC or CBFC holds back.
   */
  #frames(context: CanvasRenderingContext2D, network: Network, { picture, cells }: { picture: Picture; cells: Uint8Array }): void {
    const view = new DataView(cells.buffer, cells.byteOffset, cells.length - (picture.longest?.listed ?? 0) * PLACE_BYTES);
    context.lineCap = "butt";
    const places = network.links.map((_, link) => this.#ends(network, link));
    const line = (link: number, head: number, tail: number, breadth: number, colour: string) => {
      const [from, to] = places[link] ?? [];
      if (!from || !to) return;
      const at = (share: number): [number, number] => [from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share];
      context.strokeStyle = colour;
      context.lineWidth = breadth;
      context.beginPath();
      context.moveTo(...at(tail));
      context.lineTo(...at(head));
      context.stroke();
    };
    for (let byte = 0; byte + FRAME_BYTES <= view.byteLength; byte += FRAME_BYTES) {
      const link = view.getUint32(byte, true);
      const [from, to] = places[link] ?? [];
      if (!from || !to) continue;
      const long = Math.hypot(to.x - from.x, to.y - from.y) || 1;
      const head = view.getFloat32(byte + 8, true);
      // There is a gap after each packet, even after a packet that is drawn longer than it is so that it can be seen.
      const tailOf = (least: number) => Math.min(Math.max(0, head - least / long), view.getFloat32(byte + 12, true) + 1 / long);
      const tail = tailOf(FRAME.least);
      const marks = view.getUint8(byte + 6);
      if (marks & (PAUSE | RESUME)) {
        line(link, head, tailOf(PFC.least), PFC.broad, variable(marks & PAUSE ? "--ink" : "--muted"));
        continue;
      }
      const breadth = marks & EMPTY ? FRAME.slim : FRAME.broad;
      line(link, head, tail, breadth, marks & CREDIT ? variable("--muted") : ofFlow(view.getUint16(byte + 4, true) - 1));
      const inside = marks & MARKED ? "--mark" : marks & TELEMETRY ? "--ground" : undefined;
      if (inside) line(link, head, tail, breadth * 0.4, variable(inside));
    }
    context.strokeStyle = variable("--ink");
    context.lineWidth = 3;
    for (const link of picture.paused) {
      const [from, to] = places[link] ?? [];
      if (!from || !to) continue;
      const long = Math.hypot(to.x - from.x, to.y - from.y) || 1;
      const [x, y] = [(to.x - from.x) / long, (to.y - from.y) / long];
      const at = { x: from.x + x * PFC.from, y: from.y + y * PFC.from };
      context.beginPath();
      context.moveTo(at.x - y * PFC.half, at.y + x * PFC.half);
      context.lineTo(at.x + y * PFC.half, at.y - x * PFC.half);
      context.stroke();
    }
  }

  #queues(context: CanvasRenderingContext2D, network: Network, picture: Picture): void {
    context.font = font();
    picture.ports.forEach((port, i) => {
      const [from, to] = this.#ends(network, port.link);
      const total = port.queues.reduce((sum, [length]) => sum + length, 0);
      const largest = this.#largest[i] ?? { units: 0, length: 0 };
      // A port that never held more than the cell in service and the next one has no queue worth showing.
      if (largest.units <= 2) return;
      const limit = Math.max(...port.queues.map(([, limit]) => limit ?? 0));
      const most = limit > 0 ? limit : Math.max(isEthernet(network) ? ROOM : 20, largest.length);
      const angle = Math.atan2(to.y - from.y, to.x - from.x);
      const { begin, long } = queueBar(from, to, this.#layout.nodes[network.links[port.link]?.from ?? -1]?.radius ?? 0);
      context.save();
      context.translate(from.x, from.y);
      context.rotate(angle);
      context.translate(begin, 3);
      context.strokeStyle = variable("--muted");
      context.lineWidth = 1;
      context.strokeRect(0, 0, long, QUEUE.breadth);
      let x = 0;
      const scale = long / Math.max(most, total, 1);
      const waiting = port.waiting.length > 0 ? port.waiting : total > 0 ? [[-1, total] as [number, number]] : [];
      for (const [flow, count] of waiting) {
        context.fillStyle = flow < 0 ? variable("--muted") : ofFlow(flow);
        context.fillRect(x, 0, count * scale, QUEUE.breadth);
        x += count * scale;
      }
      context.restore();
      const box = this.#layout.lengths.get(port.link);
      if (port.units > 0 && box) {
        context.textAlign = "center";
        this.#text(context, number(port.units), box.x + box.width / 2, box.y + 10 * size());
      }
    });
  }

  #nodes(context: CanvasRenderingContext2D, network: Network, picture: Picture | undefined): void {
    context.font = font();
    const flowsOf = new Map<number, number[]>();
    network.flows.forEach((flow, i) => {
      const from = network.links[flow.forward[0] ?? -1]?.from;
      if (from !== undefined) flowsOf.set(from, [...(flowsOf.get(from) ?? []), i]);
    });
    network.nodes.forEach((node, index) => {
      const { x, y, radius, side } = this.#layout.nodes[index] ?? { x: 0, y: 0, radius: 5, side: "left" };
      context.lineWidth = 1.5;
      context.strokeStyle = variable("--ink");
      context.fillStyle = variable("--ground");
      context.beginPath();
      if (node.switch !== null) context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
      else context.arc(x, y, radius, 0, 2 * Math.PI);
      const flows = flowsOf.get(index) ?? [];
      if (node.switch === null && flows.length === 1) context.strokeStyle = ofFlow(flows[0] ?? 0);
      context.fill();
      context.stroke();
      const state = picture?.flows[flows[0] ?? -1];
      if (state?.cwnd != null && side === "left" && flows.length === 1) this.#windowBar(context, x, y, flows[0] ?? 0, state.cwnd, state.ssthresh);
    });
  }

  #names(context: CanvasRenderingContext2D): void {
    context.font = font();
    context.textAlign = "left";
    for (const { x, y, text } of this.#layout.names) this.#text(context, text, x, y + 10 * size());
  }

  /** Draws a text that stays readable over links and cells. */
  #text(context: CanvasRenderingContext2D, text: string, x: number, y: number): void {
    context.strokeStyle = variable("--ground");
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeText(text, x, y);
    context.fillStyle = variable("--ink");
    context.fillText(text, x, y);
  }

  /** Shows the name of the node under the pointer, also if the picture has no room for it. */
  #hint({ offsetX, offsetY }: PointerEvent): void {
    const node = this.#layout.nodes.findIndex(({ x, y }) => Math.hypot(x - offsetX, y - offsetY) < 12);
    this.#canvas.title = this.#network?.nodes[node]?.name ?? "";
  }

  /** Draws the congestion window of a source as a bar beside it, with a line at the slow start threshold. */
  #windowBar(context: CanvasRenderingContext2D, x: number, y: number, flow: number, cwnd: number, ssthresh: number | null): void {
    const long = WINDOW;
    context.fillStyle = variable("--faint");
    context.fillRect(x - 8 - long, y - 3, long, 6);
    context.fillStyle = ofFlow(flow);
    context.fillRect(x - 8 - long, y - 3, (long * cwnd) / this.#window, 6);
    if (ssthresh !== null && ssthresh <= this.#window) {
      context.fillStyle = variable("--ink");
      context.fillRect(x - 8 - long + (long * ssthresh) / this.#window, y - 5, 1, 10);
    }
  }

  #losses(context: CanvasRenderingContext2D, network: Network): void {
    const now = performance.now();
    this.#flashes = this.#flashes.filter((loss) => now - loss.at < FLASH);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    context.font = `bold ${12 * size()}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.fillStyle = variable("--loss");
    for (const { link, units, at: since } of this.#flashes) {
      const [from] = this.#ends(network, link);
      const fall = still ? 0 : ((now - since) / FLASH) * 24;
      context.fillText(`✕ ${number(units)}`, from.x + 4, from.y + 40 + fall);
    }
  }
}

/** True if flows of a scenario run over RoCE under a control, such as HPCC, whose packets carry telemetry. */
function runsUnder(algorithm: string, flows: unknown): boolean {
  const groups = flows as { roce?: { control?: { algorithm?: string } } | null }[];
  return groups.some((group) => group.roce?.control?.algorithm === algorithm);
}

/** Explains the signs in the picture of a network, only those that it uses. */
export function signs({ network, scenario }: Opened): HTMLElement {
  const { flows } = network;
  const ethernet = isEthernet(network);
  const credited = ethernet && runsUnder("expresspass", scenario["flow"]);
  const hasCredit = credited || ["fcvc", "cbfc"].some((control) => scenario[control] != null);
  const hasPauses = scenario["pfc"] != null;
  const { many } = carried(network);
  const abr = !ethernet && flows.some((flow) => flow.abr !== null);
  const known: [string, string, boolean][] = [
    ["host", "host, in the colour of its flow", true],
    ["switch", "switch", true],
    ["cells", "data cells", !ethernet],
    ["frame", "packet with data, as long as it is", ethernet],
    ["empty", "packet without data", ethernet],
    ["marked-frame", "packet marked CE", ethernet],
    ["rm", "RM cell", abr],
    ["marked", "EFCI-marked cell", abr],
    ["credit", ethernet ? "credit frame" : "credit cell", hasCredit],
    ["telemetry", "packet with telemetry", ethernet && runsUnder("hpcc", scenario["flow"])],
    ["pause", "PFC frame that begins a pause", hasPauses],
    ["resume", "PFC frame that ends a pause", hasPauses],
    ["stopped", "link held back by PFC or CBFC", hasPauses || scenario["cbfc"] != null],
    ["queue", `queue of a port with its ${many}`, true],
    ["window", "cwnd; the line is ssthresh", flows.some((flow) => flow.tcp !== null) && !isLayered(network)],
    ["lost", `${many} lost`, true],
  ];
  const line = document.createElement("p");
  line.className = "signs";
  line.setAttribute("role", "group");
  line.setAttribute("aria-label", "Signs of the network");
  for (const [sign, text] of known.filter(([, , shown]) => shown)) {
    const drawn = document.createElement("i");
    drawn.className = sign;
    if (sign === "lost") drawn.textContent = "✕";
    const one = document.createElement("span");
    one.append(drawn, text);
    line.append(one);
  }
  return line;
}
