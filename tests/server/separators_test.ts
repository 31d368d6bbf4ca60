/**
 * Lists of values in one parameter, joined by something else than spaces, and a `+` that was decoded as a space.
 *
 * @extensions all
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { type ClientMetadata, ConfigurationError, type LatchkeyOptions } from "../../src/mod.ts";
import { clients, getRedirectParams, getRejections, type TestServer, testServer } from "../kit.ts";

const separators = [",", ", ", "+", ";", "|", " + "];

const ciba = "urn:openid:params:grant-type:ciba";

const options: LatchkeyOptions = {
  clients: clients.map((client) => ({ ...client, grant_types: ["authorization_code", "refresh_token"] })),
  acrValues: [{ value: "urn:example:mfa", methods: ["auto"] }, { value: "urn:example:pwd", methods: ["auto"] }],
  responseTypes: ["code", "id_token", "code id_token"],
  users: [{ sub: "first" }, { sub: "alice", email: "alice+a@example.com" }],
};

/** The last fix, of a rejection or a warning. Every request has the same code challenge, which PK-14 warns about. */
function lastFix({ events }: TestServer): string | undefined {
  return events.flatMap((event) => event.type === "rejected" || event.type === "warning" ? event.explanation : [])
    .findLast(({ rule }) => rule !== "PK-14")?.fix;
}

/** Each list, with two values that the server knows, and a request with it. */
const lists: Readonly<
  Record<string, { values: readonly [string, string]; send: (b: TestServer, list: string) => Promise<unknown> }>
> = {
  scope: { values: ["openid", "profile"], send: (b, scope) => b.authorize({ scope }) },
  prompt: { values: ["login", "consent"], send: (b, prompt) => b.authorize({ prompt }) },
  response_type: { values: ["code", "id_token"], send: (b, response_type) => b.authorize({ response_type }) },
  acr_values: {
    values: ["urn:example:mfa", "urn:example:pwd"],
    send: (b, acr_values) => b.authorize({ acr_values, scope: "openid" }),
  },
  "scope of a refresh": {
    values: ["read", "write"],
    send: async (b, scope) => {
      const { refresh_token } = await (await b.token({ code: await b.code({ scope: "read write" }) })).json();
      await b.post("/oauth2/token", { grant_type: "refresh_token", client_id: "spa", refresh_token, scope });
    },
  },
};

test("[AZ-09, AZ-17, OI-04, RT-06, ST-06] the fix of a list with wrong separators says so, for each list and separator", async () => {
  for (const [name, { values: [one, other], send }] of Object.entries(lists)) {
    for (const separator of separators) {
      const b = await testServer(options);
      await send(b, `${one}${separator}${other}`);
      const [parameter] = name.split(" ");
      assertMatch(lastFix(b) ?? "nothing", /^Separate the values of \w+ by spaces alone/, `${name} ${separator}`);
      assert(lastFix(b)!.includes(`${parameter}=${one}%20${other}`), lastFix(b));
    }
    const b = await testServer(options);
    await send(b, `${one} ${other}`);
    assert(!lastFix(b)?.startsWith("Separate"), name);
  }
  // A list of unknown values has no right form.
  const unknown = await testServer(options);
  await unknown.authorize({ scope: "first , second" });
  assert(!lastFix(unknown)?.startsWith("Separate"), lastFix(unknown));
  // Ignored lists stay ignored.
  const b = await testServer(options);
  assert(await b.code({ ui_locales: "de,en", claims_locales: "de+en" }));
  const client = { client_id: "c", redirect_uris: ["https://c.example/cb"], scope: "openid,profile" };
  const { issues } = await assertRejects(() => testServer({ clients: [client] }), ConfigurationError);
  assertEquals(issues[0]!.hint, 'Separate the values of scope by spaces alone, as "openid profile".');
});

test("[AZ-17] a value with a comma that the server has is one value", async () => {
  const b = await testServer({ scopes: ["read", "write", "read,write"] });
  const { scope } = await (await b.token({ code: await b.code({ scope: "read,write" }) })).json();
  assertEquals(scope, "read,write");
});

test("[OI-06, CB-10] a + of an address that arrives as a space is named, and logs in no other user", async () => {
  const login_hint = "alice a@example.com";
  for (const unknownLoginHint of ["default", "reject", "create"] as const) {
    const b = await testServer({ ...options, unknownLoginHint });
    assertEquals(getRedirectParams(await b.authorize({ login_hint })).get("error"), "invalid_request");
    const { rule, expected } = getRejections(b.events)[0]!.explanation;
    assertEquals([rule, expected], ["OI-06", "alice+a@example.com"]);
    assertMatch(lastFix(b)!, /^Encode the \+ of the address as %2B/);
    assert(await b.code({ login_hint: "alice+a@example.com" }));
    // An address of no user.
    await b.authorize({ login_hint: "bob b@example.com" });
    assertMatch(lastFix(b)!, /^Encode the \+ of the address as %2B/);
  }
  const polls = { ...clients.find(({ client_id }) => client_id === "web")!, grant_types: [ciba] } as ClientMetadata;
  const b = await testServer({ ...options, clients: [polls] });
  const fields = { client_id: polls.client_id, client_secret: polls.client_secret!, scope: "openid", login_hint };
  assertEquals((await b.post("/oauth2/backchannel_authentication", fields)).status, 400);
  assertMatch(lastFix(b)!, /^Encode the \+ of the address as %2B/);
});
