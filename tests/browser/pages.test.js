// The pages in a real browser: with script, without, by keyboard, wide and narrow, day and night.
// Started by tests/it/browser, which serves the house and says where it is.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { checkRules, checkWidth, close, launch, open } from "./drive.js";

const HOUSE = process.env.STRONGROOM_URL;
const ITEMS = JSON.parse(process.env.STRONGROOM_ITEMS);
const HELD = JSON.parse(process.env.STRONGROOM_HELD);
const SHOTS = process.env.STRONGROOM_SHOTS;
const WIDTHS = [1280, 400];
const TOPIC = "test03_store";
const HOLD = `#hold-${TOPIC}`;
const PATIENCE = 300_000;

const OBJECT = "/objects/archive.local/letters";

const PAGES = {
  overview: "/",
  queues: "/queues",
  items: "/items",
  "items-filtered": "/items?status=Suspended&topic=test02_check",
  "items-none": "/items?name__contains=nothing-has-this-name",
  "item-parked": `/items/${ITEMS.rejected}`,
  "item-running": `/items/${ITEMS.running}`,
  "item-finished": `/items/${ITEMS.finished}`,
  "item-long": `/items/${ITEMS.long}`,
  objects: "/objects",
  "objects-found": "/objects?find=folio&access=institution",
  "objects-none": "/objects?find=nothing-has-this-name",
  object: OBJECT,
  "object-folder": `${OBJECT}?version=1&folder=data/scans&events=2`,
  file: `/files/${HELD.file}`,
  "file-odd": `/files/${HELD.odd}`,
  fixity: "/fixity",
  events: "/events",
  "events-filtered": "/events?event_type=validation&outcome=Success",
  event: `/events/${HELD.event}`,
  "event-of-file": `/events/${HELD.event}?file=${HELD.file}`,
  "object-problem": "/objects/archive.local/nothing",
  confirm: `/items/${ITEMS.rejected}/cancel`,
  "confirm-empty": `/queues/${TOPIC}/empty`,
  problem: "/items/99999",
};

before(launch);
after(() => globalThis.browser.close());

// The API, as our own command line would ask it.
async function command(path) {
  const headers = { authorization: `Bearer ${process.env.STRONGROOM_KEY}` };
  const answer = await fetch(HOUSE + path, { method: "POST", headers });
  assert.equal(answer.status, 200, await answer.text());
}

const row = (page) => page.locator("tr", { has: page.locator(HOLD) });
const badge = (page) => row(page).locator(".badge", { hasText: "Paused" });
const status = (page) => page.locator(".item-state .badge");
const flash = (page, text) => page.locator("#flash .notice", { hasText: text }).waitFor();

// Marks the document, to see later that it is still the same one.
const mark = (page) => page.evaluate(() => void (document.body.dataset.mark = "same"));
const isMarked = (page) => page.evaluate(() => document.body.dataset.mark === "same");

test("pauses and resumes a topic in place", async () => {
  const page = await open();
  await page.goto("/queues");
  await mark(page);
  await page.locator(HOLD).click();
  await flash(page, `Paused ${TOPIC}`);
  await badge(page).waitFor();
  await page.locator(HOLD, { hasText: "Resume" }).click();
  await flash(page, `Resumed ${TOPIC}`);
  await badge(page).waitFor({ state: "detached" });
  assert.ok(await isMarked(page), "without leaving the page");
  await close(page);
});

test("requeues a parked item and sees it finish live", async () => {
  await command(`/api/v1/queues/${TOPIC}/pause`);
  const page = await open();
  await page.goto(`/items/${ITEMS.mendable[0]}`);
  await status(page).filter({ hasText: "Needs a person" }).waitFor();
  await mark(page);
  await page.locator("#stage").selectOption("test01_receive");
  await page.locator("#requeue").click();
  await flash(page, `Item ${ITEMS.mendable[0]} is back in line`);
  await page.locator(".item-state", { hasText: "Store" }).waitFor();
  // Somebody else resumes the topic: this page hears of it.
  await command(`/api/v1/queues/${TOPIC}/resume`);
  await status(page).filter({ hasText: "Success" }).waitFor();
  assert.ok(await isMarked(page), "without a reload");
  await close(page);
});

test("shows live progress", async () => {
  const page = await open();
  await page.goto("/");
  await mark(page);
  const bar = page.locator(`progress[data-item="${ITEMS.running}"]`);
  const seen = await bar.evaluate((it) => it.value);
  await page.waitForFunction(
    ([item, value]) => document.querySelector(`progress[data-item="${item}"]`)?.value > value,
    [ITEMS.running, seen],
  );
  assert.ok(await isMarked(page));
  await close(page);
});

test("pauses and requeues without script", async () => {
  const page = await open({ javaScriptEnabled: false });
  await page.goto("/queues");
  await page.locator(HOLD).click();
  await flash(page, `Paused ${TOPIC}`);
  await badge(page).waitFor();
  await page.reload();
  assert.equal(await page.locator("#flash .notice").count(), 0, "said once");
  await page.locator(HOLD, { hasText: "Resume" }).click();
  await flash(page, `Resumed ${TOPIC}`);
  assert.equal(await badge(page).count(), 0);

  await page.goto(`/items/${ITEMS.mendable[1]}`);
  await page.locator("#requeue").click();
  await flash(page, `Item ${ITEMS.mendable[1]} is back in line`);
  const began = Date.now();
  while ((await status(page).innerText()) !== "Success") {
    assert.ok(Date.now() - began < PATIENCE, "it finishes");
    await page.reload();
  }
  await close(page);
});

test("pauses by keyboard alone, and the focus stays where it was", async () => {
  const page = await open();
  await page.goto("/queues");
  const focused = () => page.evaluate(() => document.activeElement.id);
  const reach = async (id) => {
    for (let presses = 0; (await focused()) !== id; presses += 1) {
      assert.ok(presses < 200, `Tab never reaches ${id}`);
      await page.keyboard.press("Tab");
    }
  };
  await reach(`hold-${TOPIC}`);
  const outline = () => page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(await outline(), "none", "the focus can be seen");
  await page.keyboard.press("Enter");
  await badge(page).waitFor();
  await page.waitForFunction((id) => document.activeElement.id === id, `hold-${TOPIC}`);
  await page.keyboard.press("Enter");
  await badge(page).waitFor({ state: "detached" });
  await close(page);
});

test("the way to the content skips the navigation", async () => {
  const page = await open();
  await page.goto("/items");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  await close(page);
});

// From the front page to a digest, by links and forms alone.
async function findAFile(page) {
  await page.goto("/");
  await page.locator("nav a", { hasText: "Holdings" }).click();
  await page.locator("#find").fill("letters");
  await page.keyboard.press("Enter");
  await page.locator("tbody a", { hasText: "Letters" }).click();
  await page.locator(".verdict", { hasText: "Two verified copies" }).waitFor();
  await page.locator(".versions a", { hasText: "Version 1" }).click();
  await page.locator("#files .tally", { hasText: "version 1" }).waitFor();
  await page.locator("#files a", { hasText: "data/" }).click();
  await page.locator("#files a", { hasText: "scans/" }).click();
  await page.locator("#files a", { hasText: "folio-049.txt" }).waitFor();
  await page.locator("#files a", { hasText: "Next" }).click();
  await page.locator("#files a", { hasText: "folio-069.txt" }).click();
  await page.locator(".verdict", { hasText: "Two verified copies" }).waitFor();
  const sha256 = page.locator("dt", { hasText: "SHA-256" }).locator("xpath=../dd");
  const digest = (await sha256.innerText()).trim();
  await page.locator("#events a", { hasText: "Fixity check" }).first().click();
  await page.locator("dd", { hasText: "data/scans/folio-069.txt" }).first().waitFor();
  // The digest leads back to the file.
  await page.goto("/objects");
  await page.locator("#find").fill(digest.slice(0, 16));
  await page.locator("button", { hasText: "Find" }).click();
  await page.locator("tbody a", { hasText: "folio-069.txt" }).click();
  assert.equal((await sha256.innerText()).trim(), digest);
}

for (const javaScriptEnabled of [true, false]) {
  test(`finds a file and its copies, script ${javaScriptEnabled}`, async () => {
    const page = await open({ javaScriptEnabled });
    await findAFile(page);
    await close(page);
  });
}

for (const width of WIDTHS) {
  for (const colorScheme of ["light", "dark"]) {
    test(`every page is in order at ${width} px, ${colorScheme}`, async () => {
      const page = await open({ viewport: { width, height: 900 }, colorScheme });
      for (const [name, path] of Object.entries(PAGES)) {
        await page.goto(path);
        const where = `${name} at ${width} px, ${colorScheme}`;
        await checkWidth(page, where);
        // Each width and each scheme once: the rules of one do not depend on the other.
        if ((width === WIDTHS[0]) === (colorScheme === "light")) await checkRules(page, where);
        if (SHOTS) {
          mkdirSync(SHOTS, { recursive: true });
          const file = join(SHOTS, `${name}-${width}-${colorScheme}.png`);
          await page.screenshot({ path: file, fullPage: true });
        }
      }
      await close(page);
    });
  }
}
