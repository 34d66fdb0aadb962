// One long life of an archive, from the link that the first start prints: people, second factor,
// deposit, search, restoration, deletion by two, alerts, tables, passwords, lockout.
// Started by tests/it/browser against the real program, with script and once more without.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { code, freshStep } from "./device.js";
import { checkRules, checkWidth, close, launch } from "./drive.js";
import {
  becomes, browserOf, comes, field, flash, follow, heading, press, problem, sendCode, setPassword, signIn, signOut,
} from "./people.js";

const BAGS = JSON.parse(process.env.STRONGROOM_BAGS);
const WELCOME = JSON.parse(process.env.STRONGROOM_WELCOME);
const ROOT = { name: "Ruth Root", email: "ruth@archive.example", password: "kettle lantern orchard" };
const ANN = { name: "Ann Archer", email: "ann@library.example", password: "harbour thistle window" };
const BEA = { name: "Bea Binder", email: "bea@library.example", password: "copper meadow violin" };
const CARL = { name: "Carl Clerk", email: "carl@library.example", password: "marble pigeon saddle" };
const OBJECT = "/objects/library.example/letters";
// The bytes of the bag's a.txt.
const DIGEST = createHash("sha256").update("alpha\n").digest("hex");

const status = (page) => page.locator(".item-state .badge");
const pages = {};
let stuck = false;

// A step stands on those before it: after one that failed, no other is taken.
const step = (name, take) =>
  test(name, async (t) => {
    if (stuck) return t.skip("an earlier step failed");
    stuck = true;
    await take();
    stuck = false;
  });

before(async () => {
  await launch();
  for (const who of ["root", "ann", "bea", "carl"]) pages[who] = await browserOf(who);
});
after(() => globalThis.browser.close());

// Holds the page to the rules where script can run in it.
async function look(page, where) {
  await checkWidth(page, where);
  if (!page.scriptless) await checkRules(page, where);
}

// The link in the notice that shows it this once.
async function linkShown(page) {
  const text = await page.locator("main .notice code.secret").innerText();
  assert.match(text, /\/password\?token=/);
  return text.trim();
}

async function addUser(page, person, role) {
  await page.goto("/users");
  await follow(page, "Add a user");
  await field(page, "Name").fill(person.name);
  await field(page, "E-mail").fill(person.email);
  await field(page, "Role").selectOption(role);
  const institution = field(page, "Institution");
  if (await institution.count()) await institution.selectOption("library.example");
  await press(page, "Add");
  await heading(page, person.name);
  await look(page, "a user with a link");
  return linkShown(page);
}

step("the printed link makes the first administrator, once", async () => {
  const page = pages.root;
  await page.goto(WELCOME);
  await heading(page, "Welcome");
  await field(page, "Name").fill(ROOT.name);
  await field(page, "E-mail").fill(ROOT.email);
  await field(page, "New password").fill("password1234");
  await field(page, "The same again").fill("password1234");
  await press(page, "Become the administrator");
  await problem(page, "The password");
  await look(page, "welcome with a problem");
  await field(page, "New password").fill(ROOT.password);
  await field(page, "The same again").fill(ROOT.password);
  await press(page, "Become the administrator");
  await flash(page, "You look after this appliance now.");
  await pages.carl.goto(WELCOME);
  await problem(pages.carl, "does not work");
});

step("the administrator makes an institution and its people, who set their own passwords", async () => {
  const page = pages.root;
  await page.goto("/institutions");
  await follow(page, "Add an institution");
  await field(page, "Name").fill("Town library");
  await field(page, "Identifier").fill("library.example");
  await press(page, "Add");
  await heading(page, "Town library");
  // Whoever makes an account cannot delete together with it: not both of them are Ann's.
  const ann = await addUser(page, ANN, "institutional_admin");
  const bea = await addUser(page, BEA, "institutional_admin");
  await setPassword(pages.ann, ann, ANN.password);
  // From here on the institution looks after its own people.
  const carl = await addUser(pages.ann, CARL, "institutional_user");
  await setPassword(pages.bea, bea, BEA.password);
  await setPassword(pages.carl, carl, CARL.password);
  await pages.carl.goto(carl);
  await problem(pages.carl, "does not work");
});

step("a second factor is set up and asked for; a code works once", async () => {
  const page = pages.ann;
  await page.goto("/account");
  await follow(page, "Set up a second factor");
  await field(page, "Your password").fill(ANN.password);
  await press(page, "Set up a second factor");
  await look(page, "setting up a second factor");
  const letters = await page.locator("main code.secret").innerText();
  await freshStep();
  await field(page, "Code").fill(code(letters));
  await press(page, "Begin to use it");
  await heading(page, "Second factor");
  const codes = await page.locator(".codes code").allInnerTexts();
  assert.equal(codes.length, 10);
  await look(page, "backup codes");
  await follow(page, "I have kept them");
  await signOut(page);

  await signIn(page, ANN.email, ANN.password);
  const next = code(letters, 1);
  await sendCode(page, next);
  await flash(page, "Signed in as");
  await signOut(page);

  await signIn(page, ANN.email, ANN.password);
  await sendCode(page, next);
  await problem(page, "The code is not right, or was used already");
  await look(page, "a code that was used");
  await sendCode(page, codes[0]);
  await flash(page, "Signed in as");
  await signOut(page);

  await signIn(page, ANN.email, ANN.password);
  await sendCode(page, codes[0]);
  await problem(page, "was used already");
  await sendCode(page, codes[1]);
  await flash(page, "Signed in as");
});

step("a bag is sent and followed until it is preserved", async () => {
  const page = pages.carl;
  await page.goto("/deposits");
  await field(page, "A .tar, .tar.gz or .zip file").setInputFiles(BAGS.letters);
  await press(page, "Upload");
  await page.waitForURL(/\/items\/\d+$/);
  await becomes(page, status(page), "Success");
  await look(page, "an item that is done");
});

step("it is found by title, file name and digest", async () => {
  const page = pages.carl;
  const seek = async (words, kind, found) => {
    await page.getByRole("searchbox").fill(words);
    await page.getByRole("searchbox").press("Enter");
    await heading(page, "Search");
    await page.locator(`section[aria-labelledby=${kind}-heading] a`, { hasText: found }).first().click();
  };
  await page.goto("/");
  await seek("letters", "objects", "Letters");
  await page.waitForURL(new RegExp(`${OBJECT}$`));
  await seek("copy of a", "files", "copy of a.txt");
  await heading(page, "copy of a.txt");
  await seek(DIGEST, "files", "a.txt");
  await page.locator("dd", { hasText: DIGEST }).waitFor();
  await seek("b.xml", "files", "b.xml");
  await heading(page, "b.xml");
});

step("it is restored and can be fetched", async () => {
  const page = pages.carl;
  await page.goto(OBJECT);
  await page.locator("main > form").getByRole("button", { name: "Restore" }).click();
  await page.waitForURL(/\/restorations$/);
  await flash(page, "letters.tar will be restored");
  await becomes(page, page.locator("main"), "restoration/library.example/letters.tar");
  const coming = page.waitForEvent("download");
  await follow(page, "Download");
  const file = await (await coming).path();
  assert.ok(readFileSync(file).includes("alpha\n"), "the bytes are in it");
  await look(page, "restorations");
});

step("one asks for the deletion of a file, which takes a second person", async () => {
  const page = pages.ann;
  await page.goto(`${OBJECT}?folder=data`);
  await follow(page, "copy of a.txt");
  await follow(page, "Ask for deletion");
  await field(page, "Why it has to go").fill("It is the same as a.txt.");
  await press(page, "Ask for deletion");
  await flash(page, "It waits for a second person.");
  assert.equal(await page.locator("#words").count(), 0, "who asked can not agree");
});

step("a bag that is not valid needs a person", async () => {
  const page = pages.carl;
  await page.goto("/deposits");
  await field(page, "A .tar, .tar.gz or .zip file").setInputFiles(BAGS.broken);
  await press(page, "Upload");
  await page.waitForURL(/\/items\/\d+$/);
  await becomes(page, status(page), "Needs a person");
  await look(page, "an item that needs a person");
  // Alerts are raised every minute; whoever looks after the house need not wait.
  await pages.root.goto("/schedules");
  await pages.root.locator("#run-alert_watch").click();
  await flash(pages.root, "The sweep alert watch");
});

step("the second person is told of the deletion, and is refused: one person made both accounts", async () => {
  const { ann, bea } = pages;
  await bea.goto("/alerts");
  const alert = await comes(bea, bea.locator("tbody a", { hasText: "Deletion requested" }));
  await alert.click();
  await bea.locator("main .badge", { hasText: "Unread" }).waitFor();
  await look(bea, "an alert");
  await bea.locator("main .actions a").first().click();
  await bea.waitForURL(ann.url());
  const words = await bea.locator("label[for=words] strong").innerText();
  await bea.locator("#words").fill(words);
  await field(bea, "Your password").fill(BEA.password);
  await press(bea, "Approve the deletion");
  await problem(bea, "by the same person");
  await look(bea, "a deletion that one person cannot approve");
  await press(bea, "Cancel the deletion");
  await flash(bea, "The deletion is cancelled.");
  await status(bea).filter({ hasText: "Cancelled" }).waitFor();
  await ann.goto(`${OBJECT}?folder=data`);
  await follow(ann, "copy of a.txt");
  assert.ok(await ann.getByRole("button", { name: "Restore" }).count() > 0, "it is still there");
});

step("the alert of the bag that is not valid is read", async () => {
  const page = pages.ann;
  await page.goto("/alerts?unread=true");
  await (await comes(page, page.locator("tbody a", { hasText: "needs a person" }))).click();
  await page.locator("main", { hasText: "broken" }).waitFor();
  await press(page, /^Mark as read/);
  await flash(page, "is marked as read.");
});

step("the log is taken away as a table", async () => {
  const page = pages.root;
  await page.goto("/audit");
  await look(page, "the log");
  const coming = page.waitForEvent("download");
  await follow(page, "Export as CSV");
  const table = readFileSync(await (await coming).path(), "utf8");
  for (const part of [ROOT.email, ANN.email, BEA.email, CARL.email, "library.example"]) {
    assert.ok(table.includes(part), `${part} is in the table`);
  }
  for (const secret of [ROOT, ANN, BEA, CARL]) assert.ok(!table.includes(secret.password));
  assert.ok(table.trim().split("\n").length > 15, table);
});

step("a changed password ends all other sessions", async () => {
  const page = pages.carl;
  const elsewhere = await browserOf("carl elsewhere");
  await signIn(elsewhere, CARL.email, CARL.password);
  await flash(elsewhere, "Signed in as");
  await page.goto("/account");
  await follow(page, "Change the password");
  await field(page, "Password until now").fill("not this one at all");
  await field(page, "New password").fill("walnut ribbon canal");
  await field(page, "The same again").fill("walnut ribbon canal");
  await press(page, "Set the password");
  await problem(page, "do not go together");
  await field(page, "Password until now").fill(CARL.password);
  await field(page, "New password").fill("walnut ribbon canal");
  await field(page, "The same again").fill("walnut ribbon canal");
  await press(page, "Set the password");
  await flash(page, "The password is set.");
  await elsewhere.goto("/items");
  await heading(elsewhere, "Sign in");
  await signIn(elsewhere, CARL.email, CARL.password);
  await problem(elsewhere, "do not go together");
  await page.goto("/items");
  await heading(page, "Items");
  await close(elsewhere);
  CARL.password = "walnut ribbon canal";
});

step("who guesses is locked out, and a link of the administrator lets in again", async () => {
  const page = await browserOf("carl again");
  for (let tries = 0; tries < 5; tries += 1) {
    await signIn(page, CARL.email, `a wrong password ${tries}`);
    await problem(page, "do not go together, or there were too many tries");
  }
  // Now even the right one is not looked at, and the page says how long that lasts.
  await signIn(page, CARL.email, CARL.password);
  await problem(page, "there were too many tries");
  await page.locator("main", { hasText: "After five wrong passwords an account waits: a minute" }).waitFor();
  await look(page, "locked out");
  await page.goto("/forgotten");
  await field(page, "E-mail").fill(CARL.email);
  await press(page, "I have forgotten my password");
  await heading(page, "Sign in");

  await pages.root.goto("/users");
  await pages.root.locator("main .notice a", { hasText: CARL.email }).click();
  await heading(pages.root, CARL.name);
  await press(pages.root, "Make a link that sets a password");
  const link = await linkShown(pages.root);
  await setPassword(page, link, "pepper bridge almond");
  await signOut(page);
  await signIn(page, CARL.email, "pepper bridge almond");
  await flash(page, "Signed in as");
  await close(page);
});

step("nobody's browser had anything to complain about", async () => {
  for (const page of Object.values(pages)) await close(page);
});
