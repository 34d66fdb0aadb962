// Alerts in a real browser: read and unread by mouse and keyboard, wide and narrow.
// Started by tests/it/browser, which serves the house and says who may sign in.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { checkRules, checkWidth, close, launch, open } from "./drive.js";

const PERSON = JSON.parse(process.env.STRONGROOM_PERSON);
const SHOTS = process.env.STRONGROOM_SHOTS;

before(launch);
after(() => globalThis.browser.close());

const flash = (page, text) => page.locator("#flash .notice", { hasText: text }).waitFor();
const count = (page) => page.locator("nav a", { hasText: "Alerts" });

async function signIn(page) {
  await page.goto("/sign-in?to=/alerts");
  await page.getByLabel("E-mail").fill(PERSON.email);
  await page.getByLabel("Password").fill(PERSON.password);
  await page.getByLabel("Password").press("Enter");
  await page.locator("h1", { hasText: "Alerts" }).waitFor();
}

async function shot(page, name) {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

test("every page keeps the rules, wide and narrow", async () => {
  for (const width of [1280, 400]) {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open({ viewport: { width, height: 900 }, colorScheme });
      await signIn(page);
      const places = { alerts: "/alerts", alert: "/alerts/2", none: "/alerts?kind=file-lost" };
      for (const [name, place] of Object.entries(places)) {
        await page.goto(place);
        await checkRules(page, `${name} at ${width}, ${colorScheme}`);
        await checkWidth(page, `${name} at ${width}`);
        await shot(page, `${name}-${width}-${colorScheme}`);
      }
      await close(page);
    }
  }
});

test("reads one by keyboard, takes it back, reads all", async () => {
  const page = await open();
  await signIn(page);
  assert.match(await count(page).textContent(), /4 unread/);
  const button = page.getByRole("button", { name: /Mark as read ?: Item 2/ });
  for (let n = 0; n < 60; n += 1) {
    await page.keyboard.press("Tab");
    if (await button.evaluate((it) => it === document.activeElement)) break;
  }
  assert.ok(await button.evaluate((it) => it === document.activeElement), "reached by Tab");
  await page.keyboard.press("Enter");
  await flash(page, "Alert 2 is marked as read.");
  assert.match(await count(page).textContent(), /3 unread/);
  await page.getByRole("button", { name: /Mark as unread ?: Item 2/ }).click();
  await flash(page, "Alert 2 is marked as unread.");
  assert.match(await count(page).textContent(), /4 unread/);
  await page.getByRole("link", { name: "Item 2 needs a person" }).click();
  await page.locator("h1", { hasText: "Item 2 needs a person" }).waitFor();
  assert.equal(await page.locator("main .badge", { hasText: "Unread" }).count(), 1);
  await page.goto("/alerts");
  await page.getByRole("button", { name: "Mark all as read" }).click();
  await flash(page, "Marked 4 alerts as read.");
  assert.doesNotMatch(await count(page).textContent(), /unread/);
  await close(page);
});

test("asks for what is not over, without script", async () => {
  const page = await open({ javaScriptEnabled: false });
  await signIn(page);
  await page.getByLabel("Not over").check();
  await page.getByRole("button", { name: "Show" }).click();
  assert.equal(await page.locator("tbody tr").count(), 3);
  assert.ok(page.url().endsWith("ended_at__is_null=true"), page.url());
  await close(page);
});
