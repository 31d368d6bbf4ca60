/**
 * ID-JAGs: the assertions of an identity provider for one client at this server (group IJ).
 *
 * @extensions client_documents
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { ClientMetadata, LatchkeyOptions } from "../../../../src/mod.ts";
import type { TrustedIssuer } from "../../../../src/server/extensions/assertion_grants/settings.ts";
import { basicHeader, confidentialClient, findLastRule, publicClient, testClients } from "../../client_endpoints.ts";
import { exchangeAssertion, foreignIssuer, jwtBearer, startSeconds } from "../../foreign_issuer.ts";
import type { AssertionChange, ForeignIssuer } from "../../foreign_issuer.ts";
import {
  assertTokenResponse,
  decodeClaims,
  forEachCase,
  getOutcome,
  observedStore,
  sharedStore,
  testServer,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";

const rejected = "400 invalid_grant";
const mcp = "https://mcp.test/mcp";
const grant_types = [jwtBearer];

const clients: readonly ClientMetadata[] = [
  ...testClients.clients,
  confidentialClient("gateway", { grant_types, redirect_uris: undefined }),
  confidentialClient("other-gateway", { grant_types, redirect_uris: undefined }),
  publicClient("cli", { grant_types, redirect_uris: undefined }),
];

/** A server that accepts ID-JAGs of one identity provider, by this entry. */
async function acceptingServer(
  entry: Partial<TrustedIssuer> = {},
  options: LatchkeyOptions = {},
): Promise<{ readonly idp: ForeignIssuer; readonly server: TestServer }> {
  const idp = await foreignIssuer();
  const trustedIssuers = [idp.entry({ grantProfile: "id-jag", ...entry })];
  return { idp, server: await testServer({ ...testClients, clients, trustedIssuers, ...options }) };
}

/** An ID-JAG about `alice` for `gateway`. */
function idJag(idp: ForeignIssuer, { claims, header, key }: AssertionChange = {}): Promise<string> {
  return idp.assertion("alice", {
    claims: { client_id: "gateway", ...claims },
    header: { typ: "oauth-id-jag+jwt", ...header },
    key,
  });
}

test("[IJ-12] metadata names the grant profile exactly if an entry accepts ID-JAGs", async () => {
  const path = "/.well-known/oauth-authorization-server";
  const profile = "urn:ietf:params:oauth:grant-profile:id-jag";
  for (const [entry, expected] of [[{}, [profile]], [{ grantProfile: undefined }, undefined]] as const) {
    const { server } = await acceptingServer(entry);
    const metadata = await (await server.get(path)).json();
    assertEquals(metadata.authorization_grant_profiles_supported, expected);
    assert(metadata.grant_types_supported.includes(jwtBearer));
  }
});

test("[IJ-13] aud is the issuer, exactly; a slash behind the host is accepted with a warning unless the server is strict", async () => {
  const { idp, server } = await acceptingServer();
  const trustedIssuers = [idp.entry({ grantProfile: "id-jag" })];
  const strict = await testServer({ ...testClients, clients, trustedIssuers, assertionAudience: "issuer" });
  const withPath = await testServer({ ...testClients, clients, trustedIssuers, issuer: "https://as.test/tenant" });
  await forEachCase<[unknown, string, string]>([
    ["https://as.test", "200", "200"],
    [["https://as.test"], "200", "200"],
    ["https://as.test/", "200", rejected],
    ["https://as.test//", rejected, rejected],
    ["https://as.test/oauth2/token", rejected, rejected],
    [["https://as.test", "https://other.test"], rejected, rejected],
    ["https://other.test", rejected, rejected],
    [undefined, rejected, rejected],
  ], async ([aud, expected, expectedStrict]) => {
    const assertion = await idJag(idp, { claims: { aud } });
    assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), expected);
    assertEquals(await getOutcome(await exchangeAssertion(strict, assertion)), expectedStrict);
  });
  assertEquals(findLastRule(strict), "IJ-13");
  const warnings = server.events.filter((event) => event.type === "warning").map(({ explanation }) => explanation.rule);
  assertEquals(warnings, ["IJ-13"]);
  for (const [aud, expected] of [["https://as.test/tenant", "200"], ["https://as.test/tenant/", rejected]] as const) {
    assertEquals(await getOutcome(await exchangeAssertion(withPath, await idJag(idp, { claims: { aud } }))), expected);
  }
});

test("[IJ-14, JB-07] an issuer of ID-JAGs is trusted for ID-JAGs alone, and other issuers for other assertions", async () => {
  const { idp, server } = await acceptingServer();
  const plain = await testServer({ ...testClients, clients, trustedIssuers: [idp.entry()] });
  await forEachCase<[string | undefined, string, string]>([
    ["oauth-id-jag+jwt", "200", rejected],
    ["application/OAuth-ID-JAG+jwt", "200", rejected],
    ["JWT", rejected, "200"],
    [undefined, rejected, "200"],
    ["at+jwt", rejected, rejected],
  ], async ([typ, expected, expectedPlain]) => {
    const assertion = await idJag(idp, { header: { typ } });
    assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), expected);
    if (expected === rejected) assertEquals(findLastRule(server), "IJ-14");
    assertEquals(await getOutcome(await exchangeAssertion(plain, assertion)), expectedPlain);
  });
});

test("[IJ-15, JB-10] an ID-JAG works for the client that it names, also after another client has tried it", async () => {
  for (const singleUse of [false, true]) {
    const { idp, server } = await acceptingServer({ singleUse });
    const assertion = await idJag(idp);
    assertEquals(await getOutcome(await exchangeAssertion(server, assertion, {}, "other-gateway")), rejected);
    assertEquals(findLastRule(server), "IJ-15");
    assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), "200");
    assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), singleUse ? rejected : "200");
  }
});

test("[IJ-15, JB-08] a public client sends its ID-JAG only where the entry allows it, with or without client_id", async () => {
  for (
    const [allowPublicClients, expected] of [[true, ["200", "200"]], [
      false,
      ["400 unauthorized_client", "401 invalid_client"],
    ]] as const
  ) {
    const { idp, server } = await acceptingServer({ allowPublicClients });
    const assertion = await idJag(idp, { claims: { client_id: "cli" } });
    const outcomes = [
      await getOutcome(await exchangeAssertion(server, assertion, { client_id: "cli" }, null)),
      await getOutcome(await exchangeAssertion(server, assertion, {}, null)),
    ];
    assertEquals<unknown>(outcomes, expected);
    // A confidential client must authenticate.
    assertEquals(await getOutcome(await exchangeAssertion(server, await idJag(idp), {}, null)), "401 invalid_client");
  }
});

test("[IJ-16] every required claim is required, and an ID-JAG of this server is rejected", async () => {
  const { idp, server } = await acceptingServer();
  await forEachCase(["jti", "iat", "exp", "sub", "client_id", "iss", "aud"], async (name) => {
    for (const value of [undefined, "", null]) {
      const assertion = await idJag(idp, { claims: { [name]: value } });
      assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), rejected, String(value));
    }
  });
  const own = await foreignIssuer("https://as.test");
  assertEquals(await getOutcome(await exchangeAssertion(server, await idJag(own))), rejected);
  assertEquals(findLastRule(server), "JB-07");
  for (const claims of [{ exp: startSeconds - 1 }, { iat: startSeconds + 90 }, { sub: "unknown" }]) {
    assertEquals(await getOutcome(await exchangeAssertion(server, await idJag(idp, { claims }))), rejected);
  }
});

test("[IJ-17, IJ-18] the ID-JAG bounds scope and audience, parameters narrow them, and the response names both", async () => {
  const { idp, server } = await acceptingServer({}, { resources: [{ uri: mcp }, { uri: "https://b.test" }] });
  const both = { resource: [mcp, "https://b.test", "https://unknown.test"], scope: "read write openid other" };
  const send = async (claims: Record<string, unknown>, fields: Fields = {}) => {
    const response = await exchangeAssertion(server, await idJag(idp, { claims }), fields);
    if (response.status !== 200) return await getOutcome(response);
    const { access_token, ...members } = await response.json();
    const { aud, scope } = decodeClaims(access_token);
    assertEquals([members.scope, members.resource ?? "https://as.test"], [scope, aud]);
    assertEquals(Object.keys(members).filter((name) => /refresh|id_token/.test(name)), []);
    return [aud, scope];
  };
  await forEachCase<[Record<string, unknown>, Fields, unknown]>([
    [{}, {}, ["https://as.test", "read"]],
    [{ scope: "write read" }, {}, ["https://as.test", "read write"]],
    [both, {}, [[mcp, "https://b.test"], "read write"]],
    [both, { scope: "write", resource: mcp }, [mcp, "write"]],
    [{ resource: mcp }, {}, [mcp, "read"]],
    [{ scope: "read" }, { scope: "read write" }, "400 invalid_scope"],
    [{ scope: "other" }, {}, "400 invalid_scope"],
    [{ scope: "" }, {}, "400 invalid_scope"],
    [{ resource: mcp }, { resource: "https://b.test" }, "400 invalid_target"],
    [{ resource: "https://unknown.test" }, {}, "400 invalid_target"],
    [{ resource: [] }, {}, "400 invalid_target"],
    [{ resource: 1 }, {}, "400 invalid_grant"],
  ], async ([claims, fields, expected]) => assertEquals<unknown>(await send(claims, fields), expected));
});

test("[IJ-17] a server that expects a resource takes it from the ID-JAG, and rejects an ID-JAG without one", async () => {
  const ofClient = {
    clients: [{ ...clients.find(({ client_id }) => client_id === "gateway")!, profile: "mcp" as const }],
  };
  for (const options of [{ resourceParameter: "required" }, { profile: "mcp" }, ofClient] as const) {
    const { idp, server } = await acceptingServer({}, options);
    const withResource = await exchangeAssertion(server, await idJag(idp, { claims: { resource: mcp } }));
    assertEquals(decodeClaims((await assertTokenResponse(withResource)).access_token).aud, mcp);
    for (const fields of [{}, { resource: mcp }]) {
      assertEquals(await getOutcome(await exchangeAssertion(server, await idJag(idp), fields)), rejected);
      assertEquals(findLastRule(server), "IJ-17");
    }
  }
});

test("[IJ-19] an assertion that is bound to a key is rejected without proof, and there is no grant type jwt-dpop", async () => {
  const { idp, server } = await acceptingServer();
  const bound = await idJag(idp, { claims: { cnf: { jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" } } });
  assertEquals(await getOutcome(await exchangeAssertion(server, bound)), rejected);
  assertEquals(findLastRule(server), "IJ-19");
  const grant_type = "urn:ietf:params:oauth:grant-type:jwt-dpop";
  const response = await server.post(
    "/oauth2/token",
    { grant_type, assertion: await idJag(idp) },
    basicHeader("gateway"),
  );
  assertEquals(await getOutcome(response), "400 unsupported_grant_type");
});

test("[IJ-20] an unknown subject is created only where the entry says so, and stays", async () => {
  const claims = { sub: "dora", name: "Dora", email: "dora@idp.test" };
  const { idp, server } = await acceptingServer();
  assertEquals(await getOutcome(await exchangeAssertion(server, await idJag(idp, { claims }))), rejected);
  assertEquals(await server.as.users.find("dora"), undefined);

  const provisioning = await acceptingServer({ provision: true });
  const send = async (changed = {}) =>
    await exchangeAssertion(provisioning.server, await idJag(provisioning.idp, { claims: { ...claims, ...changed } }));
  const responses = await Promise.all(Array.from({ length: 20 }, () => send()));
  for (const response of responses) {
    assertEquals(decodeClaims((await assertTokenResponse(response)).access_token).sub, "dora");
  }
  const provisioned = { ...claims, email_verified: false };
  assertEquals<unknown>({ ...await provisioning.server.as.users.find("dora") }, provisioned);
  // A user of the name of a client could be taken for the client.
  assertEquals(await getOutcome(await send({ sub: "gateway" })), rejected);
  assertEquals(await getOutcome(await send({ sub: "not a subject" })), rejected);
  assertEquals(await getOutcome(await send({ sub: "x".repeat(256) })), rejected);
});

test("[IJ-20] aud_sub names the user where the entry says so", async () => {
  const { idp, server } = await acceptingServer({ users: "aud_sub" });
  const send = async (claims: object) =>
    await exchangeAssertion(server, await idJag(idp, { claims: { sub: "u-4711", ...claims } }));
  const { access_token } = await assertTokenResponse(await send({ aud_sub: "alice", aud_tenant: "acme" }));
  assertEquals(decodeClaims(access_token).sub, "alice");
  for (const claims of [{}, { sub: "alice" }, { aud_sub: "ghost" }, { aud_sub: 7 }, { aud_sub: ["alice"] }]) {
    assertEquals(await getOutcome(await send(claims)), rejected);
  }
  // By default the sub of the issuer counts, not what it says of this server.
  const other = await acceptingServer();
  const assertion = await idJag(other.idp, { claims: { sub: "u-4711", aud_sub: "alice" } });
  assertEquals(await getOutcome(await exchangeAssertion(other.server, assertion)), rejected);
});

test("[IJ-20] a store that cannot add the user is an error of the server, not of the assertion", async () => {
  const store = observedStore(sharedStore(), (verb, [kind]) => {
    if (verb === "add" && kind === "user") throw new Error("add fails");
  });
  const { idp, server } = await acceptingServer({ provision: true }, { store });
  const assertion = await idJag(idp, { claims: { sub: "dora" } });
  assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), "500 server_error");
});

test("[IJ-21] the same ID-JAG is accepted until it expires, each time for another token", async () => {
  const { idp, server } = await acceptingServer();
  const assertion = await idJag(idp);
  const tokens = new Set<string>();
  for (let i = 0; i < 4; i++) {
    tokens.add((await assertTokenResponse(await exchangeAssertion(server, assertion))).access_token);
    server.advance(70);
  }
  assertEquals(tokens.size, 4);
  server.advance(20);
  assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), rejected);
});
