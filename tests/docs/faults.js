// What keeps people from reading a page: WCAG's contrast of text against what is behind it, links in prose that only
// colour tells, pictures and buttons without a name, ids that stand twice, and a page wider than the screen.
document.getAnimations().forEach((a) => a.finish());
const lum = (c) => c.map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const parse = (text) => {
  const m = text.match(/[\d.]+/g).map(Number);
  const scale = text.startsWith("color(") ? 255 : 1;
  return [m[0] * scale, m[1] * scale, m[2] * scale, m[3] === undefined ? 1 : m[3]];
};
const behind = (element) => {
  const layers = [];
  for (let e = element; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (c[3] > 0) layers.push(c);
    if (c[3] === 1) break;
  }
  return layers.reverse().reduce((base, c) => base.map((v, i) => c[i] * c[3] + v * (1 - c[3])), [255, 255, 255]);
};
const found = new Set();
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const text = walk.currentNode.textContent.trim(), e = walk.currentNode.parentElement, style = getComputedStyle(e);
  if (!text || !e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
  if (e.closest("svg, script, style, noscript, [disabled], [aria-hidden=true]")) continue;
  const box = e.getBoundingClientRect();
  if (box.width < 2 || box.height < 2) continue;
  const back = behind(e), c = parse(style.color), fore = back.map((v, i) => c[i] * c[3] + v * (1 - c[3]));
  const [high, low] = [lum(fore), lum(back)].sort((x, y) => y - x), ratio = (high + 0.05) / (low + 0.05);
  const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700);
  if (ratio < (large ? 3 : 4.5)) found.add(`contrast ${ratio.toFixed(2)} ${e.tagName}.${e.className}: ${text.slice(0, 40)}`);
}
for (const a of document.querySelectorAll("article p a, article li a")) {
  if (a.closest(".toctree-wrapper, .sd-card, nav, .prev-next-area") || a.matches(".headerlink, .sd-btn")) continue;
  if (!getComputedStyle(a).textDecorationLine.includes("underline")) found.add("no underline: " + a.textContent.slice(0, 40));
}
for (const image of document.querySelectorAll("img:not([alt])")) found.add("no alt: " + image.src);
for (const b of document.querySelectorAll("button, a[href]")) {
  const named = b.textContent.trim() || b.getAttribute("aria-label") || b.title || b.querySelector("img[alt]");
  if (b.checkVisibility() && !named) found.add("no name: " + b.outerHTML.slice(0, 120));
}
const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
ids.filter((id, i) => ids.indexOf(id) !== i).forEach((id) => found.add("id twice: " + id));
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
if (wide > 1) found.add(`page is ${wide} px too wide`);
return [...found];
