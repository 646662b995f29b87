// Pictures answer the pointer and the arrow keys with the exact point: its model, threshold and rates.
(function () {
  "use strict";
  const block = document.getElementById("hover-data");
  if (!block) return;
  const data = JSON.parse(block.textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const NEAR = 26;
  const tip = document.body.appendChild(document.createElement("div"));
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status");

  for (const svg of document.querySelectorAll("svg[data-picture]")) {
    const told = data[svg.dataset.picture];
    if (!told) continue;
    const ring = svg.appendChild(document.createElementNS(SVG, "circle"));
    ring.setAttribute("class", "ring");
    ring.setAttribute("r", "5");
    ring.setAttribute("visibility", "hidden");
    let now = null;

    const hide = () => { now = null; tip.hidden = true; ring.setAttribute("visibility", "hidden"); };
    const show = (line, k) => {
      now = [line, k];
      const [name, xs, ys, columns] = told.lines[line];
      ring.setAttribute("cx", xs[k]); ring.setAttribute("cy", ys[k]);
      ring.setAttribute("visibility", "visible");
      tip.textContent = "";
      if (name) tip.appendChild(document.createElement("b")).textContent = name;
      told.titles.forEach((title, i) => {
        tip.appendChild(document.createElement("span")).textContent = title + ": " + columns[i][k];
      });
      tip.hidden = false;
      const at = ring.getBoundingClientRect(), box = tip.getBoundingClientRect();
      const room = document.documentElement.clientWidth;
      let x = at.right + 10;
      if (x + box.width > room - 8) x = Math.max(8, at.left - 10 - box.width);
      tip.style.left = x + window.scrollX + "px";
      tip.style.top = at.top + window.scrollY + 8 + "px";
    };
    svg.addEventListener("pointermove", (event) => {
      const frame = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / frame.width;
      const x = (event.clientX - frame.left) * scale, y = (event.clientY - frame.top) * scale;
      let best = null, nearest = NEAR * NEAR;
      told.lines.forEach(([, xs, ys], line) => xs.forEach((px, k) => {
        const d = (px - x) ** 2 + (ys[k] - y) ** 2;
        if (d < nearest) { nearest = d; best = [line, k]; }
      }));
      if (best) show(...best); else hide();
    });
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("blur", hide);
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
      if (event.key === "Escape") return hide();
      if (!(event.key in steps)) return;
      event.preventDefault();
      const [across, along] = steps[event.key];
      const lines = told.lines.length;
      const line = now ? (now[0] + across + lines) % lines : 0;
      const last = told.lines[line][1].length - 1;
      const k = now ? Math.min(last, Math.max(0, now[1] + along)) : 0;
      show(line, k);
    });
  }

  // A name in a legend brings its curve out.
  for (const item of document.querySelectorAll(".legend li[data-line]")) {
    const curve = item.closest(".picture").querySelector('polyline[data-line="' + item.dataset.line + '"]');
    if (!curve) continue;
    item.addEventListener("pointerenter", () => curve.classList.add("lit"));
    item.addEventListener("pointerleave", () => curve.classList.remove("lit"));
  }
})();
