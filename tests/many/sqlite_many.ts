/** Three instances on one SQLite file of one machine: one is killed, and the disk is full. */

import { assert } from "@std/assert";
import { after, test } from "node:test";
import { join } from "node:path";
import { runLoad } from "./load.ts";
import { assertConsistent, waitUntilReady, waitUntilUnready } from "./assertions.ts";
import { delay, killAll, newFolder, smallDisk } from "./processes.ts";
import { restartInTurn, startInstances } from "./instances.ts";

after(killAll);

test("three instances share a file; one is killed under load and restarted", async () => {
  const team = await startInstances(`sqlite:${join(newFolder(), "latchkey.db")}`);
  const sum = await runLoad("SQLite, an instance killed", team, () => restartInTurn(team));
  assertConsistent(sum);
  assert(sum.broken > 0, "it was killed under load");
  for (const one of team) await one.process().end();
});

test("a full disk: 503 until space is free again, without a restart", async () => {
  const disk = await smallDisk();
  const team = await startInstances(`sqlite:${join(disk.folder, "latchkey.db")}`);
  try {
    const sum = await runLoad("SQLite, disk full", team, async () => {
      await delay(500);
      disk.fill();
      await waitUntilUnready(team);
      await delay(500);
      disk.reserveSpace();
      await waitUntilReady(team);
      await delay(500);
    });
    assertConsistent(sum);
    assert(sum.unavailable > 0, "it was full under load");
    for (const one of team) await one.process().end();
  } finally {
    await disk.remove();
  }
});
