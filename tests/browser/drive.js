// What every test of the browser needs: a browser, pages that remember complaints, and the checks
// that every page has to pass.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

import axe from "axe-core";
import { chromium } from "playwright-core";

const HOUSE = process.env.STRONGROOM_URL;
const PATIENCE = 300_000;
// The session of who looks after the house, where the test does not sign in by itself.
const SESSION = JSON.parse(process.env.STRONGROOM_SESSION ?? "null");
const SHOTS = process.env.STRONGROOM_SHOTS;
// Presses of Tab on one page, more than any has controls.
const MOST_TABS = 1500;

export async function launch() {
  globalThis.browser = await chromium.launch({
    executablePath: process.env.STRONGROOM_CHROMIUM,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

// Opens a page and remembers what the browser complains about.
export async function open({ session = SESSION, ...options } = {}) {
  const context = await globalThis.browser.newContext({ baseURL: HOUSE, ...options });
  if (session) {
    const [name, value] = session.split("=");
    await context.addCookies([{ name, value, url: HOUSE, httpOnly: true, sameSite: "Strict" }]);
  }
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("console", (message) => {
    // A page that is refused is shown all the same; the browser notes its status. So is what a
    // script asks for, where the test means to be refused.
    const own = message.location().url === page.url() && /status of 4\d\d/.test(message.text());
    const meant = page.refusals && /status of 4\d\d/.test(message.text());
    if (message.type() === "error" && !own && !meant) {
      page.complaints.push(`${message.text()} ${message.location().url}`);
    }
  });
  page.on("request", (request) => {
    const elsewhere = !request.url().startsWith(HOUSE) && !request.url().startsWith("data:");
    if (elsewhere) page.complaints.push(`asked ${request.url()}`);
  });
  return page;
}

export async function close(page) {
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

export async function checkWidth(page, where) {
  const [wide, window] = await page.evaluate(() => {
    const root = document.documentElement;
    return [Math.max(root.scrollWidth, document.body.scrollWidth), root.clientWidth];
  });
  assert.ok(wide <= window, `${where} scrolls sideways: ${wide} px in ${window}`);
}

// The rules that depend on the colours and on the room there is.
export const SEEN_RULES = ["color-contrast", "target-size"];

export async function checkRules(page, where, only) {
  // Evaluated through the debugger, so the page's own content policy stays as strict as it is.
  await page.evaluate(axe.source);
  // The size of what is clicked is a rule of WCAG 2.2 AA that has to be asked for.
  const asked = only ? { runOnly: only } : { rules: { "target-size": { enabled: true } } };
  const { violations } = await page.evaluate((asked) => window.axe.run(document, asked), asked);
  const told = violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map((it) => it.html) }));
  assert.deepEqual(told, [], where);
}

// One heading of the first order, a title of its own, a language.
export async function checkFrame(page, where) {
  const frame = await page.evaluate(() => ({
    headings: document.querySelectorAll("h1").length,
    titled: /^\S.* – Strongroom$/.test(document.title),
    language: document.documentElement.lang,
  }));
  assert.deepEqual(frame, { headings: 1, titled: true, language: "en" }, `${where}: ${await page.title()}`);
}

// Tab reaches everything that can be used, and it can be seen where one is.
export async function checkTabs(page, where) {
  // What refreshes itself stands still meanwhile, once it has come to rest.
  await page.waitForFunction(() => {
    const regions = [...document.querySelectorAll("[data-refresh]")];
    if (regions.some((region) => region.fetching)) return false;
    for (const region of regions) region.fetching = true;
    return true;
  });
  const count = await page.evaluate(() => {
    const usable = "a[href], button:not(:disabled), input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
    window.reached = new Set();
    window.unseen = [];
    window.usable = [...document.querySelectorAll(usable)].filter((it) => it.checkVisibility());
    document.addEventListener("focusin", ({ target }) => {
      window.reached.add(target);
      const { outlineStyle, outlineWidth } = getComputedStyle(target);
      const drawn = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
      if (!drawn) window.unseen.push(target.outerHTML.slice(0, 200));
    });
    document.activeElement?.blur();
    return window.usable.length;
  });
  assert.ok(count < MOST_TABS, `${where} has ${count} controls`);
  // A day has three parts, each of which is a stop.
  const dates = await page.locator("input[type=date]").count();
  // A player brings controls of its own, which are the browser's.
  const players = await page.locator("audio").count();
  const most = count + 3 * dates + 10 * players + 2;
  for (let presses = 0; presses < most; presses += 1) await page.keyboard.press("Tab");
  const left = await page.evaluate(() => ({
    out: window.usable.filter((it) => !window.reached.has(it)).map((it) => it.outerHTML.slice(0, 200)),
    unseen: window.unseen,
  }));
  assert.deepEqual(left, { out: [], unseen: [] }, where);
}

// A picture of the whole page, where pictures are wanted.
export async function shoot(page, name) {
  if (!SHOTS) return;
  const path = join(SHOTS, `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path, fullPage: true });
}
