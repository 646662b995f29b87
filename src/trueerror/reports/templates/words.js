// Numbers in words, as everywhere in the library (results/_format.py).
window.trueerrorWords = (function () {
  "use strict";
  // Halves go to the even digit, as in Python; toFixed sends them up.
  function fixed(x, digits) {
    const halves = x * 2 ** (digits + 1);
    if (Number.isInteger(halves) && Math.abs(x * 10 ** digits) % 1 === 0.5) {
      const down = Math.floor(Math.abs(x) * 10 ** digits);
      const even = (down % 2 === 0 ? down : down + 1) / 10 ** digits;
      return (x < 0 ? -even : even).toFixed(digits);
    }
    return x.toFixed(digits);
  }
  // Halves go up by the decimal digits as they are read: 0.9075 is 0.908.
  function rounded(x, digits) {
    const [mantissa, exponent] = String(Math.abs(x)).split("e");
    const up = Math.round(Number(mantissa + "e" + (Number(exponent || 0) + digits)));
    const text = Number(up + "e-" + digits).toFixed(digits);
    return x < 0 && up !== 0 ? "-" + text : text;
  }
  const thousands = (text) => text.replace(/^(-?\d+)/, (all) => all.replace(/\B(?=(\d{3})+$)/g, ","));
  // Python's format "g".
  function general(x, digits) {
    if (x === 0) return "0";
    const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
    const power = Number(exponent);
    const strip = (text) => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);
    if (power < -4 || power >= digits) return strip(mantissa) + "e" + (power < 0 ? "-" : "+") + String(Math.abs(power)).padStart(2, "0");
    return strip(fixed(x, Math.max(0, digits - 1 - power)));
  }
  function number(x) {
    if (Number.isNaN(x)) return "undefined";
    if (!Number.isFinite(x)) return x > 0 ? "infinite" : "−infinite";
    const size = Math.abs(x);
    if (size !== 0 && size < 1e-3) return general(x, 2);
    if (size >= 1e3) return thousands(fixed(x, 0));
    return rounded(x, size < 10 ? 3 : Math.max(0, 3 - String(Math.trunc(size)).length));
  }
  // Figures and their units stay on one line (unbroken in results/_format.py).
  const tied = (text) => text.replace(/\d %(?: CI\b)?|\d per 100\b/g, (found) => found.replace(/ /g, "\u00a0"));
  return {
    number, tied,
    amount: (x, digits) => thousands(fixed(x, digits)),
    figure: (x) => (Math.abs(x) >= 1000 ? thousands(fixed(x, 0)) : general(x, 3)),
    share: (x) => general(100 * Number(x.toPrecision(3)), 6) + " %",
    whole: (x) => thousands(Number.isInteger(x) ? fixed(x, 0) : fixed(x, 1)),
  };
})();
// What lies packed in the page, as text.
window.trueerrorUnpacked = (id) => {
  let text = document.getElementById(id).textContent.trim();
  const spare = (5 - text.length % 5) % 5;
  text += "~".repeat(spare);
  const bytes = new DataView(new ArrayBuffer(text.length * 4 / 5));
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;.=>?@^_`{|}~";
  const value = Object.fromEntries([...digits].map((digit, i) => [digit, i]));
  for (let i = 0; i < text.length; i += 5) {
    let number = 0;
    for (let k = i; k < i + 5; k += 1) number = 85 * number + value[text[k]];
    bytes.setUint32(i * 4 / 5, number);
  }
  return new Response(new Blob([bytes.buffer.slice(0, bytes.byteLength - spare)]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
};
// What the points of pictures tell, and the explorer's numbers: {hover, explorer}; nothing where a browser is too old.
window.trueerrorData = document.getElementById("page-data") && window.DecompressionStream
  ? window.trueerrorUnpacked("page-data").then(JSON.parse) : Promise.resolve({});
