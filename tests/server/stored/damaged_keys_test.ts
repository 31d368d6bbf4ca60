/** A stored key that cannot sign stops the start: the message names the record, what is wrong, and a fix that works. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openServer } from "../../../src/cli/open_server.ts";
import { readConfiguration } from "../../../src/cli/read_config.ts";
import { core } from "../../../src/core/mod.ts";
import type { SigningAlgorithm } from "../../../src/core/keys/signing_algorithm.ts";
import { ConfigurationError, memoryStore } from "../../../src/mod.ts";
import { storeKinds as storesOfProgram } from "../../../src/cli/stores.ts";
import { sqliteStore } from "../../../src/core/store/sqlite.ts";
import { builtInKeys } from "../../../src/testing/built_in_keys.ts";
import { commandEnvironment, readRules } from "../../cli/command_runs.ts";
import {
  dropPostgresSchemas,
  dropRedisPrefixes,
  postgresUrl,
  redisUrl,
  uniqueName,
} from "../../platform/store/servers.ts";
import { storeKinds } from "../../platform/store/store_kinds.ts";
import { forEachCase } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-damaged-"));
after(() => rmSync(folder, { recursive: true }));
const unique = uniqueName();
after(() => postgresUrl === undefined ? undefined : dropPostgresSchemas(postgresUrl, [unique]));
after(() => redisUrl === undefined ? undefined : dropRedisPrefixes(redisUrl, [unique]));

type Jwk = Readonly<Record<"n" | "d", string>>;

const jwksOf = (alg: "RS256" | "ES256" | "EdDSA") =>
  builtInKeys[alg].map(({ jwk }) => jwk as unknown as Jwk) as [Jwk, Jwk];
const [rsa, otherRsa] = jwksOf("RS256");
const [ec, otherEc] = jwksOf("ES256");
const [ed] = jwksOf("EdDSA");

const record = (jwk: unknown) => ({ kid: "key-7", jwk, signsFrom: 0, longest: 3600 });

/** The algorithm of a record, its value, and what the message says about it. */
const damages: readonly (readonly [SigningAlgorithm, value: unknown, expected: RegExp, received: RegExp])[] = [
  ["RS256", record({ ...rsa, d: undefined }), /a private key for RS256 \(kty RSA\)/, /a public key: it has no d$/],
  ["RS256", record({ ...rsa, p: undefined, qi: undefined }), /a private key for RS256/, /a key without p, qi$/],
  ["RS256", record({ ...rsa, n: rsa.n.slice(0, 100) }), /n as the modulus of an RSA key of 2048 bits or more/, /bits$/],
  ["RS256", record({ ...rsa, e: undefined }), /the exponent of an RSA key/, /nothing$/],
  ["RS256", record({ ...rsa, d: `${rsa.d}=` }), /a private key for RS256/, /d that is not base64url$/],
  ["RS256", record({ ...rsa, n: otherRsa.n }), /a private key for RS256/, /do not belong to the public ones$/],
  ["RS256", record(ec), /a private key for RS256/, /a key with kty "EC", crv "P-256"$/],
  ["ES256", record({ ...rsa, alg: "ES256" }), /a private key for ES256 \(kty EC, crv P-256\)/, /a key with kty "RSA"$/],
  ["ES256", record({ ...ec, d: otherEc.d }), /a private key for ES256/, /do not belong to the public ones$/],
  ["ES256", record({ ...ec, y: undefined }), /y as a coordinate of P-256: 43 characters/, /nothing$/],
  ["ES256", record({ ...ec, crv: "P-384" }), /a private key for ES256/, /crv "P-384"$/],
  ["EdDSA", record({ ...ed, d: ed.d.slice(0, 20) }), /a private key for EdDSA/, /d of 20 characters instead of 43$/],
  ["EdDSA", record({ kty: "oct", k: "c2VjcmV0" }), /a private key for EdDSA/, /a symmetric key \(kty oct\)$/],
  ["EdDSA", record({}), /a private key for EdDSA/, /a JWK without kty$/],
  ["ES256", record("text"), /kid, jwk, signsFrom and longest/, /a string as kid, a string as jwk$/],
  ["ES256", { kid: 7, jwk: ec }, /kid, jwk, signsFrom and longest/, /a number as kid, an object as jwk$/],
  ["ES256", { kid: "key-7", jwk: ec }, /kid, jwk, signsFrom and longest/, /nothing as signsFrom, nothing as longest$/],
  ["ES256", null, /kid, jwk, signsFrom and longest/, /null$/],
  ["ES256", [], /kid, jwk, signsFrom and longest/, /an array$/],
];

const issuer = "http://localhost:9000";
const clients = [{ client_id: "spa", redirect_uris: ["http://localhost:3000/cb"] }];
const forever = { expiresAt: Infinity };

for (const [name, skip, create] of storeKinds) {
  test(
    `[JK-05] on ${name} a damaged key stops latchkey() and core(), and the message names its record`,
    { skip },
    async () => {
      await forEachCase(damages, async ([alg, value, expected, received]) => {
        const open = create();
        const store = await open();
        // The record of format 1.
        await store.put("key", `1 ${alg} 0`, value as never, forever);
        const starts = [
          // A memory store of the test itself is read at the first login.
          ...store.persistent ? [() => latchkey({ issuer, clients, store })] : [],
          () => core({ issuer, clients, users: [{ sub: "alice" }], store }),
        ];
        for (const start of starts) {
          const { issues, message } = await assertRejects(start, ConfigurationError);
          assertEquals(issues.map(({ path }) => path), ["store"]);
          assertMatch(issues[0]!.expected, expected);
          assertStringIncludes(issues[0]!.expected, `in the record of the signing key "${alg} 0"`);
          assertEquals(/, whose kid is "key-7"$/.test(issues[0]!.expected), message.includes("key-7"));
          assertMatch(issues[0]!.received, received);
          for (const secret of [rsa.d, ec.d, otherEc.d, ed.d, "c2VjcmV0"]) {
            assertEquals(message.includes(secret.slice(0, 20)), false);
          }
        }
        await store.close();
      });
    },
  );
}

/** For each kind of store: its setting, and what the proposed deletion is run with. */
const programStores: readonly (readonly [string, skip: boolean, setting: string, run: (hint: string) => unknown])[] = [
  ["SQLite", false, `sqlite:${join(folder, "keys.db")}`, (hint) => {
    const database = new DatabaseSync(join(folder, "keys.db"));
    database.exec(/in SQLite with (DELETE .*?'%.*?')/.exec(hint)![1]!);
    database.close();
  }],
  ["PostgreSQL", postgresUrl === undefined, `${postgresUrl}?schema=${unique}`, async (hint) => {
    const { default: postgres } = await import("postgres");
    const sql = postgres(postgresUrl!, { max: 1 });
    const table = /in PostgreSQL the same FROM (latchkey\.record)/.exec(hint)![1]!.replace("latchkey", unique);
    await sql.unsafe(/DELETE .*?'%.*?'/.exec(hint)![0].replace("record", table));
    await sql.end();
  }],
  ["Redis", redisUrl === undefined, `${redisUrl}?prefix=${unique}`, async (hint) => {
    const { Redis } = await import("ioredis");
    const redis = new Redis(redisUrl!);
    await redis.del(/in Redis with DEL "(.*?)"/.exec(hint)![1]!.replace("latchkey", unique));
    await redis.quit();
  }],
];

for (const [name, skip, setting, run] of programStores) {
  test(`[JK-05] the program names the store on ${name}, and starts after the proposed deletion`, { skip }, async () => {
    const environment = commandEnvironment(["--log", "off", "--store", setting]);
    const config = await readConfiguration(environment);
    assert(config.kind === "run");
    const store = await storesOfProgram[config.store.kind]!.open(config.store, () => {});
    await store!.put("key", "1 EdDSA 0", record({ ...ed, d: undefined }) as never, forever);
    const start = () => openServer(config, environment, readRules);
    const { issues: [issue] } = await assertRejects(start, ConfigurationError);
    assertEquals(issue!.path, config.store.displayLocation);
    await run(issue!.hint);
    const { server } = await start();
    await server.fetch(new Request(`${server.issuer}/oauth2/jwks`));
    await server.close();
    const { value } = (await store!.get("key", "1 EdDSA 0"))!;
    assertEquals(["d" in value.jwk, value.kid === "key-7"], [true, false]);
    await store!.close();
  });
}

test("[JK-05] a record that is no JSON, and a key of a memory store, are removed as proposed too", async () => {
  const path = join(folder, "text.db");
  const open = async () => await latchkey({ issuer, clients, alg: "EdDSA", store: sqliteStore(path) });
  await (await open()).close();
  const database = new DatabaseSync(path);
  database.exec(`INSERT INTO record (kind, id, value, expires_at) VALUES ('key', '1 EdDSA 0', '{"kid":', 9e999)`);
  const { issues: [issue] } = await assertRejects(open, ConfigurationError);
  assertEquals(issue!.received, "a text that is not JSON");
  database.exec(/in SQLite with (DELETE .*?'%.*?')/.exec(issue!.hint)![1]!);
  database.close();
  await (await open()).close();

  const store = memoryStore();
  const start = () => core({ issuer, clients, users: [{ sub: "alice" }], store });
  await store.put("key", "ES256 0", record({}) as never, forever);
  const error = await assertRejects(start, ConfigurationError);
  const [, kind, id] = /store\.delete\("(.*?)", "(.*?)"\)/.exec(error.issues[0]!.hint)!;
  await store.delete(kind as "key", id!);
  await start();
});
