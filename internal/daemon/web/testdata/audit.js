// What keeps somebody from using the page, as a list of sentences.
(() => {
  const found = [], say = (what, e) => found.push(what + (e ? ": " + e.outerHTML.slice(0, 160) : ""));
  for (const details of document.querySelectorAll("details")) details.open = true;
  const all = [...document.querySelectorAll("body *")];
  const shown = e => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";

  if (document.documentElement.scrollWidth > innerWidth) {
    say("it scrolls sideways to " + document.documentElement.scrollWidth, all.filter(shown).filter(e => e.getBoundingClientRect().right > innerWidth + 1).pop());
  }
  if (!document.documentElement.lang) say("no language");
  if (!document.title) say("no title");
  if (document.querySelectorAll("main").length !== 1) say("not one main");

  let level = 0;
  for (const h of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    if (!shown(h)) continue;
    const n = Number(h.tagName[1]);
    if (n > level + 1) say("a heading skips a level", h);
    if (!h.textContent.trim()) say("an empty heading", h);
    level = n;
  }
  if (document.querySelectorAll("h1").length !== 1) say("not one first heading");

  const ids = new Set();
  for (const e of document.querySelectorAll("[id]")) {
    if (ids.has(e.id)) say("an id stands twice", e);
    ids.add(e.id);
  }
  for (const name of ["aria-labelledby", "aria-describedby", "for"]) {
    for (const e of document.querySelectorAll("[" + name + "]")) {
      for (const id of e.getAttribute(name).split(/\s+/)) if (!ids.has(id)) say(name + " names nothing", e);
    }
  }
  for (const e of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    if (shown(e) && !(e.labels && e.labels.length) && !e.getAttribute("aria-label")) say("no label", e);
  }
  for (const e of document.querySelectorAll("a, button, summary")) {
    if (shown(e) && !e.textContent.trim() && !e.getAttribute("aria-label")) say("no words", e);
  }
  for (const e of document.querySelectorAll("a")) if (!e.hasAttribute("href")) say("a link leads nowhere", e);
  for (const e of document.querySelectorAll("svg")) if (!e.closest("[aria-hidden=true]") && !e.querySelector("title")) say("a picture without a title", e);
  for (const e of document.querySelectorAll("table")) if (!e.querySelector("th[scope]")) say("a table without headings", e);
  for (const e of document.querySelectorAll("[tabindex]")) if (e.tabIndex > 0) say("a tabindex of its own", e);

  // Targets are 24 by 24 at least, links in a sentence aside (WCAG 2.2, 2.5.8).
  for (const e of document.querySelectorAll("button, input:not([type=hidden]):not([type=checkbox]), select, summary")) {
    const r = e.getBoundingClientRect();
    if (shown(e) && (r.width < 24 || r.height < 24)) say("a target of " + r.width + " by " + r.height, e);
  }

  // Contrast (WCAG 2.2, 1.4.3): each text against what stands behind it.
  const channels = text => (text.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => {
    const part = v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = channels(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  let texts = 0;
  for (const e of all) {
    if (!shown(e) || ![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || e.closest("svg")) continue;
    texts++;
    const s = getComputedStyle(e), a = light(channels(s.color)), b = light(behind(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), size = parseFloat(s.fontSize);
    const enough = size >= 24 || size >= 18.66 && Number(s.fontWeight) >= 700 ? 3 : 4.5;
    if (ratio < enough) say("a contrast of " + ratio.toFixed(2), e);
    if (size < 12) say("letters of " + size, e);
  }
  if (texts < 5) say("nothing to look at");
  return found;
})()
