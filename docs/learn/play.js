/* The simulations of the lessons: sliders, new draws, a picture and a sentence. No requests, no storage.

Each entry of SIMULATIONS has fields (sliders) and run(o, draw): `draw` gives uniform random numbers; it returns what it
found (`found`, which tests compare with the library and with theory), words, and a picture of plain values. */
(function (root) {
  "use strict";

  // ---- chance
  function generator(seed) {
    let a = seed >>> 0;
    return () => {
      a = (a + 0x6d2b79f5) | 0;
      let t = Math.imul(a ^ (a >>> 15), 1 | a);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }
  const normal = (draw) => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
  const times = (n, f) => Array.from({ length: n }, (_, i) => f(i));
  const count = (n, p, draw) => { let x = 0; for (let i = 0; i < n; i++) x += draw() < p; return x; };
  const shuffled = (n, draw) => {
    const order = times(n, (i) => i);
    for (let i = n - 1; i > 0; i--) { const j = Math.floor(draw() * (i + 1)); [order[i], order[j]] = [order[j], order[i]]; }
    return order;
  };

  // ---- numbers
  const mean = (xs) => xs.reduce((sum, x) => sum + x, 0) / xs.length;
  const sd = (xs) => { const m = mean(xs); return Math.sqrt(xs.reduce((sum, x) => sum + (x - m) ** 2, 0) / (xs.length - 1)); };
  const quantile = (sorted, q) => {
    const at = q * (sorted.length - 1), low = Math.floor(at), high = Math.ceil(at);
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
  };
  const inOrder = (xs) => [...xs].sort((a, b) => a - b);
  const median = (xs) => quantile(inOrder(xs), 0.5);
  const wilson = (x, n) => {
    const z = 1.959964, p = x / n, mid = (p + z * z / (2 * n)) / (1 + z * z / n);
    const half = z * Math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
    return [Math.max(0, mid - half), Math.min(1, mid + half)];
  };
  /** Φ, by its series near 0 and its continued fraction in the tail. */
  const phi = (x) => {
    if (x < 0) return 1 - phi(-x);
    const density = Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
    if (x > 4) { let f = 0; for (let i = 40; i > 0; i--) f = i / (x + f); return 1 - density / (x + f); }
    let term = x, sum = x;
    for (let i = 1; i < 80; i++) { term *= x * x / (2 * i + 1); sum += term; }
    return 0.5 + density * sum;
  };
  /** The two-sided 95 % value of Student's t (Hill 1970, CACM 13:619; exact for 1 and 2 degrees of freedom). */
  const student = (df) => {
    const p = 0.05;
    if (df === 1) return 1 / Math.tan(p * Math.PI / 2);
    if (df === 2) return Math.sqrt(2 / (p * (2 - p)) - 2);
    const a = 1 / (df - 0.5), b = (48 / a) / a;
    let c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
    const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt(a * Math.PI / 2) * df;
    let y = (d * p) ** (2 / df);
    if (y > 0.05 + a) {
      const x = -1.9599639845; y = x * x;
      if (df < 5) c += 0.3 * (df - 4.5) * (x + 0.6);
      c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
      y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
      y = Math.expm1(a * y * y);
    } else {
      y = ((1 / (((df + 6) / (df * y) - 0.089 * d - 0.822) * (df + 2) * 3) + 0.5 / (df + 4)) * y - 1) * (df + 1) / (df + 2) + 1 / y;
    }
    return Math.sqrt(df * y);
  };

  // ---- a small learner: the nearer class mean
  function foldErrors(X, y, k, draw) {
    const n = y.length, width = X[0].length, errors = [];
    const order = shuffled(n, draw), fold = [];
    order.forEach((row, i) => { fold[row] = i % k; });
    for (let f = 0; f < k; f++) {
      const sums = [new Float64Array(width), new Float64Array(width)], size = [0, 0];
      for (let i = 0; i < n; i++) if (fold[i] !== f) { size[y[i]]++; for (let j = 0; j < width; j++) sums[y[i]][j] += X[i][j]; }
      let wrong = 0, tested = 0;
      for (let i = 0; i < n; i++) if (fold[i] === f) {
        let gap = 0;
        for (let j = 0; j < width; j++) gap += (X[i][j] - sums[0][j] / size[0]) ** 2 - (X[i][j] - sums[1][j] / size[1]) ** 2;
        wrong += (gap > 0 ? 1 : 0) !== y[i]; tested++;
      }
      errors.push(wrong / tested);
    }
    return errors;
  }

  // ---- words
  const share = (x, digits = 2) => x.toFixed(digits);
  const slider = (name, label, value, min, max, step) => ({ name, label, value, min, max, step });
  const bins = (xs, low, high, n) => {
    const held = new Array(n).fill(0);
    xs.forEach((x) => { held[Math.min(n - 1, Math.max(0, Math.floor(n * (x - low) / (high - low))))]++; });
    return held.map((c, i) => [low + (i + 0.5) * (high - low) / n, c / xs.length]);
  };

  const SIMULATIONS = {
    "test-sets": {
      fields: [slider("error", "True error", 0.3, 0.01, 0.99, 0.01), slider("rows", "Rows of a test set", 40, 5, 1000, 5)],
      run(o, draw) {
        const sets = times(30, () => count(o.rows, o.error, draw));
        const limits = sets.map((x) => wilson(x, o.rows)), rates = inOrder(sets.map((x) => x / o.rows));
        const holds = limits.filter(([low, high]) => low <= o.error && o.error <= high).length;
        return {
          found: { lowest: rates[0], highest: rates[29], holds },
          words: `30 test sets of ${o.rows} rows: sample errors from ${share(rates[0])} to ${share(rates[29])}. ` +
            `${holds} of the 30 95 % intervals hold the true error, ${share(o.error)}.`,
          picture: { x: [0, 31], y: [0, 1], labels: ["test set", "error"], level: o.error,
            ranges: limits.map(([low, high], i) => [i + 1, low, high, sets[i] / o.rows, low <= o.error && o.error <= high]) },
        };
      },
    },
    coverage: {
      fields: [slider("error", "True error", 0.05, 0.01, 0.5, 0.01), slider("rows", "Rows of a test set", 40, 10, 400, 10)],
      run(o, draw) {
        const sets = 4000, held = { textbook: 0, Wilson: 0 };
        for (let i = 0; i < sets; i++) {
          const x = count(o.rows, o.error, draw), p = x / o.rows, half = 1.96 * Math.sqrt(p * (1 - p) / o.rows);
          const [low, high] = wilson(x, o.rows);
          held.textbook += p - half <= o.error && o.error <= p + half;
          held.Wilson += low <= o.error && o.error <= high;
        }
        const textbook = held.textbook / sets, found = { textbook, wilson: held.Wilson / sets };
        return {
          found,
          words: `Of 4,000 intervals that promise 95 %, p ± 1.96·√(pq/n) held the truth in ${share(100 * textbook, 1)} %, ` +
            `Wilson's in ${share(100 * found.wilson, 1)} %.`,
          picture: { x: [-0.5, 1.5], y: [0, 1], labels: ["", "held the truth"], level: 0.95,
            bars: [[0, textbook, "textbook"], [1, found.wilson, "Wilson"]] },
        };
      },
    },
    "same-rows": {
      fields: [slider("first", "True error of the first", 0.2, 0.05, 0.5, 0.01), slider("second", "True error of the second", 0.3, 0.05, 0.5, 0.01),
        slider("shared", "Share of the smaller error that both make", 0.75, 0, 1, 0.05), slider("rows", "Rows", 100, 20, 500, 20)],
      run(o, draw) {
        const both = o.shared * Math.min(o.first, o.second), same = [], apart = [];
        for (let i = 0; i < 1000; i++) {
          let d = 0;
          for (let j = 0; j < o.rows; j++) { const u = draw(); if (u < o.first - both) d++; else if (u < o.first + o.second - 2 * both) d--; }
          same.push(d / o.rows);
          apart.push((count(o.rows, o.first, draw) - count(o.rows, o.second, draw)) / o.rows);
        }
        const far = Math.max(...same.concat(apart).map(Math.abs)) || 0.1;
        return {
          found: { same: sd(same), apart: sd(apart) },
          words: `1,000 comparisons: the difference varies with sd ${share(sd(apart), 3)} on different rows, ` +
            `${share(sd(same), 3)} on the same rows (outlined).`,
          picture: { x: [-far, far], y: [0, null], labels: ["first − second", "share of comparisons"],
            steps: [bins(apart, -far, far, 25), bins(same, -far, far, 25)] },
        };
      },
    },
    folds: {
      fields: [slider("rows", "Rows", 60, 40, 200, 20), slider("k", "Folds", 10, 3, 20, 1), slider("features", "Features", 20, 2, 40, 2)],
      run(o, draw) {
        const y = times(o.rows, (i) => i % 2), means = [], errors = [];
        for (let s = 0; s < 150; s++) {
          const X = y.map((c) => times(o.features, () => normal(draw) + 0.25 * c)), e = foldErrors(X, y, o.k, draw);
          means.push(mean(e)); errors.push(sd(e));
        }
        const truth = mean(means), t = student(o.k - 1);
        const promised = Math.sqrt(mean(errors.map((s) => s * s)) / o.k);
        const holds = (factor) => mean(means.map((m, i) => (Math.abs(m - truth) <= t * errors[i] * factor ? 1 : 0)));
        const plain = holds(Math.sqrt(1 / o.k)), corrected = holds(Math.sqrt(1 / o.k + 1 / (o.k - 1)));
        return {
          found: { spread: sd(means), promised, plain, corrected },
          words: `150 data sets: the mean over ${o.k} folds varies with sd ${share(sd(means), 3)}; s/√k promises ${share(promised, 3)}. ` +
            `95 % t intervals held the truth in ${share(100 * plain, 0)} %, corrected ones in ${share(100 * corrected, 0)} %.`,
          picture: { x: [-0.5, 1.5], y: [0, 1], labels: ["", "held the truth"], level: 0.95,
            bars: [[0, plain, "plain t"], [1, corrected, "corrected t"]] },
        };
      },
    },
    alarms: {
      fields: [slider("rows", "Rows", 80, 40, 160, 20), slider("repeats", "Repeats of 10 folds", 5, 1, 12, 1)],
      run(o, draw) {
        const y = times(o.rows, (i) => i % 2), k = 10, sets = 100, t = student(k * o.repeats - 1);
        let plain = 0, corrected = 0;
        for (let s = 0; s < sets; s++) {
          const X = times(2, () => y.map((c) => times(4, () => normal(draw) + 0.45 * c))), d = [];
          for (let r = 0; r < o.repeats; r++) {
            const seed = Math.floor(draw() * 4294967296);
            const [a, b] = X.map((one) => foldErrors(one, y, k, generator(seed)));
            a.forEach((e, i) => d.push(e - b[i]));
          }
          const size = Math.abs(mean(d)), s1 = sd(d) || 1e-12;
          plain += size / (s1 * Math.sqrt(1 / d.length)) > t;
          corrected += size / (s1 * Math.sqrt(1 / d.length + 1 / 9)) > t;
        }
        return {
          found: { plain: plain / sets, corrected: corrected / sets },
          words: `Two equally good learners, 100 data sets, ${o.repeats} × 10 folds: the plain t-test found a difference in ` +
            `${plain}, the corrected one in ${corrected}; 5 is right.`,
          picture: { x: [-0.5, 1.5], y: [0, 1], labels: ["", "false alarms"], level: 0.05,
            bars: [[0, plain / sets, "plain t"], [1, corrected / sets, "corrected t"]] },
        };
      },
    },
    bootstrap: {
      fields: [slider("rows", "Rows of the sample", 40, 10, 300, 10), slider("replicates", "Bootstrap replicates", 1000, 25, 2000, 25)],
      run(o, draw) {
        const sample = times(o.rows, () => -Math.log(1 - draw())), estimate = median(sample);
        const made = inOrder(times(o.replicates, () => median(times(o.rows, () => sample[Math.floor(draw() * o.rows)]))));
        const truth = sd(times(1000, () => median(times(o.rows, () => -Math.log(1 - draw())))));
        const low = quantile(made, 0.025), high = quantile(made, 0.975), top = made[made.length - 1] * 1.1;
        return {
          found: { estimate, error: sd(made), truth, low, high },
          words: `Median ${share(estimate)} (true median 0.69). Its standard error: bootstrap ${share(sd(made), 3)}, truth ` +
            `${share(truth, 3)}. 95 % percentile interval ${share(low)} to ${share(high)}.`,
          picture: { x: [0, top], y: [0, null], labels: ["median of a bootstrap sample", "share"], steps: [bins(made, 0, top, 30)], upright: [low, high] },
        };
      },
    },
    mix: {
      fields: [slider("recall", "Recall", 0.8, 0, 1, 0.01), slider("fpr", "False positive rate", 0.14, 0, 1, 0.01),
        slider("prior", "Share of positives", 0.1, 0.001, 0.999, 0.001), slider("miss", "Cost of a miss (a false alarm: 1)", 10, 1, 100, 1)],
      run(o, draw) {
        const tp = (p) => p * o.recall, fp = (p) => (1 - p) * o.fpr, accuracy = (p) => tp(p) + (1 - p) - fp(p);
        const precision = (p) => tp(p) / (tp(p) + fp(p)), grid = times(99, (i) => (i + 1) / 100);
        const positives = count(1000, o.prior, draw), misses = count(positives, 1 - o.recall, draw);
        const alarms = count(1000 - positives, o.fpr, draw);
        const constant = Math.max(o.prior, 1 - o.prior), cost = o.miss * (o.prior - tp(o.prior)) + fp(o.prior);
        const cheapest = Math.min(o.miss * o.prior, 1 - o.prior);
        const told = tp(o.prior) + fp(o.prior) > 0 ? share(precision(o.prior), 3) : "undefined (nothing is flagged)";
        return {
          found: { accuracy: accuracy(o.prior), precision: precision(o.prior), cost, constant },
          words: `Accuracy ${share(accuracy(o.prior), 3)} (a constant: ${share(constant, 3)}), precision ${told}. ` +
            `Cost per 100 rows ${share(100 * cost, 1)}, the best constant ${share(100 * cheapest, 1)}. 1,000 rows drawn: ` +
            `${positives} positives, ${misses} misses, ${alarms} false alarms.`,
          picture: { x: [0, 1], y: [0, 1], labels: ["share of positives", "accuracy (line), precision (dashed)"], upright: [o.prior],
            lines: [grid.map((p) => [p, accuracy(p)]), grid.filter((p) => tp(p) + fp(p) > 0).map((p) => [p, precision(p)])] },
        };
      },
    },
    area: {
      fields: [slider("gap", "Distance of the classes (sd)", 1, 0, 3, 0.1), slider("rows", "Rows, half of them positive", 50, 10, 400, 10)],
      run(o, draw) {
        const half = o.rows / 2;
        const one = () => {
          const rows = times(o.rows, (i) => [normal(draw) + (i < half ? o.gap : 0), i < half]).sort((a, b) => b[0] - a[0]);
          let up = 0, area = 0;
          const path = [[0, 0]];
          rows.forEach(([, positive], i) => { if (positive) up++; else area += up; path.push([(i + 1 - up) / half, up / half]); });
          return { area: area / (half * half), path };
        };
        const made = times(300, one), areas = inOrder(made.map((m) => m.area)), truth = phi(o.gap / Math.SQRT2);
        return {
          found: { truth, mean: mean(areas), low: quantile(areas, 0.025), high: quantile(areas, 0.975) },
          words: `True AUC ${share(truth, 3)}. 300 samples of ${o.rows} rows: 95 of 100 areas lie between ` +
            `${share(quantile(areas, 0.025))} and ${share(quantile(areas, 0.975))}. Twelve of the curves are drawn.`,
          picture: { x: [0, 1], y: [0, 1], labels: ["false positive rate", "true positive rate"], square: true,
            lines: [times(101, (i) => [i / 100, i / 100])], faint: made.slice(0, 12).map((m) => m.path) },
        };
      },
    },
    hull: {
      fields: [slider("prior", "Share of positives", 0.2, 0.01, 0.99, 0.01), slider("coin", "Coin: share of rows for C4.5, else CN2", 0.5, 0, 1, 0.05)],
      run(o, draw) {
        const known = { "flag nothing": [0, 0], CN2: [0.05, 0.5], "C4.5": [0.2, 0.84], SVM: [0.6, 0.95], "flag everything": [1, 1] };
        const accuracy = ([fpr, tpr]) => o.prior * tpr + (1 - o.prior) * (1 - fpr);
        const best = Object.keys(known).reduce((a, b) => (accuracy(known[b]) > accuracy(known[a]) ? b : a));
        const by = (i) => count(2000, o.coin * known["C4.5"][i] + (1 - o.coin) * known.CN2[i], draw) / 2000;
        const mixed = [by(0), by(1)], slope = (1 - o.prior) / o.prior, [bx, high] = known[best];
        const line = [Math.max(0, bx - high / slope), Math.min(1, bx + (1 - high) / slope)].map((at) => [at, high + slope * (at - bx)]);
        return {
          found: { best, accuracy: accuracy(known[best]), fpr: mixed[0], tpr: mixed[1] },
          words: `At ${share(100 * o.prior, 0)} % positives ${best} is the most accurate: ${share(100 * accuracy(known[best]), 1)} %. The coin, over 2,000 rows ` +
            `of each class: false positive rate ${share(mixed[0], 3)}, true positive rate ${share(mixed[1], 3)}, on the line between CN2 and C4.5.`,
          picture: { x: [0, 1], y: [0, 1], labels: ["false positive rate", "true positive rate"], square: true,
            lines: [Object.values(known), line], dots: [...Object.entries(known).map(([name, at]) => [...at, name]), [...mixed, "coin"]] },
        };
      },
    },
    rare: {
      fields: [slider("gap", "Distance of the classes (sd)", 2.3, 0.5, 4, 0.1), slider("prior", "Share of positives", 0.01, 0.005, 0.5, 0.005)],
      run(o, draw) {
        const curve = times(400, (i) => {
          const t = o.gap + 4 - (i / 399) * (o.gap + 8), tp = o.prior * phi(o.gap - t), fp = (1 - o.prior) * phi(-t);
          return [tp / o.prior, tp / (tp + fp)];
        });
        const rows = times(4000, (i) => [normal(draw) + (i < 4000 * o.prior ? o.gap : 0), i < 4000 * o.prior]).sort((a, b) => b[0] - a[0]);
        const positives = rows.filter(([, p]) => p).length, path = [];
        let up = 0, area = 0;
        rows.forEach(([, p], i) => { if (p) { up++; area += up / (i + 1); path.push([up / positives, up / (i + 1)]); } });
        const auc = phi(o.gap / Math.SQRT2), ap = area / positives;
        return {
          found: { auc, ap, positives },
          words: `AUC ${share(auc, 3)}, whatever the mix. Average precision of 4,000 rows with ${positives} positives: ${share(ap)}. ` +
            `Without any skill it would be ${share(o.prior, 3)}.`,
          picture: { x: [0, 1], y: [0, 1], labels: ["recall", "precision"], lines: [curve], faint: [path], level: o.prior },
        };
      },
    },
    "data-sets": {
      fields: [slider("sets", "Data sets", 8, 4, 30, 1), slider("folds", "Folds of each", 10, 2, 20, 1),
        slider("domain", "Spread between domains (points)", 3, 0, 6, 0.5)],
      run(o, draw) {
        const tries = 400, rejects = (xs) => Math.abs(mean(xs)) / (sd(xs) / Math.sqrt(xs.length)) > student(xs.length - 1);
        let folds = 0, sets = 0;
        for (let i = 0; i < tries; i++) {
          const d = times(o.sets, () => { const suits = o.domain * normal(draw); return times(o.folds, () => suits + 3 * normal(draw)); });
          folds += rejects(d.flat()); sets += rejects(d.map(mean));
        }
        return {
          found: { folds: folds / tries, sets: sets / tries },
          words: `Two learners that are equally good over all domains, 400 tries: a t-test of ${o.sets * o.folds} folds found a difference in ` +
            `${share(100 * folds / tries, 0)} %, of ${o.sets} data sets in ${share(100 * sets / tries, 0)} %; 5 % is right.`,
          picture: { x: [-0.5, 1.5], y: [0, 1], labels: ["", "false alarms"], level: 0.05,
            bars: [[0, folds / tries, "folds counted"], [1, sets / tries, "data sets counted"]] },
        };
      },
    },
    overfitting: {
      fields: [slider("rows", "Training rows", 300, 20, 2000, 20), slider("noise", "Wrong labels", 0.2, 0, 0.45, 0.05)],
      run(o, draw) {
        const rows = times(o.rows, () => { const x = draw(), truth = x > 0.5; return [x, draw() < o.noise ? !truth : truth]; });
        const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256];
        const made = sizes.map((size) => {
          const votes = times(size, () => [0, 0]);
          rows.forEach(([x, label]) => votes[Math.min(size - 1, Math.floor(size * x))][label ? 1 : 0]++);
          // A cell without rows or with a tie answers as the whole sample does.
          const usual = rows.filter(([, label]) => label).length * 2 >= o.rows;
          const said = votes.map(([no, yes]) => (yes === no ? usual : yes > no));
          const training = mean(rows.map(([x, label]) => (said[Math.min(size - 1, Math.floor(size * x))] === label ? 0 : 1)));
          const off = mean(said.map((yes, i) => { const share1 = Math.min(1, Math.max(0, i + 1 - size / 2)); return yes ? 1 - share1 : share1; }));
          return [training, off * (1 - o.noise) + (1 - off) * o.noise];
        });
        const best = made.reduce((a, [, e], i) => (e < made[a][1] ? i : a), 0), last = made[made.length - 1];
        return {
          found: { training: made.map((m) => m[0]), truth: made.map((m) => m[1]), best: sizes[best] },
          words: `The lowest true error, ${share(made[best][1], 3)}, has ${sizes[best]} cells. With 256 cells the training error is ` +
            `${share(last[0], 3)} and the true error ${share(last[1], 3)}.`,
          picture: { x: [0, 8], y: [0, 1], labels: ["cells of the learner: 2 to the power of", "true error (line), training error (dashed)"],
            lines: [made.map((m, i) => [i, m[1]]), made.map((m, i) => [i, m[0]])] },
        };
      },
    },
    parts: {
      fields: [slider("copy", "Noise of the copy", 0.05, 0.05, 2, 0.05), slider("other", "Noise of the other signal", 1.2, 0.4, 3, 0.1)],
      run(o, draw) {
        const rows = times(3000, (i) => {
          const label = i % 2, signal = label + 0.7 * normal(draw);
          return [label, [signal, signal + o.copy * normal(draw), label + o.other * normal(draw)]];
        });
        // Fisher's linear discriminant of the kept parts, from the first thousand rows; the others test.
        const accuracy = (kept) => {
          const train = rows.slice(0, 1000), m = [0, 1].map((c) => kept.map((j) => mean(train.filter(([l]) => l === c).map(([, x]) => x[j]))));
          const A = kept.map((j, a) => [...kept.map((k, b) => mean(train.map(([l, x]) => (x[j] - m[l][a]) * (x[k] - m[l][b])))), m[1][a] - m[0][a]]);
          for (let i = 0; i < A.length; i++) {
            for (let r = 0; r < A.length; r++) if (r !== i) {
              const f = A[r][i] / A[i][i];
              A[r] = A[r].map((v, c) => v - f * A[i][c]);
            }
          }
          const w = A.map((row, i) => row[A.length] / row[i]), cut = mean([0, 1].map((c) => w.reduce((s, v, a) => s + v * m[c][a], 0)));
          return mean(rows.slice(1000).map(([l, x]) => ((w.reduce((s, v, a) => s + v * x[kept[a]], 0) > cut ? 1 : 0) === l ? 1 : 0)));
        };
        const whole = accuracy([0, 1, 2]);
        const lost = { first: whole - accuracy([1, 2]), copy: whole - accuracy([0, 2]), other: whole - accuracy([0, 1]), "first and copy": whole - accuracy([2]) };
        const told = (x) => share(100 * x, 1).replace("-", "−");
        return {
          found: { whole, ...lost },
          words: `All parts: ${told(whole)} % right on 2,000 new rows. Lost without the first ${told(lost.first)} points, without the copy ${told(lost.copy)}, ` +
            `without the other ${told(lost.other)}, without first and copy ${told(lost["first and copy"])}.`,
          picture: { x: [-0.5, 3.5], y: [-0.1, 0.3], labels: ["", "accuracy lost"], level: 0,
            bars: Object.entries(lost).map(([name, x], i) => [i, x, name]) },
        };
      },
    },
  };

  // ---- the picture
  const WIDE = 520, HIGH = 270, LEFT = 48, BELOW = 40;
  function svg(document, p, words) {
    const make = (tag, attributes, text) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
      Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
      if (text !== undefined) made.textContent = text;
      return made;
    };
    const wide = p.square ? HIGH + LEFT : WIDE;
    const top = p.y[1] === null ? 1.05 * Math.max(...p.steps.flat().map((b) => b[1])) : p.y[1];
    const x = (v) => LEFT + (wide - LEFT - 18) * (v - p.x[0]) / (p.x[1] - p.x[0]);
    const y = (v) => HIGH - BELOW - (HIGH - BELOW - 24) * (Math.min(Math.max(v, p.y[0]), top) - p.y[0]) / (top - p.y[0]);
    const path = (points, name) => make("path", { class: name, d: points.map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("") });
    const out = make("svg", { viewBox: `0 0 ${wide} ${HIGH}`, role: "img", "aria-label": words, class: p.square ? "te-square" : "te-wide" });
    out.appendChild(path([[p.x[0], p.y[0]], [p.x[1], p.y[0]]], "te-axis"));
    out.appendChild(path([[p.x[0], p.y[0]], [p.x[0], top]], "te-axis"));
    times(5, (i) => p.y[0] + (i * (top - p.y[0])) / 4).forEach((v) =>
      out.appendChild(make("text", { x: LEFT - 6, y: y(v) + 4, "text-anchor": "end" }, share(v).replace("-", "−"))));
    if (!p.bars) times(5, (i) => p.x[0] + (i * (p.x[1] - p.x[0])) / 4).forEach((v) =>
      out.appendChild(make("text", { x: x(v), y: HIGH - BELOW + 15, "text-anchor": "middle" }, p.x[1] > 4 ? share(v, 0) : share(v).replace("-", "−"))));
    out.appendChild(make("text", { x: (LEFT + wide) / 2, y: HIGH - 6, "text-anchor": "middle" }, p.labels[0]));
    out.appendChild(make("text", { x: 4, y: 12 }, p.labels[1]));
    (p.faint || []).forEach((line) => out.appendChild(path(line, "te-faint")));
    (p.lines || []).forEach((line, i) => out.appendChild(path(line, i ? "te-second" : "te-first")));
    (p.steps || []).forEach((blocks, i) => blocks.forEach(([at, v]) => {
      const width = (wide - LEFT - 18) / blocks.length;
      if (v > 0) out.appendChild(make("rect", { class: i ? "te-outline" : "te-block", x: x(at) - width / 2, y: y(v), width, height: y(p.y[0]) - y(v) }));
    }));
    (p.bars || []).forEach(([at, v, name]) => {
      const width = 0.5 * (wide - LEFT) / p.bars.length, base = y(Math.max(0, p.y[0]));
      out.appendChild(make("rect", { class: "te-block", x: x(at) - width / 2, y: Math.min(y(v), base), width, height: Math.max(1, Math.abs(base - y(v))) }));
      out.appendChild(make("text", { x: x(at), y: HIGH - BELOW + 15, "text-anchor": "middle" }, name));
    });
    (p.ranges || []).forEach(([at, low, high, middle, holds]) => {
      out.appendChild(path([[at, low], [at, high]], holds ? "te-range" : "te-missed"));
      out.appendChild(make("circle", { class: holds ? "te-dot" : "te-missed", cx: x(at), cy: y(middle), r: 3 }));
    });
    (p.dots || []).forEach(([a, b, name]) => {
      out.appendChild(make("circle", { class: "te-dot", cx: x(a), cy: y(b), r: 4 }));
      const [right, high] = [a > 0.7, b > 0.9];
      out.appendChild(make("text", { x: x(a) + (right ? -7 : 7), y: y(b) + (high && !right ? 17 : 4) - (b < 0.1 ? 10 : 0), "text-anchor": right ? "end" : "start" }, name));
    });
    if (p.level !== undefined) out.appendChild(path([[p.x[0], p.level], [p.x[1], p.level]], "te-level"));
    (p.upright || []).forEach((v) => out.appendChild(path([[v, p.y[0]], [v, top]], "te-level")));
    return out;
  }

  // ---- in the page
  function mount(place, document) {
    const name = place.getAttribute("data-play"), one = SIMULATIONS[name];
    const add = (parent, tag, attributes, text) => {
      const made = document.createElement(tag);
      Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
      if (text) made.textContent = text;
      return parent.appendChild(made);
    };
    const form = add(place, "form", { "aria-label": "Simulation" });
    const inputs = one.fields.map((f) => {
      const id = `te-${name}-${f.name}`, label = add(form, "label", { for: id }, `${f.label}: `);
      const value = add(label, "b", {}), input = add(label, "input", { id, type: "range", min: f.min, max: f.max, step: f.step, value: f.value });
      return [f, input, value];
    });
    const button = add(form, "button", { type: "button", class: "sd-btn sd-btn-primary" }, "Draw again");
    const out = add(place, "output", { "aria-live": "polite" }), picture = add(place, "div", {});
    let seed = 1;
    const update = () => {
      const o = {};
      inputs.forEach(([f, input, value]) => { o[f.name] = Number(input.value); value.textContent = input.value; });
      const made = one.run(o, generator(seed));
      out.textContent = made.words;
      picture.replaceChildren(svg(document, made.picture, made.words));
    };
    form.addEventListener("input", update);
    form.addEventListener("submit", (event) => event.preventDefault());
    button.addEventListener("click", () => { seed++; update(); });
    update();
  }

  if (typeof module === "object" && module.exports) module.exports = { SIMULATIONS, generator, student, phi };
  if (root.document) {
    const start = () => root.document.querySelectorAll("[data-play]").forEach((place) => mount(place, root.document));
    if (root.document.readyState === "loading") root.document.addEventListener("DOMContentLoaded", start);
    else start();
  }
})(typeof window === "undefined" ? globalThis : window);
