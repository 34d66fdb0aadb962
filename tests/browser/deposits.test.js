// Bags sent from the page of deposits: with script and without, by keyboard, cancelled, refused.
// Started by tests/it/browser against a house that does what the program does.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";

import { checkRules, checkWidth, close, launch, open } from "./drive.js";

const HOUSE = process.env.STRONGROOM_URL;
const BAGS = JSON.parse(process.env.STRONGROOM_BAGS);
const SHOTS = process.env.STRONGROOM_SHOTS;
const PATIENCE = 300_000;

const headers = { authorization: `Bearer ${process.env.STRONGROOM_KEY}` };
const json = async (path) => (await fetch(HOUSE + path, { headers })).json();
const status = (page) => page.locator(".item-state .badge");
const trouble = (page) => page.locator("#upload-trouble .notice");

before(launch);
after(() => globalThis.browser.close());

async function isPreserved(page, name) {
  await page.waitForURL(/\/items\/\d+$/);
  const began = Date.now();
  while ((await status(page).innerText()) !== "Success") {
    assert.ok(Date.now() - began < PATIENCE, "it is preserved");
    await page.waitForTimeout(200);
    if (page.scriptless) await page.reload();
  }
  const steps = page.locator(".steps > li");
  assert.equal(await steps.count(), 9);
  assert.deepEqual(await steps.locator(".badge").allInnerTexts(), Array(9).fill("Done"));
  const { objects } = await json("/api/v1/objects");
  const object = objects.find((it) => it.identifier === `archive.local/${name}`);
  assert.ok(object, `${name} is held`);
  const { replicas } = await json(`/api/v1/objects/archive.local/${name}`);
  assert.equal(replicas.length, 2);
  for (const replica of replicas) assert.ok(replica.copy_count >= object.file_count);
}

test("sends a bag with script and follows it until it is preserved", async () => {
  const page = await open();
  await page.goto("/deposits");
  await page.locator("#file").setInputFiles(BAGS.first);
  await page.locator("#send").click();
  await isPreserved(page, "first");
  await close(page);
});

test("sends a bag without script", async () => {
  const page = await open({ javaScriptEnabled: false });
  page.scriptless = true;
  await page.goto("/deposits");
  await page.locator("#file").setInputFiles(BAGS.second);
  await page.locator("#send").click();
  await page.locator("#flash .notice", { hasText: "second.tar is received" }).waitFor();
  await isPreserved(page, "second");
  await page.goto("/deposits");
  await page.locator("#file").setInputFiles(BAGS.notes);
  await page.locator("#send").click();
  await page.locator("#problem", { hasText: "is not a name for a deposit" }).waitFor();
  await close(page);
});

test("sends by keyboard alone, and what happens is spoken", async () => {
  const page = await open();
  await page.goto("/deposits");
  await page.locator("#file").setInputFiles(BAGS.third);
  const focused = () => page.evaluate(() => document.activeElement.id);
  for (let presses = 0; (await focused()) !== "send"; presses += 1) {
    assert.ok(presses < 100, "Tab never reaches the button");
    await page.keyboard.press("Tab");
  }
  await page.evaluate(() => {
    window.spoken = [];
    const said = document.getElementById("upload-said");
    new MutationObserver(() => window.spoken.push(said.textContent)).observe(said, { childList: true });
    window.addEventListener("pagehide", () => sessionStorage.setItem("spoken", window.spoken.join("|")));
  });
  await page.keyboard.press("Enter");
  await isPreserved(page, "third");
  const spoken = await page.evaluate(() => sessionStorage.getItem("spoken"));
  assert.match(spoken, /Sending third\.tar/);
  assert.match(spoken, /All is sent/);
  await close(page);
});

test("shows progress, can be cancelled, and leaves nothing", async () => {
  const page = await open();
  // A line of 2 MB a second, so that there is something to see.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  const line = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 2_000_000 };
  await devtools.send("Network.emulateNetworkConditions", line);
  await page.goto("/deposits");
  await page.locator("#file").setInputFiles(BAGS.large);
  await page.locator("#send").click();
  await page.waitForFunction(() => document.getElementById("upload-bar").value > 0);
  await page.locator("#sending .progress-words", { hasText: "MB of 40.0 MB sent" }).waitFor();
  await page.locator("#deposits tr", { hasText: "large.tar" }).getByText("still being uploaded").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "upload-cancel");
  await checkRules(page, "while sending");
  await shoot(page, "deposits-sending");
  await page.keyboard.press("Enter");
  await trouble(page).filter({ hasText: "The upload is cancelled. Nothing was kept." }).waitFor();
  assert.ok(await page.locator("#sending").isHidden());
  await page.locator("#deposits tr", { hasText: "large.tar" }).waitFor({ state: "detached" });
  const { areas } = await json("/api/v1/deposits");
  assert.ok(areas[0].deposits.every((it) => it.name !== "large.tar"), "nothing is left");
  await close(page);
});

test("says at once what it does not take, and keeps the choice", async () => {
  const page = await open();
  page.refusals = true;
  await page.goto("/deposits");
  await page.locator("#file").setInputFiles(BAGS.notes);
  await page.locator("#send").click();
  await trouble(page).filter({ hasText: "send a file that ends in" }).waitFor();
  await page.locator("#file").setInputFiles(BAGS.broken);
  await page.locator("#send").click();
  await page.waitForURL(/\/items\/\d+$/);
  await status(page).filter({ hasText: "Needs a person" }).waitFor();
  const [download] = await Promise.all([page.waitForResponse(/report\.txt$/), page.locator("#report").click()]);
  assert.match(await download.text(), /not accepted/);
  await page.goto("/deposits");
  const row = page.locator("#deposits tr", { hasText: basename(BAGS.broken) });
  await row.getByText("rejected: it is not valid").waitFor();
  await row.getByRole("link").first().click();
  await page.locator("#findings-heading").waitFor();
  await close(page);
});

async function shoot(page, name) {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

for (const width of [1280, 400]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`the pages of deposits are in order at ${width} px, ${colorScheme}`, async () => {
      const page = await open({ viewport: { width, height: 900 }, colorScheme });
      const { items } = await json("/api/v1/items?action=Ingest&sort=id__asc");
      const broken = items.find((it) => it.status === "Suspended");
      const pages = { deposits: "/deposits", overview: "/", queues: "/queues" };
      pages["item-ingested"] = `/items/${items.find((it) => it.status === "Success").id}`;
      pages["item-turned-away"] = `/items/${broken.id}`;
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(path);
        const where = `${name} at ${width} px, ${colorScheme}`;
        await checkWidth(page, where);
        await checkRules(page, where);
        await shoot(page, `real-${name}-${width}-${colorScheme}`);
      }
      await close(page);
    });
  }
}
