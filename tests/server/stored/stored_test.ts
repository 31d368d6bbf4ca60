/**
 * Stores that another version has written, and this one: what its clients and browsers hold never gives more than it
 * gave. The fixtures are written by `write_fixture.ts`; `no_format.jsonl` is of a version whose records stated none.
 */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Store, StoreError } from "../../../src/core/store/store.ts";
import { openBrowser, sessionCookie } from "../browser.ts";
import { publicClient, refresh } from "../client_endpoints.ts";
import { type Fields, getOutcome, type TestServer, testServer } from "../../kit.ts";
import { storeKinds } from "../../platform/store/store_kinds.ts";
import { manage, type Registered } from "../registering.ts";

const grantType = "urn:ietf:params:oauth:grant-type:device_code";
const options = {
  login: "interactive",
  clients: [publicClient("spa", { access_token_format: "opaque" }), { client_id: "tv", grant_types: [grantType] }],
  users: [{ sub: "alice", name: "Alice Adams" }],
} as const;

interface Line {
  readonly kind: string;
  readonly id: string;
  readonly value: object;
  readonly grantId?: string;
  readonly expiresAt: number | null;
  readonly consumedAt?: number;
}

function readFixture(name: string): { readonly kept: Readonly<Record<string, string>>; readonly records: Line[] } {
  const text = readFileSync(`tests/server/stored/${name}.jsonl`, "utf8");
  const [kept, ...records] = text.trim().split("\n").map((line) => JSON.parse(line));
  return { kept, records };
}

async function load(store: Store, records: readonly Line[]): Promise<void> {
  for (const { kind, id, value, grantId, expiresAt, consumedAt } of records) {
    await store.put(kind, id, value, { grantId, expiresAt: expiresAt ?? Infinity });
    if (consumedAt !== undefined) await store.consume(kind, id, consumedAt);
  }
}

const exchange = async (server: TestServer, code: string, fields?: Fields) =>
  await getOutcome(await server.token({ code, ...fields }));
const renew = async (server: TestServer, token: string, fields?: Fields) =>
  await getOutcome(await refresh(server, token, fields));
const status = async (response: Promise<Response>) => `${(await response).status}`;
const userinfo = (server: TestServer, token: string) =>
  status(server.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } }));

/** What is kept, what is done with it, the outcome in another format, and in this one. */
const uses: readonly [string, (server: TestServer, kept: string) => Promise<string>, string, string][] = [
  ["code", exchange, "400 invalid_grant", "200"],
  ["boundCode", exchange, "400 invalid_grant", "400 invalid_dpop_proof"],
  [
    "narrowCode",
    (server, code) => exchange(server, code, { resource: "https://api.test/b" }),
    "400 invalid_grant",
    "400 invalid_target",
  ],
  ["used", exchange, "400 invalid_grant", "400 invalid_grant"],
  ["refresh", renew, "400 invalid_grant", "200"],
  ["boundRefresh", renew, "400 invalid_grant", "400 invalid_dpop_proof"],
  [
    "narrowRefresh",
    (server, token) => renew(server, token, { resource: "https://api.test/b" }),
    "400 invalid_grant",
    "400 invalid_target",
  ],
  ["rotated", renew, "400 invalid_grant", "200"],
  ["access", userinfo, "401", "200"],
  ["boundAccess", userinfo, "401", "401"],
  ["revoked", userinfo, "401", "401"],
  [
    "session",
    (server, cookie) => openBrowser(server, [[sessionCookie, cookie]]).authorizeSilently(),
    "login_required",
    "code",
  ],
  [
    "requestUri",
    (server, uri) => status(server.get(`/oauth2/authorize?client_id=spa&request_uri=${encodeURIComponent(uri)}`)),
    "400",
    "302",
  ],
  [
    "device",
    async (server, device_code) =>
      await getOutcome(await server.post("/oauth2/token", { grant_type: grantType, client_id: "tv", device_code })),
    "400 invalid_grant",
    "400 slow_down",
  ],
  [
    "registered",
    (server, client) => status(manage(server, "GET", client as unknown as Registered)),
    "401",
    "200",
  ],
];

for (const [name, skip, create] of storeKinds) {
  for (const [fixture, isOther] of [["no_format", true], ["format_1", false]] as const) {
    test(`[OP-06] on ${name} the records of ${fixture} give no more than they gave`, { skip }, async () => {
      const { kept, records } = readFixture(fixture);
      const open = create();
      const store = await open();
      await load(store, records);
      const marks = () => Promise.all(["revocation", "used_identifier"].map((kind) => store.count(kind, "")));
      const before = await marks();
      if (isOther) {
        const refused = await open();
        const error = await assertRejects(() => testServer({ ...options, store: refused }), StoreError);
        await refused.close();
        assertMatch(
          error.message,
          /^the store: expected clients and users that this version .* found 1 client and 1 user /,
        );
        for (const { kind, id } of records) if (kind === "client" || kind === "user") await store.delete(kind, id);
      }
      const server = await testServer({ ...options, store: await open() });
      const outcomes = await Promise.all(uses.map(async ([what, use]) => [what, await use(server, kept[what]!)]));
      assertEquals(outcomes, uses.map(([what, , other, same]) => [what, isOther ? other : same]));
      // A revoked token of a key that the program itself keeps would be active again.
      assertEquals((await marks()).map((count, i) => count >= before[i]! && count > 0), [true, true]);
      const isReported = ({ events }: TestServer) => events.some(({ type }) => type === "configuration_warning");
      const second = await testServer({ ...options, store: await open() });
      assertEquals([isReported(server), isReported(second)], [isOther, false]);
      for (const { as } of [server, second]) await as.close();
      await store.close();
    });
  }
}
