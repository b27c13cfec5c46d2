// Builds the page: scripts and styles in bundles, the engine (WebAssembly) beside them, and a frame for a page in a single file.

import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const [engine, out] = process.argv.slice(2);
if (!engine || !out) throw new Error("usage: node build.mjs ENGINE.wasm DIRECTORY");

const bundled = async (entry, format, define = {}) => {
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, minify: true, format, define, target: "es2022", write: false, outdir: "out", charset: "utf8", legalComments: "none" });
  const of = (ending) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  return { script: of(".js"), style: of(".css") };
};

// The templates are built into the page, so that the page can open one before the engine answers.
const wasm = await readFile(engine);
const { Engine } = await import(`data:text/javascript,${encodeURIComponent((await bundled("src/engine/module.ts", "esm")).script)}`);
const { templates } = new Engine(await WebAssembly.compile(wasm)).ask({ ask: "about" }).json;
const page = await bundled("src/main.ts", "iife", { TEMPLATES: JSON.stringify(templates) });
const worker = await bundled("src/engine/worker.ts", "iife");
const shell = await readFile("src/index.html", "utf8");
const policy = (rules) => `<meta http-equiv="Content-Security-Policy" content="${rules}">`;
const filled = (parts) => shell.replace(/<!--(\w+)-->/g, (_, name) => parts[name] ?? "");
const sealed = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const files = {
  "index.html": filled({
    csp: policy("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'"),
    style: '<link rel="preload" href="engine.wasm" as="fetch" crossorigin><link rel="stylesheet" href="lab.css">',
    script: '<script src="lab.js"></script>',
  }),
  "lab.js": page.script,
  "lab.css": page.style,
  "worker.js": worker.script,
};

// A page in a single file contains everything, the engine compressed. The scenario replaces the mark `<!--given-->`.
const within = `globalThis.CELLRATE_WITHIN=${JSON.stringify({ wasm: gzipSync(wasm, { level: 9 }).toString("base64"), worker: worker.script }).replaceAll("<", "\\u003c")};`;
const script = page.script.replaceAll("</script", "<\\/script");
files["single.html"] = filled({
  csp: policy(`default-src 'none'; script-src ${sealed(within)} ${sealed(script)} 'wasm-unsafe-eval'; worker-src blob:; style-src ${sealed(page.style)}; img-src data: blob:; base-uri 'none'; form-action 'none'`),
  style: `<style>${page.style}</style>`,
  script: `<!--given--><script>${within}</script><script>${script}</script>`,
});

for (const [name, content] of Object.entries(files)) await writeFile(`${out}/${name}`, content);
await writeFile(`${out}/engine.wasm`, wasm);
const packed = [...["index.html", "lab.js", "lab.css", "worker.js"].map((name) => Buffer.from(files[name])), wasm].reduce((sum, content) => sum + gzipSync(content, { level: 9 }).length, 0);
console.log(`${out}/index.html: ${(packed / 1e6).toFixed(2)} MB to load, compressed`);
