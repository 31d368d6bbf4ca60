/** The shortcuts of the program: what each line does. */

import { assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { programShortcuts, runShortcut } from "../../src/cli/shortcuts.ts";
import { latchkey } from "../secret_leak_check.ts";

const targets = {
  terminal: { openUrl: () => Promise.reject(new Error("ENOENT")) },
  page: "http://localhost:9000/start",
  stop: () => {},
};

test("u makes each user the default user in turn, and returns to the first", async () => {
  await using as = await latchkey({ issuer: "http://localhost:9000", users: ["b", "c", "a"].map((sub) => ({ sub })) });
  const shortcuts = programShortcuts({ ...targets, users: as.users });
  const chosen: string[] = [];
  for (let turn = 0; turn < 4; turn++) {
    await runShortcut("u", shortcuts);
    chosen.push((await as.users.list({ limit: 1 }))[0]!.sub);
  }
  assertEquals(chosen, ["c", "a", "b", "c"]);
});

test("h lists every shortcut; without automatic login, there is none for its user", async () => {
  const shortcuts = programShortcuts(targets);
  const help = (await runShortcut(" H ", shortcuts))!.split("\n").map((line) => line[0]);
  assertEquals(help, [...shortcuts.map(({ key }) => key), "h"]);
  assertEquals(help.includes("u"), false);
});

test("q stops the server; an empty line does nothing, another one names the help and is not repeated", async () => {
  let stops = 0;
  const shortcuts = programShortcuts({ ...targets, stop: () => void stops++ });
  assertEquals(await runShortcut("", shortcuts), undefined);
  assertEquals(await runShortcut("a secret", shortcuts), "No such shortcut: press h + Enter for help.");
  assertEquals(stops, 0);
  assertEquals(await runShortcut("q", shortcuts), undefined);
  assertEquals(stops, 1);
});

test("a shortcut that fails says what to do, and the next one works", async () => {
  assertMatch((await runShortcut("o", programShortcuts(targets)))!, /open http:\/\/localhost:9000\/start in a browser/);
  const failing = { key: "x", about: "fails", run: () => Promise.reject(new Error("store\u001b[2J")) };
  assertEquals(await runShortcut("x", [failing]), "The shortcut x failed: store\\u001b[2J");
});
