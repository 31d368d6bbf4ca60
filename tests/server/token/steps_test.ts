/** How a token is made: the printed order is the one of the server, and no order of extensions changes a token. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import {
  ConfigurationError,
  core,
  type CoreExtension,
  type Server,
  slot,
  type TraceEvent,
} from "../../../src/core/mod.ts";
import { placeNames, stepsWith, wrapIssueStep } from "../../../src/core/token/table.ts";
import { extensions, type LatchkeyOptions } from "../../../src/mod.ts";
import type { Extension } from "../../../src/server/extension.ts";
import type { HostedServer } from "../../../src/server/hosted_server.ts";
import { builtInAfter, builtInBefore } from "../../../src/server/hosting/built_in_extensions.ts";
import { claimsOfSteps } from "../../core/check_order.ts";
import { basic, encode, startCore } from "../../core/kit.ts";
import { basicHeader, publicTokens, testClients } from "../client_endpoints.ts";
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
  await testServer({
    ...options,
    loginPage: "mock-oauth2-server",
    extensions,
    plugins: [{ setup: (app) => void (steps = app.server.steps) }],
  });
  const printed = stepsWith([
    ...builtInBefore({ loginPage: "mock-oauth2-server", hosting: {} } as never),
    ...extensions,
    ...builtInAfter,
  ]);
  for (const table of tables) {
    assertEquals(steps![table].map(({ name }) => name), printed[table].map(({ name }) => name), table);
  }
});

test("the claims that deno task rules prints of the protocol are those of a login", async () => {
  const found: Record<string, string> = {};
  const recording: CoreExtension = {
    name: "recording",
    extend(server) {
      const { accessTokenClaims, idTokenClaims } = server.steps;
      const recorded = <Row extends { readonly name: string; run(...input: never[]): unknown }>(
        table: Table,
        rows: readonly Row[],
      ) =>
        rows.map((row) => ({
          ...row,
          async run(...input: never[]) {
            const claims = await row.run(...input);
            found[`${row.name} of ${table}`] = Object.keys(claims as object).join(", ");
            return claims;
          },
        })) as never;
      const steps = {
        ...server.steps,
        accessTokenClaims: recorded("accessTokenClaims", accessTokenClaims),
        idTokenClaims: recorded("idTokenClaims", idTokenClaims),
      };
      return { ...server, steps };
    },
  };
  const { code, exchange } = await startCore({ extensions: [recording] });
  await exchange(await code({ scope: "openid", nonce: "n" }));
  for (const row of ["protocol of accessTokenClaims", "protocol of idTokenClaims"]) {
    assertEquals(found[row], claimsOfSteps[row]);
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
    ...["before grant type", "grant type", "protocol", "after protocol", "user", "no place"],
    ...["second without a place", "last"],
  ];
  assertEquals(server.steps.accessTokenClaims.map(({ name }) => name), expected);
  assertEquals(server.steps.accessTokenClaims.at(-1)!.run.name, 'accessTokenClaims "last" of the extension one');
});

test("a table, a place or a name that is none stops the start, and the message says what there is", async () => {
  const run = () => ({});
  const mistakes: readonly (readonly [steps: object, text: string])[] = [
    [{ claims: [] }, "Expected tables of steps: granted, narrowed, beforeIssue, issue, "],
    [{ accessTokenClaim: [] }, "Did you mean accessTokenClaims?"],
    [{ accessTokenClaims: [{ name: "a", place: { after: "protocl" }, run }] }, "Did you mean protocol?"],
    [{ accessTokenClaims: [{ name: "a", place: { after: "usr" }, run }] }, "with one of grant type, protocol, user"],
    [{ issue: [{ name: "a", place: { instead: "refresh" }, run }] }, "one of access_token, refresh_token, id_token"],
    [{ issue: [{ name: "id_token", run }] }, "found the name id_token, which the core has"],
    [{ beforeIssue: [{ name: "a", place: { after: "b" }, run }] }, 'Expected "last", found {"after":"b"}.'],
    [{ afterIssue: [{ name: "a" }] }, "Expected"],
    [{ afterIssue: {} }, "Write it like [{ name: "],
    [{ accessTokenClaims: [{ name: "a", changes: ["audience"], run }] }, 'Expected "iss"'],
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
    'found { instead: "user" }, which the extension one replaces',
  );
  await assertRejects(
    () => core({ ...given, extensions: [wrapping("refresh", run) as CoreExtension] }),
    TypeError,
    "expected one of access_token, refresh_token, id_token, received refresh",
  );
});

test("an extension that conflicts with another, with a built-in one or with a grant type, or adds what nothing calls, stops the start", async () => {
  const run = () => ({});
  const grantType = (type: string) => [{ type, title: "Own", parameters: [], authorize: run as never }];
  const conflicts: readonly (readonly [extension: object, text: string, only?: "latchkey"])[] = [
    [{ grantTypes: grantType("client_credentials") }, 'found "client_credentials"'],
    [{ grantTypes: [...grantType("urn:own"), ...grantType("urn:own")] }, 'found "urn:own"'],
    [
      { extend: <S extends Server>(server: S) => ({ ...server, grants: { ...server.grants, formatTokens: run } }) },
      "found grants.formatTokens (extension own).\n  Did you mean formatToken?",
    ],
    [
      { extend: <S extends Server>(server: S) => ({ ...server, steps: {} }) },
      "one without steps.granted, steps.narrowed",
    ],
    [
      { extend: <S extends Server>(server: S) => ({ ...server, steps: { ...server.steps, afterIssue: [run] } }) },
      "one without steps.afterIssue[0].run (extension own)",
    ],
    [
      { steps: { accessTokenClaims: [{ name: "own", place: { instead: "user" }, run }] } },
      'found { instead: "user" }, which the built-in extension resource_indicators replaces',
      "latchkey",
    ],
    [
      { steps: { accessTokenClaims: [{ name: "aud", run }] } },
      "found the name aud, which the built-in extension",
      "latchkey",
    ],
    [
      { requestChecks: [{ place: { instead: "RI-01" }, read: run }] },
      'found { instead: "RI-01" }, which the built-in extension',
      "latchkey",
    ],
  ];
  for (const [members, text, only] of conflicts) {
    const own = { name: "own", ...members };
    const starts = [() => testServer({ extensions: [...extensions, own] })];
    if (only === undefined) {
      starts.push(() => core({ issuer: "https://as.test", clients: [], users: [], extensions: [own] }) as never);
    }
    for (const start of starts) {
      const error = await assertRejects(start, ConfigurationError);
      assert(error.message.includes(text), error.message);
    }
  }
});

type Before = Readonly<Record<string, unknown>> & { readonly scope: readonly string[] };

interface StepDetails {
  /** The step that `wrapIssueStep` wraps. Default: a step of the table is added. */
  readonly wraps?: string;
  readonly place?: object;
  readonly changes?: readonly string[];
}

/** An extension that replaces what issues a token by `wrapIssueStep`. */
function wrapping(token: string, issue: Server["steps"]["issue"][number]["run"]): Extension {
  return {
    name: "own",
    extend: (server) => ({ ...server, steps: wrapIssueStep(server.steps, token, () => issue) }),
  };
}

test("what a step returns by mistake is no token, and the message names table, step and extension", async () => {
  const tenant = slot<string>("other"), ownSlot = slot<unknown>("own");
  const late = () => Promise.reject(new Error("late"));
  const other: Extension = {
    name: "other",
    requestChecks: [{ read: (_input, request) => tenant.put(request, "acme") }],
    steps: { accessTokenClaims: [{ name: "other", run: () => ({ cnf: { jkt: "key" }, act: { sub: "admin" } }) }] },
  };
  const lost = (name: string, path = "") => `to return ${name} too: begin with { ...before${path} }`;
  const ofGrant = (changes: object) => (before: Before) => ({
    ...before,
    grant: { ...before.grant as object, ...changes },
  });
  const changed = "to leave the claim ";
  /** `returned` may be a function of what the step received. */
  const mistakes: readonly (readonly [table: Table, returned: unknown, text: string, more?: StepDetails])[] = [
    ["granted", undefined, "to be an object, received nothing"],
    ["granted", ({ scope }: Before) => ({ scope }), lost("other", ".extensions")],
    ["granted", (before: Before) => ({ ...before, extensions: { own: "value" } }), lost("other", ".extensions")],
    ["granted", (before: Before) => ({ ...before, extensions: undefined }), lost("other", ".extensions")],
    ["granted", (before: Before) => ownSlot.put(before, late()), "slot own, received a promise. Await it."],
    [
      "granted",
      (before: Before) => ({ ...before, subject: { sub: "bob" } }),
      "known keys here are scope, consent, extensions.",
    ],
    ["granted", (before: Before) => ({ ...before, scope: undefined }), "expected scope"],
    ["granted", (before: Before) => ({ ...before, scope: "openid" }), "expected scope"],
    ["granted", (before: Before) => ({ ...before, scope: [1] }), "expected scope[0]"],
    ["narrowed", undefined, "to be an object, received nothing"],
    ["narrowed", ({ client, scope, grantId }: Before) => ({ client, scope, grantId }), lost("subject")],
    ["narrowed", ({ extensions: _, ...others }: Before) => others, lost("other", ".extensions")],
    ["narrowed", ({ grant: _, ...others }: Before) => others, lost("grant")],
    ["narrowed", (before: Before) => ({ ...before, subject: undefined }), lost("subject")],
    ["narrowed", (before: Before) => ({ ...before, subject: { sub: "bob" } }), "to leave the user of before as it is"],
    ["narrowed", (before: Before) => ({ ...before, scope: [...before.scope, "read"] }), 'received "read"'],
    ["narrowed", (before: Before) => ({ ...before, grantId: "other" }), "to leave grantId of before as it is"],
    ["narrowed", (before: Before) => ({ ...before, grant: {} }), "expected grant.scope in"],
    ["narrowed", (before: Before) => ({ ...before, grant: { scope: [] } }), lost("clientId", ".grant")],
    ["narrowed", (before: Before) => ({ ...before, grant: undefined }), lost("grant")],
    ["narrowed", ofGrant({ extensions: undefined }), lost("other", ".grant.extensions")],
    ["narrowed", ofGrant({ subject: { sub: "bob" } }), "to leave the user of before.grant as it is"],
    ["narrowed", ofGrant({ clientId: "other" }), "to leave clientId of before.grant as it is"],
    ["narrowed", ofGrant({ approvedAt: 0 }), "to leave approvedAt of before.grant as it is"],
    ["narrowed", ofGrant({ scope: ["openid", "write"] }), 'scope values of before.grant, received "write"'],
    ["narrowed", (before: Before) => ({ ...before, addedClaim: {} }), "Did you mean addedClaims?"],
    ["narrowed", (before: Before) => ({ ...before, addedClaims: { a: Promise.resolve() } }), "expected a in"],
    ["issue", "r", "to be an object, received "],
    ["issue", undefined, "to be an object, received nothing"],
    ["issue", { access_token: Promise.resolve("t") }, "Await it."],
    ["issue", undefined, "to be an object, received nothing", { wraps: "refresh_token" }],
    ["issue", { refresh_token: 1 }, "expected refresh_token in", { wraps: "refresh_token" }],
    ["issue", { id_token: { a: 1 } }, "expected id_token in"],
    ["issue", { acces_token: "t" }, "received no access_token", { place: { instead: "access_token" } }],
    ["accessTokenClaims", [], "to be an object, received an array"],
    ["accessTokenClaims", () => ({ user: late() }), "received a promise. Await it."],
    ["accessTokenClaims", () => ({ address: { country: late() } }), "expected country in"],
    ["accessTokenClaims", { sub: "admin" }, `${changed}sub as it is. To change it, declare changes: ["sub"]`],
    ["accessTokenClaims", { exp: undefined }, `${changed}exp`],
    ["accessTokenClaims", { exp: undefined }, "received no exp", { changes: ["exp"] }],
    ["accessTokenClaims", { exp: "soon" }, "expected exp in", { changes: ["exp"] }],
    ["accessTokenClaims", { cnf: undefined }, `${changed}cnf`],
    ["accessTokenClaims", { act: { sub: "bob" } }, `${changed}act`],
    ["idTokenClaims", new Error("e"), "to be an object, received an Error"],
    ["idTokenClaims", { aud: "other" }, `${changed}aud`],
    ["idTokenClaims", { at_hash: undefined }, `${changed}at_hash`],
    ["idTokenClaims", { nonce: "other" }, `${changed}nonce`],
    ["visibleClaims", undefined, "to be an object, received nothing"],
  ];
  for (const [table, returned, text, more] of mistakes) {
    const run = (_server: unknown, before: unknown) => typeof returned === "function" ? returned(before) : returned;
    const { wraps, ...details } = more ?? {};
    const own = wraps === undefined
      ? { name: "own", steps: { [table]: [{ name: "step", run, ...details }] } } as Extension
      : wrapping(wraps, run as never);
    const whole = await testServer({ ...options, extensions: [...extensions, other, own] });
    await publicTokens(whole, { scope: "openid email" }).then(
      ({ access_token }) => whole.post("/oauth2/introspect", { token: access_token }, basicHeader("web")),
      () => {},
    );
    const events: TraceEvent[] = [];
    const small = await startCore({ extensions: [other, own], trace: (event) => void events.push(event) });
    const { access_token } = await (await small.exchange(await small.code({ scope: "openid" }))).json();
    await small.post("/oauth2/introspect", encode({ token: access_token }), basic("web", "web-secret"));
    for (const traced of [whole.events, events]) {
      const told = traced.flatMap((event) => event.type === "internal_error" ? String(event.cause) : []);
      assertEquals(told.length, 1, `${table}: ${text}`);
      assert(told[0]!.includes(text), told[0]);
      if (!/received no (exp|acc)|slot/.test(text)) {
        assert(told[0]!.includes(`${table} "${wraps ?? "step"}" of the extension ${wraps ? "that" : "own"}`), told[0]);
      }
    }
  }
});

test("one function in two tables and in a check has the name of each in a stack", async () => {
  const stacks: string[] = [];
  const run = (): Readonly<Record<string, never>> => {
    stacks.push(new Error().stack!);
    return {};
  };
  const steps = { accessTokenClaims: [{ name: "a", run }], idTokenClaims: [{ name: "b", run }] };
  const own: Extension = {
    name: "own",
    steps,
    requestChecks: [{ rule: "AZ-17", place: { after: "AZ-17" }, read: run }],
  };
  await publicTokens(await testServer({ ...options, extensions: [...extensions, own] }), { scope: "openid" });
  for (const name of ["run (AZ-17)", 'accessTokenClaims "a"', 'idTokenClaims "b"']) {
    assert(stacks.some((stack) => stack.includes(`${name} of the extension own`)), stacks.join("\n"));
  }
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
