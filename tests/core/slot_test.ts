/** Values of extensions, which travel from the authorization request into the grant and its tokens. */

import { assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { type CoreExtension, type GrantType, memoryStore, OAuthError, randomId, slot } from "../../src/core/mod.ts";
import { startCore } from "./kit.ts";

const tenant = slot<string>("tenants");

const tenants: CoreExtension = {
  name: "tenants",
  requestChecks: [{
    parameters: [{ name: "tenant" }],
    read: ({ params }, request) => tenant.put(request, params.get("tenant")),
  }],
  steps: {
    accessTokenClaims: [{
      name: "tenant",
      run: (_server, _claims, authorization) => ({ tenant: tenant.of(authorization) }),
    }],
  },
};

function claimsOf({ access_token }: { readonly access_token: string }) {
  return JSON.parse(atob(access_token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
}

test("a value of an extension is in the access tokens of the grant of its request, also after a refresh", async () => {
  const { code, exchange, token } = await startCore({ extensions: [tenants] });
  const tokens = await (await exchange(await code({ tenant: "acme" }))).json();
  assertEquals(claimsOf(tokens).tenant, "acme");
  const { refresh_token } = tokens;
  const refreshed = await token({ grant_type: "refresh_token", client_id: "spa", refresh_token });
  assertEquals(claimsOf(await refreshed.json()).tenant, "acme");
  assertEquals("tenant" in claimsOf(await (await exchange(await code())).json()), false);
});

test("a check that returns extensions: undefined removes no value of an earlier check", async () => {
  const later: CoreExtension = { name: "later", requestChecks: [{ read: () => ({ extensions: undefined }) }] };
  const { code, exchange } = await startCore({ extensions: [tenants, later] });
  assertEquals(claimsOf(await (await exchange(await code({ tenant: "acme" }))).json()).tenant, "acme");
});

test("[CI-11] a server without the extension accepts no code and no refresh token with its value", async () => {
  const store = memoryStore();
  const extended = await startCore({ store, extensions: [tenants] });
  const plain = await startCore({ store });
  const code = await extended.code({ tenant: "acme" });
  assertEquals((await (await plain.exchange(code)).json()).error, "invalid_grant");
  const { refresh_token } = await (await extended.exchange(code)).json();
  const refresh = { grant_type: "refresh_token", client_id: "spa", refresh_token };
  assertEquals((await (await plain.token(refresh)).json()).error, "invalid_grant");
  assertEquals((await extended.token(refresh)).status, 200);
  assertEquals((await plain.exchange(await extended.code())).status, 200);
});

test("a slot replaces and removes its own value only, and changes no other object", () => {
  const [one, two] = [slot<number>("one"), slot<number>("two")];
  const carrier = { extensions: { two: 2 } };
  const both = one.put(carrier, 1);
  assertEquals([one.of(both), two.of(both), one.of(carrier), one.of(undefined)], [1, 2, undefined, undefined]);
  assertEquals(one.put(both, undefined), carrier);
  assertEquals(two.put(carrier, undefined).extensions, undefined);
});

test("a value under a name that is no extension of the server is an error of the program, and no code is issued", async () => {
  const misnamed: CoreExtension = {
    name: "tenancy",
    requestChecks: [{ parameters: [{ name: "tenant" }], read: (_, request) => tenant.put(request, "acme") }],
  };
  const causes: string[] = [];
  const { authorize } = await startCore({
    extensions: [misnamed],
    trace: (event) => void (event.type === "internal_error" && causes.push(String(event.cause))),
  });
  const location = new URL((await authorize()).headers.get("location")!);
  assertEquals([location.searchParams.get("error"), location.searchParams.has("code")], ["server_error", false]);
  assertEquals(causes, [
    `ProgramError: expected a slot with the name of an extension of this server, received "tenants". Did you mean tenancy?`,
  ]);
});

test("a value that a grant type sets is in its first access token, and in those of refreshes", async () => {
  const vouchers: GrantType = {
    type: "urn:example:voucher",
    parameters: [],
    async authorize(server, { client }) {
      const user = (await server.users.find("alice"))!;
      const subject = { sub: user.sub, sid: randomId(server.randomBytes) };
      const scope = ["offline_access"];
      return tenant.put({ client, scope, subject, grantId: randomId(server.randomBytes) }, "acme");
    },
  };
  const grant_types = [vouchers.type, "refresh_token"];
  const { token } = await startCore({
    extensions: [tenants],
    grantTypes: [vouchers],
    clients: [{ client_id: "kiosk", grant_types }],
  });
  const first = await (await token({ grant_type: vouchers.type, client_id: "kiosk" })).json();
  assertEquals(claimsOf(first).tenant, "acme");
  const { refresh_token } = first;
  const refreshed = await token({ grant_type: "refresh_token", client_id: "kiosk", refresh_token });
  assertEquals(claimsOf(await refreshed.json()).tenant, "acme");
});

test("of a subject that is a whole user, a grant keeps only what it knows", async () => {
  const store = memoryStore();
  const tickets: GrantType = {
    type: "urn:example:ticket",
    parameters: [],
    async authorize(server, { client }) {
      const user = (await server.users.find("alice"))!;
      const subject = { ...user, sid: randomId(server.randomBytes) };
      return { client, scope: ["openid", "offline_access"], subject, grantId: randomId(server.randomBytes) };
    },
  };
  const { token } = await startCore({
    store,
    grantTypes: [tickets],
    clients: [{ client_id: "kiosk", grant_types: [tickets.type, "refresh_token"] }],
  });
  await token({ grant_type: tickets.type, client_id: "kiosk" });
  const [stored] = await store.list("refresh_token", { prefix: "", limit: 1 });
  assertEquals(Object.keys(stored!.value.grant.subject), ["sub", "sid"]);
});

test("a check that returns only its own value keeps those of the others", async () => {
  const { code, exchange } = await startCore({
    extensions: [tenants, {
      name: "regions",
      requestChecks: [{ place: "last", read: () => slot<string>("regions").put({}, "north") }],
    }],
  });
  assertEquals(claimsOf(await (await exchange(await code({ tenant: "acme" }))).json()).tenant, "acme");
});

const voucher = "urn:example:voucher";

/** The errors of a server whose grant type, in an extension, is this one. */
async function errorsOf(grantType: object): Promise<readonly string[]> {
  const errors: string[] = [];
  const { token } = await startCore({
    clients: [{ client_id: "spa", redirect_uris: [], grant_types: [voucher] }],
    extensions: [{ name: "vouchers", grantTypes: [{ type: voucher, parameters: [], ...grantType }] }],
    trace: (event) => void (event.type === "internal_error" && errors.push(String(event.cause))),
  });
  assertEquals((await token({ grant_type: voucher, client_id: "spa" })).status, errors.length === 0 ? 200 : 500);
  return errors;
}

test("a grant type of an extension has its code, or loads it; what it leaves out is an error of the program", async () => {
  const authorize: GrantType["authorize"] = ({ randomBytes }, { client }) => ({
    ...{ client, scope: [], grantId: randomId(randomBytes) },
  });
  assertEquals(await errorsOf({ authorize }), []);
  assertEquals(await errorsOf({ load: () => Promise.resolve({ authorize }) }), []);
  const [noCode] = await errorsOf({ load: () => Promise.resolve(authorize) });
  assertMatch(noCode!, /expected load of the grant type urn:example:voucher to return { authorize }, received/);
});

test("a check that returns an error or a truth value, instead of throwing, is an error of the program", async () => {
  for (const returned of [new OAuthError("invalid_request", "no ticket"), false]) {
    const { authorize } = await startCore({
      extensions: [{ name: "other", requestChecks: [{ read: () => returned as never }] }],
      trace: () => {},
    });
    const location = new URL((await authorize()).headers.get("location")!);
    assertEquals(location.searchParams.get("error"), "server_error");
  }
});

test("a check that replaces one of the core, and returns nothing, is an error of the program", async () => {
  for (
    const [rule, member] of [["AZ-17", "scope"], ["PK-07", "codeChallenge"], ["OI-03", "loginRequirements"]] as const
  ) {
    const errors: string[] = [];
    const { authorize } = await startCore({
      extensions: [{ name: "other", requestChecks: [{ place: { instead: rule }, read: () => {} }] }],
      trace: (event) => void (event.type === "internal_error" && errors.push(String(event.cause))),
    });
    const location = new URL((await authorize()).headers.get("location")!);
    assertEquals(location.searchParams.get("error"), "server_error");
    assertMatch(errors[0]!, new RegExp(`in the place of ${rule} to return ${member}`));
  }
});
