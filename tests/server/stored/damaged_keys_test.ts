/** A stored key that cannot sign stops the start, and the message names its record and what is wrong. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { execFileSync } from "node:child_process";
import { DatabaseSync } from "node:sqlite";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openServer } from "../../../src/cli/open_server.ts";
import { readConfiguration } from "../../../src/cli/read_config.ts";
import { core } from "../../../src/core/mod.ts";
import type { SigningAlgorithm } from "../../../src/core/keys/signing_algorithm.ts";
import { ConfigurationError } from "../../../src/mod.ts";
import { storeKinds as storesOfProgram } from "../../../src/cli/stores.ts";
import { builtInKeys } from "../../../src/testing/built_in_keys.ts";
import { commandEnvironment, readRules } from "../../cli/command_runs.ts";
import { forEachCase } from "../../kit.ts";
import {
  dropPostgresSchemas,
  dropRedisPrefixes,
  postgresUrl,
  redisUrl,
  uniqueName,
} from "../../platform/store/servers.ts";
import { storeKinds } from "../../platform/store/store_kinds.ts";
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
const damaged = "a key whose members are damaged or do not belong together";

/** The algorithm of a record, its value, and what was found instead of a key. */
const damages: readonly (readonly [SigningAlgorithm, value: unknown, received: string])[] = [
  ["RS256", record({ ...rsa, d: undefined }), "a public key"],
  ["RS256", record({ ...rsa, p: undefined, qi: undefined }), damaged],
  ["RS256", record({ ...rsa, n: rsa.n.slice(0, 100) }), "a key with an unsuitable n"],
  ["RS256", record({ ...rsa, use: "enc" }), 'a key with use "enc"'],
  ["RS256", record({ ...rsa, n: otherRsa.n }), damaged],
  ["RS256", record(ec), 'a key with kty "EC", crv "P-256"'],
  ["ES256", record({ ...rsa, alg: "ES256" }), 'a key with kty "RSA"'],
  ["ES256", record({ ...ec, d: otherEc.d }), damaged],
  ["ES256", record({ ...ec, y: undefined }), "a key with an unsuitable y"],
  ["ES256", record({ ...ec, crv: "P-384" }), 'a key with kty "EC", crv "P-384"'],
  ["EdDSA", record({ ...ed, d: ed.d.slice(0, 20) }), damaged],
  ["EdDSA", record({ kty: "oct", k: "c2VjcmV0" }), 'a key with kty "oct"'],
  ["EdDSA", record({}), "a key without kty"],
  ["ES256", record("text"), "another value"],
  ["ES256", { kid: 7, jwk: ec }, "another value"],
  ["ES256", null, "another value"],
];

const issuer = "http://localhost:9000";
const clients = [{ client_id: "spa", redirect_uris: ["http://localhost:3000/cb"] }];
const forever = { expiresAt: Infinity };

for (const [name, skip, create] of storeKinds) {
  test(`[JK-05] on ${name} a damaged key stops latchkey() and core(), and is named`, { skip }, async () => {
    await forEachCase(damages, async ([alg, value, received]) => {
      const store = await create()();
      // The record of format 1.
      await store.put("key", `1 ${alg} 0`, value as never, forever);
      const starts = [
        () => latchkey({ issuer, clients, store }),
        () => core({ issuer, clients, users: [{ sub: "alice" }], store }),
      ];
      for (const start of starts) {
        const { issues: [issue, ...others], message } = await assertRejects(start, ConfigurationError);
        assertEquals([issue!.path, issue!.received.split(" (")[0], others], ["store", received, []]);
        assertStringIncludes(issue!.expected, `in the record of the signing key "${alg} 0"`);
        for (const secret of [rsa.d, ec.d, otherEc.d, ed.d, "c2VjcmV0"]) {
          assertEquals(message.includes(secret.slice(0, 20)), false);
        }
      }
      await store.close();
    });
  });
}

/** Code of the guide, for the names of these tests. */
function proposed(pattern: RegExp): string {
  const guide = readFileSync("static/docs/stores.md", "utf8").replaceAll("\n", " ");
  return pattern.exec(guide)![1]!.replaceAll("latchkey", unique);
}

/** For each kind of store: its setting, and the deletion that the guide proposes. */
const programStores: readonly (readonly [string, skip: boolean, setting: string, run: () => unknown])[] = [
  ["SQLite", false, `sqlite:${join(folder, "keys.db")}`, () => {
    const database = new DatabaseSync(join(folder, "keys.db"));
    database.exec(proposed(/SQLite that is `(DELETE.*?)`/));
    database.close();
  }],
  ["PostgreSQL", postgresUrl === undefined, `${postgresUrl}?schema=${unique}`, async () => {
    const { default: postgres } = await import("postgres");
    const sql = postgres(postgresUrl!, { max: 1 });
    await sql.unsafe(proposed(/PostgreSQL `(DELETE.*?)`/));
    await sql.end();
  }],
  ["Redis", redisUrl === undefined, `${redisUrl}?prefix=${unique}`, () => {
    execFileSync("sh", ["-c", proposed(/Redis `(redis-cli.*?)`/)]);
  }],
];

for (const [name, skip, setting, run] of programStores) {
  test(`[JK-05] the program names the store on ${name}, and starts after the proposed deletion`, { skip }, async () => {
    const environment = commandEnvironment(["--log", "off", "--store", setting]);
    const config = await readConfiguration(environment);
    assert(config.kind === "run");
    const store = await storesOfProgram[config.store.kind]!.open(config.store, () => {});
    await store!.put("key", "1 EdDSA 0", record({ ...ed, d: undefined }) as never, forever);
    await store!.close();
    const start = () => openServer(config, environment, readRules);
    const { issues: [issue] } = await assertRejects(start, ConfigurationError);
    assertEquals(issue!.path, config.store.displayLocation);
    await run();
    await (await start()).server.close();
  });
}
