// Pictures answer the pointer and the arrow keys with the exact point: its model, threshold and rates.
(async function () {
  "use strict";
  const { hover: data = {}, pairs = [] } = await window.trueerrorData;
  const SVG = "http://www.w3.org/2000/svg";
  const NEAR = 26;
  // As they are packed in reports/_html.py: tenths of a pixel, each as what it adds; words without the zero in front.
  const places = (added) => { let at = 0; return added.map((d) => (d === null ? null : (at += d) / 10)); };
  const figures = (text) => text.split("|").map((word) => (word.startsWith(".") ? "0" + word : word));
  const tip = document.body.appendChild(document.createElement("div"));
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("role", "status");

  for (const svg of document.querySelectorAll("svg[data-picture]")) {
    const told = data[svg.dataset.picture];
    if (!told) continue;
    if (told.bands) svg.querySelectorAll(".band.quiet").forEach((band, i) => band.setAttribute("d", told.bands[i]));
    told.lines = told.lines.map(([name, xs, ys, columns]) => [name, places(xs), places(ys), columns.map(figures)]);
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

  // A pair the other way round has the same figures with the other sign.
  const flipped = (x) => (x.startsWith("+") ? "−" : x.startsWith("−") ? "+" : "") + x.replace(/^[+−]/, "");
  const turned = (tip) => tip.replace(/^(\S+) \[(\S+), (\S+)\]/, (all, x, low, high) => flipped(x) + " [" + flipped(high) + ", " + flipped(low) + "]");
  for (const table of document.querySelectorAll("[data-pairs]")) {
    const rows = [...table.tBodies[0].rows];
    (pairs[table.dataset.pairs] || []).forEach((tips, i) => tips.split("|").forEach((tip, k) => {
      if (!tip) return;
      rows[i].cells[i + k + 2].title = tip;
      rows[i + k + 1].cells[i + 1].title = turned(tip);
    }));
  }

  // Looking closely: the corner, or the whole.
  for (const box of document.querySelectorAll("input[data-zoom]")) {
    const show = () => { for (const view of box.closest(".zoomable").querySelectorAll("[data-view]")) view.hidden = box.checked !== (view.dataset.view === "corner"); };
    box.addEventListener("change", show);
    show();
  }

  // A name in a legend brings its curve out, with its band: while it is pointed at, or until it is taken back.
  for (const picture of document.querySelectorAll(".picture")) {
    const items = [...picture.querySelectorAll(".legend li[data-line]")];
    const curves = [...picture.querySelectorAll("path[data-line]")], bands = [...picture.querySelectorAll("[data-band]")];
    let kept = null, lead = null;
    const light = (line) => {
      for (const c of curves) { c.classList.toggle("lit", c.dataset.line === line); c.classList.toggle("dim", line !== null && c.dataset.line !== line); }
      const item = items.find((i) => i.dataset.line === (line === null ? lead : line)), series = item ? item.dataset.series || item.dataset.line : bands.length ? bands[0].dataset.band : null;
      if (!bands.some((b) => b.dataset.band === series)) return;
      for (const b of bands) b.classList.toggle("quiet", b.dataset.band !== series);
      const key = picture.querySelector(".legend .band.key");
      if (key) key.setAttribute("class", bands.find((b) => b.dataset.band === series).getAttribute("class") + " key");
    };
    picture.addEventListener("lead", (event) => { lead = String(event.detail); if (kept === null) light(null); });
    for (const item of items) {
      const line = item.dataset.line;
      const keep = () => {
        kept = kept === line ? null : line;
        for (const other of items) other.querySelector("[role=button]").setAttribute("aria-pressed", String(other.dataset.line === kept));
        light(kept);
      };
      const knob = item.querySelector("span");
      knob.setAttribute("role", "button");
      knob.setAttribute("aria-pressed", "false");
      knob.tabIndex = 0;
      item.addEventListener("pointerenter", () => light(line));
      item.addEventListener("pointerleave", () => light(kept));
      knob.addEventListener("focus", () => light(line));
      knob.addEventListener("blur", () => light(kept));
      item.addEventListener("click", keep);
      knob.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); keep(); } });
    }
  }
})();

// Charts as files: the drawing with its title and legend, every colour written out, as SVG or painted as PNG.
(function () {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const PAD = 16, LINE = 18, SCALE = 2;
  const COPIED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight", "text-anchor", "paint-order", "stroke-linejoin"];
  const make = (parent, tag, attributes, text) => {
    const e = document.createElementNS(SVG, tag);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    return parent.appendChild(e);
  };
  const seen = (e) => { const style = getComputedStyle(e); return style.display !== "none" && style.visibility !== "hidden"; };
  // A copy of what is seen, without classes: colours as the page shows them now.
  function copied(from, to) {
    for (const child of from.children) {
      if (child.tagName === "title" || !seen(child)) continue;
      const style = getComputedStyle(child), e = make(to, child.tagName, {});
      for (const { name, value } of child.attributes) if (!/^(class|data-|aria-|role|tabindex|on)/.test(name)) e.setAttribute(name, value);
      if (child.tagName !== "svg" && child.tagName !== "g") for (const key of COPIED) { const value = style.getPropertyValue(key); if (value && value !== "normal") e.setAttribute(key, value.replace(/px/g, "")); }
      else if (style.opacity !== "1") e.setAttribute("opacity", style.opacity);
      if (child.tagName === "text") e.textContent = child.textContent; else copied(child, e);
    }
  }
  function whole(figure) {
    const drawing = figure.querySelector("svg.te-picture:not([aria-hidden])"), box = drawing.viewBox.baseVal;
    const colour = getComputedStyle(document.documentElement), ink = colour.getPropertyValue("--ink").trim(), paper = colour.getPropertyValue("--paper").trim();
    const names = [...figure.querySelectorAll(".legend li")].filter(seen), title = (figure.querySelector("figcaption b") || {}).textContent || figure.dataset.title || "";
    const words = { "font-family": "Helvetica, Arial, sans-serif", "font-size": 12, fill: ink };
    const measure = document.createElement("canvas").getContext("2d");
    measure.font = "12px Helvetica, Arial, sans-serif";
    const width = Math.max(box.width, ...names.map((n) => 34 + measure.measureText(n.textContent).width), 7.5 * title.length) + 2 * PAD;
    const height = PAD + (title ? LINE + 4 : 0) + box.height + LINE * names.length + PAD;
    const out = document.createElementNS(SVG, "svg");
    for (const [key, value] of Object.entries({ xmlns: SVG, width, height, viewBox: "0 0 " + width + " " + height, "font-family": "Helvetica, Arial, sans-serif" })) out.setAttribute(key, value);
    make(out, "rect", { x: 0, y: 0, width, height, fill: paper });
    let y = PAD;
    if (title) { make(out, "text", { ...words, x: PAD, y: y + 12, "font-size": 14, "font-weight": 700 }, title); y += LINE + 4; }
    copied(drawing, make(out, "svg", { x: PAD, y, width: box.width, height: box.height, viewBox: [box.x, box.y, box.width, box.height].join(" ") }));
    y += box.height;
    for (const name of names) {
      const swatch = name.querySelector("svg");
      if (swatch) copied(swatch, make(out, "svg", { x: PAD, y: y + 2, width: 26, height: 12, viewBox: "0 0 26 12" }));
      make(out, "text", { ...words, x: PAD + 34, y: y + 12 }, name.textContent.trim());
      y += LINE;
    }
    return out;
  }
  // The few shapes that our drawings are made of, painted by hand: the page's policy lets no picture be loaded.
  function paint(e, ctx) {
    const get = (key, otherwise) => (e.hasAttribute(key) ? e.getAttribute(key) : otherwise), at = (key) => parseFloat(get(key, "0"));
    ctx.save();
    const moved = /translate\(([-\d.]+)[ ,]+([-\d.]+)\)/.exec(get("transform", "")), turned = /rotate\(([-\d.]+)(?:[ ,]+([-\d.]+)[ ,]+([-\d.]+))?\)/.exec(get("transform", ""));
    if (moved) ctx.translate(Number(moved[1]), Number(moved[2]));
    if (turned) { const x = Number(turned[2] || 0), y = Number(turned[3] || 0); ctx.translate(x, y); ctx.rotate(Number(turned[1]) * Math.PI / 180); ctx.translate(-x, -y); }
    ctx.globalAlpha *= Number(get("opacity", 1));
    const path = new Path2D();
    if (e.tagName === "svg") {
      const [x, y, w, h] = get("viewBox", "0 0 " + at("width") + " " + at("height")).split(/[ ,]+/).map(Number);
      ctx.translate(at("x"), at("y"));
      if (e.parentElement) { ctx.beginPath(); ctx.rect(0, 0, at("width") || w, at("height") || h); ctx.clip(); }
      ctx.translate(-x, -y);
    } else if (e.tagName === "line") { path.moveTo(at("x1"), at("y1")); path.lineTo(at("x2"), at("y2")); }
    else if (e.tagName === "rect") path.rect(at("x"), at("y"), at("width"), at("height"));
    else if (e.tagName === "circle") path.arc(at("cx"), at("cy"), at("r"), 0, 2 * Math.PI);
    else if (e.tagName === "path") path.addPath(new Path2D(get("d", "")));
    else if (e.tagName === "polyline" || e.tagName === "polygon") {
      get("points", "").trim().split(/\s+/).forEach((p, i) => { const [x, y] = p.split(",").map(Number); if (i) path.lineTo(x, y); else path.moveTo(x, y); });
      if (e.tagName === "polygon") path.closePath();
    }
    const drawn = (kind) => get(kind, "none") !== "none" && !/^rgba\(0, 0, 0, 0\)$/.test(get(kind, "none"));
    ctx.lineWidth = parseFloat(get("stroke-width", "1"));
    ctx.setLineDash(drawn("stroke") && get("stroke-dasharray", "none") !== "none" ? get("stroke-dasharray").split(/[ ,]+/).map(parseFloat) : []);
    if (e.tagName === "text") {
      ctx.font = (get("font-weight", "400")) + " " + parseFloat(get("font-size", "12")) + "px Helvetica, Arial, sans-serif";
      ctx.textAlign = { middle: "center", end: "right" }[get("text-anchor", "start")] || "left";
      if (drawn("stroke")) { ctx.strokeStyle = get("stroke"); ctx.lineJoin = "round"; ctx.strokeText(e.textContent, at("x"), at("y")); }
      ctx.fillStyle = get("fill", "#000"); ctx.fillText(e.textContent, at("x"), at("y"));
    } else if (e.tagName !== "svg" && e.tagName !== "g") {
      if (drawn("fill")) { ctx.fillStyle = get("fill"); ctx.fill(path); }
      if (drawn("stroke")) { ctx.strokeStyle = get("stroke"); ctx.stroke(path); }
    }
    if (e.tagName === "svg" || e.tagName === "g") for (const child of e.children) paint(child, ctx);
    ctx.restore();
  }
  function save(blob, name) {
    const link = document.createElement("a"), address = URL.createObjectURL(blob);
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }
  const FORMATS = {
    SVG: (svg, name) => save(new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" }), name + ".svg"),
    PNG: (svg, name) => {
      const canvas = document.createElement("canvas");
      canvas.width = Math.ceil(SCALE * svg.getAttribute("width")); canvas.height = Math.ceil(SCALE * svg.getAttribute("height"));
      const ctx = canvas.getContext("2d");
      ctx.scale(SCALE, SCALE);
      paint(svg, ctx);
      canvas.toBlob((blob) => save(blob, name + ".png"), "image/png");
    },
  };
  for (const figure of document.querySelectorAll("figure")) {
    if (!figure.querySelector("svg.te-picture:not([aria-hidden])")) continue;
    const bar = document.createElement("p");
    bar.className = "copies saves";
    bar.append("Save as ");
    for (const format in FORMATS) {
      const button = bar.appendChild(document.createElement("button"));
      button.type = "button";
      button.textContent = format;
      button.addEventListener("click", () => {
        const title = (figure.querySelector("figcaption b") || {}).textContent || figure.dataset.title || "chart";
        FORMATS[format](whole(figure), title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "chart");
      });
    }
    figure.appendChild(bar);
  }
})();
