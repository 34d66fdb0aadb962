// An object asked for with the button on its page, and followed to where it lies.
// Started by tests/it/browser against a house that does what the program does.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { checkRules, checkWidth, close, launch, open } from "./drive.js";

const OBJECT = "/objects/archive.local/letters";
const SHOTS = process.env.STRONGROOM_SHOTS;
const PATIENCE = 300_000;

before(launch);
after(() => globalThis.browser.close());

async function isReady(page, path) {
  const began = Date.now();
  while ((await page.locator("code", { hasText: path }).count()) === 0) {
    assert.ok(Date.now() - began < PATIENCE, `${path} is ready`);
    await page.waitForTimeout(200);
    if (page.scriptless) await page.reload();
  }
}

test("asks with the button and follows it to its path", async () => {
  const page = await open();
  await page.goto(OBJECT);
  await page.locator("main > form button", { hasText: "Restore" }).click();
  await page.waitForURL(/\/restorations$/);
  await page.locator("#flash .notice", { hasText: "letters.tar will be restored" }).waitFor();
  await isReady(page, "restoration/archive.local/letters.tar");
  const coming = page.waitForEvent("download");
  await page.locator("a", { hasText: "Download" }).first().click();
  assert.equal((await coming).suggestedFilename(), "letters.tar");
  await checkRules(page, "restorations");
  await close(page);
});

test("asks for a file without script, at the width of a telephone", async () => {
  const page = await open({ javaScriptEnabled: false, viewport: { width: 400, height: 800 } });
  page.scriptless = true;
  await page.goto(`${OBJECT}?folder=data`);
  await page.locator("a", { hasText: "a.txt" }).first().click();
  await page.locator("main > form button", { hasText: "Restore" }).click();
  await page.waitForURL(/\/restorations$/);
  await isReady(page, "letters/data/a.txt");
  await close(page);
});

test("asks for a version by keyboard, and nothing scrolls sideways", async () => {
  const page = await open({ viewport: { width: 400, height: 800 } });
  await page.goto(OBJECT);
  await checkWidth(page, "object");
  await checkRules(page, "object");
  await page.locator(".versions form button").last().focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/restorations$/);
  await isReady(page, "letters.v1.tar");
  await checkWidth(page, "restorations");
  if (SHOTS) {
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: join(SHOTS, "restorations-400.png"), fullPage: true });
    await page.setViewportSize({ width: 1200, height: 800 });
    await page.screenshot({ path: join(SHOTS, "restorations.png"), fullPage: true });
    await page.goto(OBJECT);
    await page.screenshot({ path: join(SHOTS, "object.png"), fullPage: true });
  }
  await close(page);
});
