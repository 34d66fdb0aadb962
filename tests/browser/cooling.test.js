// An approved deletion waits and can be cancelled: with script, and without. Started by tests/it/browser
// against a house whose cooling-off period is the usual one, with two administrators.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { checkRules, checkWidth, close, launch, open } from "./drive.js";

const { first, second, password } = JSON.parse(process.env.STRONGROOM_PEOPLE);
const WIDTHS = [1280, 400];

const status = (page) => page.locator(".item-state .badge").first();
const button = (page, text) => page.locator("main button", { hasText: text });
const flash = (page, text) => page.locator("#flash .notice", { hasText: text }).waitFor();

before(launch);
after(() => globalThis.browser.close());

async function signIn(page, email) {
  await page.locator("#email").fill(email);
  await page.locator("#password").fill(password);
  await button(page, "Sign in").click();
}

async function signOut(page) {
  await page.locator(".visitor button", { hasText: "Sign out" }).click();
  await flash(page, "Signed out.");
}

async function approveAndCancel(page, object) {
  await page.goto(`/objects/archive.local/${object}`);
  await signIn(page, first);
  await page.locator("a", { hasText: "Ask for deletion" }).click();
  await page.locator("#reason").fill("Sent twice.");
  await button(page, "Ask for deletion").click();
  await flash(page, "It waits for a second person.");
  const address = page.url();
  await signOut(page);
  await page.goto(address);
  await signIn(page, second);
  await page.waitForURL(address);
  await page.locator("#words").fill(await page.locator("label[for=words] strong").innerText());
  await page.locator("#password").fill(password);
  await button(page, "Approve the deletion").click();
  await flash(page, "Nothing is erased before");
  await status(page).filter({ hasText: "Approved, can be cancelled" }).waitFor();
  const said = await page.locator(".item-state").innerText();
  assert.match(said, /Erased no earlier than .* \(in 7[12] hours\)/);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await checkWidth(page, "a deletion that waits");
  }
  if (!page.scriptless) await checkRules(page, "a deletion that waits");
  await signOut(page);
  await page.goto(address);
  await signIn(page, first);
  await page.waitForURL(address);
  await button(page, "Cancel the deletion").click();
  await flash(page, "The deletion is cancelled.");
  await status(page).filter({ hasText: "Cancelled" }).waitFor();
  await page.goto(`/objects/archive.local/${object}`);
  assert.equal(await page.locator(".badge", { hasText: "Deleted" }).count(), 0);
}

test("an approved deletion counts down and is cancelled, with script", async () => {
  const page = await open();
  await approveAndCancel(page, "letters");
  await close(page);
});

test("an approved deletion counts down and is cancelled, without script", async () => {
  const page = await open({ javaScriptEnabled: false });
  page.scriptless = true;
  await approveAndCancel(page, "maps");
  await close(page);
});
