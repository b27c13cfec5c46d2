"use strict";
// Draws the cells or frames of a film on a canvas; all of them are in the page.
(() => {
  const film = JSON.parse(document.getElementById("film").textContent);
  const $ = (name) => document.getElementById(name);
  const canvas = $("picture"), pen = canvas.getContext("2d");
  const STEPS = 1000, LOST_FILM_SECONDS = 0.5, ASIDE = 5;
  const span = film.end - film.start;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let now = film.start, playing = false, last = 0, speed = film.speed;

  let colours = {};
  function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "faint", "line", "paper", "bar", ...film.looks]) {
      colours[name] = style.getPropertyValue(`--${name}`).trim();
    }
  }
  const wide = () => canvas.clientWidth, high = () => canvas.clientHeight;
  // The outermost nodes have room for their names beside them.
  const across = film.nodes.map((node) => node.at[0]);
  const first = Math.min(...across), rest = Math.max(...across) - first;
  const place = ([x, y]) => {
    const { left, right } = arranged();
    return [left + (rest && ((x - first) / rest) * (wide() - left - right)), (1 - y) * high()];
  };

  function line(link) {
    const [x, y] = place(film.nodes[film.links[link][0]].at), [u, v] = place(film.nodes[film.links[link][1]].at);
    const length = Math.hypot(u - x, v - y) || 1;
    const dx = ((v - y) / length) * ASIDE, dy = (-(u - x) / length) * ASIDE;
    return [x + dx, y + dy, u + dx, v + dy];
  }
  function shape(look, x, y, size, angle) {
    pen.save();
    pen.translate(x, y);
    pen.rotate(angle);
    pen.beginPath();
    if (look.startsWith("data")) pen.arc(0, 0, size, 0, 2 * Math.PI);
    else if (look === "credit") pen.rect(-size, -size, 2 * size, 2 * size);
    else { pen.moveTo(size * 1.9, 0); pen.lineTo(-size * 1.3, size * 1.5); pen.lineTo(-size * 1.3, -size * 1.5); pen.closePath(); }
    pen.fill();
    if (look.endsWith("-marked")) { pen.strokeStyle = colours.ink; pen.lineWidth = 1; pen.stroke(); }
    pen.restore();
  }
  function queueAt(queue) {
    let low = 0, high = queue.time.length;
    while (high - low > 1) { const middle = (low + high) >> 1; if (queue.time[middle] <= now) low = middle; else high = middle; }
    return queue.lengths[low];
  }
  const GAP = 7;
  const isSmall = () => wide() < 600;
  const letters = (node) => (node.switch ? 12 : isSmall() ? 9 : 10);
  // Nodes in a row or column, by the side of their names: all of them are named, or none is.
  const groups = new Map();
  for (const node of film.nodes) {
    const key = node.side === "left" || node.side === "right" ? `${node.side} ${node.at[0]}` : `${node.side} y ${node.at[1]}`;
    groups.set(key, [...(groups.get(key) || []), node]);
  }
  let arrangement = { left: 0, right: 0, names: [] };
  // The room at both edges, and the names that neither overlap a node or one another nor leave the picture.
  function arranged() {
    if (arrangement.wide === wide() && arrangement.high === high()) return arrangement;
    const widths = (group) => group.map((node) => { pen.font = `${letters(node)}px system-ui, sans-serif`; return pen.measureText(node.name).width; });
    const fit = [...groups.values()].filter((group) => group[0].side !== "left" && group[0].side !== "right" || group.every((node, at) => !at || Math.abs(node.at[1] - group[at - 1].at[1]) * high() > letters(node)));
    const room = (side, x, usual) => {
      const needed = fit.filter(([node]) => node.side === side && node.at[0] === x).map((group) => Math.max(...widths(group)) + 2 * GAP);
      return needed[0] < wide() / 4 ? Math.max(usual, needed[0]) : usual;
    };
    const last = first + rest;
    arrangement = { wide: wide(), high: high(), left: rest ? room("left", first, first * wide()) : wide() / 2, right: room("right", last, (1 - last) * wide()), names: [] };
    const marks = film.nodes.map((node) => { const [x, y] = place(node.at), reach = node.switch ? 9 : 3.5; return [x - reach, y - reach, x + reach, y + reach]; });
    const boxes = [...marks];
    // Switches come first.
    for (const group of fit.sort((one, other) => !!other[0].switch - !!one[0].switch)) {
      const wides = widths(group);
      const names = group.map((node, at) => {
        const [x, y] = place(node.at), half = wides[at] / 2;
        const aside = { left: -GAP - half, right: GAP + half }[node.side] || 0;
        return { node, x: x + aside, y: y + (aside ? 0 : node.switch ? 20 : 12), half };
      });
      const own = names.map(({ node, x, y, half }) => [x - half, y - letters(node) / 2, x + half, y + letters(node) / 2]);
      const apart = (a, b) => a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
      const free = own.every((box, at) => box[0] >= 0 && box[2] <= wide() && box[3] <= high() && (!at || apart(box, own[at - 1])) && boxes.every((other) => apart(box, other)));
      if (!free) continue;
      boxes.push(...own);
      arrangement.names.push(...names);
    }
    return arrangement;
  }
  function text(content, x, y, size, colour) {
    pen.fillStyle = colour;
    pen.font = `${size}px system-ui, sans-serif`;
    pen.fillText(content, x, y);
  }
  function draw() {
    const scale = devicePixelRatio || 1;
    const width = Math.round(wide() * scale), height = Math.round(high() * scale);
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, wide(), high());
    pen.textAlign = "center";
    const small = isSmall(), size = (small ? 2.4 : 4) * (film.moving.length > 1500 ? 0.6 : 1);
    pen.strokeStyle = colours.line;
    pen.lineWidth = 1;
    for (const [from, to] of film.links) {
      pen.beginPath();
      pen.moveTo(...place(film.nodes[from].at));
      pen.lineTo(...place(film.nodes[to].at));
      pen.stroke();
    }
    for (const node of film.nodes) {
      const [x, y] = place(node.at);
      pen.fillStyle = colours.faint;
      if (node.switch) pen.fillRect(x - 9, y - 9, 18, 18);
      else { pen.beginPath(); pen.arc(x, y, 3.5, 0, 2 * Math.PI); pen.fill(); }
    }
    pen.textBaseline = "middle";
    for (const { node, x, y } of arranged().names) text(node.name, x, y, letters(node), node.switch ? colours.ink : colours.faint);
    pen.textBaseline = "alphabetic";
    const beside = new Map();
    for (const queue of film.queues) {
      const at = beside.get(queue.node) || 0;
      beside.set(queue.node, at + 1);
      const [x, y] = place(film.nodes[queue.node].at);
      const width = small ? 10 : 15, height = small ? 50 : 80, left = x - width / 2 + at * (width + 22), bottom = y - 22;
      const length = queueAt(queue);
      pen.strokeStyle = colours.faint;
      pen.strokeRect(left, bottom - height, width, height);
      pen.fillStyle = colours.bar;
      pen.fillRect(left, bottom - (height * length) / queue.most, width, (height * length) / queue.most);
      text(String(length), left + width / 2, bottom - height - 5, 12, colours.ink);
      if (!small) text(`to ${queue.to}, ${queue.limited ? "buffer" : "max"} ${queue.most}${queue.unit}`, left + width / 2, bottom - height - 19 - 12 * at, 10, colours.faint);
    }
    const lines = film.links.map((_, at) => line(at));
    let seen = 0;
    const above = [];
    const show = (look, x, y, angle) => { pen.fillStyle = colours[look]; shape(look, x, y, size, angle); };
    for (const [link, look, left, arrived, began] of film.moving) {
      if ((began ?? left) > now) break;
      if (arrived < now) continue;
      seen += 1;
      const [x, y, u, v] = lines[link];
      const gone = (since) => Math.min(Math.max(arrived > left ? (now - since) / (arrived - left) : 1, 0), 1);
      const tail = gone(left);
      if (began !== undefined) {
        // A frame lies on its link from its last bit to its first.
        const head = gone(began), name = film.looks[look];
        pen.strokeStyle = colours[name];
        pen.lineWidth = name.startsWith("data") ? size : size * 1.5;
        pen.beginPath();
        pen.moveTo(x + tail * (u - x), y + tail * (v - y));
        pen.lineTo(x + head * (u - x), y + head * (v - y));
        pen.stroke();
        continue;
      }
      const cell = [film.looks[look], x + tail * (u - x), y + tail * (v - y), Math.atan2(v - y, u - x)];
      // Cells of control lie above those of data.
      if (cell[0].startsWith("data")) show(...cell); else above.push(cell);
    }
    for (const cell of above) show(...cell);
    let lost = 0;
    for (const [time, node] of film.losses) {
      if (time > now) break;
      lost += 1;
      if (now - time > LOST_FILM_SECONDS * speed) continue;
      const [x, y] = place(film.nodes[node].at);
      pen.strokeStyle = colours.ink;
      pen.lineWidth = 3;
      pen.beginPath();
      for (const way of [-1, 1]) { pen.moveTo(x - 12, y - 12 * way); pen.lineTo(x + 12, y + 12 * way); }
      pen.stroke();
    }
    $("time").textContent = `${(now / 1000).toFixed(4)} ms`;
    $("seen").textContent = `${seen} ${film.units} on links` + (film.losses.length ? `, ${lost} lost so far` : "");
    $("scrub").value = Math.round(((now - film.start) / span) * STEPS);
    $("scrub").setAttribute("aria-valuetext", $("time").textContent);
  }
  function go(time) { now = Math.min(Math.max(time, film.start), film.end); draw(); }
  function play(on) {
    if (on && now >= film.end) now = film.start;
    playing = on;
    $("play").textContent = on ? "Pause" : "Play";
    if (on) { last = performance.now(); requestAnimationFrame(tick); }
  }
  function tick(at) {
    if (!playing) return;
    now = Math.min(now + (Math.max(at - last, 0) / 1000) * speed, film.end);
    last = at;
    draw();
    if (now >= film.end) play(false); else requestAnimationFrame(tick);
  }
  const step = (way) => { play(false); go(now + way * film.step); };
  const keys = {
    " ": () => play(!playing), ArrowRight: () => step(1), ArrowLeft: () => step(-1),
    Home: () => go(film.start), End: () => go(film.end),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (!keys[event.key] || event.target.tagName === "SELECT") return;
    // A button is pressed by the space bar itself.
    if (event.target.tagName === "BUTTON" && event.key === " ") return;
    event.preventDefault();
    keys[event.key]();
  });
  $("play").addEventListener("click", () => play(!playing));
  $("back").addEventListener("click", () => step(-1));
  $("forward").addEventListener("click", () => step(1));
  $("scrub").addEventListener("input", () => { play(false); go(film.start + (span * $("scrub").value) / STEPS); });
  $("speed").addEventListener("change", () => { speed = film.speed * Number($("speed").value); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); draw(); });
  addEventListener("resize", draw);
  canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => {
    const away = film.nodes.map((node) => { const [x, y] = place(node.at); return Math.hypot(x - offsetX, y - offsetY); });
    const nearest = away.indexOf(Math.min(...away));
    canvas.title = away[nearest] < 12 ? film.nodes[nearest].name : "";
  });
  readColours();
  $("controls").hidden = false;
  // A link to #t=MICROSECONDS shows that time.
  const asked = Number((/^#t=([\d.]+)$/.exec(location.hash) || [])[1]);
  go(asked || film.start);
  if (!calm.matches && !asked) play(true);
})();
