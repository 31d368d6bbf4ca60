/**
 * Three instances on one PostgreSQL, and what may befall them: nothing that was acknowledged is lost, nothing is done
 * twice.
 */

import { assert, assertEquals } from "@std/assert";
import { after, before, test } from "node:test";
import { runLoad } from "./load.ts";
import { assertConsistent, waitUntilReady, waitUntilUnready } from "./assertions.ts";
import { type Database, freshName, killAll, postgresServer, query } from "./processes.ts";
import { failureScenarios } from "./failure_scenarios.ts";
import { type Instance, restartInTurn, startInstances } from "./instances.ts";

let database: Database;
let store: string;
let team: Instance[];

/** A dedicated server with few connections. */
const newStore = () => `${database.url}?schema=${freshName()}&timeout=3000&connections=4`;

before(async () => {
  database = await postgresServer();
  store = newStore();
  team = await startInstances(store);
});
after(killAll);

failureScenarios("PostgreSQL", () => ({ database, instances: team, store }));

test("a server without free connections: instances continue with those they have", async () => {
  await waitUntilReady(team);
  const [{ count }] = await query(
    database,
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE usename = 'latchkey'",
  ) as { count: number }[];
  await query(database, `ALTER ROLE latchkey CONNECTION LIMIT ${count}`);
  try {
    const sum = await runLoad("PostgreSQL, no further connection", team, (load) => load.flows(60), { workers: 12 });
    assertConsistent(sum);
    assertEquals([sum.unavailable, sum.broken], [0, 0]);
  } finally {
    await query(database, "ALTER ROLE latchkey CONNECTION LIMIT -1");
  }
});

test("a server that drops and rejects every connection: 503 until it accepts again", async () => {
  const sum = await runLoad("PostgreSQL, every connection taken away", team, async (load) => {
    await load.flows(20);
    await query(database, "ALTER ROLE latchkey CONNECTION LIMIT 0");
    await query(database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'latchkey'");
    await waitUntilUnready(team);
    await query(database, "ALTER ROLE latchkey CONNECTION LIMIT -1");
    await waitUntilReady(team);
    await load.flows(20);
  });
  assertConsistent(sum);
  assert(sum.unavailable > 0, "they were taken away under load");
});

test("a locked table: no request waits longer than the store's timeout", async () => {
  const sum = await runLoad("PostgreSQL, table locked", team, async (load) => {
    await load.flows(20);
    await query(
      database,
      `DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT nspname FROM pg_namespace WHERE nspname LIKE 'many\\_%' LOOP
          EXECUTE format('LOCK TABLE %I.record', name);
        END LOOP;
        PERFORM pg_sleep(5);
      END $$`,
    );
    await waitUntilReady(team);
    await load.flows(20);
  });
  assertConsistent(sum);
  assert(sum.unavailable > 0, "it was locked under load");
  assert(sum.slowestResponseMs < 10_000, `${sum.slowestResponseMs} ms`);
});

test("[RT-05] with a grace period a refresh with a lost response can be repeated, although its instance was killed", async () => {
  const special = { settings: { refresh: { grace: 60 } } };
  const patient = await startInstances(newStore(), special);
  try {
    const sum = await runLoad(
      "PostgreSQL, instances killed, with a grace",
      patient,
      (load) => restartInTurn(patient, load),
      {
        patient: true,
      },
    );
    assertConsistent(sum);
  } finally {
    for (const one of patient) await one.process().end();
  }
});
