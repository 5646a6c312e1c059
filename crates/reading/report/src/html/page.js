/* The script of oscope's page: sorting, filtering, values at once on hover, opening what a link points into.
   The page can be read without it. */
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  all("[hidden]").forEach((element) => { element.hidden = false; });

  /* Sorting: a button in every heading; up, down, and back to the order of the plan. */
  const table = byId("points");
  if (table) {
    const body = table.tBodies[0], lines = [...body.rows], rows = lines.filter((row) => row.className !== "head"), headings = [...table.tHead.rows[0].cells];
    const key = (row, column) => {
      const cell = row.cells[column], number = cell.dataset.key;
      return number === undefined ? null : Number(number);
    };
    /* What is not said: the area of the line before, a verdict that is as it should be, times. */
    rows.forEach((row, at) => {
      row.dataset.area ??= rows[at - 1]?.dataset.area ?? "";
      row.dataset.verdict ??= "measured";
      row.dataset.kind ??= "";
    });
    /* A number as it is printed, with the prefix of its unit, is the key of its cell. */
    const prefixes = { n: 1e-9, "µ": 1e-6, m: 1e-3, k: 1e3, K: 2 ** 10, M: 1e6, G: 1e9, T: 1e12 };
    all("tbody td", table).forEach((cell) => {
      const [, sign, digits, prefix, binary] = /^[<~]?\s*(−?)(\d[\d\s]*\.?\d*)\s*([nµmkKMGT]?)(i?)/.exec(cell.textContent) ?? [];
      if (digits === undefined || cell.dataset.key !== undefined) return;
      const scale = binary ? 2 ** (10 * ("KMGT".indexOf(prefix) + 1)) : prefixes[prefix] ?? 1;
      cell.dataset.key = (sign ? -1 : 1) * Number(digits.replace(/\s/g, "")) * scale;
    });
    const compare = (column, way) => (one, other) => {
      const numbers = headings[column].dataset.numbers;
      if (!numbers) return way * one.cells[column].textContent.localeCompare(other.cells[column].textContent);
      const a = key(one, column), b = key(other, column);
      if (a === null || b === null) return (a === null) - (b === null);
      return one.dataset.kind.localeCompare(other.dataset.kind) || way * (a - b);
    };
    headings.forEach((heading, column) => {
      if (rows.some((row) => row.cells[column].dataset.key !== undefined)) heading.dataset.numbers = "yes";
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: "none" }[heading.ariaSort] || "ascending";
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        if (next !== "none") heading.setAttribute("aria-sort", next);
        table.classList.toggle("sorted", next !== "none");
        const order = next === "none" ? lines : [...rows].sort(compare(column, next === "ascending" ? 1 : -1));
        body.append(...order);
      });
    });

    /* Filtering: all words of the text must be in the name. */
    const area = byId("filter-area"), verdict = byId("filter-verdict"), text = byId("filter-text");
    const filter = () => {
      const words = text.value.toLowerCase().split(/\s+/);
      let shown = 0;
      for (const row of rows) {
        const name = row.cells[0].textContent.toLowerCase();
        const fits = (!area?.value || row.dataset.area === area.value)
          && (!verdict?.value || row.dataset.verdict === verdict.value)
          && words.every((word) => name.includes(word));
        row.hidden = !fits;
        shown += fits;
      }
      byId("filter-count").textContent = (shown === rows.length ? "" : `${shown} of `)
        + (rows.length === 1 ? "1 point" : `${rows.length} points`);
    };
    all(".filters select, .filters input").forEach((input) => input.addEventListener("input", filter));
    all(".filters").forEach((form) => form.addEventListener("submit", (event) => event.preventDefault()));
    filter();
  }

  /* Values at once, where the browser would let one wait for a title. */
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("role", "status");
  tip.hidden = true;
  document.body.append(tip);
  all("svg title").forEach((title) => {
    title.parentNode.dataset.tip = title.textContent;
    title.parentNode.setAttribute("aria-label", title.textContent);
    title.remove();
  });
  document.addEventListener("pointerover", (event) => {
    const marked = event.target.closest("[data-tip]") ?? event.target.closest(":is(.costs, .listed) tr")?.querySelector("[data-tip]");
    tip.hidden = !marked;
    if (!marked) return;
    tip.textContent = marked.dataset.tip;
    const place = marked.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const left = Math.min(Math.max(4, place.left + place.width / 2 - own.width / 2), innerWidth - own.width - 4);
    const above = place.top - own.height - 6;
    tip.style.left = `${left}px`;
    tip.style.top = `${above < 4 ? place.bottom + 6 : above}px`;
  });

  /* A row of costs leads where its link does. */
  all(".costs tbody tr").forEach((row) => row.addEventListener("click", (event) => {
    if (!event.target.closest("a")) row.querySelector("a")?.click();
  }));

  /* A link into what is closed opens it. */
  const open = () => {
    const target = byId(decodeURIComponent(location.hash.slice(1)));
    for (let element = target; element; element = element.parentElement) {
      if (element.tagName === "DETAILS") element.open = true;
    }
    if (target?.tagName === "ARTICLE") target.querySelector("details").open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
  const set = (state) => () => all("#operations details").forEach((one) => { one.open = state; });
  byId("open-all")?.addEventListener("click", set(true));
  byId("close-all")?.addEventListener("click", set(false));
})();
