// A real browser and the lab's server, for the tests.

import { type ChildProcess, spawn } from "node:child_process";
import { type Browser, type BrowserContextOptions, type Page, chromium } from "playwright-core";

export const ROOT = new URL("../", `file://${process.cwd()}/`).pathname;
/** The Python in which tests run. */
export const PYTHON = `${ROOT}target/tested/bin/python`;
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Milliseconds after which something has gone wrong, also on a slow machine that has other work. */
const PATIENCE = 300_000;

/** The installed command. */
export function cellrate(...options: string[]): ChildProcess {
  return spawn(PYTHON, ["-m", "cellrate", ...options], { cwd: ROOT });
}

/** Standard output of a command that ends well. */
export async function output(program: ChildProcess, input = ""): Promise<string> {
  program.stdin?.end(input);
  const parts: string[] = [];
  const errors: string[] = [];
  program.stdout?.on("data", (part) => parts.push(String(part)));
  program.stderr?.on("data", (part) => errors.push(String(part)));
  const code = await new Promise((resolve) => program.on("close", resolve));
  if (code !== 0) throw new Error(`exit code ${code}: ${errors.join("")}`);
  return parts.join("");
}

/** A server that runs until `end` is called; `address` is that of its page. */
export async function serve(...options: string[]): Promise<{ address: string; end(): Promise<number | null> }> {
  const program = cellrate("lab", "--no-browser", ...options);
  const address = await new Promise<string>((resolve, reject) => {
    let said = "";
    const listen = (part: unknown) => {
      said += String(part);
      const found = /http:\/\/127\.0\.0\.1:\d+\/\S*(?=;)/.exec(said.replaceAll("\n", ""));
      if (found) resolve(found[0]);
    };
    program.stdout?.on("data", listen);
    program.stderr?.on("data", listen);
    program.on("close", () => reject(new Error(said)));
  });
  const end = () =>
    new Promise<number | null>((resolve) => {
      program.on("close", resolve);
      program.kill("SIGINT");
    });
  return { address, end };
}

export function browser(): Promise<Browser> {
  const quiet = ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
  return chromium.launch({ executablePath: CHROMIUM, args: quiet });
}

/** A page that complains of what must not happen: errors, and requests to elsewhere. */
export async function opened(of: Browser, address: string, options: BrowserContextOptions = {}): Promise<{ page: Page; wrong: string[] }> {
  const page = await (await of.newContext({ viewport: { width: 1280, height: 900 }, ...options })).newPage();
  page.setDefaultTimeout(PATIENCE);
  const wrong: string[] = [];
  const own = new URL(address).origin;
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && new URL(url).origin !== own) wrong.push(url);
  });
  await page.goto(address);
  return { page, wrong };
}

/** Waits until the runs of all sides have ended. */
export async function ended(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const sides = [...document.querySelectorAll<HTMLElement>(".side")];
    return sides.length > 0 && sides.every((side) => side.dataset.state === "ended" && side.dataset.pending === undefined);
  });
}

/** Waits until the engine has read the scenario of every side and run it, or refused it. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => [...document.querySelectorAll<HTMLElement>(".side")].every(({ dataset }) => dataset.pending === undefined && dataset.state !== "running"));
}

/** Waits until the page's address has the state that is shown. */
export async function linked(page: Page): Promise<string> {
  await page.waitForFunction(() => document.body.dataset.unlinked === undefined);
  return page.url();
}

/** Reads again until the value is as wanted. Returns the last value. */
export async function until<T>(read: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  const end = Date.now() + PATIENCE;
  let value = await read();
  while (!wanted(value) && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    value = await read();
  }
  return value;
}

/** The digest that the engine reports on a side. */
export async function digest(page: Page, side = 0): Promise<string> {
  await ended(page);
  return (await page.locator(".side").nth(side).getAttribute("data-digest")) ?? "";
}
