// Settings, storage, schedules, maintenance, help and saved filters in a real browser: wide and narrow,
// day and night, by keyboard and without script.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { checkRules, checkWidth, close, launch, open } from "./drive.js";

const SHOTS = process.env.STRONGROOM_SHOTS;
const PAGES = {
  settings: "/settings",
  storage: "/storage",
  schedules: "/schedules",
  maintenance: "/maintenance",
  help: "/help",
  accessibility: "/help/accessibility",
  "items-asked": "/items?status=Failed",
};

before(launch);
after(() => globalThis.browser.close());

for (const [name, path] of Object.entries(PAGES)) {
  test(`${name} is in order, wide and narrow, day and night`, async () => {
    for (const [width, colorScheme] of [[1280, "light"], [400, "dark"]]) {
      const page = await open({ viewport: { width, height: 900 }, colorScheme });
      const answer = await page.goto(path);
      assert.equal(answer.status(), 200);
      for (const details of await page.locator("main details summary").all()) await details.click();
      await checkWidth(page, `${name} at ${width}`);
      await checkRules(page, `${name} at ${width}`);
      if (SHOTS) {
        mkdirSync(SHOTS, { recursive: true });
        await page.screenshot({ path: join(SHOTS, `${name}-${width}.png`), fullPage: true });
      }
      await close(page);
    }
  });
}

test("a filter is saved and removed by keyboard, without script", async () => {
  const page = await open({ javaScriptEnabled: false });
  await page.goto("/items?status=Failed");
  await page.locator(".saved summary").focus();
  await page.keyboard.press("Enter");
  await page.locator("#filter-name").focus();
  await page.keyboard.type("What failed");
  await page.keyboard.press("Enter");
  await page.locator("#flash", { hasText: "Saved as What failed." }).waitFor();
  assert.ok(page.url().endsWith("/items?status=Failed"), page.url());
  await page.goto("/items");
  await page.locator(".saved summary").click();
  await page.getByRole("link", { name: "What failed" }).click();
  assert.ok(page.url().endsWith("/items?status=Failed"), page.url());
  await page.locator(".saved summary").click();
  await page.getByRole("button", { name: "Remove the filter What failed" }).click();
  await page.locator("#flash", { hasText: "The filter is removed." }).waitFor();
  await close(page);
});

test("the house is closed and opened again without script", async () => {
  const page = await open({ javaScriptEnabled: false });
  await page.goto("/maintenance");
  await page.getByLabel("What people are told").fill("Back at noon.");
  await page.getByRole("button", { name: "Close the house" }).click();
  await page.locator("main .notice.warn", { hasText: "Back at noon." }).waitFor();
  await page.getByRole("button", { name: "Open the house again" }).click();
  await page.locator("#flash", { hasText: "The house is open again." }).waitFor();
  await close(page);
});

test("a page leads to what it is for", async () => {
  const page = await open();
  await page.goto("/storage");
  await page.getByRole("link", { name: "About this page" }).click();
  await page.locator("h3#storage").waitFor();
  assert.ok(page.url().endsWith("/help#storage"), page.url());
  await close(page);
});
