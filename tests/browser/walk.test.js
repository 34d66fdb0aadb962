// Every page there is, wide and narrow, by day and by night, and all its controls by keyboard.
// Started by tests/it/browser, which takes the list from the table of doors.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import {
  SEEN_RULES, checkFrame, checkRules, checkTabs, checkWidth, close, launch, open, shoot,
} from "./drive.js";

const PAGES = JSON.parse(process.env.STRONGROOM_PAGES);
const SESSIONS = JSON.parse(process.env.STRONGROOM_SESSIONS);
const HOUSE = JSON.parse(process.env.STRONGROOM_HOUSE);
const WIDTHS = JSON.parse(process.env.STRONGROOM_WIDTHS);
const MOST_BYTES = 50 * 1024;

before(launch);
after(() => globalThis.browser.close());

// A name for a picture.
const named = ({ path, who }) => {
  const place = path.replace(/token=.*/, "token").replace(/[^a-z0-9]+/gi, "-").replace(/^-|-$/g, "");
  return `${place || "overview"}-${who}`;
};

// A page for each who looks, with their session.
async function visitors(options) {
  const visitors = { stranger: await open(options) };
  for (const [who, session] of Object.entries(SESSIONS)) {
    visitors[who] = await open({ ...options, session });
  }
  return visitors;
}

// Every width and both colours in any case; each with each where there is time for it.
const LOOKS = [[1280, "light"], [400, "dark"]];
if (process.env.STRONGROOM_SOAK_ROUNDS) LOOKS.push([1280, "dark"], [400, "light"]);

for (const [width, colorScheme] of LOOKS.filter(([width]) => WIDTHS.includes(width))) {
  test(`every page is in order at ${width} px, ${colorScheme}`, async () => {
    const pages = await visitors({ viewport: { width, height: 900 }, colorScheme });
    const offences = [];
    for (const { path, who } of PAGES) {
      const page = pages[who];
      const where = `${path} for ${who} at ${width} px, ${colorScheme}`;
      // All offences at once, so that they are mended in one round.
      const holds = async (check) => check().catch((error) => offences.push(error.message));
      const answer = await page.goto(path);
      await shoot(page, `${HOUSE}/${named({ path, who })}-${width}-${colorScheme}`);
      await holds(async () => {
        const bytes = (await answer.body()).length;
        assert.ok(bytes < MOST_BYTES, `${where} has ${bytes} bytes`);
      });
      await holds(() => checkWidth(page, where));
      // Each width once with everything; what Tab reaches, for one, does not depend on the colours.
      const whole = (width === 1280) === (colorScheme === "light");
      await holds(() => checkRules(page, where, whole ? undefined : SEEN_RULES));
      if (!whole) continue;
      await holds(() => checkFrame(page, where));
      await holds(() => checkTabs(page, where));
    }
    assert.deepEqual(offences, []);
    for (const page of Object.values(pages)) await close(page);
  });
}
