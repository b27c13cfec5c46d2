// What the page shows of runs: results, titles, the instant at which it opens, and charts that leave out flows.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";

import { LESSONS } from "../src/lessons.ts";
import { PYTHON, browser, cellrate, digest, ended, opened, output, serve, until } from "./page.ts";

let chromium: Browser;
let server: Awaited<ReturnType<typeof serve>>;

before(async () => {
  [server, chromium] = await Promise.all([serve(), browser()]);
});
after(async () => {
  await chromium.close();
  assert.equal(await server.end(), 0);
});

const input = (page: Page, path: string) => page.locator(`[id="p-${path}"]`);

test("a lesson's runs beside each other are told apart by their control, and its buttons are there", async () => {
  const { page, wrong } = await opened(chromium, server.address);
  await ended(page);
  for (const lesson of LESSONS) {
    for (const { text } of lesson.steps) for (const [, name = ""] of text.matchAll(/[Pp]ress <b>([^<]*)<\/b>/g)) assert.equal(await page.locator(`button:visible:text-is("${name}")`).count(), 1, `${lesson.id}: ${name}`);
  }
  await page.locator("#open-find").click();
  await page.locator("#find .card button:text-is(\"Begin\")").nth(LESSONS.findIndex(({ id }) => id === "erica")).click();
  for (let step = 1; step < 7; step += 1) await page.locator('#told button:text-is("Next")').click();
  await ended(page);
  // The right run goes on to swing and has no settling time; its difference from the left run is a dash, too.
  await page.waitForFunction(() => /[0-9]/.test(document.querySelector(".results tbody tr td:last-child")?.textContent ?? ""));
  const rows = await page.locator(".results tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
  assert.match(rows[0]?.[0] ?? "", /, control erica$/);
  assert.match(rows[1]?.[0] ?? "", /, control efci, rdf 0\.0625 and 1 more$/);
  assert.match((await page.locator(".status").nth(1).textContent()) ?? "", /, control efci/);
  assert.deepEqual(rows.slice(1).map((row) => row.at(-1)), ["–", "–"]);
  for (const cell of rows.flat()) assert.doesNotMatch(cell, /[+−]–/);
  assert.deepEqual(wrong, []);
});

test("the settling time is that of the command line, and a run that goes on to swing has none", async () => {
  const { page, wrong } = await opened(chromium, server.address);
  await ended(page);
  const row = async () => {
    const heads = await page.locator(".results thead th").allTextContents();
    return (await page.locator(".results tbody tr").first().locator("th, td").nth(heads.indexOf("Bottleneck settled after the last start, ms")).textContent()) ?? "";
  };
  const shown = (wanted: RegExp) => until(row, (text) => wanted.test(text));
  // The means of 200 parts of the run, from Python, which has no part in the page.
  const code = [
    "import sys, cellrate",
    'run = cellrate.run(sys.argv[1], overrides=[\'measure.traces=["utilisation"]\', "measure.sample=\\"10 ms\\""], seed=1)',
    'print(1e3 * run.series("utilisation", "A->B").settling_time(0.1, max(flow["start_seconds"] for flow in run.summary["flows"])))',
  ];
  const file = `${tmpdir()}/cellrate-lab-settling-${process.pid}.toml`;
  await writeFile(file, await output(cellrate("new", "n-source")));
  const expected = Number(await output(spawn(PYTHON, ["-c", code.join("\n"), file])));
  assert.ok(expected > 10 && expected < 500, `${expected} ms`);
  assert.ok(Math.abs(Number(await shown(/\d/)) - expected) < 0.01, `${await row()} and ${expected} ms`);
  // Under these sources the most used link swings until the end, whenever that is.
  await page.locator("#preset").selectOption("parking-lot");
  await digest(page);
  for (const duration of ["1 s", "1100 ms", "2 s"]) {
    await page.locator("details[data-group]").evaluateAll((all) => all.forEach((one) => ((one as HTMLDetailsElement).open = true)));
    await input(page, "run.duration").fill(duration);
    await input(page, "run.duration").press("Enter");
    await digest(page);
    assert.equal(await shown(/^–$/), "–", duration);
  }
  assert.deepEqual(wrong, []);
});

test("a scenario opens at an instant at which a queue has grown", async () => {
  // Units that wait in the longest queue of the picture; more than 20 cells with the cell that is being sent.
  const longest = async (page: Page) => Number((await page.locator(".side").first().getAttribute("data-longest")) ?? "0");
  const all = [["n-source", 20], ["satellite", 20], ["gfc-2", 20], ["leaf-spine", 2]] as const;
  // On a phone the first part of the charts in which a queue has grown begins at time zero.
  for (const [width, templates] of [[1280, all], [390, all.slice(2)]] as const) {
    const { page, wrong } = await opened(chromium, server.address, { viewport: { width, height: 900 } });
    for (const [template, least] of templates) {
      await page.locator("#preset").selectOption(template);
      await digest(page);
      await page.waitForFunction((least) => Number(document.querySelector<HTMLElement>(".side")?.dataset.longest ?? 0) >= least, least);
      assert.ok((await longest(page)) >= least, `${template}, ${width}: ${await longest(page)} at ${await page.locator(".clock").textContent()}`);
    }
    assert.deepEqual(wrong, []);
    await page.context().close();
  }
});

test("the table has the longest queue before the measuring window, over both link layers", async () => {
  const { page } = await opened(chromium, server.address);
  const value = async (name: string) => {
    const heads = await page.locator(".results thead th").allTextContents();
    assert.ok(heads.includes(name), heads.join("; "));
    return Number(((await page.locator(".results tbody tr").first().locator("th, td").nth(heads.indexOf(name)).textContent()) ?? "").replaceAll(",", ""));
  };
  for (const [template, unit, key, size] of [["explicit-rate", "kB", "bytes", 1e3], ["n-source", "cells", "cells", 1]] as const) {
    await page.locator("#preset").selectOption(template);
    const run = await digest(page);
    const told = JSON.parse(await output(cellrate("run", "-", "--json"), await output(cellrate("new", template)))) as { digest: string; ports: { queues: Record<string, number>[] }[] };
    assert.equal(told.digest, run);
    const longest = (name: string) => Math.max(...told.ports.flatMap(({ queues }) => queues.map((queue) => queue[name] ?? 0))) / size;
    const shown = [await value(`Longest queue before the window, ${unit}`), await value(`Longest queue, ${unit}`)];
    const expected = [longest(`queue_max_before_window_${key}`), longest(`queue_max_${key}`)];
    expected.forEach((one, i) => assert.ok(Math.abs(one - (shown[i] ?? 0)) <= one / 1000, `${template}: ${shown.join(", ")} for ${expected.join(", ")}`));
    assert.ok((expected[0] ?? 0) > 2 * (expected[1] ?? 0), template);
  }
  // A run that is measured from its start has nothing before.
  await page.locator("#preset").selectOption("all-reduce");
  await digest(page);
  assert.doesNotMatch((await page.locator(".results").textContent()) ?? "", /before the window/);
});

test("on a page as wide as a projector's, letters are larger in pictures, charts and text", async () => {
  // Height in pixels of the letters of an axis: of the rows that have ink left of the chart of queues, those of its topmost number.
  const look = async (width: number) => {
    const { page } = await opened(chromium, server.address, { viewport: { width, height: 1080 } });
    await ended(page);
    await page.waitForTimeout(300);
    const digits = await page.locator('[data-chart="queue"] canvas').first().evaluate((canvas) => {
      const { height } = canvas as HTMLCanvasElement;
      const { data } = (canvas as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, 40, height);
      const rows = Array.from({ length: height }, (_, y) => Array.from({ length: 40 }, (_, x) => (data[4 * (40 * y + x) + 3] ?? 0) > 100).includes(true));
      const first = rows.indexOf(true);
      return rows.indexOf(false, first) - first;
    });
    const text = await page.locator(".status").first().evaluate((one) => Number.parseFloat(getComputedStyle(one).fontSize));
    // The row of cells of the longest queue and the text above it are in the network's canvas.
    const font = await page.locator("canvas.network").first().evaluate((canvas) => (canvas as HTMLCanvasElement).getContext("2d")!.font);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `${overflow} pixels too wide at ${width}`);
    await page.context().close();
    return { digits, text, font: Number.parseFloat(font) };
  };
  const [usual, large] = [await look(1280), await look(1920)];
  assert.deepEqual([usual.text, usual.font], [12, 11]);
  assert.ok(large.text > 15 && large.font > 14, JSON.stringify(large));
  assert.ok(usual.digits >= 7 && large.digits >= usual.digits + 2, `${usual.digits} and ${large.digits} pixels`);
});

test("charts that draw some of many flows say which", async () => {
  const { page, wrong } = await opened(chromium, server.address);
  await ended(page);
  assert.doesNotMatch((await page.locator(".chart figcaption").allTextContents()).join(), /first/);
  await page.locator("#preset").selectOption("all-reduce");
  await digest(page);
  const titles = await page.locator(".chart figcaption").allTextContents();
  // Twelve hosts, each of which sends in 22 steps.
  for (const title of ["Throughput per flow, data received, Gbit/s", "R_C, Gbit/s"]) assert.ok(titles.includes(`${title} · first 24 of 264 flows`), titles.join("; "));
  assert.ok(titles.includes("Queues, kB"), titles.join("; "));
  assert.deepEqual(wrong, []);
});
