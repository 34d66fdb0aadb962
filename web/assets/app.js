// Three behaviours, added by attribute. Every page works without them.
//
//   data-refresh="URL" data-every="10"   fetch a fragment and replace what is inside
//   data-live="URL"                      follow server-sent events: progress, changed
//   data-inplace                         send a form without leaving the page

const UNITS = ["kB", "MB", "GB", "TB", "PB", "EB"];
const number = new Intl.NumberFormat("en");

// The same ladder as human_size in parts/figures.rs.
function size(bytes) {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  let unit = 1000;
  for (const name of UNITS) {
    const tenths = Math.floor((bytes * 10 + unit / 2) / unit);
    if (tenths < 10000) return `${(tenths / 10).toFixed(1)} ${name}`;
    unit *= 1000;
  }
  return `${number.format(bytes)} bytes`;
}

// Refresh -------------------------------------------------------------------------------------

const regions = () => document.querySelectorAll("[data-refresh]");

// A choice made but not yet sent must survive, even when the focus has moved on.
function isBusy(region) {
  const active = document.activeElement;
  if (region.contains(active) && active.matches("input, select, textarea")) return true;
  for (const select of region.querySelectorAll("select")) {
    const original = [...select.options].findIndex((option) => option.defaultSelected);
    if (select.selectedIndex !== Math.max(original, 0)) return true;
  }
  const selection = document.getSelection();
  return !selection.isCollapsed && region.contains(selection.anchorNode);
}

function focusMark(region) {
  const active = document.activeElement;
  if (active === region || !region.contains(active)) return null;
  if (active.id) return `#${CSS.escape(active.id)}`;
  const href = active.getAttribute("href");
  return href ? `a[href="${CSS.escape(href)}"]` : null;
}

async function refresh(region) {
  if (document.hidden || region.fetching || isBusy(region)) return;
  region.fetching = true;
  try {
    const answer = await fetch(region.dataset.refresh, { headers: { Accept: "text/html" } });
    // A sign-in page after a redirect is no fragment.
    if (!answer.ok || answer.redirected) return;
    const html = await answer.text();
    if (html !== region.last && !isBusy(region)) replace(region, html);
  } catch {
    // The house may be restarting; the next turn asks again.
  } finally {
    region.fetching = false;
  }
}

function replace(region, html) {
  const mark = focusMark(region);
  const open = [...region.querySelectorAll("details[id][open]")].map((fold) => fold.id);
  region.innerHTML = html;
  region.last = html;
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  if (mark) region.querySelector(mark)?.focus({ preventScroll: true });
}

const refreshAll = () => Promise.all([...regions()].map(refresh));

for (const region of regions()) {
  const seconds = Number(region.dataset.every) || 30;
  setInterval(() => refresh(region), seconds * 1000);
}

// However many events arrive, fragments are asked for once a second.
let pending = null;
function refreshSoon() {
  pending ??= setTimeout(() => {
    pending = null;
    refreshAll();
  }, 1000);
}

// Live ----------------------------------------------------------------------------------------

function words(unit, done, total) {
  if (!unit && total) return `${Math.floor((Math.min(done, total) * 100) / total)} %`;
  const amount = unit === "bytes" ? size : (n) => number.format(n);
  const tail = unit === "bytes" ? "" : ` ${unit}`;
  return total > 0 ? `${amount(done)} of ${amount(total)}${tail}` : `${amount(done)}${tail}`;
}

function showProgress({ item, done, total }) {
  for (const bar of document.querySelectorAll(`progress[data-item="${CSS.escape(item)}"]`)) {
    const text = words(bar.dataset.unit, done, total);
    if (total > 0) {
      bar.max = total;
      bar.value = Math.min(done, total);
    } else {
      bar.removeAttribute("value");
    }
    const label = bar.parentElement.querySelector(".progress-words");
    if (label) label.textContent = text;
    // The bar has moved on from the fetched text, so the next fragment must be shown.
    const region = bar.closest("[data-refresh]");
    if (region) region.last = null;
  }
}

let source = null;
let lost = false;
function follow(url) {
  source = new EventSource(url);
  source.addEventListener("progress", (event) => JSON.parse(event.data).forEach(showProgress));
  source.addEventListener("changed", refreshSoon);
  // It reconnects by itself; until then the page must not look as if it knew.
  // Closed for good means only that too many pages watch: the fragments refresh all the same.
  source.addEventListener("error", () => {
    if (source?.readyState !== EventSource.CONNECTING) return;
    flash("warn", "The appliance does not answer: what you see may be old.");
    lost = true;
  });
  source.addEventListener("open", () => {
    if (!lost) return;
    lost = false;
    document.getElementById("flash").replaceChildren();
    refreshAll();
  });
}

// A hidden tab gives its connection back: browsers allow only six to one host.
const live = document.querySelector("[data-live]")?.dataset.live;
if (live) {
  if (!document.hidden) follow(live);
  document.addEventListener("visibilitychange", () => {
    source?.close();
    source = null;
    if (!document.hidden) {
      follow(live);
      refreshAll();
    }
  });
}

// In place ------------------------------------------------------------------------------------

function flash(tone, text) {
  const note = document.createElement("p");
  note.className = `notice ${tone}`;
  note.textContent = text;
  document.getElementById("flash").replaceChildren(note);
}

// The answer is the page the redirect leads to, or a problem page; both are read for their words.
function showAnswer(answer, page) {
  const said = page.querySelector("#flash .notice");
  const problem = page.querySelector("#problem");
  if (said) document.getElementById("flash").replaceChildren(document.importNode(said, true));
  else if (problem) flash("bad", problem.textContent);
  else if (!answer.ok) flash("bad", `That did not work: the answer was ${answer.status}.`);
  else flash("good", "Done.");
}

async function send(form) {
  const buttons = form.querySelectorAll("button");
  buttons.forEach((button) => button.setAttribute("aria-disabled", "true"));
  form.sending = true;
  try {
    const body = new URLSearchParams(new FormData(form));
    const headers = { Accept: "text/html" };
    const answer = await fetch(form.action, { method: "POST", body, headers });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    showAnswer(answer, page);
    if (answer.ok) form.reset();
    await refreshAll();
  } catch {
    flash("bad", "The house did not answer. Nothing was changed by this page; try again.");
  } finally {
    form.sending = false;
    buttons.forEach((button) => button.removeAttribute("aria-disabled"));
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-inplace]")) return;
  event.preventDefault();
  if (!form.sending) send(form);
});
