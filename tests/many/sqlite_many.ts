/** Three instances on one SQLite file of one machine: one is killed, and the disk is full. */

import { assert } from "@std/assert";
import { after, test } from "node:test";
import { join } from "node:path";
import { runLoad } from "./load.ts";
import { assertSingleUse } from "./single_use.ts";
import { assertConsistent, waitUntilReady, waitUntilUnready } from "./assertions.ts";
import { killAll, newFolder, smallDisk } from "./processes.ts";
import { restartInTurn, startInstances } from "./instances.ts";

after(killAll);

test("three instances share a file; one is killed under load and restarted", async () => {
  const team = await startInstances(`sqlite:${join(newFolder(), "latchkey.db")}`);
  const sum = await runLoad("SQLite, an instance killed", team, (load) => restartInTurn(team, load));
  assertConsistent(sum);
  assert(sum.broken > 0, "it was killed under load");
  for (const one of team) await one.process().end();
});

test("[PA-06, DV-03, DO-04] of 20 concurrent uses of a request_uri, a device code and a proof one succeeds", async () => {
  const team = await startInstances(`sqlite:${join(newFolder(), "latchkey.db")}`);
  await assertSingleUse(team);
  for (const one of team) await one.process().end();
});

test("a full disk: 503 until space is free again, without a restart", async () => {
  const disk = await smallDisk();
  const team = await startInstances(`sqlite:${join(disk.folder, "latchkey.db")}`);
  try {
    const sum = await runLoad("SQLite, disk full", team, async (load) => {
      await load.flows(20);
      disk.fill();
      await waitUntilUnready(team);
      await load.failures(10);
      disk.reserveSpace();
      await waitUntilReady(team);
      await load.flows(20);
    });
    assertConsistent(sum);
    assert(sum.unavailable > 0, "it was full under load");
    for (const one of team) await one.process().end();
  } finally {
    await disk.remove();
  }
});
