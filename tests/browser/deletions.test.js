// Two people delete an object: with script, and without. Started by tests/it/browser against a
// house that does what the program does, with two administrators.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { checkRules, checkWidth, close, launch, open } from "./drive.js";

const { first, second, password, welcome } = JSON.parse(process.env.STRONGROOM_PEOPLE);
const SHOTS = process.env.STRONGROOM_SHOTS;
const WIDTHS = [1280, 400];
const PATIENCE = 300_000;

const status = (page) => page.locator(".item-state .badge").first();
const flash = (page, text) => page.locator("#flash .notice", { hasText: text }).waitFor();

before(launch);
after(() => globalThis.browser.close());

// Holds the page to the rules, wide and narrow.
async function look(page, name) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await checkWidth(page, name);
    if (SHOTS) {
      mkdirSync(SHOTS, { recursive: true });
      await page.screenshot({ path: join(SHOTS, `${name}-${width}.png`), fullPage: true });
    }
  }
  if (!page.scriptless) await checkRules(page, name);
}

async function signIn(page, email) {
  await page.locator("#email").fill(email);
  await page.locator("#password").fill(password);
  await page.locator("main button", { hasText: "Sign in" }).click();
}

async function signOut(page) {
  await page.locator(".visitor button", { hasText: "Sign out" }).click();
  await flash(page, "Signed out.");
  await page.locator(".visitor a", { hasText: "Sign in" }).waitFor();
}

// One asks, the other agrees, and both wait until it is gone.
async function deleteByTwo(page, object, shots) {
  const seen = async (name) => shots && look(page, name);
  await page.goto(`/objects/archive.local/${object}`);
  await seen("sign-in");
  await signIn(page, first);
  await page.locator("a", { hasText: "Ask for deletion" }).click();
  await page.locator("h1", { hasText: "Ask for deletion" }).waitFor();
  await seen("deletion-ask");
  await page.locator("#reason").fill("Sent twice.\nSee letter 12.");
  await page.locator("main button", { hasText: "Ask for deletion" }).click();
  await flash(page, "It waits for a second person.");
  await status(page).filter({ hasText: "Needs a second person" }).waitFor();
  const address = page.url();
  assert.equal(await page.locator("#words").count(), 0, "who asked can not agree");
  await seen("deletion-own");

  await signOut(page);
  await page.goto(address);
  await signIn(page, second);
  await page.waitForURL(address);
  await seen("deletion-review");
  const agree = page.locator("main button", { hasText: "Approve the deletion" });
  // What is refused is shown all the same; the browser notes its status.
  page.refusals = true;
  await page.locator("#words").fill("yes");
  await page.locator("#password").fill(password);
  await agree.click();
  await page.locator("#problem", { hasText: "To agree, type the words" }).waitFor();
  await seen("deletion-other-words");
  const words = await page.locator("label[for=words] strong").innerText();
  await page.locator("#words").fill(words);
  await page.locator("#password").fill("not the password");
  await agree.click();
  await page.locator("#problem", { hasText: "The password is not right" }).waitFor();
  await page.locator("#words").fill(words);
  await page.locator("#password").fill(password);
  await agree.click();
  await flash(page, "Approved.");
  const began = Date.now();
  while ((await status(page).innerText()) !== "Completed") {
    assert.ok(Date.now() - began < PATIENCE, "it is deleted");
    await page.waitForTimeout(300);
    if (page.scriptless) await page.reload();
  }
  assert.match(await page.locator("#parts-heading + table").innerText(), /Deleted/);
  // The page that moved by itself is left as it was; the certificate comes with it.
  const certificate = page.locator("a", { hasText: "As text" });
  await certificate.waitFor();
  const answer = await page.request.get(await certificate.getAttribute("href"));
  const text = await answer.text();
  for (const part of [`archive.local/${object}`, first, second, "Sent twice."]) {
    assert.ok(text.includes(part), `the certificate names ${part}: ${text}`);
  }
  await seen("deletion-done");
  await page.goto("/deletions");
  await page.locator("tr", { hasText: "Completed" }).first().waitFor();
  await seen("deletions");
  await page.goto(`/objects/archive.local/${object}`);
  await page.locator(".badge", { hasText: "Deleted" }).first().waitFor();
  await seen("object-deleted");
}

test("two people delete an object, with script", async () => {
  const page = await open();
  await deleteByTwo(page, "letters", true);
  await signOut(page);
  await close(page);
});

test("two people delete an object, without script", async () => {
  const page = await open({ javaScriptEnabled: false });
  page.scriptless = true;
  await deleteByTwo(page, "maps", false);
  await signOut(page);
  await close(page);
});

test("a wrong password is told in the form, and a new one is set", async () => {
  const page = await open();
  page.refusals = true;
  await page.goto("/sign-in");
  await page.locator("#email").fill(first);
  await page.locator("#password").fill("wrong horse battery");
  await page.locator("main button", { hasText: "Sign in" }).click();
  await page.locator("#problem", { hasText: "do not go together" }).waitFor();
  assert.equal(await page.locator("#email").inputValue(), first);
  await look(page, "sign-in-wrong");
  await signIn(page, first);
  await page.locator(".visitor button", { hasText: "Sign out" }).waitFor();
  await page.goto("/password");
  await page.locator("h1", { hasText: "Set a password" }).waitFor();
  await page.locator("#old").fill(password);
  await page.locator("#password").fill("short");
  await page.locator("#again").fill("short");
  await page.locator("main button", { hasText: "Set the password" }).click();
  await page.locator("#problem", { hasText: "too short" }).waitFor();
  await look(page, "password");
  await close(page);
});

test("the first administrator is welcomed", async () => {
  const page = await open();
  page.refusals = true;
  await page.goto(welcome);
  await look(page, "welcome");
  await page.locator("#name").fill("Root");
  await page.locator("#email").fill("root@archive.example");
  await page.locator("#password").fill(password);
  await page.locator("#again").fill(password);
  await page.locator("main button", { hasText: "Become the administrator" }).click();
  await flash(page, "You look after this appliance now.");
  await page.goto(welcome);
  await page.locator("#problem", { hasText: "does not work" }).waitFor();
  await close(page);
});
