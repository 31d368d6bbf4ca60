/** What may befall three instances and a database server that they share, whichever it is, and what must hold through it. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { tcpProxy } from "../stores/tcp_proxy.ts";
import { assertConsistent, waitUntilReady, waitUntilUnready } from "./assertions.ts";
import { runLoad } from "./load.ts";
import { type Database, delay } from "./processes.ts";
import { type Instance, restartInTurn, startInstance } from "./instances.ts";

/** Three instances on one database server. */
export interface SharedDatabase {
  readonly database: Database;
  readonly instances: readonly Instance[];
  /** How the operator of an instance names the store. */
  readonly store: string;
}

/** Tries all of it on what is there once the tests have begun. */
export function failureScenarios(name: string, shared: () => SharedDatabase): void {
  test("three instances on three runtimes act as one server: each continues a flow of another", async () => {
    const report = await runLoad(`${name}, nothing happens`, shared().instances, () => delay(3000));
    assertConsistent(report);
    assertEquals([report.unavailable, report.broken], [0, 0]);
  });

  test("an instance is killed under load and restarted", async () => {
    const { instances } = shared();
    const report = await runLoad(`${name}, an instance killed`, instances, () => restartInTurn(instances.slice(0, 2)));
    assertConsistent(report);
    assert(report.broken > 0, "it was killed under load");
  });

  for (const how of ["gracefully", "immediately"] as const) {
    test(`the database is stopped ${how} and restarted, with every acknowledged write`, async () => {
      const { database, instances } = shared();
      const report = await runLoad(`${name}, stopped ${how}`, instances, async () => {
        await delay(500);
        await database.stop(how);
        await waitUntilUnready(instances);
        await database.start();
        await waitUntilReady(instances);
        await delay(500);
      });
      assertConsistent(report);
      assert(report.unavailable > 0, "it was stopped under load");
    });
  }

  test("the database is paused for longer than the store's timeout", async () => {
    const { database, instances } = shared();
    const report = await runLoad(`${name}, paused`, instances, async () => {
      await delay(500);
      database.pause();
      await waitUntilUnready(instances);
      await delay(2000);
      database.resume();
      await waitUntilReady(instances);
      await delay(500);
    });
    assertConsistent(report);
    // A request asks the store several times, but gives up with the first silence.
    assert(report.slowestResponseMs < 5000, `${report.slowestResponseMs} ms`);
    assert(report.unavailable > 0, "it was paused under load");
  });

  for (const runtime of ["node", "bun"] as const) {
    test(`the connection of an instance on ${runtime} to the database stalls, then breaks: the others continue`, async () => {
      const { database, instances: [other, another], store } = shared();
      const link = await tcpProxy(database.port);
      const affected = await startInstance(runtime, store.replace(`:${database.port}`, `:${link.port}`));
      try {
        const report = await runLoad(`${name}, one wire dead, then cut`, [affected, other!, another!], async () => {
          await delay(500);
          link.stall();
          await waitUntilUnready([affected]);
          assertEquals(await other!.ready(), 200);
          link.cut();
          await delay(500);
          assertEquals([await affected.ready(), await other!.ready()], [503, 200]);
          link.restore();
          await waitUntilReady([affected]);
          await delay(500);
        });
        assertConsistent(report);
        assert(report.unavailable > 0, "it was cut under load");
      } finally {
        await affected.process().end();
        link.close();
      }
    });
  }
}
