"use strict";
// Everything can be read without this script; it sorts tables, copies commands and opens details.
(() => {
  // Units of one kind in which a column may mix sizes; everything else is sorted as it stands.
  const UNITS = {
    ps: 1e-12, ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600,
    "bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9,
    B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1048576, GiB: 1073741824, m: 1, km: 1e3,
  };
  const NUMBER = /^([+\-\u2212]?)([\d,]*\.?\d+(?:e[+\-]?\d+)?)\s*(?:±\s*[\d,.]+(?:e[+\-]?\d+)?\s*)?(.*)$/i;

  const text = (row, at) => (row.cells[at] ? row.cells[at].textContent.trim() : "");
  function value(shown) {
    if (/^[+]?(inf|infinity|infinite|unlimited|none)$/i.test(shown)) return Infinity;
    const found = NUMBER.exec(shown);
    if (!found) return null;
    const size = Number(found[2].replaceAll(",", "")) * (found[1] && found[1] !== "+" ? -1 : 1);
    return size * (UNITS[found[3]] ?? 1);
  }
  // A row and the notes below it stay together.
  function groups(body) {
    const found = [];
    for (const row of body.rows) {
      if (row.classList.contains("of-above") && found.length) found.at(-1).push(row);
      else found.push([row]);
    }
    return found;
  }
  function sort(table, at, descending) {
    const found = groups(table.tBodies[0]);
    const shown = new Map(found.map((rows) => [rows, text(rows[0], at)]));
    const given = found.filter((rows) => !["", "-", "–"].includes(shown.get(rows)));
    const values = new Map(given.map((rows) => [rows, value(shown.get(rows))]));
    const numeric = given.every((rows) => values.get(rows) !== null);
    given.sort((a, b) => {
      const x = numeric ? values.get(a) : shown.get(a), y = numeric ? values.get(b) : shown.get(b);
      const order = numeric ? (x < y ? -1 : x > y ? 1 : 0) : x.localeCompare(y, "en", { numeric: true });
      return descending ? -order : order;
    });
    // Cells without a value come last in either order.
    const missing = found.filter((rows) => !values.has(rows));
    for (const rows of [...given, ...missing]) table.tBodies[0].append(...rows);
  }
  for (const table of document.querySelectorAll("table")) {
    const heads = table.tHead ? [...table.tHead.rows[0].cells] : [];
    if (!table.tBodies[0] || groups(table.tBodies[0]).length < 2) continue;
    heads.forEach((head, at) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.title = "sort by this column";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const descending = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sort(table, at, descending);
      });
    });
  }

  async function copy(content) {
    if (navigator.clipboard) return navigator.clipboard.writeText(content);
    const area = document.createElement("textarea");
    area.value = content;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("the browser does not let a page copy");
  }
  for (const code of document.querySelectorAll("pre.command, code.command")) {
    const content = code.textContent;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", () => {
      copy(content).then(
        () => { button.textContent = "copied"; },
        () => {
          getSelection().selectAllChildren(code);
          button.textContent = "selected: press Ctrl+C";
        },
      ).finally(() => setTimeout(() => { button.textContent = "copy"; }, 2000));
    });
    code.after(button);
  }

  // A link to details opens them, and those around them.
  function open() {
    const name = decodeURIComponent(location.hash.slice(1));
    const target = name && document.getElementById(name);
    if (!target) return;
    const row = target.closest("tr");
    const inner = target.querySelector("details") || (row && row.querySelector("details"));
    for (let one = inner || target; one; one = one.parentElement) {
      if (one.tagName === "DETAILS") one.open = true;
    }
    (row || target).scrollIntoView({ block: row ? "center" : "start" });
  }
  addEventListener("hashchange", open);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    // A second click on the same link changes no address.
    if (link && link.hash && link.hash === location.hash && !link.host.replace(location.host, "")) setTimeout(open);
  });
  open();

  // Paper has everything; what was closed is closed again afterwards.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((one) => { one.open = false; }));
})();
