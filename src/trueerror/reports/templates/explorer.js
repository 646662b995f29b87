// The operating-point explorer. Everything is computed from counts at points of the curves, and from what resamples of
// the rows add to them; nothing here knows a row.
(async function () {
  "use strict";
  const root = document.getElementById("explore");
  if (!root) return;
  const data = (await window.trueerrorData).explorer;
  if (!data) {
    for (const e of root.querySelectorAll(".controls, .js-only")) e.hidden = true;
    return;
  }
  const { number, figure, share, whole, amount, tied } = window.trueerrorWords;
  const part = (key) => root.querySelector('[data-x="' + key + '"]');
  const TRIVIAL = { "-1": "Flag nothing", "-2": "Flag everything" };
  const TIE = 1e-12;
  const LEVEL = figure(100 * data.confidence) + " % CI";
  const nearest = (v) => data.grid.reduce((b, t, k) => (Math.abs(t - v) < Math.abs(data.grid[b] - v) ? k : b), 0);
  // The slider begins where scores are cut now.
  const cuts = data.models.map((m) => m.use && m.use[0]).filter((t) => typeof t === "number"), cutNow = cuts[0];
  // Probabilities have a threshold that follows from costs and class mix.
  const ruled = data.models.some((m) => m.at) && data.models.every((m) => m.at === null || m.probabilities);
  const start = () => ({
    ...data.start, mode: data.models.some((m) => m.use !== null) ? "use" : ruled ? "costs" : "best",
    at: cutNow === undefined ? Math.floor(data.grid.length / 2) : nearest(cutNow), model: null, unit: "",
  });
  const state = start();

  // Points of the curves.
  const threshold = (t) => (t === "inf" ? Infinity : t === "-inf" ? -Infinity : t);
  function point(model, t, fp, tp) {
    const s = data.models[Math.max(model, 0)];
    const fpr = data.exact ? fp / s.n : fp, tpr = data.exact ? tp / s.m : tp;
    return { model, t: t === null ? null : threshold(t), fpr, tpr, fp: fpr * s.n, tp: tpr * s.m, m: s.m, n: s.n };
  }
  const counted = (p) => Object.assign(p, data.exact ? { fp: Math.round(p.fp), tp: Math.round(p.tp) } : {});
  const corners = data.corners.map((c) => counted(point(c[0], c[1], c[2], c[3])));
  const own = data.models.map((m, i) => m.corners.map((c) => counted(point(i, c[0], c[1], c[2]))));
  const used = data.models.map((m, i) => (m.use === null ? null : counted(point(i, m.use[0], m.use[1], m.use[2]))));
  const left = (taken) => { let rest = 0; return taken.map((x) => (rest -= x)); };
  const cut = data.models.map((m, i) => {
    if (m.at === null) return null;
    const [fp, tp] = m.at.map(left);
    return data.grid.map((t, k) => counted(point(i, t, fp[k], tp[k])));
  });
  const trivial = [corners[0], corners[corners.length - 1]];

  const miss = () => state.prior * state.fn;
  const alarm = () => (1 - state.prior) * state.fp;
  const cost = (p) => miss() * (1 - p.tpr) + alarm() * p.fpr;
  function cheapest(points) {
    const costs = points.map(cost);
    const low = Math.min(...costs);
    return points[costs.findIndex((c) => c <= low + TIE)];
  }
  // The threshold from which flagging a calibrated probability costs less than not flagging it (Elkan 2001).
  function followed(mix) {
    const flagged = (1 - mix) * state.fp * data.prior, missed = mix * state.fn * (1 - data.prior);
    return flagged / (flagged + missed);
  }
  // Each model as the page looks at it where positives have this share; null where it has no such point.
  function pointsAt(mix) {
    if (state.mode === "best") return own.map(cheapest);
    const k = state.mode === "at" ? state.at : state.mode === "costs" ? nearest(followed(mix)) : -1;
    return used.map((p, i) => (k < 0 || !cut[i] || (p && p.t !== null && Math.abs(p.t - data.grid[k]) < 1e-9) ? p : cut[i][k]));
  }
  function chosen(points) {
    if (state.model !== null && points[state.model]) return points[state.model];
    return state.mode === "best" ? cheapest(corners) : cheapest(points.filter(Boolean).concat(trivial));
  }
  // Whether the class mix is that of the rows, and so as uncertain as they are.
  const ownMix = () => !data.given && state.prior === data.start.prior;
  const unmoved = () => ["prior", "fp", "fn"].every((key) => state[key] === data.start[key]);

  // Resamples: what each adds to the rates at a model's knots, which lie along its curve.
  const knots = data.models.map((m) => {
    if (!m.knots) return null;
    const raw = m.draws, size = m.knots.length, count = raw.length / (2 * size);
    const at = m.knots.map((k) => (data.exact ? [k[0] / m.n, k[1] / m.m] : [k[0], k[1]]));
    const moves = [new Float64Array(count * size), new Float64Array(count * size)];
    for (let i = 0; i < count * size; i += 1) {
      const knot = m.knots[i % size];
      for (const side of [0, 1]) moves[side][i] = knot[2 + side] * (raw.charCodeAt(2 * i + side) - 80);
    }
    return { at, moves, size, count, ranks: at.map((r) => r[0] + r[1]) };
  });
  const resampled = knots.length > 0 && knots.every(Boolean);
  const resamples = resampled ? knots[0].count : 0;
  // Between which knots a point lies, and how far: [first, second, share of the second]; −1 is an end of the curve.
  function place(k, p) {
    const rank = p.fpr + p.tpr;
    let j = 0;
    while (j < k.size && k.ranks[j] < rank - 1e-12) j += 1;
    if (j < k.size && Math.abs(k.ranks[j] - rank) <= 1e-12) return [j, j, 0];
    const low = j === 0 ? 0 : k.ranks[j - 1], high = j === k.size ? 2 : k.ranks[j];
    return [j - 1, j === k.size ? -1 : j, (rank - low) / (high - low)];
  }
  const clip = (x) => Math.min(1, Math.max(0, x));
  function resampledCosts(p, up = miss(), down = alarm()) {
    const out = new Float64Array(resamples);
    if (p.model < 0 || !resampled) return out.fill(up * (1 - p.tpr) + down * p.fpr);
    const k = knots[p.model], [a, b, f] = place(k, p);
    for (let r = 0; r < resamples; r += 1) {
      const move = (side) => (a < 0 ? 0 : (1 - f) * k.moves[side][r * k.size + a]) + (b < 0 ? 0 : f * k.moves[side][r * k.size + b]);
      out[r] = up * (1 - clip(p.tpr + move(1))) + down * clip(p.fpr + move(0));
    }
    return out;
  }
  // The cheapest of a model's knots in each resample.
  function retuned(model, up, down) {
    const k = knots[model], costs = new Float64Array(resamples).fill(Infinity);
    for (const j of data.models[model].tuned) {
      for (let r = 0; r < resamples; r += 1) {
        const at = r * k.size + j;
        costs[r] = Math.min(costs[r], up * (1 - clip(k.at[j][1] + k.moves[1][at])) + down * clip(k.at[j][0] + k.moves[0][at]));
      }
    }
    return costs;
  }
  // What a threshold (and model) that was chosen here may cost elsewhere: what choosing flatters by is known at some
  // prices of the two errors, of all models together and of each.
  const ranked = data.models.map((m, i) => [m, i]).filter(([m]) => m.at !== null).map(([, i]) => i);
  function elsewhere(best) {
    const { tuned } = data.start;
    if (tuned !== null && unmoved() && state.model === null) return tuned;
    const all = miss() + alarm(), a = alarm() / all, more = data.optimism[state.model === null ? 0 : 1 + ranked.indexOf(best.model)];
    let k = 0;
    while (k < data.slopes.length - 2 && data.slopes[k + 1] < a) k += 1;
    const f = clip((a - data.slopes[k]) / (data.slopes[k + 1] - data.slopes[k]));
    return cost(best) + all * between(more[k], more[k + 1], f);
  }
  // In which share of the resamples each is the cheapest, the trivial two last; a model must beat those.
  function winners(columns, up, down) {
    const wins = new Float64Array(columns.length + 2), idle = Math.min(up, down), first = columns.length + (up <= down + TIE ? 0 : 1);
    for (let r = 0; r < resamples; r += 1) {
      let low = Infinity, tied = 0;
      for (const c of columns) if (c && c[r] < low) low = c[r];
      if (low >= idle - TIE) { wins[first] += 1; continue; }
      for (const c of columns) if (c && c[r] <= low + TIE) tied += 1;
      columns.forEach((c, i) => { if (c && c[r] <= low + TIE) wins[i] += 1 / tied; });
    }
    return Array.from(wins, (w) => w / resamples);
  }

  // Limits, as inference/_estimate.py has them: Wilson's of shares of independent rows, else those of the effective t.
  function wilson(p, n, q) {
    const limit = (side) => (p + q * q / (2 * n) + side * q * Math.sqrt(p * (1 - p) / n + q * q / (4 * n * n))) / (1 + q * q / n);
    return n > 0 ? [p <= 0 ? 0 : limit(-1), p >= 1 ? 1 : limit(1)] : [0, 1];
  }
  // Student's t with df degrees of freedom, from a table over 1/df.
  function student(table, df) {
    const u = (table.length - 1) / df, k = Math.min(Math.floor(u), table.length - 2);
    return table[k] ** (k + 1 - u) * table[k + 1] ** (u - k);
  }
  // Marks lie along the curves of clustered or weighted rows; what is known there is interpolated between them.
  const marks = data.models.map((m) => m.marks && { values: m.marks.map((k) => k.slice(2)), size: m.marks.length, ranks: m.marks.map((k) => k[0] + k[1]) });
  const between = (x, y, f) => (Array.isArray(x) ? x.map((v, i) => between(v, y[i], f)) : (1 - f) * x + f * y);
  function mark(p) {
    const k = marks[Math.max(p.model, 0)];
    if (!k) return null;
    const [a, b, f] = place(k, p);
    return between(k.values[a], k.values[b], f);
  }
  const asLibrary = (p) => (unmoved() && p.model >= 0 && p === used[p.model] ? data.models[p.model].limits : null);
  function rateLimits(p) {
    const given = asLibrary(p), z = data.t.shown[0], known = given || mark(p);
    if (given) return { miss: given[1], alarm: given[2] };
    if (known) return { miss: known[0].slice(0, 2), alarm: known[0].slice(2) };
    return { miss: wilson(1 - p.tpr, p.m, z), alarm: wilson(p.fpr, p.n, z) };
  }
  // The units of a sample of independent rows: how many, effectively, and the sums of their squares, cubes and fourth
  // powers; each of `kinds` is how many rows there are, and what one adds.
  const powers = (n, kinds) => [n, n, ...[2, 3, 4].map((e) => kinds.reduce((s, [count, unit]) => s + count * unit ** e, 0))];
  // What a cost varies by, with half a row more where that lowers (end 0) or raises (end 1) it most: its value there, and
  // the units of each sample drawn apart.
  function varied(p, end, mine) {
    const [x, y] = mine ? [state.fn, state.fp] : [miss(), alarm()], known = mark(p), flagged = p.tp + p.fp;
    const costlier = x > y || (x === y && p.m < flagged), half = data.models[Math.max(p.model, 0)].weight / 2;
    const more = !mine ? [half, half] : (end ? costlier : flagged < p.n) ? [half, 0] : [0, half];
    const rows = [p.m + more[0], p.n + more[1]], wrong = [p.m - p.tp + end * more[0], p.fp + end * more[1]], price = [x, y];
    const all = rows[0] + rows[1], value = price.reduce((s, c, i) => s + c * wrong[i] / (mine ? all : rows[i]), 0);
    if (known) {
      // A sum of products of powers, in prices.
      const sum = (terms) => terms.reduce((s, term, i) => s + term * x ** (terms.length - 1 - i) * y ** i, 0);
      const way = mine ? (end ? (costlier ? 2 : 3) : flagged < p.n ? 1 : 0) : 4 + end;
      return [value, known[1][way].map((k) => [k[0], k[1], sum(k.slice(2, 5)), sum(k.slice(5, 9)), sum(k.slice(9))])];
    }
    if (mine) return [value, [powers(all, [[all - wrong[0] - wrong[1], -value / all], ...wrong.map((w, i) => [w, (price[i] - value) / all])])]];
    return [value, rows.map((n, i) => powers(n, [[wrong[i], price[i] * (n - wrong[i]) / n / n], [n - wrong[i], -price[i] * wrong[i] / n / n]]))];
  }
  function costLimits(p, t = data.t.shown) {
    const mine = ownMix(), given = t === data.t.shown && asLibrary(p), c = cost(p);
    if (p.model < 0 && !mine) return [c, c];
    if (given) return given[0];
    // What is wrong is a share of the rows.
    if (mine && state.fp === state.fn && !marks[Math.max(p.model, 0)]) return wilson(c / state.fp, p.m + p.n, t[0]).map((x) => x * state.fp);
    const most = mine ? Math.max(state.fp, state.fn) : miss() + alarm();
    return [0, 1].map((end) => {
      if (Math.abs(c - end * most) <= TIE * most) return c;
      const [value, samples] = varied(p, end, mine);
      const variances = samples.map(([n, , squares]) => n / (n - 1) * squares), v = variances.reduce((s, x) => s + x, 0);
      const welch = samples.reduce((s, [, k], i) => s + variances[i] ** 2 / Math.max(k - 1, 1), 0);
      const slope = value > 0 && value < most ? v * (1 / value - 1 / (most - value)) : 0;
      const beyond = samples.reduce((s, [n, , squares, cubes, fourths]) => s + n / (n - 1) * (fourths - squares * squares / n - 2 * slope * cubes + slope * slope * squares), 0);
      const df = Math.max(1, Math.min(beyond > 1e-12 * v * v ? 2 * v * v / beyond : Infinity, v * v / welch));
      return most * wilson(c / most, value * (most - value) / v, student(t, df))[end];
    });
  }
  function correlation(a, b) {
    const mean = (v) => v.reduce((s, x) => s + x, 0) / v.length, x = mean(a), y = mean(b);
    let xy = 0, xx = 0, yy = 0;
    a.forEach((v, i) => { xy += (v - x) * (b[i] - y); xx += (v - x) ** 2; yy += (b[i] - y) ** 2; });
    return xx > 1e-18 && yy > 1e-18 ? Math.min(1, Math.max(-1, xy / Math.sqrt(xx * yy))) : 0;
  }
  // What q costs more than p, with limits that hold for all rivals together.
  function gap(p, q, drawn) {
    const d = cost(q) - cost(p), start = data.start.gaps, asStarted = (x) => x.model < 0 || x === used[x.model];
    if (start && unmoved() && asStarted(p) && asStarted(q) && start.best === p.model && q.model >= 0 && start.of[q.model]) {
      const [low, high, clear] = start.of[q.model];
      return { model: q.model, d, low, high, clear };
    }
    const rho = resampled ? correlation(drawn, resampledCosts(q)) : 0;
    const side = (x, y) => Math.sqrt(Math.max(0, x * x - 2 * rho * x * y + y * y));
    const reach = (t) => {
      const [lp, up] = costLimits(p, t), [lq, uq] = costLimits(q, t);
      return [d - side(cost(q) - lq, up - cost(p)), d + side(uq - cost(q), cost(p) - lp)];
    };
    const [low, high] = reach(data.t.together), [under, over] = reach(data.t.clearly);
    return { model: q.model, d, low, high, clear: under > 0 || over < 0 };
  }

  // Words.
  const nameOf = (p) => (p.model < 0 ? TRIVIAL[p.model] : data.models[p.model].name);
  const cutWords = (t) => (state.mode === "best" ? number(t) : number(t).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""));
  function where(p) {
    if (p.model < 0 || p.t === Infinity) return "";
    return p.t === null ? "its own calls" : cutWords(p.t);
  }
  const atWords = (p) => (p.t === null ? "by its own calls" : p.t === Infinity ? "flagging nothing" : "at threshold " + where(p));
  const WORTHLESS = { best: () => "even at its best threshold", costs: () => "at threshold " + cutWords(data.grid[nearest(followed(state.prior))]), at: () => "at threshold " + cutWords(data.grid[state.at]), use: () => data.now };
  const begun = data.now[0].toUpperCase() + data.now.slice(1);
  function choice(p) {
    const what = "“" + data.positive + "”";
    if (p.model < 0) return (p.model === -1 ? "Flag nothing as " : "Flag everything as ") + what + ": " + WORTHLESS[state.mode]() + " no model is worth its errors.";
    const idle = trivial.findIndex((t) => t.fpr === p.fpr && t.tpr === p.tpr);
    if (idle >= 0 && state.model === null) return nameOf(p) + " flags " + ["nothing", "everything"][idle] + " (threshold " + where(p) + "): that needs no model.";
    if (state.model !== null) return nameOf(p) + " " + atWords(p) + ".";
    if (state.mode === "best") return "On these rows " + nameOf(p) + " " + atWords(p) + " looks cheapest.";
    if (state.mode === "costs") return "Run " + nameOf(p) + " " + atWords(p) + ".";
    if (state.mode === "at" && p.t !== null) return "At threshold " + where(p) + " " + nameOf(p) + " costs least.";
    if (data.models.length === 1) return begun + " (" + (p.t === null ? "by its own calls" : "threshold " + where(p)) + ") " + nameOf(p) + " costs less than flagging nothing or everything.";
    return begun + " " + nameOf(p) + " costs least (" + (p.t === null ? "by its own calls" : "threshold " + where(p)) + ").";
  }
  const unit = () => (state.unit === "" ? "" : " " + state.unit);
  const count = (x) => whole(Math.round(x * 10) / 10);
  const signed = (x, digits) => (amount(Math.abs(x), digits) === amount(0, digits) ? "" : x < 0 ? "−" : "+") + amount(Math.abs(x), digits);
  // As many decimals as give the largest number of a column three digits, and one at least, as on the leaderboard.
  const decimals = (largest) => (largest > 0 ? Math.max(1, Math.min(6, 2 - Math.floor(Math.log10(largest)))) : 0);
  // As many as the narrowest of some intervals, in percent, needs to show its width.
  const fineness = (limits) => Math.max(0, ...limits.filter(([low, high]) => high > low).map(([low, high]) => Math.min(4, -Math.floor(Math.log10(100 * (high - low)) + 1e-9))));
  // One number of decimals for the costs of all models, in words and in the table.
  const costDigits = (points) => {
    const limits = points.filter(Boolean).map((p) => costLimits(p));
    return Math.max(decimals(100 * Math.max(0, ...limits.map((l) => l[1]))), fineness(limits));
  };
  const listed = (words, last) => (words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " " + last + " " + words[words.length - 1]);
  const say = (key, text) => { const e = part(key); e.textContent = tied(text); e.hidden = text === ""; };
  // A rate and its limits, in percent.
  const rateWords = (rate, [low, high]) => {
    let digits = Math.max(1, fineness([[low, high]]));
    // No limit looks like the rate itself.
    const alike = (x) => x !== rate && amount(100 * x, digits) === amount(100 * rate, digits);
    while (digits < 6 && (alike(low) || alike(high))) digits += 1;
    return amount(100 * rate, digits) + " %, " + LEVEL + " " + amount(100 * low, digits) + " to " + amount(100 * high, digits) + " %";
  };

  function sure(best, points, drawn) {
    const words = [], shared = costDigits(points);
    // A limit on one side of 0 is not shown as 0.
    const apart = (g, digits) => (digits < 6 && g.low * g.high > 0 && [g.low, g.high].some((x) => amount(Math.abs(100 * x), digits) === amount(0, digits)) ? apart(g, digits + 1) : digits);
    const amountWords = (g, digits = apart(g, shared)) => signed(100 * g.d, digits) + unit() + " per 100, " + LEVEL + " " + signed(100 * g.low, digits) + " to " + signed(100 * g.high, digits);
    const others = points.filter((p) => p && p.model !== best.model).map((p) => gap(best, p, drawn)).sort((a, b) => a.d - b.d);
    const close = others.filter((g) => g.low <= 0 && g.high >= 0), cheaper = others.filter((g) => g.high < 0);
    if (best.model >= 0) {
      if (cheaper.length) words.push((cheaper.every((g) => g.clear) ? "Clearly" : "Probably") + " cheaper: " + listed(cheaper.slice(0, 3).map((g) => nameOf(g) + " (" + amountWords(g) + ")"), "and") + ".");
      if (close.length) {
        const named = close.slice(0, 3).map((g) => nameOf(g) + " (" + amountWords(g) + ")"), more = close.length - named.length;
        words.push("Too close to call: " + listed(more > 0 ? [...named, whole(more) + " more"] : named, "and") + ".");
      } else if (others.length && !cheaper.length) {
        words.push((others.every((g) => g.clear) ? "Clear" : "Probable") + " difference: " + (others.length > 1 ? "every other model costs more, the next " : "") + nameOf(others[0]) + (others.length > 1 ? "" : " costs more") + " (" + amountWords(others[0]) + ").");
      }
      const limits = costLimits(best);
      const idle = trivial.filter((t) => limits[1] >= cost(t) && cost(t) >= cost(best));
      if (idle.length) words.push("No clear gain over " + (idle[0].model === -1 ? "flagging nothing" : "flagging everything") + ".");
    }
    return words.join(" ");
  }

  // What the last move changed: compared with what was shown before the hand took hold.
  let shown = null, before = null, hand = null, cutShown = null;
  function changes(a, b) {
    if (!a || !b) return "";
    const moved = [];
    for (const [key, words, as] of [["prior", "share of positives", share], ["fp", "cost of a false alarm", figure], ["fn", "cost of a miss", figure]]) {
      if (a[key] !== b[key]) moved.push(words + " " + as(a[key]) + " → " + as(b[key]));
    }
    if (a.who !== b.who) moved.push(a.who + " → " + b.who);
    if (a.where !== b.where && a.where && b.where) moved.push("threshold " + a.where + " → " + b.where);
    if (!moved.length) return "";
    const step = (x, one, many) => {
      const size = count(Math.abs(x));
      return size === "0" ? "as many " + many : size + (x > 0 ? " more " : " fewer ") + (size === "1" ? one : many);
    };
    const digits = decimals(100 * Math.max(a.cost, b.cost));
    return "Changed: " + moved.join(", ") + ": " + step(b.misses - a.misses, "miss", "misses") + ", " +
      step(b.alarms - a.alarms, "false alarm", "false alarms") + ", " + signed(100 * (b.cost - a.cost), digits) + unit() + " per 100.";
  }

  function show() {
    const points = pointsAt(state.prior), best = chosen(points), drawn = resampledCosts(best);
    // The slider stands at the threshold that is looked at.
    const cutNow = state.mode === "costs" ? data.grid[nearest(followed(state.prior))] : best.t;
    if (state.mode !== "at" && cutNow !== null && Number.isFinite(cutNow)) { state.at = nearest(cutNow); cutShown = cutNow; }
    else cutShown = data.grid[state.at];
    say("choice", choice(best));
    part("badge").hidden = state.mode !== "best";
    say("sure", sure(best, points, drawn));
    const misses = best.m - best.tp, limits = rateLimits(best), [low, high] = costLimits(best);
    const trivials = best.model < 0;
    say("counts", count(misses) + (misses === 1 ? " miss of " : " misses of ") + count(best.m) +
      (trivials ? "" : " (" + rateWords(1 - best.tpr, limits.miss) + ")") + " and " + count(best.fp) +
      (best.fp === 1 ? " false alarm of " : " false alarms of ") + count(best.n) +
      (trivials ? "" : " (" + rateWords(best.fpr, limits.alarm) + ")") + " on these rows.");
    const digits = costDigits(points);
    // A threshold chosen here looks cheaper than it is: what rows not used to choose it would cost comes first.
    const tuned = state.mode === "best" && best.model >= 0 && data.optimism.length > 0 && own[best.model].length > 1;
    const other = tuned ? "about " + amount(100 * elsewhere(best), digits) + unit() + " on rows not used to choose; on these rows " : "";
    say("cost", "Cost per 100 rows: " + other + amount(100 * cost(best), digits) + unit() +
      (high > low ? " (" + LEVEL + " " + amount(100 * low, digits) + " to " + amount(100 * high, digits) + ")" : "") +
      "; flagging nothing " + amount(100 * cost(trivial[0]), digits) + ", everything " + amount(100 * cost(trivial[1]), digits) + ".");
    const thousand = (rate, of, [a, b]) => whole(Math.round(1000 * rate * of)) + (trivials ? "" : " (" + whole(Math.floor(1000 * a * of)) + " to " + whole(Math.ceil(1000 * b * of)) + ")");
    say("rate", "In 1,000 rows with " + share(state.prior) + " positives: about " + thousand(1 - best.tpr, state.prior, limits.miss) +
      " misses and " + thousand(best.fpr, 1 - state.prior, limits.alarm) + " false alarms.");
    say("untuned", untuned(best));
    const now = { prior: state.prior, fp: state.fp, fn: state.fn, who: nameOf(best), where: where(best), misses, alarms: best.fp, cost: cost(best) };
    shown = now;
    say("changed", changes(before, now));
    part("cell-tp").textContent = count(best.tp); part("cell-fn").textContent = count(misses);
    part("cell-fp").textContent = count(best.fp); part("cell-tn").textContent = count(best.n - best.fp);
    line(best);
    table(points, best);
    thresholds(best);
    costByThreshold(best);
    costByMix(points, best);
    ranges();
    for (const key in controls) controls[key].show();
  }

  function untuned(best) {
    if (best.model < 0 || !data.models[best.model].probabilities || state.mode === "use") return "";
    const cut = number(followed(state.prior));
    if (state.mode === "costs") return "The threshold " + cut + " follows from the costs and the share of positives. It is right where the probabilities are calibrated.";
    return "If its probabilities are calibrated, a threshold of " + cut + " needs no tuning, even where others look cheaper on these rows.";
  }

  // The line of equal cost through the chosen point, where it crosses the panel.
  const SVG = "http://www.w3.org/2000/svg";
  const make = (parent, tag, attributes, text) => {
    const e = document.createElementNS(SVG, tag);
    for (const key in attributes) if (attributes[key] !== null) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    return parent.appendChild(e);
  };
  const boxes = [...root.querySelectorAll('[data-x="panel"]')];
  const panels = data.panels.map((p, i) => {
    const inner = boxes[i].querySelector("svg.inner"), plot = boxes[i].querySelector("svg.plot");
    const [left, top, width, height] = p.at;
    const made = {
      plot,
      px: (fpr) => left + width * (fpr - p.x[0]) / (p.x[1] - p.x[0]),
      py: (tpr) => top + height * (1 - (tpr - p.y[0]) / (p.y[1] - p.y[0])),
      iso: make(inner, "line", { class: "iso-cost" }),
      ring: make(inner, "circle", { class: "chosen", r: 7 }),
    };
    // A click on a curve takes its threshold.
    plot.addEventListener("click", (event) => {
      const frame = plot.getBoundingClientRect(), scale = plot.viewBox.baseVal.width / frame.width;
      const x = (event.clientX - frame.left) * scale, y = (event.clientY - frame.top) * scale;
      let near = null, closest = 40 * 40;
      cut.forEach((points, model) => (points || []).forEach((q, k) => {
        const d = (made.px(q.fpr) - x) ** 2 + (made.py(q.tpr) - y) ** 2;
        if (d < closest) { closest = d; near = [model, k]; }
      }));
      if (near) take({ mode: "at", model: near[0], at: near[1] }, "curve");
    });
    return made;
  });
  function line(best) {
    const slope = alarm() / miss(), at = (x) => best.tpr + slope * (x - best.fpr);
    const low = Math.max(0, best.fpr - best.tpr / slope), high = Math.min(1, best.fpr + (1 - best.tpr) / slope);
    for (const { plot, px, py, iso, ring } of panels) {
      iso.setAttribute("x1", px(low).toFixed(2)); iso.setAttribute("y1", py(Math.max(0, at(low))).toFixed(2));
      iso.setAttribute("x2", px(high).toFixed(2)); iso.setAttribute("y2", py(Math.min(1, at(high))).toFixed(2));
      if (best.model >= 0) plot.closest(".picture").dispatchEvent(new CustomEvent("lead", { detail: best.model }));
      ring.setAttribute("cx", px(best.fpr).toFixed(2)); ring.setAttribute("cy", py(best.tpr).toFixed(2));
    }
  }
  const zoom = part("zoom");
  const zoomed = () => boxes.forEach((p, i) => { p.hidden = zoom.checked !== (i === 1); });
  if (zoom) zoom.addEventListener("change", zoomed);

  // Each model at its threshold, and what it costs.
  const fill = (cell, text, beneath) => {
    cell.textContent = text;
    if (beneath) cell.appendChild(document.createElement("small")).textContent = beneath;
  };
  const countLimits = ([a, b], of) => whole(Math.floor(a * of)) + "\u00a0to " + whole(Math.ceil(b * of));
  const modelRows = [...part("models").querySelectorAll("tbody tr")];
  const caption = part("models").querySelector("caption");
  const LOOKS = { best: () => "Each model at its own cheapest threshold on these rows", costs: () => "At threshold " + cutWords(data.grid[nearest(followed(state.prior))]) + ", which follows from the costs", at: () => "At threshold " + cutWords(data.grid[state.at]), use: () => begun };
  function table(points, best) {
    caption.textContent = LOOKS[state.mode]() + ", " + costWords();
    const rows = modelRows.map((row, i) => (i >= own.length ? trivial[i - own.length] : points[i]));
    const all = rows.map((p) => (p === null ? null : costLimits(p))), digits = costDigits(points);
    modelRows.forEach((row, i) => {
      const p = rows[i];
      row.classList.toggle("best", p !== null && p.model === best.model);
      if (p === null) return [1, 2, 3, 4].forEach((k) => fill(row.cells[k], k === 1 ? "–" : ""));
      const limits = rateLimits(p), constant = p.model < 0;
      fill(row.cells[1], amount(100 * cost(p), digits), all[i][1] > all[i][0] ? amount(100 * all[i][0], digits) + "\u00a0to " + amount(100 * all[i][1], digits) : "");
      fill(row.cells[2], where(p));
      fill(row.cells[3], count(p.m - p.tp), constant ? "" : countLimits(limits.miss, p.m));
      fill(row.cells[4], count(p.fp), constant ? "" : countLimits(limits.alarm, p.n));
    });
    // The cheapest first; what needs no model stands last.
    const price = (i) => (rows[i] === null ? Infinity : cost(rows[i]));
    const order = own.map((_, i) => i).sort((a, b) => price(a) - price(b) || a - b);
    modelRows[0].parentNode.append(...order.map((i) => modelRows[i]), ...modelRows.slice(own.length));
  }
  const costWords = () => (state.fp === state.fn ? "at equal costs" :
    "a false alarm costing " + figure(state.fp) + unit() + " and a miss " + figure(state.fn) + unit());

  // What a threshold does: every step of the grid that has its own row.
  const steps = part("steps");
  function thresholds(best) {
    const box = part("thresholds"), model = best.model >= 0 && cut[best.model] ? best.model : cut.findIndex(Boolean);
    if (!box || model < 0) return;
    // The threshold that is looked at has its own row.
    const now = data.grid.findIndex((t) => Math.abs(t - cutShown) < 1e-8), kept = [...new Set([...data.steps, ...(now < 0 ? [] : [now])])].sort((a, b) => a - b);
    const points = kept.map((k) => cut[model][k]), inUse = kept.indexOf(now);
    box.querySelector("caption").textContent = data.models[model].name + ", " + costWords() + ", " + share(state.prior) + " positives; beneath: " + LEVEL;
    const all = points.map((p) => costLimits(p)), digits = Math.max(costDigits(pointsAt(state.prior)), fineness(all));
    // One number of decimals a column, also where few rows are flagged.
    const percents = (x, of) => amount(100 * x, of.some((y) => y > 0 && y < 0.01) ? 2 : 1) + " %";
    const flags = points.map((p) => (p.tp + p.fp) / (p.m + p.n)), found = points.map((p) => p.tpr);
    const whole100 = (t) => Math.abs(100 * t - Math.round(100 * t)) < 1e-9;
    const fine = data.steps.every((k) => whole100(data.grid[k])) ? (t) => (whole100(t) ? amount(t, 2) : number(t)) : figure;
    steps.textContent = "";
    points.forEach((p, i) => {
      const row = steps.insertRow(), head = row.appendChild(document.createElement("th"));
      head.scope = "row"; head.className = "number";
      const button = head.appendChild(document.createElement("button"));
      button.type = "button"; button.textContent = fine(p.t);
      button.setAttribute("aria-label", "Take threshold " + fine(p.t));
      button.addEventListener("click", () => take({ mode: "at", model, at: kept[i] }, "steps"));
      const limits = rateLimits(p), flagged = p.tp + p.fp, positive = state.prior * p.tpr, called = positive + (1 - state.prior) * p.fpr;
      const cells = [
        [amount(100 * cost(p), digits), amount(100 * all[i][0], digits) + " to " + amount(100 * all[i][1], digits)],
        [count(flagged), percents(flags[i], flags)],
        [count(p.tp), countLimits([1 - limits.miss[1], 1 - limits.miss[0]], p.m)],
        [count(p.fp), countLimits(limits.alarm, p.n)],
        [called > 0 ? percents(positive / called, []) : "–", ""],
        [percents(p.tpr, found), ""],
      ];
      for (const [text, beneath] of cells) { const cell = row.insertCell(); cell.className = "number"; fill(cell, text, beneath); }
      row.classList.toggle("taken", i === inUse);
    });
  }

  // Small line charts: cost against the threshold, and against the class mix.
  let WIDE = 460;
  const TALL = 220, EDGE = { left: 46, right: 20, top: 8, bottom: 34 };
  const look = (model) => data.models[model].look;
  function small(svg, x, top, ticks, title) {
    svg.textContent = "";
    // As many units as pixels, so that words have one size on a wide screen and on a narrow one.
    WIDE = Math.max(280, svg.clientWidth || 460);
    svg.setAttribute("viewBox", "0 0 " + WIDE + " " + TALL);
    const right = WIDE - EDGE.right, bottom = TALL - EDGE.bottom;
    const px = (v) => EDGE.left + (right - EDGE.left) * (v - x[0]) / (x[1] - x[0]), py = (v) => bottom - (bottom - EDGE.top) * Math.min(1.5, v / top);
    const step = [1, 2, 2.5, 5, 10].map((s) => s * 10 ** Math.floor(Math.log10(top / 3))).find((s) => top / s <= 4.5) || top;
    for (let v = 0; v <= top * 1.0001; v += step) {
      make(svg, "line", { x1: EDGE.left, x2: right, y1: py(v), y2: py(v), class: "grid" });
      make(svg, "text", { x: EDGE.left - 6, y: py(v) + 4, "text-anchor": "end" }, figure(v));
    }
    for (const [v, words] of ticks) make(svg, "text", { x: px(v), y: bottom + 15, "text-anchor": "middle" }, words);
    make(svg, "text", { x: right, y: TALL - 4, "text-anchor": "end", class: "axis" }, title + " →");
    const inner = make(svg, "svg", { x: EDGE.left, y: EDGE.top - 2, width: right - EDGE.left, height: bottom - EDGE.top + 4, viewBox: [EDGE.left, EDGE.top - 2, right - EDGE.left, bottom - EDGE.top + 4].join(" "), class: "inner" });
    const path = (points) => points.map(([a, b]) => px(a).toFixed(1) + "," + py(b).toFixed(1)).join(" ");
    return {
      px, py, inner,
      curve: (points, kind, dash) => make(inner, "polyline", { points: path(points), class: kind, "stroke-dasharray": dash }),
      band: (points, kind) => make(inner, "polygon", { points: path(points), class: kind }),
      now: (v) => make(inner, "line", { x1: px(v), x2: px(v), y1: EDGE.top, y2: bottom, class: "now" }),
    };
  }
  const last = data.grid.length - 1;
  function costByThreshold(best) {
    const svg = part("by-threshold");
    if (!svg) return;
    const models = data.models.map((m, i) => i).filter((i) => cut[i]);
    const shownModel = best.model >= 0 && cut[best.model] ? best.model : models[0];
    const limits = cut[shownModel].map((p) => costLimits(p));
    const highest = 100 * Math.max(...limits.map((l) => l[1]), ...models.map((i) => cost(cut[i][0])));
    const least = 100 * Math.min(...trivial.map(cost));
    // What costs several times as much as flagging nothing or everything is beyond the picture.
    const top = Math.min(highest, Math.max(2.5 * least, 1.2 * 100 * limits[state.mode === "at" ? state.at : 0][1] * (state.mode === "at" ? 1 : 0))) || 1;
    const ends = [data.grid[0], data.grid[last]];
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((f) => ends[0] + f * (ends[1] - ends[0])).map((v) => [v, figure(Number(v.toPrecision(3)))]);
    const c = small(svg, ends, top, ticks, "threshold");
    c.band([...limits.map((l, k) => [data.grid[k], 100 * l[0]]), ...limits.map((l, k) => [data.grid[k], 100 * l[1]]).reverse()], "band " + look(shownModel)[0]);
    for (const i of [...models.filter((m) => m !== shownModel), shownModel]) {
      c.curve(cut[i].map((p) => [p.t, 100 * cost(p)]), "curve " + look(i)[0] + (i === shownModel ? " lead" : ""), look(i)[1]);
    }
    if (best.t !== null && Number.isFinite(best.t) && best.model >= 0) c.now(best.t);
    svg.dataset.model = shownModel;
    part("by-threshold-title").textContent = "Cost per 100 rows against the threshold: " + data.models[shownModel].name + " with " + LEVEL;
    svg.onclick = (event) => {
      const frame = svg.getBoundingClientRect(), x = (event.clientX - frame.left) * WIDE / frame.width;
      const share = (x - EDGE.left) / (WIDE - EDGE.left - EDGE.right), t = ends[0] + Math.min(1, Math.max(0, share)) * (ends[1] - ends[0]);
      take({ mode: "at", at: nearest(t) }, "by-threshold");
    };
  }
  const MIXES = Array.from({ length: 101 }, (_, i) => i / 100);
  function costByMix(points, best) {
    const svg = part("by-mix"), at = (p, mix) => 100 * (mix * state.fn * (1 - p.tpr) + (1 - mix) * state.fp * p.fpr);
    const each = MIXES.map((mix) => (state.mode === "costs" ? pointsAt(Math.min(0.999, Math.max(0.001, mix))) : points));
    const curves = points.map((p, i) => (p === null ? null : MIXES.map((mix, k) => [mix, state.mode === "best" ? Math.min(...own[i].map((q) => at(q, mix))) : at(each[k][i], mix)])));
    const idle = MIXES.map((mix) => [mix, 100 * Math.min(mix * state.fn, (1 - mix) * state.fp)]);
    const peak = Math.max(...idle.map((p) => p[1])), highest = Math.max(...curves.filter(Boolean).map((c) => Math.max(...c.map((p) => p[1]))));
    const c = small(svg, [0, 1], Math.min(Math.max(highest, 0.4 * peak), 1.3 * peak) || 1, [0, 0.2, 0.4, 0.6, 0.8, 1].map((v) => [v, 100 * v + " %"]), "share of positives");
    c.curve(idle, "line reference", null);
    curves.forEach((curve, i) => { if (curve && i !== best.model) c.curve(curve, "curve " + look(i)[0], look(i)[1]); });
    if (best.model >= 0 && curves[best.model]) c.curve(curves[best.model], "curve lead " + look(best.model)[0], look(best.model)[1]);
    c.now(state.prior);
    part("by-mix-title").textContent = "Cost per 100 rows against the share of positives" + ({ best: ", thresholds chosen for each", costs: ", thresholds that follow from the costs" }[state.mode] || "") + "; dashed: no model";
  }

  // Over which shares of positives each classifier is the cheapest, at these costs. Where resamples disagree nobody is
  // named alone, and a stretch too narrow to be told from its neighbours goes to the wider one.
  const logit = (p) => Math.log(p / (1 - p));
  const END = logit(0.999);
  const along = (p) => (logit(Math.min(0.999, Math.max(0.001, p))) + END) / (2 * END);
  // Of many models at fewer places, so that a slider stays quick.
  const PARTS = data.models.length > 12 ? 60 : 160;
  const mixAt = (i) => 1 / (1 + Math.exp(END - 2 * END * i / PARTS));
  const STEPS = Array.from({ length: PARTS + 1 }, (_, i) => mixAt(i));
  const AGREED = 0.8, NARROW = 0.05, MOST_NAMED = 2;
  function leaders(mix) {
    const up = mix * state.fn, down = (1 - mix) * state.fp;
    const points = state.mode === "best" ? (resampled ? own.map((c) => (c.length > 1 ? c[0] : null)) : corners) : pointsAt(mix);
    if (!resampled) {
      const every = points.filter(Boolean).concat(trivial), costs = every.map((c) => up * (1 - c.tpr) + down * c.fpr), low = Math.min(...costs);
      return [every[costs.findIndex((c) => c <= low + TIE)].model];
    }
    const wins = winners(points.map((p, i) => (p === null ? null : state.mode === "best" ? retuned(i, up, down) : resampledCosts(p, up, down))), up, down);
    const order = wins.map((w, i) => [w, i < own.length ? i : i === own.length ? -1 : -2]).sort((a, b) => b[0] - a[0]);
    const named = [];
    for (let sum = 0, i = 0; sum < AGREED && i < order.length; i += 1) { sum += order[i][0]; named.push(order[i][1]); }
    return named.length > MOST_NAMED ? [] : named.sort((a, b) => a - b);
  }
  let known = { asked: "", ranges: [] };
  function namedRanges() {
    const asked = [state.fp / state.fn, state.mode, state.mode === "at" ? state.at : ""].join();
    if (known.asked === asked) return known.ranges;
    const out = [];
    STEPS.forEach((mix, i) => {
      const named = leaders(mix), key = named.join(), previous = out[out.length - 1];
      const from = i === 0 ? 0 : mixAt(i - 0.5), to = i === PARTS ? 1 : mixAt(i + 0.5);
      if (previous && previous.key === key) previous.to = to;
      else out.push({ named, key, from, to });
    });
    const wide = (r) => along(r.to) - along(r.from);
    while (out.length > 1) {
      const slim = out.reduce((b, r, i) => (wide(r) < wide(out[b]) ? i : b), 0);
      if (wide(out[slim]) >= NARROW) break;
      const left = out[slim - 1], right = out[slim + 1];
      if (!right || (left && wide(left) >= wide(right))) left.to = out[slim].to; else right.from = out[slim].from;
      out.splice(slim, 1);
      for (let i = out.length - 1; i > 0; i -= 1) if (out[i].key === out[i - 1].key) { out[i - 1].to = out[i].to; out.splice(i, 1); }
    }
    known = { asked, ranges: out };
    return out;
  }
  const rangeName = (r) => (r.named.length ? listed(r.named.map((i) => nameOf({ model: i })), "or") : "too close to call");
  const rangeBody = part("ranges").querySelector("tbody"), rangeCaption = part("ranges").querySelector("caption");
  const strip = part("strip");
  const RANGES = {
    best: () => "each at its best threshold on these rows", costs: () => "at the threshold that follows from the costs",
    at: () => "all at threshold " + cutWords(data.grid[state.at]), use: () => data.now,
  };
  function ranges() {
    rangeCaption.textContent = "Cheapest by the share of positives" + (data.grid.length ? ", " + RANGES[state.mode]() + ", " : ", ") + costWords();
    rangeBody.textContent = "";
    strip.textContent = "";
    const width = strip.clientWidth || 480;
    for (const r of namedRanges()) {
      const row = rangeBody.insertRow();
      const head = row.appendChild(document.createElement("th"));
      head.scope = "row"; head.className = "name";
      head.textContent = rangeName(r);
      for (const x of [r.from, r.to]) { const cell = row.insertCell(); cell.className = "number"; cell.textContent = share(Number(x.toPrecision(2))); }
      row.classList.toggle("best", r.from <= state.prior && state.prior <= r.to);
      const one = r.named.length === 1, i = r.named[0], kind = !one ? "open" : i < 0 ? "always" : look(i)[0];
      const a = along(r.from), b = along(r.to);
      const box = make(strip, "rect", { x: 100 * a + "%", width: 100 * (b - a) + "%", y: 18, height: 16, class: "range " + kind });
      make(box, "title", {}, rangeName(r) + ": " + share(Number(r.from.toPrecision(2))) + " to " + share(Number(r.to.toPrecision(2))));
      const words = one ? nameOf({ model: i }) : "close", room = (b - a) * width / 6.6;
      if (room > Math.min(words.length, 6)) make(strip, "text", { x: 50 * (a + b) + "%", y: 12, "text-anchor": "middle", class: "name" }, words.length > room ? words.slice(0, Math.max(1, Math.floor(room) - 1)) + "…" : words);
    }
    for (const v of [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999]) {
      make(strip, "text", { x: 100 * along(v) + "%", y: 48, "text-anchor": v < 0.002 ? "start" : v > 0.998 ? "end" : "middle" }, share(v));
    }
    make(strip, "line", { x1: 100 * along(state.prior) + "%", x2: 100 * along(state.prior) + "%", y1: 14, y2: 38, class: "now" });
  }

  // Controls: a slider with a scale of its own, and a box for the exact number.
  const round = (x, digits) => Number(x.toPrecision(digits));
  // A slider steps through round numbers; it stands at the one that is nearest on its scale.
  const stepped = (numbers, scale) => ({
    fromSlider: (k) => numbers[k],
    toSlider: (v) => numbers.reduce((b, x, k) => (Math.abs(scale(x) - scale(v)) < Math.abs(scale(numbers[b]) - scale(v)) ? k : b), 0),
  });
  const scales = {
    prior: {
      ...stepped(data.shares, logit),
      fromBox: (v) => v / 100, toBox: (p) => round(100 * p, 4), fits: (p) => p > 0 && p < 1, words: share,
    },
    at: {
      fromSlider: Number, toSlider: (k) => k,
      fromBox: nearest,
      toBox: () => round(cutShown, 3), fits: (k) => Number.isInteger(k) && k >= 0 && k <= last, words: (k) => figure(data.grid[k]),
    },
  };
  scales.fp = scales.fn = {
    ...stepped(data.costs, Math.log),
    fromBox: Number, toBox: (c) => round(c, 6), fits: (c) => c > 0 && isFinite(c), words: figure,
  };
  // A change by one hand, until another control is taken or the hand lets go.
  function take(change, by, source = null) {
    if (hand !== by || by === "curve" || by === "steps") { before = shown; hand = by; }
    Object.assign(state, change);
    if (controls[by]) controls[by].source = source;
    show();
    if (controls[by]) controls[by].source = null;
    remember();
  }
  const letGo = () => { hand = null; };
  const controls = {};
  for (const key of ["prior", "fp", "fn", "at"]) {
    const slider = part(key + "-slider"), box = part(key), scale = scales[key];
    if (!slider) continue;
    const change = (value, source) => {
      const good = scale.fits(value);
      box.setAttribute("aria-invalid", String(!good));
      if (!good) return;
      take(key === "at" ? { at: value, mode: "at" } : { [key]: value, mode: state.mode === "use" && ruled ? "costs" : state.mode }, key, source);
    };
    slider.addEventListener("input", () => change(scale.fromSlider(Number(slider.value)), slider));
    box.addEventListener("input", () => change(box.value === "" ? NaN : scale.fromBox(Number(box.value)), box));
    for (const e of [slider, box]) e.addEventListener("change", letGo);
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
  const modes = [...root.querySelectorAll('input[name="x-mode"]')], pick = part("model"), money = part("unit");
  controls.mode = { show() { for (const m of modes) m.checked = m.value === state.mode; } };
  for (const m of modes) m.addEventListener("change", () => take({ mode: m.value }, "mode"));
  controls.model = { show() { pick.value = state.model === null ? "" : String(state.model); } };
  pick.addEventListener("change", () => take({ model: pick.value === "" ? null : Number(pick.value) }, "model"));
  controls.unit = { source: null, show() { if (this.source !== money) money.value = state.unit; } };
  money.addEventListener("input", () => take({ unit: money.value.trim().slice(0, 12) }, "unit", money));
  root.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  part("reset").addEventListener("click", () => { before = null; hand = null; Object.assign(state, start()); show(); remember(); });

  // The address holds what was set, so that it can be passed on.
  const MARK = "#explorer&";
  function remember() {
    const from = start(), set = new URLSearchParams();
    for (const key of ["prior", "fp", "fn", "mode", "model", "unit"]) if (state[key] !== from[key]) set.set(key, state[key]);
    if (state.mode === "at") set.set("at", data.grid[state.at]);
    const words = set.toString();
    if (words === "" && !location.hash.startsWith(MARK)) return;
    try { history.replaceState(null, "", words === "" ? "#explorer" : MARK + words); } catch { /* too often, or not allowed here */ }
  }
  function recall() {
    if (!location.hash.startsWith(MARK)) return false;
    const set = new URLSearchParams(location.hash.slice(MARK.length)), found = start();
    for (const key of ["prior", "fp", "fn"]) {
      const value = Number(set.get(key));
      if (set.has(key) && scales[key].fits(value)) found[key] = value;
    }
    if (["use", "costs", "best", "at"].includes(set.get("mode"))) found.mode = set.get("mode");
    if ((found.mode === "use" && !used.some(Boolean)) || (found.mode === "costs" && !ruled)) found.mode = start().mode;
    if (set.has("at") && Number.isFinite(Number(set.get("at"))) && last >= 0) { found.at = scales.at.fromBox(Number(set.get("at"))); found.mode = "at"; }
    if (found.mode === "at" && last < 0) found.mode = "best";
    const model = Number(set.get("model"));
    if (set.has("model") && set.get("model") !== "" && Number.isInteger(model) && data.models[model]) found.model = model;
    if (set.has("unit")) found.unit = set.get("unit").slice(0, 12);
    Object.assign(state, found);
    return true;
  }
  addEventListener("hashchange", () => { if (recall()) { before = shown; show(); } });
  const came = recall();
  show();
  if (came) document.getElementById("explorer").scrollIntoView();
})();
window.trueerrorData.then(() => { document.documentElement.dataset.ready = ""; });
