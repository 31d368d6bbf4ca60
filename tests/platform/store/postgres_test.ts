/** The PostgreSQL store: the exam, and what only a server that instances share can get wrong. */

import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { after, test } from "node:test";
import { postgresStore, StoreError } from "../../../src/platform/store/sql/postgres.ts";
import { storeExam } from "../../../src/core/store/exam.ts";
import { dropPostgresSchemas, postgresUrl, testRejectedAddresses, timeout, uniqueName } from "./servers.ts";

const skip = postgresUrl === undefined;
const url = postgresUrl ?? "";
const names: string[] = [];
const newSchema = () => names[names.push(uniqueName()) - 1]!;
after(() => skip ? undefined : dropPostgresSchemas(url, names));

const openIn = (schema: string) => postgresStore(url, { timeout, schema });
storeExam({
  test: (title, run) => test(title, { skip }, run),
  name: "PostgreSQL",
  open: () => openIn(newSchema()),
  reopen: () => openIn(names.at(-1)!),
});

test("instances that start together on an empty database create one table", { skip }, async () => {
  const schema = newSchema();
  const stores = await Promise.all(
    Array.from({ length: 8 }, () => postgresStore(url, { timeout, schema, connections: 1 })),
  );
  const won = await Promise.all(
    stores.map((store) => store.add("used_identifier", "one", {}, { expiresAt: Infinity })),
  );
  assertStrictEquals(won.filter(Boolean).length, 1);
  await Promise.all(stores.map((store) => store.close()));
});

testRejectedAddresses(postgresStore, skip, "postgres://latchkey:hunter2/x@host/db", [
  ["postgres://carol:hunter2@127.0.0.1:1/test", /127\.0\.0\.1:1.*reachable.*start it/],
  [url.replace(/\/[^/]*$/, "/no_such_database_at_all"), /no_such_database_at_all: expected a database.*createdb/],
  ["postgres://carol:hunter2@no.such.host.invalid/test", /reachable/],
]);

test("tables of a newer version are left unchanged", { skip }, async () => {
  const schema = newSchema();
  await (await postgresStore(url, { timeout, schema })).close();
  const { default: postgres } = await import("postgres");
  const sql = postgres(url, { max: 1 });
  await sql`UPDATE ${sql(schema)}.version SET number = 99`;
  await sql.end();
  const error = await assertRejects(() => postgresStore(url, { timeout, schema }), StoreError);
  assertEquals(error.details.received, "version 99");
});
