// Reports in a real browser: every one of them wide and narrow, by day and by night, and a
// declaration made and withdrawn without script.
// Started by tests/it/browser, which says who may declare.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { checkRules, checkWidth, close, launch, open } from "./drive.js";

const { email, password } = JSON.parse(process.env.STRONGROOM_PERSON);
const SHOTS = process.env.STRONGROOM_SHOTS;

const PAGES = {
  reports: "/reports",
  deposits: "/reports/deposits?metric=files",
  "deposits-month": "/reports/deposits?date=2026-03",
  growth: "/reports/growth",
  formats: "/reports/formats",
  storage: "/reports/storage",
  ndsa: "/reports/ndsa",
  declare: "/reports/ndsa/declare?requirement=storage-needs",
};

before(launch);
after(() => globalThis.browser.close());

async function signedIn(options) {
  const page = await open(options);
  await page.goto("/sign-in");
  await page.locator("#email").fill(email);
  await page.locator("#password").fill(password);
  await page.locator("main button[type=submit]").click();
  await page.waitForURL(/\/$/);
  return page;
}

for (const [width, colorScheme] of [[1280, "light"], [400, "dark"]]) {
  test(`every report keeps the rules at ${width} px, ${colorScheme}`, async () => {
    const page = await signedIn({ viewport: { width, height: 900 }, colorScheme });
    for (const [name, path] of Object.entries(PAGES)) {
      await page.goto(path);
      await checkWidth(page, `${name} at ${width}`);
      await checkRules(page, `${name} at ${width}`);
      if (SHOTS) {
        mkdirSync(SHOTS, { recursive: true });
        await page.screenshot({ path: join(SHOTS, `report-${name}-${width}.png`), fullPage: true });
      }
    }
    await close(page);
  });
}

test("declares and withdraws without script", async () => {
  const page = await signedIn({ javaScriptEnabled: false });
  await page.goto("/reports/ndsa");
  await page.locator("a.word[href*='storage-needs']").click();
  await page.locator("#sentence").fill("In the handbook, page 3.");
  await page.locator("main button", { hasText: "Declare" }).click();
  await page.waitForURL(/\/reports\/ndsa$/);
  await page.locator("#flash .notice", { hasText: "under your name" }).waitFor();
  assert.equal(await page.locator("li", { hasText: "In the handbook, page 3." }).count(), 1);
  await page.locator("a.word[href*='storage-needs']").click();
  await page.locator("main button", { hasText: "Withdraw" }).click();
  await page.locator("#flash .notice", { hasText: "withdrawn" }).waitFor();
  assert.equal(await page.locator("li", { hasText: "In the handbook" }).count(), 0);
  await close(page);
});
