// What somebody can use on a page, and how it answers to a hand. It works where the page itself runs no script.
window.walk = (() => {
  const kinds = "a[href], button, summary, input:not([type=hidden]), select, textarea, [tabindex='0']";
  const places = ["nav", ".bar", "p.of", "thead", "tbody", ".pages", ".links", ".talk", ".lines", ".facts", ".card", ".orders",
    "fieldset", ".search", "form", "article", "section"];
  const shown = e => e.checkVisibility({ visibilityProperty: true }) && [...e.getClientRects()].some(r => r.width > 0);
  const folds = () => document.querySelectorAll("details");
  for (const fold of folds()) fold.open = true;
  const all = [...document.querySelectorAll(kinds)].filter(shown);

  const place = e => {
    const at = places.find(p => e.closest(p));
    return at ? at.replace(/^.*\./, "") : "page";
  };
  const list = () => all.map((e, n) => {
    const form = e.form || null;
    return {
      n, tag: e.tagName.toLowerCase(), type: e.type || "",
      here: !!e.hash && e.href.split("#")[0] === location.href.split("#")[0], skips: e.matches(".skip"), live: !!e.closest("[hx-get], thead[hx-boost\\:inherited], .pages[hx-boost\\:inherited]"),
      name: e.name || "",
      href: e.tagName === "A" ? e.href : "", download: e.hasAttribute("download") || /\.csv(\?|$)/.test(e.href || ""),
      action: form ? form.action : "", method: form ? form.method : "", place: place(e),
      words: (e.innerText || "").trim().replace(/[^A-Za-z ]+.*$/s, "").trim(), loose: e.tagName === "BUTTON" && !form, safe: /noreferrer/.test(e.rel),
    };
  });

  // The parts of the page that are one target: a box and its words are.
  const parts = e => [e, ...(e.labels || [])];
  const boxOf = e => e.getClientRects()[0];
  const at = e => {
    e.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const r = boxOf(e), x = r.x + r.width / 2, y = r.y + r.height / 2;
    const hit = document.elementFromPoint(x, y);
    const own = hit && parts(e).some(part => part.contains(hit));
    return { x, y, own, hit: hit ? hit.outerHTML.slice(0, 120) : "nothing" };
  };
  // A link within a sentence may be as small as its letters (WCAG 2.2, 2.5.8, "inline"); other targets have 24 by 24
  // pixels, or that much room around their middle ("spacing").
  const inSentence = e => {
    if (e.tagName !== "A" || getComputedStyle(e).display !== "inline") return false;
    let block = e.parentElement;
    while (getComputedStyle(block).display === "inline") block = block.parentElement;
    let own = block.textContent;
    for (const other of block.querySelectorAll("a, button, select, option")) own = own.replace(other.textContent, "");
    return /\p{L}/u.test(own);
  };
  const size = e => {
    const rects = parts(e).flatMap(part => [...part.getClientRects()]);
    return { wide: Math.max(...rects.map(r => r.width)), high: Math.max(...rects.map(r => r.height)) };
  };
  const small = e => { const s = size(e); return s.wide < 24 || s.high < 24; };
  const crowded = e => {
    const r = boxOf(e), x = r.x + r.width / 2, y = r.y + r.height / 2;
    return all.find(o => {
      if (o === e || o.contains(e) || o.tabIndex === 0 && !o.matches("a, button, summary, input, select, textarea")) return false;
      return [...o.getClientRects()].some(b => {
        const dx = Math.max(b.x - x, 0, x - b.right), dy = Math.max(b.y - y, 0, y - b.bottom);
        if (dx * dx + dy * dy < 144) return true;
        const ox = b.x + b.width / 2 - x, oy = b.y + b.height / 2 - y;
        return small(o) && ox * ox + oy * oy < 576;
      });
    });
  };
  const geometry = () => {
    const found = [], most = 400;
    for (const e of all.slice(0, most)) {
      if (e.matches(".skip, [tabindex='0']:not(a, button, summary, input, select, textarea)")) continue;
      const { x, y, own, hit } = at(e), words = e.outerHTML.slice(0, 160);
      if (!own) found.push("a pointer at " + x + ", " + y + " meets " + hit + ", and not " + words);
      if (x < 0 || x > innerWidth) found.push("it is outside, at " + x + ": " + words);
      if (small(e) && !inSentence(e)) {
        const near = crowded(e), s = size(e);
        if (near) found.push("a target of " + s.wide + " by " + s.high + ": " + words + " beside " + near.outerHTML.slice(0, 120));
      }
    }
    return found;
  };
  // Where everything stands, to see that the colours of the night move nothing.
  const stand = () => {
    scrollTo(0, 0);
    return all.map(e => { const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height].join(" "); }).join("\n");
  };

  // From hold on what somebody does is noted, and does nothing.
  const noted = [];
  let held = true;
  const hold = () => {
    for (const kind of ["click", "input", "submit", "mousedown"]) {
      addEventListener(kind, event => {
        if (!held || kind === "mousedown" && event.target.tagName !== "SELECT") return;
        if (event.isTrusted) noted.push(event.target);
        event.preventDefault();
        event.stopImmediatePropagation();
      }, { capture: true });
    }
  };
  const free = () => { held = false; };
  // By keyboard, one of the choices that exclude each other stands for all of them.
  const choices = e => e.type === "radio" ? all.filter(o => o.type === "radio" && o.name === e.name) : [e];
  const took = n => {
    const did = noted.some(target => choices(all[n]).flatMap(parts).some(part => part.contains(target)));
    noted.length = 0;
    return did;
  };
  // What has the focus is before one of them, so that Tab leads there.
  const before = n => {
    all[n > 0 ? n - 1 : 1].focus({ preventScroll: true });
    return n > 0;
  };
  const focused = n => {
    const e = choices(all[n]).find(o => o === document.activeElement);
    if (!e) return "";
    const s = getComputedStyle(e), r = e.getBoundingClientRect();
    if (s.outlineStyle === "none" || parseFloat(s.outlineWidth) < 2) return "the focus is not seen";
    if (r.bottom <= 0 || r.top >= innerHeight) return "what has the focus is not in the window";
    return "seen";
  };

  // What a form has to have before it can be sent.
  const fill = (n, values) => {
    const form = all[n].form;
    for (const f of form.elements) {
      if (shown(f) && f.required && !f.value && f.type !== "file") f.value = values[f.name] || "because";
    }
    const box = form.matches(".approve") && form.querySelector("[name=item]");
    if (box) box.checked = true;
  };
  const remember = n => {
    const e = all[n];
    window.walked = document.getElementById("list") || document.getElementById("live") || document.body;
    window.was = { hash: location.hash, open: e.parentElement.open, checked: e.checked, value: e.value, words: e.innerText };
  };
  const state = n => {
    if (!window.walked) return "";
    const e = all[n], was = window.was;
    if (!window.walked.isConnected) return "the list is another";
    if (e.tagName === "A" && (location.hash !== was.hash || e.hash && location.hash === e.hash)) return "gone there";
    if (e.tagName === "SUMMARY" && e.parentElement.open !== was.open) return "turned";
    if (e.checked !== was.checked) return "ticked";
    if (e.value !== was.value) return "filled in";
    if (e.tagName === "BUTTON" && e.innerText !== was.words) return "says " + e.innerText;
    return document.activeElement === e ? "focused" : "";
  };
  return { list, geometry, stand, at: n => at(all[n]), hold, free, took, before, focused, fill, remember, state };
})();
true
