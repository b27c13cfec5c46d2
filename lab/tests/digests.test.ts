// An experiment gives in the browser what it gives in the terminal. `make test-lab ARGS=--all` has the longest ones, too.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";

import { PYTHON, ROOT, browser, opened, output, serve } from "./page.ts";

interface Run {
  name: string;
  text: string;
  set: string[];
  digest: string;
}

test("the digests of experiments are those of the golden tables", async (t) => {
  const all = (process.env["ARGS"] ?? "").split(" ").filter(Boolean);
  const runs = JSON.parse(await output(spawn(PYTHON, ["lab/tests/runs.py", ...all], { cwd: ROOT }))) as Run[];
  const [{ address, end }, chromium] = await Promise.all([serve(), browser()]);
  const { page, wrong } = await opened(chromium, address);
  // Two workers of the page, as two sides have; each takes the next run.
  const found = await page.evaluate(async (runs) => {
    const answer = await fetch("engine.wasm");
    const module = await WebAssembly.compile(await answer.arrayBuffer());
    const digests: string[] = [];
    let next = 0;
    const work = async () => {
      const worker = new Worker("worker.js");
      worker.postMessage({ order: "start", module });
      while (next < runs.length) {
        const number = next++;
        const run = runs[number];
        if (!run) break;
        digests[number] = await new Promise<string>((resolve) => {
          worker.onmessage = ({ data }) => {
            if (data.news === "ended") resolve(data.summary.digest);
            if (data.news === "refused") resolve(data.refused.error);
            if (data.news === "broken") resolve(data.message);
          };
          worker.postMessage({ order: "open", run: number, text: run.text, name: run.name, set: run.set });
        });
      }
      worker.terminate();
    };
    await Promise.all([work(), work()]);
    return digests;
  }, runs);
  const played = runs.map((run, i) => ({ ...run, found: found[i] }));
  // A scenario that plays a file needs what a page has not.
  const without = played.filter(({ found }) => !found?.includes("operation not supported"));
  assert.deepEqual(without.map(({ name, found }) => [name, found]), without.map(({ name, digest }) => [name, digest]));
  assert.deepEqual(wrong, []);
  t.diagnostic(`${without.length} of ${runs.length} experiments with runs, all digests equal`);
  await chromium.close();
  await end();
});
