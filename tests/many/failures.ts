/** What may befall three instances and a database server that they share, whichever it is, and what must hold through it. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { layWire } from "../stores/wire.ts";
import { assertSound, becomeReady, becomeUnready } from "./judgement.ts";
import { account } from "./load.ts";
import { type Database, delay } from "./machines.ts";
import { type Instance, killInTurn, startInstance } from "./team.ts";

/** Three instances on one database server. */
export interface Shared {
  readonly database: Database;
  readonly team: readonly Instance[];
  /** How the operator of an instance names the store. */
  readonly store: string;
}

/** Tries all of it on what is there once the tests have begun. */
export function mishaps(name: string, shared: () => Shared): void {
  test("three instances on three runtimes are one server: each goes on with what another began", async () => {
    const sum = await account(`${name}, nothing happens`, shared().team, () => delay(3000));
    assertSound(sum);
    assertEquals([sum.refused, sum.broken], [0, 0]);
  });

  test("an instance is killed in the middle of load, and comes back", async () => {
    const { team } = shared();
    const sum = await account(`${name}, an instance killed`, team, () => killInTurn(team.slice(0, 2)));
    assertSound(sum);
    assert(sum.broken > 0, "it was killed under load");
  });

  for (const how of ["in order", "at once"] as const) {
    test(`the database is stopped ${how} and started again, with all that it had answered`, async () => {
      const { database, team } = shared();
      const sum = await account(`${name}, stopped ${how}`, team, async () => {
        await delay(500);
        await database.stop(how);
        await becomeUnready(team);
        await database.start();
        await becomeReady(team);
        await delay(500);
      });
      assertSound(sum);
      assert(sum.refused > 0, "it was stopped under load");
    });
  }

  test("the database is paused for longer than the store waits", async () => {
    const { database, team } = shared();
    const sum = await account(`${name}, paused`, team, async () => {
      await delay(500);
      database.pause();
      await becomeUnready(team);
      await delay(2000);
      database.resume();
      await becomeReady(team);
      await delay(500);
    });
    assertSound(sum);
    // A request asks the store several times, but gives up with the first silence.
    assert(sum.slowest < 5000, `${sum.slowest} ms`);
    assert(sum.refused > 0, "it was paused under load");
  });

  for (const runtime of ["node", "bun"] as const) {
    test(`the wire between an instance on ${runtime} and the database goes dead, and breaks: the others go on`, async () => {
      const { database, team: [other, another], store } = shared();
      const wire = await layWire(database.port);
      const near = await startInstance(runtime, store.replace(`:${database.port}`, `:${wire.port}`));
      try {
        const sum = await account(`${name}, one wire dead, then cut`, [near, other!, another!], async () => {
          await delay(500);
          wire.stall();
          await becomeUnready([near]);
          assertEquals(await other!.ready(), 200);
          wire.cut();
          await delay(500);
          assertEquals([await near.ready(), await other!.ready()], [503, 200]);
          wire.mend();
          await becomeReady([near]);
          await delay(500);
        });
        assertSound(sum);
        assert(sum.refused > 0, "it was cut under load");
      } finally {
        await near.process().end();
        wire.close();
      }
    });
  }
}
