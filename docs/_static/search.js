/* How the site's search weighs pages, on top of Sphinx's own index.

Sphinx shows pages that hold all words of a query, by the best single word. People type questions: here a page counts by
how much of the query it covers, rare words more than common ones; words of its title and of its keyword line (PAGES,
written by docs/build.py) count most, reference pages less than the pages that explain. Works from a folder. */
"use strict";
(function () {
  const TITLE = 3, KEYWORD = 2.5, TEXT = 1, PHRASE = 12;
  const WEIGHT = [[/^reference\/python\/class-/, 0.25], [/^reference\//, 0.45], [/^decisions\//, 0.2]];
  // Words of questions that say nothing of the subject, beside Sphinx's own.
  const EMPTY = new Set(["how", "what", "which", "why", "when", "do", "does", "can", "i", "my", "me", "we", "should",
    "need", "want", "use", "get", "one", "a", "an", "is", "are", "the", "to", "of", "in", "for", "with", "on", "and", "or",
    "by", "it", "from", "be", "not", "many", "much", "way", "best", "good", "there", "some", "that", "this"]);

  const weigh = (name) => (WEIGHT.find(([pattern]) => pattern.test(name)) || [null, 1])[1];
  const stemmer = () => new Stemmer();
  const stems = (text, stem) => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [])
    .map((word) => stem.stemWord(word));
  const list = (files) => (files === undefined ? [] : files.length === undefined ? [files] : files);
  const own = (table, word) => (Object.prototype.hasOwnProperty.call(table, word) ? list(table[word]) : []);

  /** Pages by how well they answer: [docname, title, "", null, score, filename, kind], the best last. */
  function ranked(query) {
    const { docnames, titles, filenames, terms, titleterms } = Search._index;
    const stem = stemmer();
    const all = [...new Set(stems(query, stem))];
    const told = new Set([...EMPTY, ...stopwords].map((word) => stem.stemWord(word)));
    const said = all.filter((word) => !told.has(word));
    const words = said.length ? said : all;
    if (!words.length) return [];
    const pages = docnames.length;
    // The last word may be unfinished while it is typed.
    const matches = (table, word, last) => {
      const exact = own(table, word);
      if (exact.length || !last || word.length < 3) return exact;
      return Object.keys(table).filter((term) => term.startsWith(word)).flatMap((term) => list(table[term]));
    };
    const scores = new Map();
    const add = (file, word, worth) => {
      if (!scores.has(file)) scores.set(file, new Map());
      const held = scores.get(file);
      held.set(word, Math.max(held.get(word) || 0, worth));
    };
    const rare = new Map();
    words.forEach((word, i) => {
      const last = i === words.length - 1;
      const inText = matches(terms, word, last), inTitle = matches(titleterms, word, last);
      const found = new Set([...inText, ...inTitle]);
      rare.set(word, Math.log(1 + pages / (1 + found.size)));
      inText.forEach((file) => add(file, word, TEXT));
      inTitle.forEach((file) => add(file, word, stems(titles[file], stem).includes(word) ? TITLE : 1.5));
    });
    // Keyword lines: single words, and whole phrases that are like the query.
    const alike = new Map();
    docnames.forEach((name, file) => {
      const phrases = [titles[file], ...((window.PAGES || {})[name] || { keywords: [] }).keywords];
      for (const [k, phrase] of phrases.entries()) {
        const held = new Set(stems(phrase, stem));
        let shared = 0, sum = 0;
        words.forEach((word) => {
          sum += rare.get(word);
          const begun = word.length > 2 && [...held].some((h) => h.startsWith(word));
          if (held.has(word) || (word === words[words.length - 1] && begun)) {
            shared += rare.get(word);
            if (k) add(file, word, KEYWORD);
          }
        });
        const spare = [...held].filter((h) => !words.includes(h) && !told.has(h)).length;
        const like = sum ? (shared / sum) ** 2 / (1 + 0.35 * spare) : 0;
        alike.set(file, Math.max(alike.get(file) || 0, like));
      }
    });
    const total = words.reduce((sum, word) => sum + rare.get(word), 0) || 1;
    const results = [];
    for (const [file, held] of scores) {
      let score = 0, covered = 0;
      for (const [word, worth] of held) {
        score += worth * rare.get(word);
        covered += rare.get(word);
      }
      const share = covered / total;
      if (share < 0.34) continue;
      score = (score / total) * share * share + PHRASE * (alike.get(file) || 0);
      results.push([docnames[file], titles[file], "", null, score * weigh(docnames[file]), filenames[file], "text"]);
    }
    return results.sort((a, b) => a[4] - b[4] || (a[1] < b[1] ? 1 : -1));
  }

  /** The first sentence of each page beside its link. */
  function explain(place) {
    place.querySelectorAll("li a[data-score]").forEach((link) => {
      if (link.parentElement.querySelector(".about")) return;
      const root = document.documentElement.dataset.content_root || "./";
      const path = link.getAttribute("href").split(/[#?]/)[0].replace(/\.html$/, "").replace(/^(\.\.?\/)+/, "");
      const page = (window.PAGES || {})[path] || (window.PAGES || {})[path.replace(root, "")];
      if (!page || !page.about) return;
      const text = document.createElement("p");
      text.className = "about";
      text.textContent = page.about;
      link.parentElement.appendChild(text);
    });
  }

  /** Names for what the theme leaves without: the search button says what it shows, a fold of the side bar what it folds. */
  function name() {
    document.querySelectorAll(".search-button-field").forEach((b) =>
      b.setAttribute("aria-label", b.textContent.replace(/\s+/g, " ").trim()));
    document.querySelectorAll("nav summary:not([aria-label])").forEach((summary) => {
      const link = summary.closest("li").querySelector("a");
      if (link) summary.setAttribute("aria-label", `Pages below ${link.textContent.trim()}`);
    });
  }

  function take() {
    name();
    if (typeof Search === "undefined") return;
    Search._performSearch = (query) => {
      const progress = document.getElementById("search-progress");
      if (progress) progress.textContent = "";
      return ranked(query).slice(-40);
    };
    new MutationObserver((changes) => changes.forEach((change) => {
      if (change.target.nodeType === 1) explain(change.target);
    })).observe(document.body, { childList: true, subtree: true });
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", take);
  else take();
})();
