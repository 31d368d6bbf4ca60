/**
 * What may befall three instances and a database server that they share, whichever it is, and what must hold through
 * it.
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { tcpProxy } from "../platform/store/tcp_proxy.ts";
import { assertSingleUse } from "./single_use.ts";
import { assertConsistent, waitUntilReady, waitUntilUnready } from "./assertions.ts";
import { runLoad } from "./load.ts";
import type { Database } from "./processes.ts";
import { type Instance, restartInTurn, startInstance } from "./instances.ts";

/** Three instances on one database server. */
export interface SharedDatabase {
  readonly database: Database;
  readonly instances: readonly Instance[];
  /** How the operator of an instance names the store. */
  readonly store: string;
}

/** Registers the tests, which call `shared` when they run. */
export function failureScenarios(name: "PostgreSQL" | "Redis", shared: () => SharedDatabase): void {
  test("three instances on three runtimes act as one server: each continues a flow of another", async () => {
    const report = await runLoad(`${name}, nothing happens`, shared().instances, (load) => load.flows(100));
    assertConsistent(report);
    assertEquals([report.unavailable, report.broken], [0, 0]);
  });

  test("[PA-06, DV-03, DO-04] of 20 concurrent uses of a request_uri, a device code and a proof one succeeds", async () => {
    await assertSingleUse(shared().instances);
  });

  test("an instance is killed under load and restarted", async () => {
    const { instances } = shared();
    const report = await runLoad(
      `${name}, an instance killed`,
      instances,
      (load) => restartInTurn(instances.slice(0, 2), load),
    );
    assertConsistent(report);
    assert(report.broken > 0, "it was killed under load");
  });

  for (const how of ["gracefully", "immediately"] as const) {
    test(`the database is stopped ${how} and restarted, with every acknowledged write`, async () => {
      const { database, instances } = shared();
      const report = await runLoad(`${name}, stopped ${how}`, instances, async (load) => {
        await load.flows(20);
        await database.stop(how);
        await waitUntilUnready(instances);
        await database.start();
        await waitUntilReady(instances);
        await load.flows(20);
      });
      assertConsistent(report);
      assert(report.unavailable > 0, "it was stopped under load");
    });
  }

  test("the database is paused for longer than the store's timeout", async () => {
    const { database, instances } = shared();
    const report = await runLoad(`${name}, paused`, instances, async (load) => {
      await load.flows(20);
      database.pause();
      await waitUntilUnready(instances);
      await load.failures(10);
      database.resume();
      await waitUntilReady(instances);
      await load.flows(20);
    });
    assertConsistent(report);
    // A request asks the store several times, but gives up with the first silence.
    assert(report.slowestResponseMs < 10_000, `${report.slowestResponseMs} ms`);
    assert(report.unavailable > 0, "it was paused under load");
  });

  for (const runtime of ["node", "bun"] as const) {
    test(
      `the connection of an instance on ${runtime} to the database stalls, then breaks: the others continue`,
      async () => {
        const { database, instances: [other, another], store } = shared();
        const link = await tcpProxy(database.port);
        const affected = await startInstance(runtime, store.replace(`:${database.port}`, `:${link.port}`));
        try {
          const report = await runLoad(
            `${name}, one wire dead, then cut`,
            [affected, other!, another!],
            async (load) => {
              await load.flows(20);
              link.stall();
              await waitUntilUnready([affected]);
              assertEquals(await other!.ready(), 200);
              link.cut();
              await load.flows(20);
              assertEquals([await affected.ready(), await other!.ready()], [503, 200]);
              link.restore();
              await waitUntilReady([affected]);
              await load.flows(20);
            },
          );
          assertConsistent(report);
          assert(report.unavailable > 0, "it was cut under load");
        } finally {
          await affected.process().end();
          link.close();
        }
      },
    );
  }
}
