// The operating-point explorer. All numbers come from hull corners (counts); nothing here knows a row.
(function () {
  "use strict";
  const root = document.getElementById("explore");
  if (!root) return;
  const data = JSON.parse(document.getElementById("explorer-data").textContent);
  const { number, figure, share, whole } = window.trueerrorWords;
  const part = (key) => root.querySelector('[data-x="' + key + '"]');
  const NAMES = { "-1": "AlwaysNeg", "-2": "AlwaysPos" };
  const TIE = 1e-12;
  const start = () => ({ ...data.start, tuned: data.models.every((m) => m.use === null) });
  const state = start();

  const threshold = (t) => (t === "inf" ? Infinity : t === "-inf" ? -Infinity : t);
  const sizes = (model) => (model < 0 ? data.models[0] : data.models[model]);
  function point(model, t, fp, tp) {
    const s = sizes(model);
    const fpr = data.exact ? fp / s.n : fp, tpr = data.exact ? tp / s.m : tp;
    return { model, t: t === null ? null : threshold(t), fpr, tpr, fp: data.exact ? fp : fpr * s.n, tp: data.exact ? tp : tpr * s.m, m: s.m, n: s.n };
  }
  const corners = data.corners.map((c) => point(c[0], c[1], c[2], c[3]));
  const own = data.models.map((m, i) => m.corners.map((c) => point(i, c[0], c[1], c[2])));
  const used = data.models.map((m, i) => (m.use === null ? null : point(i, m.use[0], m.use[1], m.use[2])));
  const trivial = [corners[0], corners[corners.length - 1]];

  const miss = () => state.prior * state.fn;
  const alarm = () => (1 - state.prior) * state.fp;
  const cost = (p) => miss() * (1 - p.tpr) + alarm() * p.fpr;
  function cheapest(points) {
    const costs = points.map(cost);
    const low = Math.min(...costs);
    return points[costs.findIndex((c) => c <= low + TIE)];
  }

  // Words.
  const nameOf = (p) => (p.model < 0 ? NAMES[p.model] : data.models[p.model].name);
  function where(p) {
    if (p.model === -1 || p.t === Infinity) return "calls nothing";
    if (p.model === -2) return "calls all";
    // A threshold in use was given by somebody: 0.5 is 0.5.
    return p.t === null ? "its own calls" : state.tuned ? number(p.t) : figure(p.t);
  }
  function choice(p) {
    const what = "“" + data.positive + "”";
    if (p.model === -1) return "Call nothing " + what + " (AlwaysNeg): here no model is worth its errors.";
    if (p.model === -2) return "Call everything " + what + " (AlwaysPos): here no model is worth its errors.";
    const call = p.t === null ? "by its own calls" : "call " + what + " from " + where(p) + " up";
    if (state.tuned) return "Use " + nameOf(p) + ", and " + call + ".";
    return "As used now " + nameOf(p) + " costs least: " + call + ".";
  }
  const costWords = () => (state.fp === state.fn ? "at equal costs" :
    "a false alarm costing " + figure(state.fp) + " and a miss " + figure(state.fn));
  const count = (x) => whole(Math.round(x * 10) / 10);
  const say = (key, text) => { const e = part(key); e.textContent = text; e.hidden = text === ""; };

  function show() {
    const best = state.tuned ? cheapest(corners) : cheapest(used.filter(Boolean).concat(trivial));
    say("choice", choice(best));
    part("badge").hidden = !state.tuned;
    const misses = best.m - best.tp;
    say("counts", count(misses) + (misses === 1 ? " miss of " : " misses of ") + count(best.m) + " and " + count(best.fp) +
      (best.fp === 1 ? " false alarm of " : " false alarms of ") + count(best.n) + " on these rows.");
    say("cost", "Cost per 100 rows: " + figure(100 * cost(best)) + " (AlwaysNeg " + figure(100 * cost(trivial[0])) +
      ", AlwaysPos " + figure(100 * cost(trivial[1])) + ").");
    say("rate", "In 1,000 rows with " + share(state.prior) + " positives: about " + figure(1000 * state.prior * (1 - best.tpr)) +
      " misses and " + figure(1000 * (1 - state.prior) * best.fpr) + " false alarms.");
    say("untuned", untuned(best));
    part("cell-tp").textContent = count(best.tp); part("cell-fn").textContent = count(misses);
    part("cell-fp").textContent = count(best.fp); part("cell-tn").textContent = count(best.n - best.fp);
    line(best);
    table(best);
    ranges();
    for (const key of ["prior", "fp", "fn"]) controls[key].show();
  }

  // The threshold that needs no choosing when scores are probabilities (Elkan 2001).
  function untuned(best) {
    if (best.model < 0 || !data.models[best.model].probabilities || !state.tuned) return "";
    const called = alarm() * data.prior, missed = miss() * (1 - data.prior);
    return "If its scores hold as probabilities, a threshold of " + number(called / (called + missed)) + " needs no tuning.";
  }

  // The line of equal cost through the chosen point, where it crosses the panel.
  const SVG = "http://www.w3.org/2000/svg";
  const make = (parent, tag, attributes) => {
    const e = document.createElementNS(SVG, tag);
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    return parent.appendChild(e);
  };
  const shown = [...root.querySelectorAll('[data-x="panel"]')];
  const panels = data.panels.map((p, i) => {
    const inner = shown[i].querySelector("svg.inner");
    const [left, top, width, height] = p.at;
    return {
      px: (fpr) => (left + width * (fpr - p.x[0]) / (p.x[1] - p.x[0])).toFixed(2),
      py: (tpr) => (top + height * (1 - (tpr - p.y[0]) / (p.y[1] - p.y[0]))).toFixed(2),
      iso: make(inner, "line", { class: "iso-cost" }),
      ring: make(inner, "circle", { class: "chosen", r: 7 }),
    };
  });
  function line(best) {
    const slope = alarm() / miss(), at = (x) => best.tpr + slope * (x - best.fpr);
    const low = Math.max(0, best.fpr - best.tpr / slope), high = Math.min(1, best.fpr + (1 - best.tpr) / slope);
    for (const { px, py, iso, ring } of panels) {
      iso.setAttribute("x1", px(low)); iso.setAttribute("y1", py(Math.max(0, at(low))));
      iso.setAttribute("x2", px(high)); iso.setAttribute("y2", py(Math.min(1, at(high))));
      ring.setAttribute("cx", px(best.fpr)); ring.setAttribute("cy", py(best.tpr));
    }
  }
  const zoom = part("zoom");
  if (zoom) zoom.addEventListener("change", () => shown.forEach((p, i) => { p.hidden = zoom.checked !== (i === 1); }));

  // Each model at its own threshold.
  const modelRows = [...part("models").querySelectorAll("tbody tr")];
  const caption = part("models").querySelector("caption");
  function table(best) {
    caption.textContent = state.tuned
      ? "Each model at its own cheapest threshold on these rows"
      : "As used now, " + costWords();
    modelRows.forEach((row, i) => {
      const p = i >= own.length ? trivial[i - own.length] : state.tuned ? cheapest(own[i]) : used[i];
      row.classList.toggle("best", p !== null && p.model === best.model);
      const texts = p === null ? ["–", "", "", ""] :
        [where(p), count(p.m - p.tp) + " of " + count(p.m), count(p.fp) + " of " + count(p.n), figure(100 * cost(p))];
      texts.forEach((text, k) => { row.cells[k + 1].textContent = text; });
    });
  }

  // Over which shares of positives each classifier is the cheapest, at these costs.
  function merged() {
    const out = [];
    let from = 0;
    corners.forEach((c, i) => {
      const next = corners[i + 1];
      let to = 1;
      if (next) {
        const rise = next.tpr - c.tpr, run = next.fpr - c.fpr;
        to = run > 0 ? state.fp / (state.fp + state.fn * (rise / run)) : 0;
      }
      if (to > from) {
        const last = out[out.length - 1];
        if (last && last.model === c.model) last.to = to;
        else out.push({ model: c.model, from, to });
      }
      from = to;
    });
    return out;
  }
  const rangeBody = part("ranges").querySelector("tbody"), rangeCaption = part("ranges").querySelector("caption");
  const strip = part("strip");
  function ranges() {
    rangeCaption.textContent = "Cheapest by the share of positives, " + costWords();
    rangeBody.textContent = "";
    strip.textContent = "";
    for (const r of merged()) {
      const row = rangeBody.insertRow();
      const head = row.appendChild(document.createElement("th"));
      head.scope = "row"; head.className = "name";
      head.textContent = nameOf(r);
      for (const x of [r.from, r.to]) { const cell = row.insertCell(); cell.className = "number"; cell.textContent = share(x); }
      row.classList.toggle("best", r.from <= state.prior && state.prior <= r.to);
      const look = r.model < 0 ? "always" : r.model < 7 ? "c" + r.model : "rest";
      make(strip, "rect", { x: 100 * r.from + "%", width: 100 * (r.to - r.from) + "%", y: 4, height: 14, class: "range " + look });
    }
    make(strip, "line", { x1: 100 * state.prior + "%", x2: 100 * state.prior + "%", y1: 0, y2: 24, class: "now" });
  }

  // Controls: a slider with a scale of its own, and a box for the exact number.
  const round = (x, digits) => Number(x.toPrecision(digits));
  const logit = (p) => Math.log(p / (1 - p));
  const END = logit(0.999);
  const scales = {
    prior: {
      fromSlider: (v) => { const p = 1 / (1 + Math.exp(-(2 * END * v / 1000 - END))); return p < 0.1 || p > 0.9 ? Math.round(p * 1e4) / 1e4 : Math.round(p * 1e3) / 1e3; },
      toSlider: (p) => 1000 * (logit(p) + END) / (2 * END),
      fromBox: (v) => v / 100, toBox: (p) => round(100 * p, 4), fits: (p) => p > 0 && p < 1, words: share,
    },
  };
  scales.fp = scales.fn = {
    fromSlider: (v) => round(10 ** (v / 250 - 1), 2), toSlider: (c) => 250 * (Math.log10(c) + 1),
    fromBox: Number, toBox: (c) => round(c, 6), fits: (c) => c > 0 && isFinite(c), words: figure,
  };
  const controls = {};
  for (const key of ["prior", "fp", "fn"]) {
    const slider = part(key + "-slider"), box = part(key), scale = scales[key];
    const change = (value, source) => {
      const good = scale.fits(value);
      box.setAttribute("aria-invalid", String(!good));
      if (!good) return;
      state[key] = value;
      state.tuned = true;
      controls[key].source = source;
      show();
      controls[key].source = null;
    };
    slider.addEventListener("input", () => change(scale.fromSlider(Number(slider.value)), slider));
    box.addEventListener("input", () => change(box.value === "" ? NaN : scale.fromBox(Number(box.value)), box));
    controls[key] = {
      source: null,
      // What the hand is on is left alone.
      show() {
        if (this.source !== slider) slider.value = String(Math.round(scale.toSlider(state[key])));
        if (this.source !== box) { box.value = String(scale.toBox(state[key])); box.setAttribute("aria-invalid", "false"); }
        slider.setAttribute("aria-valuetext", scale.words(state[key]));
      },
    };
  }
  root.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  part("reset").addEventListener("click", () => {
    Object.assign(state, start());
    show();
  });
  show();
})();
