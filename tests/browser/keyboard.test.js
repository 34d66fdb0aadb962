// Without a mouse: sign in, search, open an object, ask for it back, with Tab, Enter and Space alone.
// Started by tests/it/browser against a house that does what the program does.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { close, launch, open } from "./drive.js";

const { email, password } = JSON.parse(process.env.STRONGROOM_PERSON);
const MOST_TABS = 200;

before(launch);
after(() => globalThis.browser.close());

// Presses Tab until this has the focus, which must be seen.
async function reach(page, locator) {
  const target = await locator.first().elementHandle();
  for (let presses = 0; !(await target.evaluate((it) => it === document.activeElement)); presses += 1) {
    assert.ok(presses < MOST_TABS, `Tab never reaches ${locator}`);
    await page.keyboard.press("Tab");
  }
  const outline = await target.evaluate((it) => getComputedStyle(it).outlineStyle);
  assert.notEqual(outline, "none", `the focus on ${locator} can be seen`);
}

test("signs in, searches, opens an object and asks for it back", async () => {
  const page = await open();
  const { keyboard } = page;
  await page.goto("/");
  await reach(page, page.locator("#email"));
  await keyboard.type(email);
  await keyboard.press("Tab");
  await keyboard.type(password);
  await keyboard.press("Tab");
  await keyboard.press("Space");
  await page.locator("h1", { hasText: "Overview" }).waitFor();

  await reach(page, page.getByRole("searchbox"));
  await keyboard.type("lett");
  await keyboard.press("Tab");
  await keyboard.press("Space");
  await page.locator("h1", { hasText: "Search" }).waitFor();
  const found = page.locator("section[aria-labelledby=objects-heading] a", { hasText: "Letters" });
  await reach(page, found);
  await keyboard.press("Enter");

  await page.locator("h1", { hasText: "Letters" }).waitFor();
  await reach(page, page.locator(".skip"));
  await keyboard.press("Enter");
  await reach(page, page.locator("main > form").getByRole("button", { name: "Restore" }));
  await keyboard.press("Space");
  await page.waitForURL(/\/restorations$/);
  await page.locator("#flash .notice", { hasText: "letters.tar will be restored" }).waitFor();
  const ready = page.getByRole("link", { name: "Download" });
  await ready.first().waitFor();
  await reach(page, ready);
  const coming = page.waitForEvent("download");
  await keyboard.press("Enter");
  assert.equal((await coming).suggestedFilename(), "letters.tar");
  await close(page);
});
