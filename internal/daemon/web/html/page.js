
// words, before this script, are what it says: internal/words/catalogue has them.
(() => {
  // The page as it is now, where the daemon says that something happened: each part that is marked live is put in anew.
  // What somebody fills in, marks, stands in or is about to order stays as it is; folds that they opened stay open.
  const body = document.body, stream = document.getElementById("stream");
  const say = text => { if (stream) stream.textContent = text; };
  const sent = new Map([...document.querySelectorAll("[data-live]")].map(part => [part.id, part.innerHTML]));
  let waiting = false, again = false;
  const refresh = async () => {
    if (waiting) { again = true; return; }
    waiting = true;
    try {
      const answer = await fetch(location.pathname + location.search, { headers: { Accept: "text/html" } });
      if (answer.ok && !answer.redirected) put(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      say(words.away);
    }
    setTimeout(() => { waiting = false; if (again) { again = false; refresh(); } }, 1000);
  };
  const filledIn = field => field.type === "checkbox" ? field.checked !== field.defaultChecked
    : field.tagName === "SELECT" ? field.selectedIndex > 0 && !field.options[field.selectedIndex].defaultSelected
    : field.type !== "hidden" && field.value !== field.defaultValue;
  const foldsOf = part => [...part.querySelectorAll("details")].map(fold => [fold.id || fold.querySelector("summary").textContent, fold]);
  // Whoever stands on a link stays on it; what else has the focus is not pulled away.
  const change = (now, then) => {
    const at = document.activeElement, inside = now.contains(at), of = inside && at.getAttribute("href"), marked = getSelection();
    if (inside && !of || [...now.querySelectorAll("input, select, textarea")].some(filledIn)) return;
    if (!marked.isCollapsed && now.contains(marked.anchorNode) || now.matches(":hover") && now.querySelector("form")) return;
    const open = new Map(foldsOf(now).map(([name, fold]) => [name, fold.open]));
    sent.set(now.id, then.innerHTML);
    now.replaceChildren(...then.childNodes);
    for (const [name, fold] of foldsOf(now)) fold.open = open.get(name) ?? fold.open;
    const same = inside && [...now.querySelectorAll("a")].find(link => link.getAttribute("href") === of);
    if (same) same.focus({ preventScroll: true });
    if ("plan" in then.dataset) body.dataset.plan = then.dataset.plan;
    document.dispatchEvent(new Event("put"));
  };
  const put = page => {
    for (const now of document.querySelectorAll("[data-live]")) {
      const then = page.getElementById(now.id);
      if (then && sent.get(now.id) !== then.innerHTML) change(now, then);
    }
    const moved = document.getElementById("moved");
    if (moved) moved.hidden = page.body.dataset.plan === body.dataset.plan;
  };
  if ("follows" in body.dataset) {
    const of = body.dataset.follows, events = new EventSource("/api/v1/events" + (of ? "?account=" + encodeURIComponent(of) : ""));
    let lost = false;
    events.onopen = () => { say(words.live); if (lost) { lost = false; refresh(); } };
    events.onerror = () => {
      lost = true;
      say(events.readyState === EventSource.CLOSED ? words.ended
        : words.away);
    };
    for (const kind of ["status", "run", "wave", "outcome", "progress"]) events.addEventListener(kind, refresh);
    addEventListener("pagehide", () => events.close());
  }
  // Who takes one out of a kind takes the others one by one: what the boxes show is what is sent.
  document.addEventListener("change", event => {
    const box = event.target, kind = box.closest(".kind");
    if (!kind) return;
    if (box.name === "kind") for (const one of kind.querySelectorAll("input[name=item]")) one.checked = box.checked;
    const all = kind.querySelector("input[name=kind]");
    if (box.name === "item" && !box.checked && all) all.checked = false;
  });
  // A list that was asked for in place: how much of it fits is said, and what is no list is gone to.
  document.addEventListener("htmx:before:response", event => {
    const { request, response } = event.detail.ctx;
    if (response.raw.ok && !response.raw.redirected) return;
    event.preventDefault();
    location.assign(request.action);
  });
  document.addEventListener("htmx:after:swap", () => {
    const list = document.querySelector("[data-says]");
    if (list) say(list.dataset.says);
  });
  document.addEventListener("htmx:error", () => say(words.away));
  const drop = document.querySelector(".drop");
  if (drop) {
    const file = drop.querySelector("input[type=file]");
    for (const kind of ["dragenter", "dragover"]) drop.addEventListener(kind, event => { event.preventDefault(); drop.classList.add("over"); });
    for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, event => { event.preventDefault(); drop.classList.remove("over"); });
    drop.addEventListener("drop", event => {
      if (event.dataTransfer.files.length === 1) {
        file.files = event.dataTransfer.files;
        drop.requestSubmit();
      }
    });
    drop.addEventListener("submit", () => { drop.querySelector(".busy-words").textContent = words.looking; });
  }
  // A passkey: the device answers what the page was asked, and the form carries the answer.
  const key = document.querySelector("form[data-passkey]");
  if (key) key.addEventListener("submit", async event => {
    event.preventDefault();
    const told = key.querySelector("[role=alert]"), makes = key.dataset.passkey === "create";
    told.hidden = true;
    try {
      const asked = JSON.parse(key.dataset.options), kind = window.PublicKeyCredential;
      if (!kind || !kind.parseRequestOptionsFromJSON) throw new Error(words.noPasskeys);
      if (makes) asked.user.name = asked.user.displayName = key.elements.name.value;
      const got = makes
        ? await navigator.credentials.create({ publicKey: kind.parseCreationOptionsFromJSON(asked) })
        : await navigator.credentials.get({ publicKey: kind.parseRequestOptionsFromJSON(asked) });
      key.elements.answer.value = JSON.stringify(got.toJSON());
      key.submit();
    } catch (failed) {
      told.textContent = failed.name === "NotAllowedError"
        ? words.cancelled
        : words.failed.replace("{why}", () => failed.message);
      told.hidden = false;
    }
  });
})();
