/* Calculators of trueerror's documentation: formulas first, then the forms.

   Nothing is loaded or sent; what is typed stands in the address after "#". Precision: special functions to about 1e-14
   of their value, limits and p-values within 1e-9 of the library's (tests/docs/test_calculators.py, 1,000 inputs each),
   for counts up to a million. Numbers of rows are the library's, exactly. */
(function (root) {
  "use strict";

  /* ---- special functions ---- */

  var HALF_LOG_2PI = 0.9189385332046727417803;

  // log Γ(x), x > 0: Stirling's series after a shift to x ≥ 16.
  function logGamma(x) {
    var product = 1;
    while (x < 16) {
      product *= x;
      x += 1;
    }
    return (x - 0.5) * Math.log(x) - x + HALF_LOG_2PI + stirlingSeries(x) - Math.log(product);
  }

  function stirlingSeries(x) {
    var q = 1 / (x * x);
    return (1 / 12 - q * (1 / 360 - q * (1 / 1260 - q * (1 / 1680 - q * (1 / 1188 - q * (691 / 360360)))))) / x;
  }

  // log Γ(x + 1) less Stirling's formula: what remains is small, so nothing cancels for large x.
  function stirlingError(x) {
    if (x >= 16) return stirlingSeries(x);
    return logGamma(x + 1) - (x + 0.5) * Math.log(x) + x - HALF_LOG_2PI;
  }

  // x log(x/m) + m − x, without cancellation near x = m.
  function deviance(x, m) {
    var gap = x - m;
    var v = gap / (x + m);
    if (Math.abs(v) >= 0.1) return x * Math.log(x / m) - gap;
    var sum = gap * v;
    var term = 2 * x * v;
    for (var j = 1; j < 60; j++) {
      term *= v * v;
      var next = sum + term / (2 * j + 1);
      if (next === sum) break;
      sum = next;
    }
    return sum;
  }

  // The binomial probability of x in n (both may be fractions), by Loader's saddle-point form.
  function binomial(x, n, p) {
    if (x < 0 || x > n) return 0;
    if (p <= 0) return x === 0 ? 1 : 0;
    if (p >= 1) return x === n ? 1 : 0;
    if (x === 0) return Math.exp(n * Math.log1p(-p));
    if (x === n) return Math.exp(n * Math.log(p));
    var y = n - x;
    var log = stirlingError(n) - stirlingError(x) - stirlingError(y) - deviance(x, n * p) - deviance(y, n * (1 - p));
    return Math.exp(log) * Math.sqrt(n / (2 * Math.PI * x * y));
  }

  // The incomplete beta function I_x(a, b) by its continued fraction (Lentz).
  function incompleteBeta(a, b, x) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    if (x > (a + 1) / (a + b + 2)) return 1 - betaTail(b, a, 1 - x);
    return betaTail(a, b, x);
  }

  // 1 − I_x(a, b), accurate where it is small.
  function incompleteBetaC(a, b, x) {
    return incompleteBeta(b, a, 1 - x);
  }

  function betaTail(a, b, x) {
    if (x <= 0) return 0;
    // x^a (1 − x)^b / (a B(a, b)) through a binomial probability.
    var front = (binomial(a, a + b, x) * b) / (a + b);
    var tiny = 1e-300;
    var c = 1;
    var d = 1 - ((a + b) * x) / (a + 1);
    d = 1 / (Math.abs(d) < tiny ? tiny : d);
    var h = d;
    for (var m = 1; m < 200000; m++) {
      var even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 + even * d;
      d = 1 / (Math.abs(d) < tiny ? tiny : d);
      c = 1 + even / c;
      if (Math.abs(c) < tiny) c = tiny;
      h *= d * c;
      var odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 + odd * d;
      d = 1 / (Math.abs(d) < tiny ? tiny : d);
      c = 1 + odd / c;
      if (Math.abs(c) < tiny) c = tiny;
      h *= d * c;
      if (Math.abs(d * c - 1) < 2e-16) break;
    }
    return front * h;
  }

  // P(X ≤ k) and P(X ≥ k) for X ~ Binomial(n, p).
  function atMost(k, n, p) {
    return k < 0 ? 0 : k >= n ? 1 : incompleteBetaC(k + 1, n - k, p);
  }

  function atLeast(k, n, p) {
    return k <= 0 ? 1 : k > n ? 0 : incompleteBeta(k, n - k + 1, p);
  }

  // The normal distribution: P(Z > x) by a series near 0 and a continued fraction beyond.
  function upperTail(x) {
    if (x < 0) return 1 - upperTail(-x);
    var density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
    if (x < 3) {
      var term = x;
      var sum = x;
      for (var k = 1; k < 200; k++) {
        term *= (x * x) / (2 * k + 1);
        if (sum + term === sum) break;
        sum += term;
      }
      return 0.5 - density * sum;
    }
    var f = 0;
    for (var j = 120; j >= 1; j--) f = j / (x + f);
    return density / (x + f);
  }

  function normal(x) {
    return x < 0 ? upperTail(-x) : 1 - upperTail(x);
  }

  // z with P(Z > z) = tail: a rough start, then Halley's steps.
  function normalQuantile(tail) {
    if (!(tail > 0 && tail < 1)) return tail >= 1 ? -Infinity : tail <= 0 ? Infinity : NaN;
    if (tail > 0.5) return -normalQuantile(1 - tail);
    var t = Math.sqrt(-2 * Math.log(tail));
    var z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (var i = 0; i < 6; i++) {
      var u = ((upperTail(z) - tail) * Math.sqrt(2 * Math.PI)) / Math.exp((-z * z) / 2);
      var step = u / (1 - (z * u) / 2);
      z += step;
      if (Math.abs(step) < 1e-15 * Math.max(1, z)) break;
    }
    return z;
  }

  // Where a monotone function changes sign between two points, to the last bits.
  function crossing(f, low, high) {
    var rising = f(low) < 0;
    for (var i = 0; i < 200; i++) {
      var middle = low + (high - low) / 2;
      if (!(low < middle && middle < high)) break;
      if (f(middle) < 0 === rising) low = middle;
      else high = middle;
    }
    return low + (high - low) / 2;
  }

  function quantileFor(confidence, side) {
    return normalQuantile(side === "two-sided" ? (1 - confidence) / 2 : 1 - confidence);
  }

  function pValue(z, alternative) {
    if (alternative === "greater") return upperTail(z);
    if (alternative === "less") return upperTail(-z);
    return Math.min(1, 2 * upperTail(Math.abs(z)));
  }

  /* ---- one proportion ---- */

  function wilson(x, n, z) {
    var square = z * z;
    var reach = z * Math.sqrt((x * (n - x)) / n + square / 4);
    return [(x + square / 2 - reach) / (n + square), (x + square / 2 + reach) / (n + square)];
  }

  function exactLow(x, n, alpha, mid) {
    if (x <= 0) return 0;
    return crossing(
      function (p) {
        var beyond = incompleteBeta(x, n - x + 1, p);
        if (mid) beyond = (beyond + (x >= n ? 0 : incompleteBeta(x + 1, n - x, p))) / 2;
        return beyond - alpha;
      },
      0,
      1
    );
  }

  function interval(o) {
    var x = o.x, n = o.n, side = o.side || "two-sided", method = o.method || "wilson";
    var level = o.confidence === undefined ? 0.95 : o.confidence;
    var limits;
    if (method === "wilson") limits = wilson(x, n, quantileFor(level, side));
    else {
      var alpha = side === "two-sided" ? (1 - level) / 2 : 1 - level;
      var mid = method === "mid-p";
      limits = [exactLow(x, n, alpha, mid), 1 - exactLow(n - x, n, alpha, mid)];
    }
    var p = x / n;
    return {
      estimate: p,
      low: side === "upper" ? 0 : Math.min(p, Math.max(0, limits[0])),
      high: side === "lower" ? 1 : Math.max(p, Math.min(1, limits[1])),
    };
  }

  /* ---- two proportions, different rows ---- */

  // The second share that fits best when the first is delta ≥ 0 higher.
  function constrained(x1, n1, x2, n2, delta) {
    if (delta === 0) return (x1 + x2) / (n1 + n2);
    var top = 1 - delta;
    if (top <= 0) return 0;
    function slope(p2) {
      var p1 = p2 + delta;
      var first = x1 * (1 - p1) - (n1 - x1) * p1;
      var second = x2 * (1 - p2) - (n2 - x2) * p2;
      return first * p2 * (1 - p2) + second * p1 * Math.max(0, top - p2);
    }
    var edge = 1e-15 * top;
    if (slope(edge) <= 0) return 0;
    if (slope(top - edge) >= 0) return top;
    return crossing(slope, edge, top - edge);
  }

  function overRoot(gap, variance) {
    if (gap === 0) return 0;
    return variance <= 0 ? (gap > 0 ? Infinity : -Infinity) : gap / Math.sqrt(variance);
  }

  function scoreOfDifference(x1, n1, x2, n2, delta) {
    if (delta < 0) return -scoreOfDifference(x2, n2, x1, n1, -delta);
    var n = n1 + n2;
    var p2 = constrained(x1, n1, x2, n2, delta);
    var p1 = Math.min(1, p2 + delta);
    var variance = (((p1 * (1 - p1)) / n1 + (p2 * (1 - p2)) / n2) * n) / (n - 1);
    return overRoot(x1 / n1 - x2 / n2 - delta, variance);
  }

  function lowerLimit(statistic, estimate, z) {
    var f = function (delta) {
      return statistic(delta) - z;
    };
    if (f(-1) <= 0) return -1;
    return crossing(f, -1, estimate);
  }

  function difference(o) {
    var x1 = o.x1, n1 = o.n1, x2 = o.x2, n2 = o.n2;
    var level = o.confidence === undefined ? 0.95 : o.confidence;
    var method = o.method || "miettinen-nurminen";
    var z = quantileFor(level, "two-sided");
    var d = x1 / n1 - x2 / n2;
    var found = { estimate: d };
    if (method === "newcombe") {
      var at = function (z) {
        var a = wilson(x1, n1, z), b = wilson(x2, n2, z);
        return [d - Math.hypot(x1 / n1 - a[0], b[1] - x2 / n2), d + Math.hypot(a[1] - x1 / n1, x2 / n2 - b[0])];
      };
      found.low = at(z)[0];
      found.high = at(z)[1];
      var reach = function (z) {
        return d > 0 ? at(z)[0] : -at(z)[1];
      };
      var top = 1;
      while (reach(top) > 0 && top < 1e8) top *= 2;
      found.statistic = d === 0 ? 0 : Math.sign(d) * crossing(function (z) { return -reach(z); }, 0, top);
    } else {
      found.low = lowerLimit(function (t) { return scoreOfDifference(x1, n1, x2, n2, t); }, d, z);
      found.high = -lowerLimit(function (t) { return scoreOfDifference(x2, n2, x1, n1, t); }, -d, z);
      found.statistic = scoreOfDifference(x1, n1, x2, n2, 0);
    }
    found.low = Math.max(-1, found.low);
    found.high = Math.min(1, found.high);
    found.p = pValue(found.statistic, "two-sided");
    return found;
  }

  /* ---- two models on the same rows ---- */

  function tango(b, c, n, delta) {
    if (delta < 0) return -tango(c, b, n, -delta);
    var linear = -b - c + (2 * n - b + c) * delta;
    var constant = -c * delta * (1 - delta);
    var rooted = Math.sqrt(linear * linear - 8 * n * constant);
    var q = linear > 0 ? (-2 * constant) / (linear + rooted) : (rooted - linear) / (4 * n);
    return overRoot(b - c - n * delta, n * (2 * q + delta * (1 - delta)));
  }

  // The mid-p test, and the other sound forms: the exact one and chi².
  function mcnemarP(b, c) {
    var m = b + c;
    if (m === 0) return { midP: 1, exact: 1, chi2: 1 };
    var half = binomial(b, m, 0.5) / 2;
    var below = atMost(Math.min(b, c), m, 0.5);
    return {
      midP: b === c ? 1 - half : Math.min(1, 2 * (below - half)),
      exact: b === c ? 1 : Math.min(1, 2 * below),
      chi2: pValue((b - c) / Math.sqrt(m), "two-sided"),
    };
  }

  // both right, only the first, only the second, neither
  function mcnemar(o) {
    var b = o.first, c = o.second, n = o.both + o.first + o.second + o.neither;
    var level = o.confidence === undefined ? 0.95 : o.confidence;
    var z = quantileFor(level, "two-sided");
    var sound = mcnemarP(b, c), every = [sound.midP, sound.exact, sound.chi2];
    var found = { n: n, estimate: (b - c) / n, p: sound.midP, from: Math.min.apply(null, every), to: Math.max.apply(null, every) };
    if (b === 0 && c === 0) {
      found.high = (z * z) / (n + z * z);
      found.low = -found.high;
    } else {
      found.low = lowerLimit(function (t) { return tango(b, c, n, t); }, found.estimate, z);
      found.high = -lowerLimit(function (t) { return tango(c, b, n, t); }, -found.estimate, z);
    }
    return found;
  }

  /* ---- sample size and power ---- */

  function shares(o) {
    var gap = Math.abs(o.first - o.second);
    var differ = o.disagreement;
    if (differ === undefined) differ = o.first * (1 - o.second) + o.second * (1 - o.first);
    var low = Math.max(0, (differ - gap) / 2);
    return o.first >= o.second ? [low + gap, low] : [low, low + gap];
  }

  function normalPower(n, delta, nullSd, sd, alpha) {
    var d = Math.abs(delta), spread = Math.max(sd / Math.sqrt(n), 1e-12 * Math.max(d, 1e-12));
    var cut = (quantileFor(1 - alpha, "two-sided") * nullSd) / Math.sqrt(n);
    return normal((d - cut) / spread);
  }

  function normalRows(delta, nullSd, sd, alpha, power) {
    return Math.pow((quantileFor(1 - alpha, "two-sided") * nullSd + normalQuantile(1 - power) * sd) / delta, 2);
  }

  // McNemar's mid-p test: over all numbers m of differing rows and all ways that they split.
  function pairedPower(n, p10, p01, alpha) {
    var share = p10 + p01;
    if (n * share > 100000) {
      var delta = p10 - p01;
      return normalPower(n, delta, Math.sqrt(share), Math.sqrt(Math.max(0, share - delta * delta)), alpha);
    }
    var spread = Math.sqrt(n * share * (1 - share));
    var low = Math.max(0, Math.floor(n * share - 8.6 * spread - 10));
    var high = Math.min(n, Math.ceil(n * share + 8.6 * spread + 10));
    var significant = function (k, m) {
      return 2 * (atMost(k, m, 0.5) - binomial(k, m, 0.5) / 2) <= alpha;
    };
    var k = -1, total = 0, top = Math.floor((low + 1) / 2), bottom = -1;
    while (top - bottom > 1) {
      var middle = Math.floor((top + bottom) / 2);
      if (significant(middle, low)) bottom = middle;
      else top = middle;
    }
    k = bottom;
    for (var m = low; m <= high; m++) {
      // The most that the loser may win grows by one at most with each further row.
      if (m > low && k + 1 < (m + 1) / 2 && significant(k + 1, m)) k += 1;
      if (k < 0) continue;
      var chance = atLeast(m - k, m, p10 / share) + atLeast(m - k, m, p01 / share);
      total += binomial(m, n, share) * chance;
    }
    return total;
  }

  function smallest(powerAt, target, start) {
    var high = Math.max(2, Math.ceil(start));
    while (powerAt(high) < target) {
      high *= 2;
      if (high > 1e12) return NaN;
    }
    var low = high === 2 ? 1 : Math.floor(high / 2);
    while (low > 1 && powerAt(low) >= target) {
      high = low;
      low = Math.max(1, Math.floor(low / 2));
    }
    while (high - low > 1) {
      var middle = Math.floor((low + high) / 2);
      if (powerAt(middle) >= target) high = middle;
      else low = middle;
    }
    return powerAt(low) >= target ? low : high;
  }

  // One accuracy to within ± half: the rows at which Wilson's interval is that wide.
  function rowsForWidth(o) {
    var alpha = 1 - (o.confidence === undefined ? 0.95 : o.confidence);
    var z = normalQuantile(alpha / 2), h = o.half, spread = o.accuracy * (1 - o.accuracy);
    var a = 0.25 - h * h, b = spread - 2 * h * h, c = -h * h;
    var rooted = Math.sqrt(b * b - 4 * a * c);
    var u = b > 0 ? (-2 * c) / (b + rooted) : (rooted - b) / (2 * a);
    return Math.ceil((z * z) / u - 1e-9);
  }

  function design(o) {
    var alpha = o.alpha === undefined ? 0.05 : o.alpha;
    if (o.rows === "different") {
      var mean = (o.first + o.second) / 2;
      var spread = Math.sqrt(o.first * (1 - o.first) + o.second * (1 - o.second));
      var nullSd = Math.sqrt(2 * mean * (1 - mean)), delta = o.first - o.second;
      return {
        at: function (n) { return normalPower(n, delta, nullSd, spread, alpha); },
        guess: function (power) { return normalRows(delta, nullSd, spread, alpha, power); },
      };
    }
    var p = shares(o), d = p[0] - p[1], s = p[0] + p[1];
    return {
      at: function (n) { return pairedPower(n, p[0], p[1], alpha); },
      guess: function (power) {
        return normalRows(d, Math.sqrt(s), Math.sqrt(Math.max(0, s - d * d)), alpha, power);
      },
      paired: true,
    };
  }

  function power(o) {
    return design(o).at(o.n);
  }

  function sampleSize(o) {
    var plan = design(o), target = o.power === undefined ? 0.8 : o.power;
    var guess = plan.guess(target);
    if (!(guess < 1e12)) return NaN;
    if (plan.paired && plan.at(Math.ceil(guess)) >= target) return Math.ceil(guess);
    return smallest(plan.at, target, guess);
  }

  /* ---- prevalence and costs ---- */

  // t with P(T > t) = tail for Student's t.
  function tQuantile(df, tail) {
    var f = function (t) {
      return tail - incompleteBeta(df / 2, 0.5, df / (df + t * t)) / 2;
    };
    var top = 1;
    while (f(top) < 0 && top < 1e12) top *= 2;
    return crossing(f, 0, top);
  }

  // What is asked at another class mix: a value of recall s and false positive rate f, its slopes there, and its range.
  function asked(o) {
    var p = o.prior, q = 1 - p;
    var top = p * o.costFn + q * o.costFp;
    return {
      accuracy: { at: function (s, f) { return p * s + q * (1 - f); }, slopes: function () { return [p, -q]; }, range: [0, 1] },
      precision: {
        at: function (s, f) { return (p * s) / (p * s + q * f); },
        slopes: function (s, f) {
          var all = Math.pow(p * s + q * f, 2);
          return [(p * q * f) / all, (-p * q * s) / all];
        },
        range: [0, 1],
      },
      npv: {
        at: function (s, f) { return (q * (1 - f)) / (q * (1 - f) + p * (1 - s)); },
        slopes: function (s, f) {
          var all = Math.pow(q * (1 - f) + p * (1 - s), 2);
          return [(p * q * (1 - f)) / all, (-p * q * (1 - s)) / all];
        },
        range: [0, 1],
      },
      cost: {
        at: function (s, f) { return p * (1 - s) * o.costFn + q * f * o.costFp; },
        slopes: function () { return [-p * o.costFn, q * o.costFp]; },
        range: [0, top],
      },
    };
  }

  // The effective t of two classes that are samples of their own (docs/explain/limits.md): standard error and degrees
  // of freedom come from the table with half a row more in the cell of each class that hurts the limit most.
  function mixLimits(metric, o, level) {
    var value = metric.at(o.tp / (o.tp + o.fn), o.fp / (o.fp + o.tn));
    var low = metric.range[0], width = metric.range[1] - low;
    if (!isFinite(value) || !(width > 0)) return [NaN, NaN];
    var tail = (1 - level) / 2;
    return [-1, 1].map(function (side) {
      if (value === (side > 0 ? low + width : low)) return value;
      var known = metric.slopes(o.tp / (o.tp + o.fn), o.fp / (o.fp + o.tn));
      var up = [known[0] * side > 0 ? 1 : 0, known[1] * side > 0 ? 1 : 0];
      var tp = o.tp + up[0] / 2, fn = o.fn + (1 - up[0]) / 2, fp = o.fp + up[1] / 2, tn = o.tn + (1 - up[1]) / 2;
      var s = tp / (tp + fn), f = fp / (fp + tn), slopes = metric.slopes(s, f), there = metric.at(s, f);
      var strata = [[tp, fn, s, slopes[0]], [fp, tn, f, slopes[1]]].map(function (one) {
        var n = one[0] + one[1];
        return {
          n: n, unbiased: n / (n - 1), counts: [one[0], one[1]],
          units: [((1 - one[2]) * one[3]) / n, (-one[2] * one[3]) / n],
        };
      });
      var sum = function (one, g) {
        return one.unbiased * (one.counts[0] * g(one.units[0]) + one.counts[1] * g(one.units[1]));
      };
      var variances = strata.map(function (one) { return sum(one, function (u) { return u * u; }); });
      var variance = variances[0] + variances[1];
      var inside = there > low && there < low + width;
      var slope = inside ? 1 / (there - low) - 1 / (low + width - there) : 0;
      var beyond = 0, welch = 0;
      strata.forEach(function (one, i) {
        var mean = variances[i] / one.unbiased / one.n;
        beyond += sum(one, function (u) { return Math.pow(u * u - mean - slope * variance * u, 2); });
        welch += Math.pow(variances[i], 2) / Math.max(one.n - 1, 1);
      });
      var freedom = (variance * variance) / welch;
      if (beyond > 1e-12 * variance * variance) freedom = Math.min(freedom, (2 * variance * variance) / beyond);
      var t = side * tQuantile(Math.max(1, freedom), tail), share = (there - low) / width, p = (value - low) / width;
      var rows = (share * (1 - share) * width * width) / variance;
      var reach = t * Math.sqrt(Math.max(0, p * (1 - p)) / rows + (t * t) / (4 * rows * rows));
      return low + (width * (p + (t * t) / (2 * rows) + reach)) / (1 + (t * t) / rows);
    });
  }

  function prevalence(o) {
    var tpr = o.tp / (o.tp + o.fn), fpr = o.fp / (o.fp + o.tn), p = o.prior, metrics = asked(o);
    var found = {
      recall: tpr, fpr: fpr, nothing: p * o.costFn, everything: (1 - p) * o.costFp,
      threshold: o.costFp / (o.costFp + o.costFn),
    };
    Object.keys(metrics).forEach(function (name) {
      found[name] = metrics[name].at(tpr, fpr);
      found[name + "Limits"] = mixLimits(metrics[name], o, o.confidence === undefined ? 0.95 : o.confidence);
    });
    return found;
  }

  /* ---- the forms ---- */

  function share(x, digits) {
    if (!isFinite(x)) return "undefined";
    return x.toFixed(digits === undefined ? 4 : digits).replace("-", "−");
  }

  function points(x) {
    return (x > 0 ? "+" : "") + (100 * x).toFixed(2).replace("-", "−");
  }

  function percent(x) {
    return Number((100 * x).toPrecision(12)) + " %";
  }

  function pText(p) {
    return p < 0.001 ? "p < .001" : "p = " + p.toFixed(3).replace(/^0/, "");
  }

  function whole(n) {
    return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  }

  function option(name, value, usual) {
    return value === usual ? "" : " --" + name + " " + value;
  }

  function keyword(name, value, usual) {
    return value === usual ? "" : ", " + name + "=" + (typeof value === "string" ? '"' + value + '"' : value);
  }

  var COUNT = { min: 0, step: 1 };
  var ROWS = { min: 1, step: 1 };
  var SHARE = { min: 0, max: 1, step: "any" };
  var LEVEL = { name: "confidence", label: "Confidence", value: 0.95, min: 0.5, max: 0.9999, step: "any" };

  function field(name, label, value, kind) {
    return Object.assign({ name: name, label: label, value: value }, kind);
  }

  function choice(name, label, words) {
    return { name: name, label: label, value: words[0], words: words };
  }

  var CALCULATORS = {
    interval: {
      fields: [
        field("x", "Successes (or errors)", 750, COUNT),
        field("n", "Rows", 1000, ROWS),
        LEVEL,
        choice("method", "Method", ["wilson", "clopper-pearson", "mid-p"]),
        choice("side", "Limits", ["two-sided", "lower", "upper"]),
      ],
      refuse: function (o) {
        return o.x > o.n ? "There are more successes than rows." : "";
      },
      answer: function (o) {
        var found = interval(o);
        return {
          words: whole(o.x) + " of " + whole(o.n) + " is " + share(found.estimate) + "; " + percent(o.confidence) + " CI " +
            share(found.low) + " to " + share(found.high) + ".",
          bar: closeUp(found),
          python: "te.interval(" + o.x + ", " + o.n + keyword("method", o.method, "wilson") +
            keyword("confidence", o.confidence, 0.95) + keyword("side", o.side, "two-sided") + ")",
          shell: "trueerror interval " + o.x + "/" + o.n + option("method", o.method, "wilson") +
            option("confidence", o.confidence, 0.95) + option("side", o.side, "two-sided"),
        };
      },
    },
    difference: {
      fields: [
        field("x1", "Successes of the first", 80, COUNT),
        field("n1", "Rows of the first", 100, ROWS),
        field("x2", "Successes of the second", 70, COUNT),
        field("n2", "Rows of the second", 100, ROWS),
        LEVEL,
        choice("method", "Method", ["miettinen-nurminen", "newcombe"]),
      ],
      refuse: function (o) {
        return o.x1 > o.n1 || o.x2 > o.n2 ? "There are more successes than rows." : "";
      },
      answer: function (o) {
        var found = difference(o);
        return {
          words: "First − second: " + points(found.estimate) + " points, " + percent(o.confidence) + " CI " +
            points(found.low) + " to " + points(found.high) + " (" + pText(found.p) + "). " + verdict(found, o.confidence),
          bar: around(found),
          python: "te.difference((" + o.x1 + ", " + o.n1 + "), (" + o.x2 + ", " + o.n2 + ")" +
            keyword("method", o.method, "miettinen-nurminen") + keyword("confidence", o.confidence, 0.95) + ")",
          shell: "trueerror difference " + o.x1 + "/" + o.n1 + " " + o.x2 + "/" + o.n2 +
            option("method", o.method, "miettinen-nurminen") + option("confidence", o.confidence, 0.95),
        };
      },
    },
    mcnemar: {
      fields: [
        field("both", "Both right", 810, COUNT),
        field("first", "Only the first right", 60, COUNT),
        field("second", "Only the second right", 40, COUNT),
        field("neither", "Both wrong", 90, COUNT),
        LEVEL,
      ],
      refuse: function (o) {
        return o.both + o.first + o.second + o.neither > 0 ? "" : "There are no rows.";
      },
      answer: function (o) {
        var found = mcnemar(o);
        return {
          words: "First − second: " + points(found.estimate) + " points, " + percent(o.confidence) + " CI " +
            points(found.low) + " to " + points(found.high) + " (mid-p test: " + pText(found.p) + "). They differ on " +
            whole(o.first + o.second) + " of " + whole(found.n) + " rows. " + verdict(found, o.confidence),
          bar: around(found),
          python: "te.significance.mcnemar(" + o.first + ", " + o.second + ", n=" + found.n +
            keyword("confidence", o.confidence, 0.95) + ")",
          shell: "trueerror compare --counts both=" + o.both + " first=" + o.first + " second=" + o.second + " neither=" +
            o.neither + option("confidence", o.confidence, 0.95),
        };
      },
    },
    power: {
      fields: [
        choice("rows", "Rows", ["same", "different"]),
        field("first", "Accuracy of the first", 0.87, SHARE),
        field("second", "Accuracy of the second", 0.85, SHARE),
        Object.assign(field("disagreement", "Share of rows that only one gets right (same rows)", 0.1, SHARE), {
          when: function (o) { return o.rows === "same"; },
        }),
        field("power", "Power", 0.8, { min: 0.05, max: 0.9999, step: "any" }),
        field("alpha", "Significance level", 0.05, { min: 0.0001, max: 0.5, step: "any" }),
        field("n", "Or: rows that you have", 1000, ROWS),
      ],
      refuse: function (o) {
        if (o.first === o.second) return "The two are equal: no number of rows shows a difference.";
        var gap = Math.abs(o.first - o.second), most = Math.min(o.first + o.second, 2 - o.first - o.second);
        if (o.rows === "same" && (o.disagreement < gap - 1e-9 || o.disagreement > most + 1e-9))
          return "With these accuracies the share lies between " + share(gap) + " and " + share(most) + ".";
        return "";
      },
      answer: function (o) {
        var each = o.rows === "different" ? " in each group" : "";
        var rows = sampleSize(o), have = power(o);
        var same = o.rows === "same";
        var tail = (same ? "" : ', test="two-proportions"') + ", first=" + o.first + ", second=" + o.second +
          (same ? ", disagreement=" + o.disagreement : "") + keyword("alpha", o.alpha, 0.05);
        var flags = (same ? "" : " --test two-proportions") + " --first " + o.first + " --second " + o.second +
          (same ? " --disagreement " + o.disagreement : "") + option("alpha", o.alpha, 0.05);
        return {
          words: (isFinite(rows) ? whole(rows) + " rows" + each : "More than 10¹² rows") + " find this difference " +
            Math.round(100 * o.power) + " % of the time (power). With " + whole(o.n) + " rows" + each + " the power is " +
            share(have, 3) + ".",
          python: "te.sample_size(" + (tail + keyword("power", o.power, 0.8)).slice(2) + ")\nte.power(n=" + o.n + tail + ")",
          shell: "trueerror sample-size" + flags + option("power", o.power, 0.8) + "\ntrueerror power --n " + o.n + flags,
        };
      },
    },
    width: {
      fields: [
        field("accuracy", "Accuracy, about", 0.9, SHARE),
        field("half", "To be known within ±", 0.02, { min: 0.0001, max: 0.4999, step: "any" }),
        LEVEL,
      ],
      refuse: function () {
        return "";
      },
      answer: function (o) {
        var alpha = Number((1 - o.confidence).toPrecision(12));
        return {
          words: whole(rowsForWidth(o)) + " rows: then the " + percent(o.confidence) + " CI of an accuracy of " +
            share(o.accuracy) + " is ±" + share(o.half) + ".",
          python: "te.sample_size(accuracy=" + o.accuracy + ", half_width=" + o.half + keyword("alpha", alpha, 0.05) + ")",
          shell: "trueerror sample-size --accuracy " + o.accuracy + " --half-width " + o.half + option("alpha", alpha, 0.05),
        };
      },
    },
    prevalence: {
      fields: [
        field("tp", "Positives flagged (TP)", 90, COUNT),
        field("fn", "Positives missed (FN)", 10, COUNT),
        field("fp", "False alarms (FP)", 45, COUNT),
        field("tn", "Negatives left alone (TN)", 855, COUNT),
        field("prior", "Share of positives where it will run", 0.01, SHARE),
        field("costFp", "Cost of a false alarm", 1, { min: 0, step: "any" }),
        field("costFn", "Cost of a miss", 10, { min: 0, step: "any" }),
        LEVEL,
      ],
      refuse: function (o) {
        if (o.tp + o.fn === 0 || o.fp + o.tn === 0) return "Both classes need rows.";
        return o.costFp + o.costFn > 0 ? "" : "One of the costs must be above 0.";
      },
      answer: function (o) {
        var f = prevalence(o), level = percent(o.confidence) + " CI ";
        var hundred = function (x) { return isFinite(x) ? (100 * x).toFixed(2) : "undefined"; };
        var within = function (limits, print) { return ", " + level + print(limits[0]) + " to " + print(limits[1]); };
        var [low, high] = f.costLimits, cheaper = Math.min(f.nothing, f.everything);
        var constant = cheaper === f.nothing ? "flagging nothing" : "flagging everything";
        var advice = low <= cheaper && cheaper <= high
          ? "Too close to call between the model and " + constant + "."
          : f.cost < cheaper ? "The model costs less than " + constant + "."
          : constant.charAt(0).toUpperCase() + constant.slice(1) + " costs less than the model.";
        return {
          words: (isFinite(f.precision) ? hundred(f.precision) + " of 100 flagged rows are positive (precision " +
            share(f.precision) + within(f.precisionLimits, share) + "). " : "No row is flagged, so precision is undefined. ") +
            "Accuracy " + share(f.accuracy) + within(f.accuracyLimits, share) + "; always the larger class: " +
            share(Math.max(o.prior, 1 - o.prior)) + ". Cost per 100 rows: model " + hundred(f.cost) +
            within(f.costLimits, hundred) + ", flag nothing " + hundred(f.nothing) +
            ", flag everything " + hundred(f.everything) + ". " + advice +
            " For calibrated probabilities these costs give the threshold " + share(f.threshold) + ".",
          bar: isFinite(f.precision) &&
            closeUp({ estimate: f.precision, low: f.precisionLimits[0], high: f.precisionLimits[1] }),
          python: "te.evaluate(te.Confusion([[" + o.tn + ", " + o.fp + "], [" + o.fn + ", " + o.tp + "]]), prior=" +
            o.prior + keyword("confidence", o.confidence, 0.95) + ")",
          shell: "trueerror evaluate --matrix 'tp=" + o.tp + " fp=" + o.fp + " fn=" + o.fn + " tn=" + o.tn + "' --prior " +
            o.prior + option("confidence", o.confidence, 0.95),
        };
      },
    },
  };

  // A difference on the narrowest scale around 0 that holds its limits.
  function around(found) {
    var far = Math.max(-found.low, found.high);
    var edge = [0.05, 0.1, 0.2, 0.5].find(function (x) { return far <= x; }) || 1;
    return [found, -edge, edge, 0];
  }

  // A share on round ends that leave its limits the middle of the picture.
  function closeUp(found) {
    var step = [0.01, 0.02, 0.05, 0.1, 0.2].find(function (x) { return found.high - found.low <= 3 * x; }) || 1;
    var low = Math.max(0, Math.floor(found.low / step - 0.5) * step);
    return [found, low, Math.min(1, Math.ceil(found.high / step + 0.5) * step)];
  }

  // A call is close where sound forms of the test, or the test and the interval, fall on either side of the level.
  function verdict(found, confidence) {
    var level = 1 - confidence, sure = found.p <= level;
    var from = found.from === undefined ? found.p : found.from, to = found.to === undefined ? found.p : found.to;
    var close = (from <= level && level < to) || (found.low > 0 || found.high < 0) !== sure;
    var words = !sure ? "No clear difference; that is no evidence that they are equal."
      : found.estimate > 0 ? "The first is probably better." : "The second is probably better.";
    if (!close) return words;
    return words.slice(0, -1) + "; a close call. Sound tests straddle " + percent(level) + " here (" + pText(from).slice(4) +
      " to " + pText(to).slice(4) + "): do not pick among them.";
  }

  function read(form, fields) {
    var o = {}, wrong = "";
    fields.forEach(function (f) {
      var input = form.elements[f.name], value = input.value;
      if (f.words) o[f.name] = value;
      else {
        o[f.name] = Number(value);
        var fine = value.trim() !== "" && isFinite(o[f.name]) && o[f.name] >= f.min && (f.max === undefined || o[f.name] <= f.max) &&
          (f.step !== 1 || (Number.isInteger(o[f.name]) && o[f.name] <= 1e9));
        input.setAttribute("aria-invalid", fine ? "false" : "true");
        if (!fine && !wrong)
          wrong = f.label + " must be a" + (f.step === 1 ? " whole" : "") + " number" +
            (f.max === undefined ? " of " + f.min + " or more." : " between " + f.min + " and " + f.max + ".");
      }
    });
    return [o, wrong];
  }

  function element(document, tag, words, attributes) {
    var made = document.createElement(tag);
    if (words) made.textContent = words;
    Object.keys(attributes || {}).forEach(function (name) { made.setAttribute(name, attributes[name]); });
    return made;
  }

  function bar(document, found, low, high, mark) {
    var ns = "http://www.w3.org/2000/svg";
    var svg = document.createElementNS(ns, "svg");
    svg.setAttribute("viewBox", "0 0 400 40");
    svg.setAttribute("aria-hidden", "true");
    var at = function (x) { return 10 + (380 * (x - low)) / (high - low); };
    function line(x1, x2, y1, y2, name) {
      var made = document.createElementNS(ns, "line");
      [["x1", x1], ["x2", x2], ["y1", y1], ["y2", y2], ["class", name]].forEach(function (a) { made.setAttribute(a[0], a[1]); });
      svg.appendChild(made);
    }
    function word(x, words) {
      var made = document.createElementNS(ns, "text");
      [["x", at(x)], ["y", 36], ["text-anchor", x === low ? "start" : x === high ? "end" : "middle"]].forEach(function (a) {
        made.setAttribute(a[0], a[1]);
      });
      made.textContent = words;
      svg.appendChild(made);
    }
    var end = isFinite(mark) ? function (x) { return points(x).replace(/\.00$/, "") + " points"; } : percent;
    word(low, end(low));
    word(high, end(high));
    if (isFinite(mark)) word(mark, "no difference");
    line(10, 390, 13, 13, "te-axis");
    if (isFinite(mark)) line(at(mark), at(mark), 3, 23, "te-axis");
    line(at(found.low), at(found.high), 13, 13, "te-range");
    line(at(found.estimate), at(found.estimate), 6, 20, "te-range");
    return svg;
  }

  var STYLE =
    ".te-calculator form{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.6rem 1rem;margin:1rem 0}" +
    ".te-calculator label{display:flex;flex-direction:column;justify-content:flex-end;gap:.2rem}" +
    ".te-calculator input,.te-calculator select{font:inherit;box-sizing:border-box;height:2.5rem;padding:.35rem .5rem;color:inherit;width:100%;" +
    "background:var(--pst-color-background,Canvas);border:1px solid var(--pst-color-text-muted,GrayText);border-radius:.25rem}" +
    ".te-calculator [aria-invalid=true]{border:2px solid var(--pst-color-danger,#b00020)}" +
    ".te-calculator output{display:block;font-size:1.1em;margin:.5rem 0;min-height:3.2em}" +
    ".te-calculator svg{width:100%;max-width:32rem;height:auto}" +
    ".te-calculator text{font-size:12px;fill:currentColor}" +
    ".te-calculator .te-axis{stroke:currentColor;opacity:.55}" +
    ".te-calculator .te-range{stroke:var(--pst-color-primary,#0a66a8);stroke-width:4}" +
    ".te-calculator [hidden]{display:none!important}";

  function mount(place, window) {
    var document = window.document;
    var name = place.getAttribute("data-calculator"), calculator = CALCULATORS[name];
    var form = element(document, "form", "", { "aria-label": "Calculator: " + name });
    var out = element(document, "output", "", { "aria-live": "polite", name: "answer" });
    var picture = element(document, "div");
    var asked = new URLSearchParams(window.location.hash.slice(1));
    var mine = asked.get("calculator") === name;
    calculator.fields.forEach(function (f) {
      var label = element(document, "label", f.label);
      var input = element(document, f.words ? "select" : "input", "", { name: f.name, id: "te-" + name + "-" + f.name });
      label.setAttribute("for", input.id);
      if (f.words) f.words.forEach(function (word) { input.appendChild(element(document, "option", word, { value: word })); });
      else {
        input.type = "number";
        ["min", "max", "step"].forEach(function (a) { if (f[a] !== undefined) input.setAttribute(a, f[a]); });
      }
      var wanted = mine ? asked.get(f.name) : null;
      input.value = wanted === null || (f.words && f.words.indexOf(wanted) < 0) ? f.value : wanted;
      label.appendChild(input);
      form.appendChild(label);
    });
    var lines = ["Python", "Shell"].map(function (title) {
      place.appendChild(element(document, "p", title, { class: "te-line" }));
      var block = element(document, "pre"), code = element(document, "code");
      block.setAttribute("tabindex", "0");
      block.appendChild(code);
      place.appendChild(block);
      return code;
    });
    place.insertBefore(picture, place.firstChild);
    place.insertBefore(out, place.firstChild);
    place.insertBefore(form, place.firstChild);
    function update(event) {
      var got = read(form, calculator.fields), o = got[0];
      var wrong = got[1] || calculator.refuse(o);
      calculator.fields.forEach(function (f) {
        if (f.when) form.elements[f.name].parentNode.hidden = !f.when(o);
      });
      picture.textContent = "";
      out.setAttribute("data-wrong", wrong ? "true" : "false");
      if (wrong) {
        out.textContent = wrong;
        lines.forEach(function (code) { code.textContent = ""; });
        return;
      }
      var answer = calculator.answer(o);
      out.textContent = answer.words;
      if (answer.bar) picture.appendChild(bar.apply(null, [document].concat(answer.bar)));
      lines[0].textContent = answer.python;
      lines[1].textContent = answer.shell;
      if (event) {
        var state = new URLSearchParams({ calculator: name });
        calculator.fields.forEach(function (f) { state.set(f.name, o[f.name]); });
        window.history.replaceState(null, "", "#" + state);
      }
    }
    form.addEventListener("input", update);
    form.addEventListener("change", update);
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      update(event);
    });
    update(null);
  }

  function start(window) {
    var places = window.document.querySelectorAll("[data-calculator]");
    if (!places.length) return;
    window.document.head.appendChild(element(window.document, "style", STYLE));
    places.forEach(function (place) { mount(place, window); });
  }

  var made = {
    interval: interval, difference: difference, mcnemar: mcnemar, power: power, sampleSize: sampleSize,
    rowsForWidth: rowsForWidth, prevalence: prevalence, CALCULATORS: CALCULATORS,
  };
  if (typeof module === "object" && module.exports) module.exports = made;
  if (root.document) {
    if (root.document.readyState === "loading") root.document.addEventListener("DOMContentLoaded", function () { start(root); });
    else start(root);
  }
})(typeof window === "undefined" ? globalThis : window);
