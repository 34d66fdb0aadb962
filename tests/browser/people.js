// What people do on every visit: come in, go, set a password, wait for something to be done.

import assert from "node:assert/strict";

import { open } from "./drive.js";

const SCRIPT = JSON.parse(process.env.STRONGROOM_SCRIPT ?? "true");
const PATIENCE = 300_000;

export const flash = (page, text) => page.locator("#flash .notice", { hasText: text }).waitFor();
export const problem = (page, text) => page.locator("#problem", { hasText: text }).waitFor();
export const heading = (page, text) => page.locator("h1", { hasText: text }).waitFor();
export const field = (page, label) => page.locator("main").getByLabel(label, { exact: true });
export const press = (page, label) => page.locator("main").getByRole("button", { name: label }).click();
export const follow = (page, label) => page.locator("main").getByRole("link", { name: label }).first().click();

// A browser of somebody's own. What is refused is shown all the same; the browser notes its status.
export async function browserOf(name) {
  const page = await open({ javaScriptEnabled: SCRIPT, session: null });
  page.refusals = true;
  page.scriptless = !SCRIPT;
  page.owner = name;
  return page;
}

export async function signIn(page, email, password) {
  await page.goto("/sign-in");
  await field(page, "E-mail").fill(email);
  await field(page, "Password").fill(password);
  await press(page, "Sign in");
}

export async function signOut(page) {
  await page.locator(".visitor").getByRole("button", { name: "Sign out" }).click();
  await flash(page, "Signed out.");
}

export async function setPassword(page, link, password) {
  await page.goto(link);
  await heading(page, "Set a password");
  await field(page, "New password").fill(password);
  await field(page, "The same again").fill(password);
  await press(page, "Set the password");
  await flash(page, "The password is set.");
}

export async function sendCode(page, given) {
  await heading(page, "Sign in: the code");
  await field(page, "Code").fill(given);
  await press(page, "Sign in");
}

// Waits until the page says so by itself; without script, whoever looks asks again.
export async function becomes(page, locator, words) {
  const began = Date.now();
  while (!(await locator.first().innerText()).includes(words)) {
    assert.ok(Date.now() - began < PATIENCE, `${page.owner} waits for ${words} at ${page.url()}`);
    await page.waitForTimeout(200);
    if (page.scriptless) await page.reload();
  }
}

// Waits for what a page shows only when it is asked again; alerts are raised every minute.
export async function comes(page, locator) {
  const began = Date.now();
  while ((await locator.count()) === 0) {
    assert.ok(Date.now() - began < PATIENCE, `${page.owner} waits in vain at ${page.url()}`);
    await page.waitForTimeout(500);
    await page.reload();
  }
  return locator.first();
}
