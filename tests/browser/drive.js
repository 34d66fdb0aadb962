// What every test of the browser needs: a browser, pages that remember complaints, two checks.

import assert from "node:assert/strict";

import axe from "axe-core";
import { chromium } from "playwright-core";

const HOUSE = process.env.STRONGROOM_URL;
const PATIENCE = 30_000;
// The session of who looks after the house, where the test does not sign in by itself.
const SESSION = JSON.parse(process.env.STRONGROOM_SESSION ?? "null");

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
export async function open(options = {}) {
  const context = await globalThis.browser.newContext({ baseURL: HOUSE, ...options });
  if (SESSION) {
    const [name, value] = SESSION.split("=");
    await context.addCookies([{ name, value, url: HOUSE, httpOnly: true, sameSite: "Strict" }]);
  }
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("console", (message) => {
    // A page that is refused is shown all the same; the browser notes its status. So is what a
    // script asks for, where the test means to be refused.
    const own = message.location().url === page.url() && /status of 40\d/.test(message.text());
    const meant = page.refusals && /status of 4\d\d/.test(message.text());
    if (message.type() === "error" && !own && !meant) page.complaints.push(message.text());
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

export async function checkRules(page, where) {
  // Evaluated through the debugger, so the page's own content policy stays as strict as it is.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run(document));
  const told = violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map((it) => it.html) }));
  assert.deepEqual(told, [], where);
}
