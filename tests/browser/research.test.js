// Research in a real browser: an episode is added by form and searched, played from where a clip was
// found, and a lease is revoked. Started by tests/it/browser.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { checkRules, checkWidth, close, launch, open, shoot } from "./drive.js";

const { folder, lease, object, offset } = JSON.parse(process.env.STRONGROOM_RESEARCH);
const LOOKS = [[1280, "light"], [400, "dark"]];

before(launch);
after(() => globalThis.browser.close());

// Opens a page again until it shows something.
async function until(page, selector) {
  for (let tries = 0; tries < 120; tries += 1) {
    if (await page.locator(selector).count()) return;
    await page.waitForTimeout(500);
    await page.reload();
  }
  assert.fail(`${page.url()} never showed ${selector}`);
}

test("an episode is added by form without script, and what is wrong is told", async () => {
  const page = await open({ javaScriptEnabled: false });
  await page.goto("/research/episodes");
  await page.locator("#add-one summary").click();
  await page.locator("#title").fill("A show");
  await page.locator("#location_kind").selectOption("file");
  await page.locator("#location").fill("new.wav");
  await page.getByRole("button", { name: "Add the episode" }).click();
  await page.locator("#problem", { hasText: "path from the root on" }).waitFor();
  assert.equal(await page.locator("#title").inputValue(), "A show");
  await page.locator("#location").fill(`${folder}/new.wav`);
  await page.getByRole("button", { name: "Add the episode" }).click();
  await page.locator("#flash", { hasText: "Added 1 episode." }).waitFor();
  await page.getByRole("link", { name: "A show" }).waitFor();
  await close(page);
});

test("the audio files of an object become clips", async () => {
  const page = await open();
  await page.goto("/research/clips");
  await page.locator("#add-object summary").click();
  await page.getByLabel("Identifier of the object").fill(object);
  await page.getByRole("button", { name: "Treat its audio files as clips" }).click();
  await page.locator("#flash", { hasText: "Added 1 clip." }).waitFor();
  await page.getByRole("link", { name: `${object}/tape.wav` }).waitFor();
  await close(page);
});

test("what was found is seen, and heard from where it begins", async () => {
  const page = await open();
  await page.goto("/research/episodes?find=A+show");
  await page.getByRole("link", { name: "A show" }).click();
  await until(page, "table.found a[data-seek^='21']");
  await page.locator("figure.wave path.sound").waitFor();
  const ranges = [];
  page.on("response", async (response) => {
    if (!response.url().endsWith("/media")) return;
    ranges.push([response.request().headers().range, response.status()]);
  });
  await page.locator("table.found a[data-seek^='21']").first().click();
  await page.waitForFunction((offset) => {
    const { currentTime } = document.getElementById("player");
    return currentTime >= offset - 0.2 && currentTime < offset + 5;
  }, offset);
  assert.ok(ranges.some(([range, status]) => /^bytes=/.test(range) && status === 206), `${ranges}`);
  await close(page);
});

test("without script the link opens the recording at that moment", async () => {
  const page = await open({ javaScriptEnabled: false });
  await page.goto("/research/episodes?find=A+show");
  await page.getByRole("link", { name: "A show" }).click();
  const href = await page.locator("table.found a[data-seek^='21']").first().getAttribute("href");
  assert.match(href, /^\/api\/v1\/research\/episodes\/\d+\/media#t=21\.\d+$/);
  await close(page);
});

test("a lease is revoked, after it was asked about", async () => {
  const page = await open({ javaScriptEnabled: false });
  await page.goto("/research/leases");
  await page.locator(`a[href="/research/leases/${lease}/revoke"]`).click();
  await page.getByRole("heading", { name: "Revoke this lease?" }).waitFor();
  await page.getByRole("button", { name: "Revoke the lease" }).click();
  await page.locator("#flash", { hasText: "The lease is revoked" }).waitFor();
  await page.locator("#ended tr", { hasText: lease }).getByText("Revoked").waitFor();
  await close(page);
});

test("the pages are in order, wide and narrow, day and night", async () => {
  for (const [width, colorScheme] of LOOKS) {
    const page = await open({ viewport: { width, height: 900 }, colorScheme });
    const places = ["", "/episodes", "/episodes/2", "/clips", "/clips/1", "/leases", "/researchers"];
    for (const place of places) {
      const where = `/research${place} at ${width}`;
      await page.goto(`/research${place}`);
      for (const details of await page.locator("main details summary").all()) await details.click();
      await checkWidth(page, where);
      await checkRules(page, where);
      await shoot(page, `research/${place.slice(1).replace("/", "-") || "overview"}-${width}`);
    }
    await close(page);
  }
});
