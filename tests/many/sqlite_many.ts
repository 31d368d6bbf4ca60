/** Three instances on one SQLite file of one machine: one is killed, and the disk is full. */

import { assert } from "@std/assert";
import { after, test } from "node:test";
import { join } from "node:path";
import { account } from "./load.ts";
import { assertSound, becomeReady, becomeUnready } from "./judgement.ts";
import { delay, endAll, newFolder, smallDisk } from "./machines.ts";
import { killInTurn, startTeam } from "./team.ts";

after(endAll);

test("three instances share a file; one is killed in the middle of load, and comes back", async () => {
  const team = await startTeam(`sqlite:${join(newFolder(), "latchkey.db")}`);
  const sum = await account("SQLite, an instance killed", team, () => killInTurn(team));
  assertSound(sum);
  assert(sum.broken > 0, "it was killed under load");
  for (const one of team) await one.process().end();
});

test("the disk is full: polite refusals until there is room again, and nothing has to be restarted", async () => {
  const disk = await smallDisk();
  const team = await startTeam(`sqlite:${join(disk.folder, "latchkey.db")}`);
  try {
    const sum = await account("SQLite, disk full", team, async () => {
      await delay(500);
      disk.fill();
      await becomeUnready(team);
      await delay(500);
      disk.makeRoom();
      await becomeReady(team);
      await delay(500);
    });
    assertSound(sum);
    assert(sum.refused > 0, "it was full under load");
    for (const one of team) await one.process().end();
  } finally {
    await disk.remove();
  }
});
