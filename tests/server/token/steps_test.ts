/** How a token is made: the printed order is the one of the server, and no order of extensions changes a token. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, core, type CoreExtension } from "../../../src/core/mod.ts";
import { placeNames, replaceIssuer, stepsWith } from "../../../src/core/token/table.ts";
import { extensions, type LatchkeyOptions } from "../../../src/mod.ts";
import type { Extension } from "../../../src/server/extension.ts";
import type { HostedServer } from "../../../src/server/hosted_server.ts";
import { partsAfter, partsBefore } from "../../../src/server/hosting/parts.ts";
import { publicTokens, testClients } from "../client_endpoints.ts";
import { decodeClaims, testServer } from "../../kit.ts";

type Table = keyof typeof placeNames;

const tables = Object.keys(placeNames) as Table[];

const options: LatchkeyOptions = {
  ...testClients,
  acrValues: [{ value: "urn:low", amr: ["pwd"] }],
  accessTokenClaims: ["email"],
  resources: [{ uri: "https://api.test" }],
  authorizationDetails: { payment: { schema: {} } },
} as LatchkeyOptions;

const claims = JSON.stringify({ userinfo: { name: null }, id_token: { email: null, acr: { value: "urn:low" } } });

/** Authorization requests for values of many extensions. */
const requests: readonly Readonly<Record<string, string>>[] = [
  {},
  { claims },
  { acr_values: "urn:low" },
  { resource: "https://api.test", claims },
];

/** The claims of both tokens of a login, without those that are new each time. */
async function claimsWith(list: readonly Extension[], request: Readonly<Record<string, string>>) {
  const server = await testServer({ ...options, extensions: list });
  const { access_token, id_token } = await publicTokens(server, { scope: "openid email read", ...request });
  const named = (
    { jti: _jti, iat: _iat, exp: _exp, auth_time: _time, sid: _sid, at_hash: _hash, ...others }: Record<
      string,
      unknown
    >,
  ) => others;
  return [named(decodeClaims(access_token)), named(decodeClaims(id_token!))];
}

test("the tables that deno task rules prints are those of a server", async () => {
  let steps: HostedServer["steps"] | undefined;
  await testServer({ ...options, extensions, plugins: [{ setup: (app) => void (steps = app.server.steps) }] });
  const printed = stepsWith([...partsBefore({ hosting: {} } as never), ...extensions, ...partsAfter]);
  for (const table of tables) {
    assertEquals(steps![table].map(({ name }) => name), printed[table].map(({ name }) => name), table);
  }
});

test("the steps of extensions run at their places, in the order of the extensions, or instead of a step", async () => {
  const order: string[] = [];
  const step = (name: string, place?: object) => ({ name, run: () => (order.push(name), {}), ...place });
  const one = [
    step("last", { place: "last" }),
    step("after protocol", { place: { after: "protocol" } }),
    step("instead of user", { place: { instead: "user" } }),
    step("no place"),
  ];
  const two = [step("before grant type", { place: { before: "grant type" } }), step("second without a place")];
  const { server } = await core({
    issuer: "https://as.test",
    clients: [],
    users: [],
    extensions: [
      { name: "one", steps: { accessTokenClaims: one as never } },
      { name: "two", steps: { accessTokenClaims: two as never } },
    ],
  });
  const expected = [
    ...["before grant type", "grant type", "protocol", "after protocol", "instead of user", "no place"],
    ...["second without a place", "last"],
  ];
  assertEquals(server.steps.accessTokenClaims.map(({ name }) => name), expected);
  assertEquals(server.steps.accessTokenClaims.at(-1)!.run.name, 'accessTokenClaims "last" of the extension one');
});

test("a table, a place or a name that is none stops the start, and the message says what there is", async () => {
  const run = () => ({});
  const mistakes: readonly (readonly [steps: object, text: string])[] = [
    [{ claims: [] }, "Expected tables of steps: granted, narrowed, beforeIssue, issuers, "],
    [{ accessTokenClaims: [{ name: "a", place: { after: "usr" }, run }] }, "with one of grant type, protocol, user"],
    [{ issuers: [{ name: "a", place: { instead: "refresh" }, run }] }, "one of access_token, refresh_token, id_token"],
    [{ issuers: [{ name: "id_token", run }] }, "found the name id_token, which the core has"],
    [{ beforeIssue: [{ name: "a", place: { after: "b" }, run }] }, 'Expected "last", found {"after":"b"}.'],
    [{ afterIssue: [{ name: "a" }] }, "Expected"],
    [{ afterIssue: {} }, "Expected an array of steps"],
  ];
  const given = { issuer: "https://as.test", clients: [], users: [] };
  for (const [steps, text] of mistakes) {
    const extension = { name: "one", steps } as CoreExtension;
    const error = await assertRejects(() => core({ ...given, extensions: [extension] }), ConfigurationError);
    assert(error.message.includes(text), error.message);
  }
  const twice = ["one", "two"].map((name) => ({ name, steps: { beforeIssue: [{ name: "a", run }] } }));
  await assertRejects(
    () => core({ ...given, extensions: twice as never }),
    ConfigurationError,
    "found the name a, which the extension one has",
  );
  const replacing = (name: string): CoreExtension => ({
    name,
    steps: { idTokenClaims: [{ name, place: { instead: "user" }, run }] },
  });
  await assertRejects(
    () => core({ ...given, extensions: [replacing("one"), replacing("two")] }),
    ConfigurationError,
    "found instead user, which the extension one has",
  );
  const renaming: CoreExtension = {
    name: "one",
    extend: (server) => ({ ...server, steps: replaceIssuer(server.steps, "refresh", (issue) => issue) }),
  };
  await assertRejects(
    () => core({ ...given, extensions: [renaming] }),
    TypeError,
    "expected one of access_token, refresh_token, id_token, received refresh",
  );
});

test("no order of the extensions changes a token, and a claim of a program is in each, wherever its extension stands", async () => {
  const tenant: Extension = {
    name: "tenant",
    steps: {
      accessTokenClaims: [{ name: "tenant", run: () => ({ tenant: "acme" }) }],
      idTokenClaims: [{ name: "tenant", run: () => ({ tenant: "acme" }) }],
    },
  };
  const orders = [
    [...extensions, tenant],
    [tenant, ...extensions],
    [...extensions.slice(0, 10), tenant, ...extensions.slice(10)],
    [...extensions, tenant].reverse(),
  ];
  for (const request of requests) {
    const [first, ...others] = await Promise.all(orders.map((list) => claimsWith(list, request)));
    assertEquals(first!.map(({ tenant }) => tenant), ["acme", "acme"], JSON.stringify(request));
    for (const other of others) assertEquals(other, first);
  }
});
