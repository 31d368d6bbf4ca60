/** Three instances on one PostgreSQL, and what may befall them: nothing that was acknowledged is lost, nothing is done twice. */

import { assert, assertEquals } from "@std/assert";
import { after, before, test } from "node:test";
import { account } from "./load.ts";
import { assertSound, becomeReady, becomeUnready } from "./judgement.ts";
import { type Database, delay, endAll, freshName, postgresServer, query } from "./machines.ts";
import { type Instance, startInstance, startTeam } from "./team.ts";
import { layWire } from "../stores/wire.ts";

let database: Database;
let team: Instance[];
const limits = "timeout=1500&connections=4";

before(async () => {
  database = await postgresServer();
  team = await startTeam(`${database.url}?schema=${freshName()}&${limits}`);
});
after(endAll);

test("three instances on three runtimes are one server: each goes on with what another began", async () => {
  const sum = await account("PostgreSQL, nothing happens", team, () => delay(3000));
  assertSound(sum);
  assertEquals([sum.refused, sum.broken], [0, 0]);
});

test("an instance is killed in the middle of load, and comes back", async () => {
  const sum = await account("PostgreSQL, an instance killed", team, async () => {
    for (const one of team.slice(0, 2)) {
      await delay(500);
      await one.process().end("SIGKILL");
      await delay(300);
      await one.start();
    }
  });
  assertSound(sum);
  assert(sum.broken > 0, "it was killed under load");
});

for (const how of ["in order", "at once"] as const) {
  test(`the database is stopped ${how} and started again`, async () => {
    const sum = await account(`PostgreSQL, stopped ${how}`, team, async () => {
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
  const sum = await account("PostgreSQL, paused", team, async () => {
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

test("the wire between one instance and the database goes dead, and breaks: the others go on", async () => {
  const schema = freshName();
  const wire = await layWire(database.port);
  const [near, ...others] = await Promise.all([
    startInstance("node", `${database.url}?schema=${schema}&${limits}`.replace(`:${database.port}/`, `:${wire.port}/`)),
    startInstance("deno", `${database.url}?schema=${schema}&${limits}`),
  ]);
  try {
    const sum = await account("PostgreSQL, one wire dead, then cut", [near!, ...others], async () => {
      await delay(500);
      wire.stall();
      await becomeUnready([near!]);
      assertEquals(await others[0]!.ready(), 200);
      wire.cut();
      await delay(500);
      assertEquals([await near!.ready(), await others[0]!.ready()], [503, 200]);
      wire.mend();
      await becomeReady([near!]);
      await delay(500);
    });
    assertSound(sum);
    assert(sum.refused > 0, "it was cut under load");
  } finally {
    for (const one of [near!, ...others]) await one.process().end();
    wire.close();
  }
});

test("a server with no connection left: instances go on with those they have", async () => {
  await becomeReady(team);
  const [{ count }] = await query(
    database,
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE usename = 'latchkey'",
  ) as { count: number }[];
  await query(database, `ALTER ROLE latchkey CONNECTION LIMIT ${count}`);
  try {
    const sum = await account("PostgreSQL, no further connection", team, () => delay(2000), { workers: 12 });
    assertSound(sum);
    assertEquals([sum.refused, sum.broken], [0, 0]);
  } finally {
    await query(database, "ALTER ROLE latchkey CONNECTION LIMIT -1");
  }
});

test("a server that takes every connection away, and gives none: polite refusals until it does again", async () => {
  const sum = await account("PostgreSQL, every connection taken away", team, async () => {
    await delay(500);
    await query(database, "ALTER ROLE latchkey CONNECTION LIMIT 0");
    await query(database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'latchkey'");
    await becomeUnready(team);
    await query(database, "ALTER ROLE latchkey CONNECTION LIMIT -1");
    await becomeReady(team);
    await delay(500);
  });
  assertSound(sum);
  assert(sum.refused > 0, "they were taken away under load");
});

test("a table that somebody holds locked: nobody waits longer than the store does", async () => {
  const sum = await account("PostgreSQL, table locked", team, async () => {
    await delay(500);
    await query(
      database,
      `DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT nspname FROM pg_namespace WHERE nspname LIKE 'many\\_%' LOOP
          EXECUTE format('LOCK TABLE %I.record', name);
        END LOOP;
        PERFORM pg_sleep(3);
      END $$`,
    );
    await becomeReady(team);
    await delay(500);
  });
  assertSound(sum);
  assert(sum.refused > 0, "it was locked under load");
  assert(sum.slowest < 5000, `${sum.slowest} ms`);
});

test("[RT-05] with a grace, a refresh whose answer is lost can be repeated, though the instance that had it was killed", async () => {
  const special = { settings: { refresh: { grace: 60 } } };
  const patient = await startTeam(`${database.url}?schema=${freshName()}&${limits}`, special);
  try {
    const sum = await account("PostgreSQL, instances killed, with a grace", patient, async () => {
      for (const one of patient) {
        await delay(400);
        await one.process().end("SIGKILL");
        await delay(100);
        await one.start();
      }
    }, { patient: true });
    assertSound(sum);
  } finally {
    for (const one of patient) await one.process().end();
  }
});
