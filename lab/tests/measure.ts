// Measures the lab in a real browser and writes docs/evidence/lab.md: `npm run measure`, on an idle machine.

import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

import { PYTHON, ROOT, browser, cellrate, ended, opened, output, serve } from "./page.ts";

/** Times that each figure is taken; the table has the median. */
const TIMES = 7;

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function size(): Promise<number> {
  const names = ["index.html", "lab.js", "lab.css", "worker.js", "engine.wasm"];
  const parts = await Promise.all(names.map(async (name) => gzipSync(await readFile(`${ROOT}out/lab/${name}`), { level: 9 }).length));
  return parts.reduce((sum, part) => sum + part, 0);
}

async function main(): Promise<void> {
  const [server, chromium] = await Promise.all([serve(), browser()]);
  const [first, drag]: [number[], number[]] = [[], []];
  for (let i = 0; i < TIMES; i += 1) {
    const { page } = await opened(chromium, server.address);
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".side")?.dataset.answered !== undefined);
    first.push(await page.evaluate(() => performance.now()));
    await ended(page);
    // A second of the n-source template, to the end of its run.
    const duration = page.locator('[id="p-run.duration"]');
    await page.locator('details[data-group="Run"]').evaluate((one) => ((one as HTMLDetailsElement).open = true));
    await duration.fill("1 s");
    await duration.press("Enter");
    await ended(page);
    drag.push(
      await page.evaluate(
        () =>
          new Promise<number>((resolve) => {
            const slider = document.getElementById("s-switch.control.target_utilisation") as HTMLInputElement;
            const side = document.querySelector<HTMLElement>(".side");
            const start = performance.now();
            slider.value = String(Number(slider.value) - 20);
            slider.dispatchEvent(new Event("input"));
            const look = () => (side?.dataset.pending === undefined && side?.dataset.state === "ended" ? resolve(performance.now() - start) : requestAnimationFrame(look));
            requestAnimationFrame(look);
          }),
      ),
    );
    await page.context().close();
  }
  const { page } = await opened(chromium, server.address);
  await ended(page);
  await page.locator("#compare").click();
  await ended(page);
  await page.locator(".play").click();
  const frames = await page.evaluate(
    () =>
      new Promise<number[]>((resolve) => {
        const times: number[] = [];
        let last = performance.now();
        const frame = (now: number) => {
          times.push(now - last);
          last = now;
          if (times.length < 300) requestAnimationFrame(frame);
          else resolve(times.slice(10));
        };
        requestAnimationFrame(frame);
      }),
  );
  const p95 = [...frames].sort((a, b) => a - b)[Math.floor(frames.length * 0.95)] ?? Number.NaN;
  const ratio: Record<string, number> = {};
  for (const [name, scenario] of [
    ["n-source", "n-source"],
    ["two-way", "two-way"],
  ] as const) {
    const text = await output(cellrate("new", scenario));
    const native: number[] = [];
    const here: number[] = [];
    for (let i = 0; i < TIMES; i += 1) {
      const run = spawn(`${ROOT}.venv/bin/cellrate`, ["run", "-", "--json"], { cwd: ROOT });
      native.push((JSON.parse(await output(run, text)) as { wall_seconds: number }).wall_seconds);
      here.push(
        await page.evaluate(async (text) => {
          const module = await WebAssembly.compile(await (await fetch("engine.wasm")).arrayBuffer());
          const worker = new Worker("worker.js");
          worker.postMessage({ order: "start", module });
          const seconds = await new Promise<number>((resolve) => {
            worker.onmessage = ({ data }) => data.news === "ended" && resolve(data.summary.wall_seconds);
            worker.postMessage({ order: "open", run: 1, text, name: "x", set: [] });
          });
          worker.terminate();
          return seconds;
        }, text),
      );
    }
    ratio[name] = Math.min(...here) / Math.min(...native);
  }
  const runs = JSON.parse(await output(spawn(PYTHON, ["lab/tests/runs.py"], { cwd: ROOT }))) as unknown[];
  const rows: [string, string, string][] = [
    ["Transfer, compressed", `${((await size()) / 1e6).toFixed(2)} MB`, "at most 1.2 MB"],
    ["First curves after a cold load from loopback", `${median(first).toFixed(0)} ms`, "at most 700 ms"],
    ["A slider moved to the last curve of 1 s of the n-source template", `${median(drag).toFixed(0)} ms`, "at most 500 ms"],
    ["95th percentile of the time between frames, two runs playing side by side", `${p95.toFixed(1)} ms`, "at most 16.7 ms"],
    ["n-source with its curves, WebAssembly to native", (ratio["n-source"] ?? 0).toFixed(2), "at most 2"],
    ["two-way with its curves, WebAssembly to native", (ratio["two-way"] ?? 0).toFixed(2), "at most 2"],
  ];
  const table = rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
  await writeFile(
    `${ROOT}docs/evidence/lab.md`,
    `# The lab in a browser\n\n\`npm run measure\` in \`lab/\` measures in headless Chromium on two cores without a graphics card. Times are medians of ${TIMES} runs; ratios are of the least times. The page reads a run at 4,096 instants for\nits curves, and copies its state for looking back; the native run does neither. The last column has the goals, which the measured values may miss. \`make test-lab\` compares the digest of the first run of each of ${runs.length} experiments in the browser with the golden\ntables, and fails if a digest differs.\n\n| | Measured | Goal |\n|---|---|---|\n${table}\n`,
  );
  console.log(table);
  await chromium.close();
  await server.end();
}

await main();
