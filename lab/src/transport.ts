// The transport: play, pause, steps, dragging the cursor, and the speed of play.

import type { Network } from "./engine/messages.ts";
import { carried, isEthernet } from "./layer.ts";
import { time } from "./numbers.ts";

/** Speeds of play: simulated seconds that pass in one second. */
export const LENSES = [1, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];

export type Step = "unit" | "rm" | "round-trip";

/** Functions by which the transport moves the picture. */
export interface Moved {
  /** Latest time that can be shown, in seconds. */
  now(): number;
  duration(): number;
  /** Shows the network at a time in seconds. */
  look(seconds: number): void;
  /** The time of the next step after the present time: the next cell or packet, RM cell, or round trip. */
  next(step: Step): Promise<number | undefined>;
}

/** The bar of controls below the network. */
export class Transport {
  readonly element: HTMLElement;
  readonly #moved: Moved;
  readonly #play: HTMLButtonElement;
  readonly #scrub: HTMLInputElement;
  readonly #clock: HTMLOutputElement;
  readonly #lens: HTMLSelectElement;
  readonly #next = button("Next cell", ".", () => void this.step("unit"));
  readonly #rm = button("Next RM cell", "R", () => void this.step("rm"));
  at = 0;
  playing = false;
  /** True until the user chooses a speed. */
  unchosen = true;
  #last = 0;

  constructor(moved: Moved) {
    this.#moved = moved;
    this.element = document.createElement("div");
    this.element.className = "transport";
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "Time");
    this.#play = button("Play", "Space", () => this.toggle());
    this.#play.classList.add("play");
    this.#scrub = document.createElement("input");
    this.#scrub.type = "range";
    this.#scrub.min = "0";
    this.#scrub.max = "10000";
    this.#scrub.value = "0";
    this.#scrub.setAttribute("aria-label", "Instant");
    this.#scrub.oninput = () => this.seek((Number(this.#scrub.value) / 10000) * moved.duration());
    this.#clock = document.createElement("output");
    this.#clock.className = "clock";
    this.#lens = document.createElement("select");
    this.#lens.setAttribute("aria-label", "Speed");
    for (const lens of LENSES) this.#lens.append(new Option(lens === 1 ? "as fast as the network" : `${time(lens)} of the network in 1 s`, String(lens)));
    this.#lens.value = "0.001";
    this.#lens.onchange = () => {
      this.unchosen = false;
      this.show();
    };
    this.element.append(
      this.#play,
      this.#next,
      this.#rm,
      button("One round trip", "T", () => void this.step("round-trip")),
      this.#scrub,
      this.#clock,
      this.#lens,
    );
  }

  /** Names the steps after the units (cells or packets) that the links of a network carry. */
  open(network: Network): void {
    const { one } = carried(network);
    this.#next.textContent = `Next ${one}`;
    this.#next.title = `Next ${one} (key: .)`;
    this.#rm.hidden = isEthernet(network);
  }

  get lens(): number {
    return Number(this.#lens.value);
  }
  /** Sets the nearest available speed; with 0 the speed follows from the round trip of the network. */
  set lens(lens: number) {
    this.unchosen = lens === 0;
    if (lens === 0) return;
    const nearest = LENSES.reduce((best, one) => (Math.abs(Math.log(one / lens)) < Math.abs(Math.log(best / lens)) ? one : best), 1);
    this.#lens.value = String(nearest);
  }
  /** Changes the speed by steps: slower for `1`, faster for `-1`. */
  turn(steps: number): void {
    this.#lens.selectedIndex = Math.max(0, Math.min(LENSES.length - 1, this.#lens.selectedIndex + steps));
  }

  seek(seconds: number): void {
    this.at = Math.max(0, Math.min(seconds, this.#moved.duration()));
    this.#moved.look(this.at);
    this.show();
  }

  async step(step: Step): Promise<void> {
    this.pause();
    const next = await this.#moved.next(step);
    if (next !== undefined) this.seek(Math.min(next, this.#moved.now()));
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.at >= this.#moved.duration()) this.at = 0;
    this.playing = true;
    this.#last = performance.now();
    this.#play.textContent = "Pause";
    this.#play.setAttribute("aria-pressed", "true");
    requestAnimationFrame((now) => this.#frame(now));
  }

  pause(): void {
    this.playing = false;
    this.#play.textContent = "Play";
    this.#play.setAttribute("aria-pressed", "false");
  }

  /** Shows the present time and the time up to which the run has been computed. */
  show(): void {
    const duration = this.#moved.duration();
    this.#scrub.value = String((this.at / duration) * 10000);
    this.#scrub.setAttribute("aria-valuetext", time(this.at));
    this.#scrub.style.setProperty("--computed", `${(100 * this.#moved.now()) / duration}%`);
    this.#clock.textContent = time(this.at, Math.min(this.lens / 100, duration / 1000));
  }

  #frame(now: number): void {
    if (!this.playing) return;
    const passed = Math.min(0.1, (now - this.#last) / 1000);
    this.#last = now;
    // Play waits until the run has been computed up to the time to be shown.
    this.seek(Math.min(this.at + passed * this.lens, Math.max(this.#moved.now(), this.at)));
    if (this.at >= this.#moved.duration()) this.pause();
    requestAnimationFrame((next) => this.#frame(next));
  }
}

function button(name: string, key: string, press: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = name;
  made.title = `${name} (key: ${key})`;
  made.onclick = press;
  return made;
}
