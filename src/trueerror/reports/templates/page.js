// The page itself: sorting and copying tables, light and dark, folded sections, printing.
(function () {
  "use strict";
  document.documentElement.classList.add("js");

  // Light and dark.
  const theme = document.getElementById("theme");
  theme.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  // A link to something inside a folded section opens it.
  const unfold = () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* an address that was cut or mistyped */ }
    for (let e = id && document.getElementById(id); e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    const inside = id && document.querySelector("#" + CSS.escape(id) + " > details");
    if (inside) inside.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();

  // Paper shows everything.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const d of closed) d.open = true;
  });
  addEventListener("afterprint", () => { for (const d of closed) d.open = false; });

  // Copying.
  const say = (button, words) => {
    const before = button.dataset.words || (button.dataset.words = button.textContent);
    button.textContent = words;
    setTimeout(() => { button.textContent = before; }, 1500);
  };
  const byHand = (text) => {
    const area = document.body.appendChild(document.createElement("textarea"));
    area.value = text;
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  };
  const copy = (tied, button) => {
    const text = tied.replace(/\u00a0/g, " ");
    const fallen = () => say(button, byHand(text) ? "Copied" : "Not allowed here");
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => say(button, "Copied"), fallen);
    else fallen();
  };
  const spoken = (e) => [...e.querySelectorAll("p, h2")].map((p) => [...p.childNodes]
    .filter((n) => !(n.getAttribute && n.getAttribute("aria-hidden"))).map((n) => n.textContent).join("").trim()).join("\n");
  for (const button of document.querySelectorAll("button[data-copies]")) {
    const from = document.getElementById(button.dataset.copies);
    button.addEventListener("click", () => copy(from.querySelector("p") ? spoken(from) : from.textContent.trim(), button));
  }

  // The results as JSON: they lie packed in the page.
  const download = document.getElementById("download");
  if (download && !window.DecompressionStream) download.hidden = true;
  else if (download) {
    download.addEventListener("click", async () => {
      const text = await window.trueerrorUnpacked("results-data");
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
      link.download = "results.json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  // Tables as Markdown, LaTeX and CSV: the same escapes as in results/_tables.py.
  const SPECIAL = {
    "\\": "\\textbackslash{}", "&": "\\&", "%": "\\%", "$": "\\$", "#": "\\#", "_": "\\_", "{": "\\{", "}": "\\}",
    "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "−": "$-$", "±": "$\\pm$", "×": "$\\times$",
    "≥": "$\\geq$", "≤": "$\\leq$", "<": "$<$", ">": "$>$", "…": "\\ldots{}", "–": "--",
  };
  // A straight quote opens at the start of a word and closes elsewhere.
  const quoted = (text) => text.replace(/(^|[\s([–-])"/g, "$1``").replace(/"/g, "''");
  const latexText = (text) => [...quoted(text)].map((c) => SPECIAL[c] || c).join("");
  // A word that a page would make a link, a mention or a formula of is code.
  const LIVE = /@\w|#\d|GH-\d|:\/\/|www\.|:[\w+-]+:|\$|\b(?=\w*\d)(?=\w*[a-f])[0-9a-f]{7,40}\b/;
  const code = (name) => {
    const fence = "`".repeat(1 + Math.max(0, ...(name.match(/`+/g) || []).map((run) => run.length)));
    return (name.includes("`") ? fence + " " + name + " " + fence : fence + name + fence).replace(/\|/g, "\\|");
  };
  const markdownWord = (word) => {
    const name = word.replace(/[.,;]+$/, "");
    if (LIVE.test(word)) return code(name) + word.slice(name.length);
    return word.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/[\\|*_`~[\]]/g, "\\$&");
  };
  const markdownText = (text) => text.trim().split(/\s+/).map(markdownWord).join(" ");
  const cells = (table) => [...table.rows].filter((r) => r.getAttribute("aria-hidden") !== "true")
    .filter((r) => !r.closest("[aria-hidden=true]"))
    .map((r) => [...r.cells].filter((c) => !c.hidden && !c.classList.contains("line")).map((c) => (c.dataset.text || c.textContent).trim()));
  const names = (table) => {
    const row = table.tBodies[0] && table.tBodies[0].rows[0];
    const marks = row ? [...row.cells].filter((c) => !c.classList.contains("line")).map((c) => c.classList.contains("name")) : [];
    const first = marks.indexOf(false);
    return Math.max(1, first < 0 ? marks.length : first);
  };
  // In print numbers have a real minus; names stay as they are.
  const printed = (left) => (texts) => texts.map((t, i) => (i < left ? t : t.replace(/(?<![\w.\-–])-(?=\.?\d)/g, "−")));
  const FORMATS = {
    Markdown(table) {
      const [head, ...body] = cells(table), left = names(table);
      const row = (texts) => "| " + texts.map(markdownText).join(" | ") + " |";
      const rule = "|" + head.map((_, i) => (i < left ? " --- " : " ---: ")).join("|") + "|";
      return [row(head), rule, ...body.map(printed(left)).map(row)].join("\n");
    },
    LaTeX(table) {
      const [head, ...body] = cells(table), left = names(table);
      const row = (texts) => texts.map(latexText).join(" & ") + " \\\\";
      const spec = "l".repeat(left) + "r".repeat(head.length - left);
      return ["\\begin{tabular}{" + spec + "}", "\\toprule", row(head), "\\midrule",
        ...body.map(printed(left)).map(row), "\\bottomrule",
        "\\end{tabular}"].join("\n");
    },
    // A cell that a spreadsheet would take for a formula is given as text.
    CSV(table) {
      const cell = (text) => {
        // Programs read a hyphen before a number, not a minus.
        const plain = text.replace(/−(?=\.?\d)/g, "-");
        const safe = /^[=@\t\r]|^[+-](?![\d.])/.test(plain) ? "'" + plain : plain;
        return /[",\n\r]/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
      };
      return cells(table).map((r) => r.map(cell).join(",")).join("\r\n") + "\r\n";
    },
  };
  for (const table of document.querySelectorAll(".wide > table, table.forest")) {
    const bar = document.createElement("p");
    bar.className = "copies";
    bar.append("Copy as ");
    for (const format in FORMATS) {
      const button = bar.appendChild(document.createElement("button"));
      button.type = "button";
      button.textContent = format;
      button.addEventListener("click", () => copy(FORMATS[format](table), button));
    }
    const box = table.closest(".wide") || table;
    if (box.closest(".matrix")) box.append(bar); else box.after(bar);
  }

  // Sorting.
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.dataset.text = head.textContent;
      head.textContent = "";
      head.appendChild(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        // A cell's own key, else the number that it begins with, else its words.
        const key = (row) => {
          const cell = row.cells[column], number = /^[<>+]?\s*([-−]?[\d,]*\.?\d+)/.exec(cell.textContent.trim());
          if (cell.dataset.sort !== undefined) return cell.dataset.sort;
          return number && !cell.classList.contains("name") ? number[1].replace(/,/g, "").replace("−", "-") : undefined;
        };
        const rows = [...table.tBodies[0].rows];
        rows.sort((a, b) => {
          const [x, y] = [key(a), key(b)];
          // What has no value stays last, whichever way.
          if ((x === undefined) !== (y === undefined)) return x === undefined ? 1 : -1;
          const order = x === undefined
            ? a.cells[column].textContent.localeCompare(b.cells[column].textContent)
            : Number(x) - Number(y);
          return down ? -order : order;
        });
        table.tBodies[0].append(...rows);
        table.dispatchEvent(new Event("sorted"));
      });
    });
  }

  // Leaderboards: filter by name, and the first rows of many.
  for (const board of document.querySelectorAll(".board")) {
    const table = board.querySelector(".leaderboard"), tool = (key) => board.querySelector('[data-board="' + key + '"]');
    const open = Number(table.dataset.open), rows = () => [...table.tBodies[0].rows];
    const name = (row) => (row.cells[0].dataset.text || row.cells[0].textContent).toLowerCase();
    const filter = tool("filter");
    const foot = () => rows().forEach((row, i) => row.classList.toggle("later", i >= open && !row.classList.contains("is-constant")));
    table.addEventListener("sorted", foot);
    if (rows().length > open + 2 && open) {
      const more = document.createElement("button");
      more.type = "button";
      const say = () => { more.textContent = table.classList.contains("all") ? "Show the first " + open : "Show all " + rows().filter((r) => !r.classList.contains("is-constant")).length; };
      more.addEventListener("click", () => { table.classList.toggle("all"); say(); });
      say();
      table.closest(".wide").after(more);
    } else table.classList.add("all");
    const folded = !table.classList.contains("all");
    if (filter) {
      filter.addEventListener("input", () => {
        const wanted = filter.value.trim().toLowerCase();
        for (const row of rows()) row.classList.toggle("unmatched", wanted !== "" && !name(row).includes(wanted));
        table.classList.toggle("all", wanted !== "" || !folded);
      });
    }
  }
  // The metric that models are judged by.
  for (const choice of document.querySelectorAll("[data-judge]")) {
    choice.addEventListener("change", () => {
      for (const part of choice.closest(".judged").querySelectorAll("[data-judged]")) part.hidden = part.dataset.judged !== choice.value;
    });
  }

  // One data set at a time.
  const choice = document.getElementById("set-choice");
  if (choice) {
    const sets = [...document.querySelectorAll(".set")];
    const show = (place) => {
      choice.value = String(place);
      sets.forEach((s, i) => { s.hidden = i !== place; s.open = i === place || s.open; });
    };
    choice.addEventListener("change", () => show(Number(choice.value)));
    show(0);
    for (const link of document.querySelectorAll("a[data-set]")) link.addEventListener("click", () => show(Number(link.dataset.set)));
  }
})();
