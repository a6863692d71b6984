
"use strict";
(() => {
  const copies = button => {
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(button.dataset.copy);
      } catch {
        const area = document.createElement("textarea");
        area.value = button.dataset.copy;
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
      }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  };
  const finds = filter => {
    const onlyHeld = document.getElementById("onlyheld");
    const trees = [...document.querySelectorAll(".tree")].map(tree => ({
      tree, changes: [...tree.querySelectorAll("article")].map(change => ({ change, text: change.textContent.toLowerCase() }))
    }));
    const folds = [...document.querySelectorAll(".alike")];
    const total = trees.reduce((n, t) => n + t.changes.length, 0);
    const show = () => {
      const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
      let found = 0;
      for (const { tree, changes } of trees) {
        let some = false;
        for (const { change, text } of changes) {
          const fits = words.every(word => text.includes(word)) && (!onlyHeld.checked || "held" in change.dataset);
          change.toggleAttribute("data-hidden", !fits);
          some ||= fits;
          found += fits ? 1 : 0;
        }
        tree.toggleAttribute("data-hidden", !some);
      }
      for (const fold of folds) {
        const some = fold.querySelector("article:not([data-hidden])");
        fold.toggleAttribute("data-hidden", !some);
        fold.open = some && found < total;
      }
      const said = document.getElementById("found");
      said.textContent = found === total ? "" : said.dataset.says.replace("{n}", found).replace("{all}", total);
    };
    filter.closest("p").hidden = false;
    filter.addEventListener("input", show);
    onlyHeld.addEventListener("change", show);
    if (total > 60) {
      for (const { tree } of trees) tree.open = "held" in tree.dataset;
    }
  };
  // What is hidden has not been made ready: all at first, and later what the page put in anew.
  const ready = () => {
    for (const button of document.querySelectorAll("button[data-copy][hidden]")) copies(button);
    const filter = document.getElementById("filter");
    if (filter && filter.closest("p").hidden) finds(filter);
  };
  const led = () => {
    const to = location.hash && document.getElementById(location.hash.slice(1));
    if (!to) return;
    for (let fold = to.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    to.scrollIntoView();
  };
  document.addEventListener("keydown", event => {
    const filter = document.getElementById("filter");
    if (filter && event.key === "/" && event.target.tagName !== "INPUT") {
      event.preventDefault();
      filter.focus();
    }
  });
  document.addEventListener("put", ready);
  addEventListener("hashchange", led);
  addEventListener("beforeprint", () => { for (const tree of document.querySelectorAll("details")) tree.open = true; });
  ready();
  led();
})();
