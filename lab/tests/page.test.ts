// The page as a reader uses it.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";

import { browser, cellrate, digest, ended, linked, opened, output, serve, settled, until } from "./page.ts";

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

test("every template opens and runs", async () => {
  const { page, wrong } = await opened(chromium, server.address);
  await ended(page);
  const names = await page.locator("#preset option").evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value).filter((name) => name !== "" && name !== "own"));
  assert.ok(names.length >= 8, names.join(", "));
  for (const name of names) {
    await page.locator("#preset").selectOption(name);
    assert.match(await digest(page), /^[0-9a-f]{16}$/, name);
    assert.ok((await page.locator(".chart").count()) >= 3, name);
  }
  assert.deepEqual(wrong, []);
});

test("every slider of the panel moves what the engine then reports", async () => {
  const { page, wrong } = await opened(chromium, server.address);
  await ended(page);
  await page.locator("#all").click();
  // A finite buffer, so that thresholds have ranges; EFCI, so that RIF and RDF matter.
  for (const [path, value] of [["measure.from", "100 ms"], ["run.duration", "300 ms"], ["switch.buffer", "500 cells"]] as const) {
    await page.locator("details[data-group]").evaluateAll((all) => all.forEach((one) => ((one as HTMLDetailsElement).open = true)));
    await input(page, path).fill(value);
    await input(page, path).press("Enter");
    await ended(page);
  }
  await input(page, "switch.control").selectOption("efci");
  await ended(page);
  const sliders = await page.locator("#groups input[type=range]").evaluateAll((all) => all.map((one) => one.id.slice(2)));
  assert.ok(sliders.length >= 10, `${sliders.length} sliders`);
  const side = page.locator(".side");
  let refused = 0;
  for (const path of sliders) {
    const slider = page.locator(`[id="s-${path}"]`);
    const [place, most] = await slider.evaluate((one) => [Number((one as HTMLInputElement).value), Number((one as HTMLInputElement).max)] as const);
    const key = await side.getAttribute("data-key");
    await slider.fill(String(place > most / 2 ? 0 : most));
    await settled(page);
    if ((await side.getAttribute("data-state")) === "refused") {
      // A value that another one excludes is told with its key.
      assert.match((await page.locator(".problem").textContent()) ?? "", new RegExp(path.split(".").at(-1) ?? ""), path);
      refused += 1;
    } else {
      // The key is the hash of the scenario as the engine has it, every default written out.
      assert.notEqual(await side.getAttribute("data-key"), key, path);
    }
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.locator(".parameter", { has: slider }).getByRole("button", { name: /^Undo the change/ }).click();
    await ended(page);
  }
  assert.ok(refused < sliders.length / 4, `${refused} of ${sliders.length} refused`);
  assert.deepEqual(wrong, []);
});

test("what a slider sets is in force: the digest is that of the command with the same override", async () => {
  const { page } = await opened(chromium, server.address);
  await ended(page);
  const before = await digest(page);
  await page.locator('[id="s-switch.control.target_utilisation"]').fill("20");
  const after = await digest(page);
  assert.notEqual(after, before);
  const value = await input(page, "switch.control.target_utilisation").inputValue();
  const text = await output(cellrate("new", "n-source"));
  const run = await output(cellrate("run", "-", "--json", "--set", `switch.control.target_utilisation=${value}`), text);
  assert.equal((JSON.parse(run) as { digest: string }).digest, after);
});

test("a link restores scenario, changes, cursor, view and both sides", async () => {
  const { page } = await opened(chromium, server.address);
  await ended(page);
  await page.locator("#compare").click();
  await ended(page);
  await input(page, "switch.control").selectOption("efci");
  await ended(page);
  await page.locator("[aria-label=Instant]").fill("2500");
  await page.locator("[aria-label=Speed]").selectOption("0.01");
  await page.keyboard.press("Tab");
  await page.locator("body").press("+");
  const link = await linked(page);
  assert.ok(link.length < 2000, `${link.length} characters`);
  const shown = async (of: Page) => ({
    digests: [await digest(of, 0), await digest(of, 1)],
    clock: await of.locator(".clock").textContent(),
    speed: await of.locator("[aria-label=Speed]").inputValue(),
    titles: await of.locator(".status").allTextContents(),
  });
  const { page: restored, wrong } = await opened(chromium, link);
  await ended(restored);
  assert.deepEqual(await shown(restored), await shown(page));
  assert.notEqual(await digest(restored, 0), await digest(restored, 1));
  assert.deepEqual(wrong, []);
});

test("a link that is cut off says so", async () => {
  const { page } = await opened(chromium, `${server.address}#abc`);
  await ended(page);
  assert.match((await page.locator("#note").textContent()) ?? "", /cut off/);
});

test("a wrong file shows its diagnostic, and the page goes on", async () => {
  const { page, wrong } = await opened(chromium, server.address);
  await ended(page);
  const text = await output(cellrate("new", "n-source"));
  const file = (name: string, content: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });
  await page.locator("#file").setInputFiles(file("mine.toml", text.replace("link_rate", "link_rat")));
  const problem = page.locator(".problem");
  await problem.waitFor();
  assert.match((await problem.textContent()) ?? "", /mine\.toml:\d+:\d+[\s\S]*did you mean `link_rate`\?/);
  // What the panel, the table and a saved file would tell is of the scenario before.
  const inputs = page.locator("#groups input, #groups select");
  const isDisabled = async () => await inputs.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).disabled));
  assert.deepEqual(new Set(await isDisabled()), new Set([true]));
  assert.match((await page.locator("#set").textContent()) ?? "", /Refused/);
  assert.deepEqual(new Set(await page.locator(".results tbody td").allTextContents()), new Set(["–"]));
  await page.locator("#export summary").click();
  for (const button of ["#save-toml", "#save-csv"]) await page.locator(button).click();
  assert.match((await page.locator("#note").textContent()) ?? "", /no run to save/);
  await page.locator("#file").setInputFiles(file("mine.toml", text));
  await ended(page);
  assert.ok(await problem.isHidden());
  assert.ok((await isDisabled()).every((one) => !one));
  assert.deepEqual(wrong, []);
});

test("an error keeps the other sliders, and a key that is not set shows its value in force", async () => {
  const { page } = await opened(chromium, server.address);
  await ended(page);
  const slider = page.locator('[id="s-switch.control.target_utilisation"]');
  await slider.fill("20");
  await ended(page);
  await input(page, "switch.buffer").fill("12 sells");
  await input(page, "switch.buffer").press("Enter");
  await page.locator(".problem:visible").waitFor();
  assert.equal(await slider.inputValue(), "20");
  assert.equal(await input(page, "switch.buffer").inputValue(), "12 sells");
  const problem = (await page.locator(".problem").textContent()) ?? "";
  assert.match(problem, /12 sells[\s\S]*12 cells/);
  assert.doesNotMatch(problem, /--set/);
  // ERICA's target is 0.9 where the file has none, and 1 beside a queue control.
  for (const [template, value, place] of [["gfc-2", "0.9", 0.6], ["satellite", "1", 1]] as const) {
    await page.locator("#preset").selectOption(template);
    await ended(page);
    assert.equal(await input(page, "switch.control.target_utilisation").inputValue(), "");
    assert.equal(await input(page, "switch.control.target_utilisation").getAttribute("placeholder"), value);
    assert.ok((await slider.evaluate((one) => Number((one as HTMLInputElement).value) / Number((one as HTMLInputElement).max))) >= place, template);
  }
});

test("on a phone the panel is a sheet over the charts, and a page that is turned fits again", async () => {
  const { page } = await opened(chromium, server.address, { viewport: { width: 740, height: 360 } });
  await ended(page);
  await page.setViewportSize({ width: 360, height: 740 });
  const fits = (all: number[]) => all.length > 3 && all.every((right) => right <= 360);
  const widths = await until(() => page.locator(".chart canvas, canvas.network").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right)), fits);
  assert.ok(fits(widths), widths.join(", "));
  const slider = page.locator('[id="s-switch.control.target_utilisation"]');
  assert.ok(await slider.isHidden());
  await page.locator("#sheet").click();
  const { y = 0 } = (await slider.boundingBox()) ?? {};
  assert.ok(y > 0 && y < 740, `${y}`);
  assert.ok(await page.locator("canvas.network").isVisible());
});

test("on a phone a lesson's step shows its text, and the sheet opens at its parameter", async () => {
  const { page } = await opened(chromium, server.address, { viewport: { width: 360, height: 740 } });
  await ended(page);
  await page.locator("#open-find").click();
  await page.locator('#find .card button:text-is("Begin")').first().click();
  for (let step = 1; step < 4; step += 1) {
    await page.locator('#told button:text-is("Next")').click();
    await ended(page);
    const top = (y: number) => y >= 0 && y < 370;
    const told = await until(async () => (await page.locator("#told h2").boundingBox())?.y ?? -1, top);
    assert.ok(top(told), `step ${step}: ${told}`);
  }
  assert.match((await page.locator(".results").first().textContent()) ?? "", /Payload delivered, Mbit\/s[1-9]/);
  const { y: sheet = 0 } = (await page.locator("#sheet").boundingBox()) ?? {};
  assert.ok(sheet > 600, `the sheet is open: ${sheet}`);
  await page.locator("#sheet").click();
  const { y = 0, height = 0 } = (await page.locator(".parameter.wanted").boundingBox()) ?? {};
  const { y: above = 0, height: bar = 0 } = (await page.locator("#sheet").boundingBox()) ?? {};
  assert.ok(y >= above + bar && y + height <= 740, `${y} to ${y + height} under ${above + bar}`);
});

test("on a phone the table of results stands under the network before a run has ended, and goes with its run", async () => {
  const { page } = await opened(chromium, server.address, { viewport: { width: 360, height: 740 } });
  await ended(page);
  const values = page.locator(".results tbody td");
  assert.match((await values.allTextContents()).join(" "), /\d/);
  await page.locator("#sheet").click();
  await page.locator("details[data-group]").evaluateAll((all) => all.forEach((one) => ((one as HTMLDetailsElement).open = true)));
  await input(page, "run.duration").fill("10 s");
  await input(page, "run.duration").press("Enter");
  await page.waitForFunction(() => document.querySelector<HTMLElement>(".side")?.dataset.state === "running" && [...document.querySelectorAll(".results tbody td")].every((one) => one.textContent === "–"));
  assert.ok((await values.count()) > 5);
  const edges = async (selector: string) => await page.locator(selector).first().evaluate((one) => [one.getBoundingClientRect().top, one.getBoundingClientRect().bottom] as const);
  const [[, network], [top, bottom], [charts]] = [await edges("canvas.network"), await edges(".results"), await edges(".charts")];
  assert.ok(network <= top && bottom <= charts, `${network}, ${top} to ${bottom}, ${charts}`);
  await ended(page);
  await page.locator("#compare").click();
  await page.waitForFunction(() => document.querySelectorAll(".results thead th").length === 4);
  await ended(page);
  await page.locator("#compare").click();
  assert.equal(await page.locator(".results thead th").count(), 2);
});

test("what is saved gives the same digest in the terminal", async () => {
  const { page } = await opened(chromium, server.address);
  await ended(page);
  await page.locator('[id="s-switch.control.target_utilisation"]').fill("50");
  const here = await digest(page);
  await page.locator("#export summary").click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-toml").click()]);
  const file = `${tmpdir()}/cellrate-lab-saved-${process.pid}.toml`;
  await download.saveAs(file);
  const run = JSON.parse(await output(cellrate("run", file, "--json"))) as { digest: string };
  assert.equal(run.digest, here);
  for (const [button, begin] of [["#save-svg", "<svg "], ["#save-csv", "seconds,"], ["#save-png", "\x89PNG"]] as const) {
    const [saved] = await Promise.all([page.waitForEvent("download"), page.locator(button).click()]);
    await saved.saveAs(file);
    assert.ok((await readFile(file, "latin1")).startsWith(begin), button);
  }
});

test("counters of the control scheme are drawn in their place when they are unfolded", async () => {
  const { page, wrong } = await opened(chromium, server.address);
  await ended(page);
  const counters = page.locator(".counters .chart");
  assert.equal(await counters.count(), 0);
  await page.setViewportSize({ width: 1100, height: 900 });
  await page.locator(".counters summary").click();
  await counters.first().waitFor();
  const widths = await page.locator(".chart canvas").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
  assert.deepEqual(new Set(widths).size, 1, widths.join(", "));
  await page.locator("#export summary").click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-svg").click()]);
  const file = `${tmpdir()}/cellrate-lab-counters-${process.pid}.svg`;
  await download.saveAs(file);
  const svg = await readFile(file, "utf8");
  const titles = (await page.locator(".chart figcaption").allTextContents());
  const places = titles.map((title) => svg.indexOf(`>${title}<`));
  assert.ok(places.every((place, i) => place > (places[i - 1] ?? 0)), `${titles.join("; ")} at ${places.join(", ")}`);
  assert.deepEqual(wrong, []);
});

test("a change at the cursor is a scenario: saved, it gives the same digest in the terminal", async () => {
  const { page, wrong } = await opened(chromium, server.address);
  await ended(page);
  const before = await digest(page);
  await page.locator("[aria-label=Instant]").fill("4000");
  await page.locator("#when-now").click();
  const at = /from (.*)/.exec((await page.locator("#when-now").textContent()) ?? "")?.[1];
  assert.ok(at);
  assert.ok(await input(page, "run.duration").isDisabled());
  assert.match((await page.locator('[id="p-run.duration-about"]').textContent()) ?? "", /one duration and one seed/);
  await page.locator('[id="s-switch.control.target_utilisation"]').fill("20");
  const here = await digest(page);
  assert.notEqual(here, before);
  assert.equal(await page.locator("#changes li").count(), 1);
  assert.ok((await page.locator(".change-mark").count()) > 0);
  await page.locator("#export summary").click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-toml").click()]);
  const file = `${tmpdir()}/cellrate-lab-change-${process.pid}.toml`;
  await download.saveAs(file);
  assert.match(await readFile(file, "utf8"), /\[\[changes\]\]/);
  const run = JSON.parse(await output(cellrate("run", file, "--json"))) as { digest: string };
  assert.equal(run.digest, here);
  // A link has it, too, and undoing it gives the run from before.
  const { page: restored } = await opened(chromium, await linked(page));
  await ended(restored);
  assert.equal(await digest(restored), here);
  await page.locator("#changes .undo").click();
  assert.equal(await digest(page), before);
  assert.deepEqual(wrong, []);
});

test("every step of every lesson runs, shows its parameter, and can be linked to", async () => {
  const { page, wrong } = await opened(chromium, server.address);
  await ended(page);
  await page.locator("#open-find").click();
  const count = await page.locator('#find .card button:text-is("Begin")').count();
  assert.equal(count, 8);
  await page.keyboard.press("Escape");
  for (let lesson = 0; lesson < count; lesson += 1) {
    await page.locator("#open-find").click();
    await page.locator('#find .card button:text-is("Begin")').nth(lesson).click();
    for (let step = 1; ; step += 1) {
      await ended(page);
      const place = (await page.locator("#told .place").textContent()) ?? "";
      const [, at, of] = /: (\d+) of (\d+)$/.exec(place) ?? [];
      assert.equal(Number(at), step, place);
      assert.ok(await page.locator(".problem").evaluateAll((all) => all.every((one) => (one as HTMLElement).hidden)), place);
      if (step === 2) {
        const { page: other } = await opened(chromium, await linked(page));
        await ended(other);
        assert.equal(await other.locator("#told .place").textContent(), place);
        assert.equal(await digest(other), await digest(page));
        await other.context().close();
      }
      if (at === of) break;
      await page.locator('#told button:text-is("Next")').click();
      await settled(page);
    }
    await page.locator('#told button:text-is("End")').click();
    assert.ok(await page.locator("#told").isHidden());
  }
  assert.deepEqual(wrong, []);
});

test("two runs lie over each other, at the same instants", async () => {
  const { page, wrong } = await opened(chromium, server.address);
  await ended(page);
  await page.locator("#compare").click();
  await ended(page);
  await input(page, "switch.control.target_utilisation").fill("0.7");
  await input(page, "switch.control.target_utilisation").press("Enter");
  await ended(page);
  const pixels = async () => await page.locator(".side").first().locator('[data-chart="rate"] canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  await linked(page);
  const apart = await pixels();
  await page.locator("#overlay").click();
  await page.locator(".side").nth(1).locator(".charts").waitFor({ state: "hidden" });
  const over = await until(pixels, (one) => one !== apart);
  assert.notEqual(over, apart);
  // Another right side draws another picture, and its end takes its curves away.
  await page.locator('#sides button:text-is("Edit second run")').click();
  await input(page, "switch.control.target_utilisation").fill("0.5");
  await input(page, "switch.control.target_utilisation").press("Enter");
  await ended(page);
  assert.notEqual(await until(pixels, (one) => one !== over), over);
  // Both runs are saved, as wide as they are shown, whichever of them the panel edits.
  const shown = await page.locator(".side").first().locator('[data-chart="rate"] canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).width);
  assert.ok(shown > 600, `${shown}`);
  const file = `${tmpdir()}/cellrate-lab-overlay-${process.pid}`;
  await page.locator("#export summary").click();
  const saved = async (button: string) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(button).click()]);
    await download.saveAs(file);
    return await readFile(file);
  };
  const all: Buffer[] = [];
  for (const side of ["Edit second run", "Edit first run"]) {
    await page.locator(`#sides button:text-is("${side}")`).click();
    const picture = await saved("#save-png");
    assert.equal(picture.readUInt32BE(16), shown, side);
    const svg = (await saved("#save-svg")).toString();
    for (const name of ["ACR of tcp.1<", "ACR of tcp.1, second run<"]) assert.equal(svg.split(`<title>${name}`).length, 2, name);
    const [head = ""] = (await saved("#save-csv")).toString().split("\n");
    for (const name of ["ACR of tcp.1 in Mbit/s, least", "ACR of tcp.1 in Mbit/s, least, second run"]) assert.ok(head.includes(`"${name}"`), name);
    all.push(picture);
  }
  assert.ok(all[0] && all[1]?.equals(all[0]));
  assert.match((await page.locator('.side [data-chart="rate"] figcaption').first().textContent()) ?? "", /dotted: second run/);
  await page.locator("#compare").click();
  await page.locator("#overlay").waitFor({ state: "hidden" });
  assert.deepEqual(wrong, []);
});

test("an overlay has the charts that only the second run has", async () => {
  const { page, wrong } = await opened(chromium, server.address);
  await ended(page);
  await page.locator('[id="p-switch.control"]').selectOption("efci");
  await ended(page);
  await page.locator("#compare").click();
  await ended(page);
  await page.locator('[id="p-switch.control"]').selectOption("erica");
  await ended(page);
  const titles = async (side: number) => await page.locator(".side").nth(side).locator(".charts .chart figcaption").allTextContents();
  const hasLoad = (all: string[]) => all.some((title) => title.startsWith("Load factor"));
  const apart = await until(() => titles(1), hasLoad);
  assert.ok(hasLoad(apart), apart.join());
  assert.ok(!(await titles(0)).some((title) => title.startsWith("Load factor")));
  await page.locator("#overlay").click();
  const missing = (over: string[]) => apart.filter((title) => !over.some((one) => one.startsWith(title.split(" · ")[0] ?? "")));
  const over = await until(() => titles(0), (all) => missing(all).length === 0);
  assert.deepEqual(missing(over), [], over.join());
  assert.deepEqual(wrong, []);
});

test("an experiment of the gallery opens with its claim, its printed values and its runs side by side", async () => {
  const { page, wrong } = await opened(chromium, server.address);
  await ended(page);
  await page.locator("#open-find").click();
  await page.locator("#find input").fill("no such words");
  assert.match((await page.locator("#find [role=status]").textContent()) ?? "", /no such words/);
  // An author, the name of an experiment, and a topic of its scenario.
  for (const words of ["Ohsaki", "marsan97-fig4L", "beat", "kalyanaraman 1997"]) {
    await page.locator("#find input").fill(words);
    assert.ok((await page.locator("#find .card:visible").count()) > 0, words);
  }
  await page.locator("#find input").fill("effective throughput of five TCP connections");
  const figure = page.locator("#find .card:visible svg");
  assert.equal(await figure.count(), 1);
  assert.ok((await figure.locator("polyline").count()) >= 2);
  assert.match((await figure.getAttribute("aria-label")) ?? "", /over time/);
  await page.locator("#find .card:visible button", { hasText: "side by side" }).first().click();
  await settled(page);
  await ended(page);
  assert.equal(await page.locator(".side").count(), 2);
  assert.match((await page.locator("#told").textContent()) ?? "", /printed: VBR ON and OFF time: 10 ms/);
  // The table beneath an experiment does not contradict it: FMMRA's longest queue, at the left, is the longer one, and the claim is told to fail.
  await page.locator("#open-find").click();
  await page.locator("#find input").fill("longest queue than ERICA and than EFCI");
  await page.locator("#find .card:visible button", { hasText: "side by side" }).first().click();
  await settled(page);
  await ended(page);
  assert.match((await page.locator("#told").textContent()) ?? "", /The paper claims: FMMRA has a shorter longest queue[^.]*\. Here, with seed 1, this does not hold; of its 3 claims 2 hold\./);
  const column = (await page.locator(".results thead th").allTextContents()).indexOf("Longest queue, cells");
  const [fmmra, erica] = await page.locator(".results tbody tr").evaluateAll((rows, at) => rows.map((row) => Number(row.children[at]?.textContent)), column);
  assert.ok(fmmra !== undefined && erica !== undefined && fmmra > erica, `${fmmra} and ${erica} cells`);
  assert.notEqual(await digest(page, 0), await digest(page, 1));
  assert.match((await page.locator(".results").textContent()) ?? "", /Bottleneck settled/);
  assert.deepEqual(wrong, []);
});

test("the levels of theory are those of the command", async () => {
  const { page } = await opened(chromium, server.address);
  await ended(page);
  for (const template of ["n-source", "gfc-2", "parking-lot", "n-source-vbr"]) {
    await page.locator("#preset").selectOption(template);
    await settled(page);
    await ended(page);
    if ((await page.locator("#theory").getAttribute("aria-pressed")) === "false") await page.locator("#theory").click();
    const drawn = JSON.parse((await page.locator(".side").getAttribute("data-levels")) ?? "[]") as { chart: string; value: number; name: string }[];
    const fair = drawn.filter(({ chart, name }) => chart === "rate" && name === "fair share").map(({ value }) => value);
    const file = `${tmpdir()}/cellrate-lab-theory-${process.pid}.toml`;
    await writeFile(file, await output(cellrate("new", template)));
    const told = JSON.parse(await output(cellrate("theory", "max-min", file, "--json"))) as { rates_bits_per_second: Record<string, number> };
    const rates = Object.values(told.rates_bits_per_second).map((rate) => rate / 1e6);
    for (const value of fair) assert.ok(rates.some((rate) => Math.abs(rate - value) < 1e-6 * value), `${template}: ${value} is none of ${rates.join(", ")}`);
    const distinct = new Set(rates.map((rate) => rate.toPrecision(6)));
    assert.ok(fair.length > 0 && fair.length <= distinct.size, `${template}: ${fair.length} levels of ${distinct.size}`);
  }
});

test("the picture steps by cell, by RM cell and by round trip, and goes back", async () => {
  const { page } = await opened(chromium, server.address);
  await ended(page);
  const clock = async () => (await page.locator(".clock").textContent()) ?? "";
  const milliseconds = async () => {
    const [value, unit] = (await clock()).split(" ");
    return Number(value) * ({ s: 1000, ms: 1, µs: 1e-3 }[unit ?? ""] ?? Number.NaN);
  };
  await page.locator("[aria-label=Speed]").selectOption("0.000001");
  const opening = await milliseconds();
  await page.locator("[aria-label=Instant]").fill("5000");
  const start = await until(milliseconds, (now) => now !== opening);
  for (const [key, least, most] of [[".", 0, 0.01], ["r", 0, 0.5], ["t", 10, 100]] as const) {
    const before = await milliseconds();
    await page.locator("body").press(key);
    const passed = (await until(milliseconds, (now) => now !== before)) - before;
    assert.ok(passed > least && passed < most, `${key}: ${passed} ms`);
  }
  await page.locator("[aria-label=Instant]").fill("5000");
  assert.equal(await until(milliseconds, (now) => now === start), start);
});

test("everything works by keyboard", async () => {
  const { page } = await opened(chromium, server.address);
  await ended(page);
  await page.locator("body").press("Space");
  assert.equal(await page.locator(".play").textContent(), "Pause");
  await page.waitForTimeout(300);
  await page.locator("body").press("Space");
  assert.equal(await page.locator(".play").textContent(), "Play");
  // Tab reaches every control that is shown, in the order of the page, and shows where it is.
  const names = new Set<string>();
  await page.locator("h1").click();
  for (let i = 0; i < 200; i += 1) {
    await page.keyboard.press("Tab");
    const { name, outline } = await page.evaluate(() => {
      const on = document.activeElement as HTMLElement;
      return { name: on === document.body ? "" : `${on.tagName} ${on.id} ${on.textContent?.slice(0, 20)}`, outline: getComputedStyle(on).outlineStyle };
    });
    if (name === "") break;
    assert.ok(outline !== "none" || name.startsWith("INPUT file"), `${name} shows no focus`);
    names.add(name);
  }
  for (const wanted of ["preset", "compare", "share", "file", "keys", "p-switch.control", "s-switch.control.target_utilisation"]) {
    assert.ok([...names].some((name) => name.split(" ")[1] === wanted), `${wanted} in ${[...names].join("; ")}`);
  }
});

test("axe finds nothing serious, light and dark, wide and on a phone", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const viewport of [{ width: 1280, height: 900 }, { width: 360, height: 740 }]) {
      const { page } = await opened(chromium, server.address, { colorScheme, viewport });
      await ended(page);
      const { violations } = await new AxeBuilder({ page }).analyze();
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), [], `${colorScheme} ${viewport.width}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(overflow <= 0, `${overflow} pixels too wide at ${viewport.width}`);
      await page.context().close();
    }
  }
});

test("a scenario over Ethernet is drawn packet by packet, and gives what the command gives", async (t) => {
  const scenario = `${tmpdir()}/cellrate-lab-ethernet-${process.pid}.toml`;
  await writeFile(scenario, await output(cellrate("new", "leaf-spine")));
  const own = await serve(scenario);
  t.after(async () => assert.equal(await own.end(), 0));
  const { page, wrong } = await opened(chromium, own.address);
  const run = await output(cellrate("run", scenario, "--json"));
  assert.equal(await digest(page), (JSON.parse(run) as { digest: string }).digest);
  const charts = await page.locator(".chart figcaption").allTextContents();
  for (const title of [/^Queues, kB/, /^Throughput per flow, data received, Gbit\/s/, /^cwnd .*, kB/, /^Utilisation of links, %/, /^Packets lost so far, packets/])
    assert.ok(charts.some((text) => title.test(text)), `${title} in ${charts.join("; ")}`);
  const results = (await page.locator(".results").textContent()) ?? "";
  assert.match(results, /Payload delivered, Gbit\/s[\s\S]*Longest queue, kB[\s\S]*Packets marked, packets/);
  assert.doesNotMatch(results, /cells|NaN/);
  assert.match((await page.locator(".status").textContent()) ?? "", /packet-hops/);
  assert.match((await page.locator("canvas.network").getAttribute("aria-label")) ?? "", /packets/);
  // The run begins at a speed at which packets are seen, steps by packet, and takes changes during the run.
  assert.equal(await page.locator("[aria-label=Speed]").inputValue(), "0.000001");
  assert.ok(await page.locator("#when").isVisible());
  assert.equal(await page.getByRole("button", { name: "Next RM cell" }).count(), 0);
  const clock = page.locator(".clock");
  const before = await clock.textContent();
  await page.getByRole("button", { name: "Next packet" }).click();
  await page.waitForFunction((before) => document.querySelector(".clock")?.textContent !== before, before);
  // Theory: a flow that has its path for itself gets the payload's share of the line, 1,460 of 1,538 bytes.
  await page.locator("#theory").click();
  const levels = JSON.parse((await page.locator(".side").getAttribute("data-levels")) ?? "[]") as { chart: string; value: number }[];
  const throughputs = levels.filter(({ chart }) => chart === "throughput").map(({ value }) => value);
  assert.ok(throughputs.some((value) => Math.abs(value - (10 * 1460) / 1538) < 1e-9), throughputs.join(", "));
  // A slider of TCP, a key without one, and active queue management with parameters of its own.
  await page.locator("details[data-group]").evaluateAll((all) => all.forEach((one) => ((one as HTMLDetailsElement).open = true)));
  const key = await page.locator(".side").getAttribute("data-key");
  await page.locator('[id="s-tcp.window"]').fill("60");
  await ended(page);
  assert.notEqual(await page.locator(".side").getAttribute("data-key"), key);
  await input(page, "switch.aqm").selectOption("threshold");
  await ended(page);
  await page.locator('[id="s-switch.aqm.k"]').fill("40");
  await ended(page);
  assert.match(await input(page, "switch.aqm.k").inputValue(), /^\d+ packets$/);
  // A change at the cursor gives the digest that the command gives for the saved file.
  const unchanged = await digest(page);
  await page.locator("[aria-label=Instant]").fill("4000");
  await page.locator("#when-now").click();
  await page.locator('[id="s-switch.aqm.k"]').fill("10");
  const changed = await digest(page);
  assert.notEqual(changed, unchanged);
  await page.locator("#export summary").click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-toml").click()]);
  await download.saveAs(scenario);
  assert.match(await readFile(scenario, "utf8"), /\[\[changes\]\]/);
  assert.equal((JSON.parse(await output(cellrate("run", scenario, "--json"))) as { digest: string }).digest, changed);
  await page.locator("#changes .undo").click();
  assert.equal(await digest(page), unchanged);
  await page.locator("#when-start").click();
  // The panel takes the values of the start when the run has ended, also into a box that is being filled.
  await ended(page);
  await input(page, "topology.host_rate").fill("900 Gbit/s");
  await input(page, "topology.host_rate").press("Enter");
  await page.locator(".problem:visible").waitFor();
  assert.match((await page.locator(".problem").textContent()) ?? "", /900000 Mbit\/s[\s\S]*1 kbit\/s to 800 Gbit\/s/);
  // Cells beside it: each has its own schema and its own rows of the results.
  await page.locator("#reset").click();
  await ended(page);
  await page.locator("#compare").click();
  await ended(page);
  await page.locator("#preset").selectOption("n-source");
  await ended(page);
  assert.equal(await input(page, "switch.control").count(), 1);
  assert.match((await page.locator(".results").textContent()) ?? "", /Longest queue, cells[\s\S]*Longest queue, kB/);
  assert.deepEqual(wrong, []);
});

test("ACR over Ethernet ends where the command says, and follows a target that is set", async () => {
  const { page, wrong } = await opened(chromium, server.address);
  await ended(page);
  await page.locator("#preset").selectOption("explicit-rate");
  const scenario = await output(cellrate("new", "explicit-rate"));
  for (const target of ["0.9", "0.5"]) {
    if (target !== "0.9") {
      await input(page, "switch.control.target_utilisation").fill(target);
      await input(page, "switch.control.target_utilisation").press("Enter");
    }
    const run = JSON.parse(await output(cellrate("run", "-", "--json", "--set", `switch.control.target_utilisation=${target}`), scenario)) as { digest: string; flows: { name: string; acr_final_bits_per_second: number }[] };
    assert.equal(await digest(page), run.digest);
    assert.ok((await page.locator(".chart figcaption").allTextContents()).includes("ACR, Gbit/s"));
    if (!(await page.locator("#save-csv").isVisible())) await page.locator("#export summary").click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-csv").click()]);
    const file = `${tmpdir()}/cellrate-lab-acr-${process.pid}.csv`;
    await download.saveAs(file);
    const [head = "", ...rows] = (await readFile(file, "utf8")).trimEnd().split("\n");
    // Commas stand within the quoted names, too.
    const names = [...head.matchAll(/"([^"]*)"/g)].map(([, name]) => name ?? "");
    const last = rows.at(-1)?.split(",").slice(1) ?? [];
    for (const { name, acr_final_bits_per_second: final } of run.flows) {
      const acr = Number(last[names.indexOf(`ACR of ${name} in Gbit/s, greatest`)]);
      assert.ok(Math.abs(acr - final / 1e9) < 1e-6 * acr, `${name}: ${acr} Gbit/s here, ${final} bit/s there`);
      // Eight flows share what ERICA aims at.
      assert.ok(Math.abs(acr - (Number(target) * 100) / 8) < 0.02 * acr, `${name}: ${acr} Gbit/s`);
    }
  }
  await page.locator("#preset").selectOption("dcqcn");
  await ended(page);
  const titles = await page.locator(".chart figcaption").allTextContents();
  assert.ok(titles.includes("R_C, Gbit/s"), titles.join("; "));
  assert.deepEqual(wrong, []);
});

test("a page of one file opens from a disk, with its scenario and its changes", async () => {
  const scenario = `${tmpdir()}/cellrate-lab-${process.pid}.toml`;
  const file = `${tmpdir()}/cellrate-lab-${process.pid}.html`;
  await writeFile(scenario, await output(cellrate("new", "n-source")));
  await output(cellrate("lab", scenario, "--set", "flow.tcp.count=3", "--export", file));
  const { page, wrong } = await opened(chromium, `file://${file}`);
  const run = await output(cellrate("run", scenario, "--json", "--set", "flow.tcp.count=3"));
  assert.equal(await digest(page), (JSON.parse(run) as { digest: string }).digest);
  assert.deepEqual(wrong, []);
});
