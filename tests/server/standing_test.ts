/**
 * What a client may set and use by its standing: configured, approved, or unknown (groups DR, MC, TK).
 *
 * @extensions assertion_authentication, assertion_grants, client_documents, device, registration, token_exchange
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { test } from "node:test";
import type { LatchkeyOptions } from "../../src/mod.ts";
import { extendedClientField, extensions } from "../../src/server/hosting/extensions.ts";
import { parseDocument } from "../../src/server/extensions/client_documents/parse_document.ts";
import { isPermitted, permissions, type StandingRequirement } from "../../src/server/config/standing.ts";
import type { Standing } from "../../src/core/clients/clients.ts";
import { resolveSettings } from "../../src/server/config/resolve_settings.ts";
import { OAuthError } from "../../src/core/rules/errors.ts";
import { assertionOf, clientKey, signingContext } from "./client_jwts.ts";
import { foreignIssuer } from "./foreign_issuer.ts";
import {
  assertTokenResponse,
  basic,
  forEachCase,
  getOutcome,
  getRejections,
  realHost,
  sharedStore,
  testServer,
} from "../kit.ts";
import type { TestServer } from "../kit.ts";
import { outcomeOf, postRegistration, publicClient, register } from "./registering.ts";
import type { Field } from "../../src/core/policy/field.ts";

const initialToken = "an-initial-access-token";
const approved = { authorization: `Bearer ${initialToken}` };

/**
 * A server on a real host with every grant type, where clients may register with and without an initial access token.
 */
const everyGrantType = {
  ...realHost,
  clients: [],
  clientIdMetadataDocuments: true,
  registration: { mode: "open", initialAccessTokens: [initialToken] },
  insecure: ["auto-login", "open-registration"],
  deviceAuthorization: true,
  tokenExchange: {},
  trustedIssuers: [{ issuer: "https://idp.widgets.com", jwks_uri: "https://idp.widgets.com/jwks", users: "sub" }],
} as const;

/**
 * The grant types that an unknown client may use on a real host. Every other one is open to approved clients at most.
 */
const openToUnknown = ["authorization_code", "refresh_token"];

/** Metadata of a client that registers for this grant type. */
function metadataFor(type: string) {
  const grant_types = [...new Set(["authorization_code", type])];
  const token_endpoint_auth_method = "client_secret_basic" as const;
  return { redirect_uris: ["https://app.example/cb"], token_endpoint_auth_method, grant_types };
}

async function grantTypesOf(server: Awaited<ReturnType<typeof testServer>>): Promise<readonly string[]> {
  return (await (await server.get("/.well-known/oauth-authorization-server")).json()).grant_types_supported;
}

test("[DR-04] on a real host an unknown client may register for code and refresh alone, an approved one for all", async () => {
  const server = await testServer(everyGrantType);
  const types = await grantTypesOf(server);
  assertEquals(types.length, 6);
  await forEachCase(types, async (type) => {
    const outcome = await outcomeOf(await postRegistration(server, metadataFor(type)));
    assertEquals(outcome, openToUnknown.includes(type) ? "201" : "400 invalid_client_metadata");
    assertEquals(await outcomeOf(await postRegistration(server, metadataFor(type), approved)), "201");
  });
  const test = await testServer({ ...everyGrantType, issuer: "http://localhost:9000" });
  await forEachCase(types, (type) => register(test, metadataFor(type)));
});

test("[MC-04] on a real host a metadata document may use code and refresh alone", async () => {
  const { policy } = await resolveSettings({ ...everyGrantType, users: [] }, "", { extensions });
  const url = "https://client.example/client.json";
  const types = await grantTypesOf(await testServer(everyGrantType));
  const document = { ...publicClient, client_id: url, grant_types: types };
  const text = JSON.stringify(document);
  const client = await parseDocument({ url, text, contentType: "application/json" }, {
    ...policy,
    audience: everyGrantType.issuer,
  }, {
    fetchedAt: 0,
    validUntil: 1,
  });
  assertEquals([client.standing, client.grantTypes], ["unknown", openToUnknown]);
});

test("[DR-02, MC-04] every member that is not declared open is ignored with a warning, in registrations and documents", async () => {
  const fields = Object.entries<Field>(extendedClientField.members);
  const openFrom = (standing?: Standing) =>
    fields.filter(([, { openFrom }]) => openFrom === standing).map(([name]) => name);
  const closed = openFrom();
  assertEquals(closed, ["client_id", "client_secret", "client_secret_expires_at", "serves", "profile"]);
  const example = (name: string) =>
    extendedClientField.members[name as keyof typeof extendedClientField.members].examples[0];
  const server = await testServer(everyGrantType);
  const registrationOf = async (name: string, headers = {}) => {
    server.events.length = 0;
    const { client_id } = await register(server, { ...publicClient, [name]: example(name) }, headers);
    const warning = server.events.find((event) => event.type === "warning" && event.explanation.received === name);
    const { metadata } = (await server.as.clients.find(client_id))!;
    return {
      isWarned: warning !== undefined,
      value: (metadata as unknown as Record<string, unknown>)[name],
      client_id,
    };
  };
  await forEachCase([...closed, ...openFrom("approved")], async (name) => {
    const { isWarned, value, client_id } = await registrationOf(name);
    assertEquals([isWarned, value], [true, name === "client_id" ? client_id : undefined]);
  });
  await forEachCase(openFrom("approved"), async (name) => {
    assertEquals((await registrationOf(name, approved)).value, example(name));
  });

  const { policy } = await resolveSettings({ ...everyGrantType, users: [] }, "", { extensions });
  const url = "https://client.example/client.json";
  const ofDocument = ["serves", "profile", ...openFrom("approved")];
  await forEachCase(ofDocument, async (name) => {
    const text = JSON.stringify({ ...publicClient, client_id: url, [name]: example(name) });
    const client = await parseDocument({ url, text, contentType: "application/json" }, {
      ...policy,
      audience: everyGrantType.issuer,
    }, {
      fetchedAt: 0,
      validUntil: 1,
    });
    assert(!Object.hasOwn(client.metadata, name));
    assert(client.document!.warnings.some(({ received }) => received === name));
  });
});

test("[TK-06] a client that is registered for a grant type also needs the standing for it", async () => {
  const type = "https://kiosk.test/grant-type/ticket";
  const store = sharedStore();
  const serverWith = (from: Standing) =>
    testServer({
      ...everyGrantType,
      store,
      grantTypes: [{
        type,
        parameters: [],
        standing: { from },
        authorize: () =>
          Promise.reject(
            new OAuthError("invalid_grant", "the ticket is not valid", { fix: "Send the ticket of today." }),
          ),
      }],
    });
  const open = await serverWith("unknown");
  const { client_id, client_secret } = await register(open, metadataFor(type));
  const omitted = { client_id: undefined, redirect_uri: undefined, code_verifier: undefined };
  const request = async (server: TestServer) =>
    await getOutcome(
      await server.token({ ...omitted, grant_type: type }, { headers: basic(client_id, client_secret) }),
    );
  assertEquals(await request(open), "400 invalid_grant");
  for (const [standing, advisesToken] of [["approved", true], ["configured", false]] as const) {
    const server = await serverWith(standing);
    assertEquals(await request(server), "400 unauthorized_client");
    const { rule, expected, fix } = getRejections(server.events).at(-1)!.explanation;
    assertEquals([rule, expected], ["TK-06", `a client with the standing ${standing}`]);
    assertEquals(fix!.includes("initial access token"), advisesToken, standing);
  }
});

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const chat = "https://auth.chat.test";
const documentUrl = "https://foreign.example/client.json";
/** A server on a test host with a client of each kind, for this grant type: the ids of the clients. */
async function serverWithEachClient(grantType: string, options: LatchkeyOptions) {
  const metadata = { ...publicClient, grant_types: ["authorization_code", grantType] };
  const server = await testServer({
    clients: [{ ...metadata, client_id: "configured" }],
    users: [{ sub: "alice" }],
    registration: { mode: "open", initialAccessTokens: [initialToken] },
    outbound: () => Promise.resolve(Response.json({ ...metadata, client_id: documentUrl })),
    ...options,
  });
  const ids = {
    configured: "configured",
    approved: (await register(server, metadata, approved)).client_id,
    registered: (await register(server, metadata)).client_id,
    document: documentUrl,
  };
  return { server, ids };
}

const withoutClients = { configured: "200", approved: "400", registered: "400", document: "400" };
const withClients = { configured: "200", approved: "400", registered: "400", document: "200" };
const listed = ["configured", documentUrl];

test("[IJ-08] an ID-JAG for an audience whose entry lists no clients is for configured clients alone", async () => {
  for (const [list, expected] of [[undefined, withoutClients], [listed, withClients]] as const) {
    const clients = list && Object.fromEntries(list.map((id) => [id, id]));
    const { server, ids } = await serverWithEachClient(tokenExchange, {
      resourceAuthorizationServers: [{ issuer: chat, clients, allowPublicClients: true }],
    });
    await forEachCase(Object.entries(ids), async ([kind, client_id]) => {
      const redirect_uri = publicClient.redirect_uris[0];
      const code = await server.code({ client_id, redirect_uri });
      const { id_token } = await assertTokenResponse(await server.token({ code, client_id, redirect_uri }));
      const response = await server.post("/oauth2/token", {
        grant_type: tokenExchange,
        requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
        subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
        subject_token: id_token,
        audience: chat,
        client_id,
      });
      const outcome = expected[kind as keyof typeof expected];
      assertEquals(await getOutcome(response), outcome === "200" ? "200" : "400 invalid_target");
      if (outcome !== "200") assertEquals(getRejections(server.events).at(-1)!.explanation.rule, "IJ-08");
    });
  }
});

test("[JB-08] assertions of an issuer whose entry lists no clients are for configured clients alone", async () => {
  const idp = await foreignIssuer();
  for (const grantProfile of [undefined, "id-jag"] as const) {
    for (const [clients, expected] of [[undefined, withoutClients], [listed, withClients]] as const) {
      const trustedIssuers = [idp.entry({ grantProfile, clients, allowPublicClients: true })];
      const { server, ids } = await serverWithEachClient(jwtBearer, { trustedIssuers });
      await forEachCase(Object.entries(ids), async ([kind, client_id]) => {
        const header = { typ: grantProfile === undefined ? undefined : "oauth-id-jag+jwt" };
        const assertion = await idp.assertion("alice", { header, claims: { client_id } });
        // The client is named by client_id, or by the ID-JAG alone.
        for (const fields of [{ client_id }, ...grantProfile === undefined ? [] : [{}]]) {
          const response = await server.post("/oauth2/token", { grant_type: jwtBearer, assertion, ...fields });
          const outcome = expected[kind as keyof typeof expected];
          assertEquals(await getOutcome(response), outcome === "200" ? "200" : "400 unauthorized_client");
          if (outcome !== "200") assertEquals(getRejections(server.events).at(-1)!.explanation.rule, "JB-08");
        }
      });
    }
  }
});

test("[IJ-08, JB-08] an entry that lists no clients is a warning at the start where clients may register or have documents", async () => {
  const idp = await foreignIssuer();
  const closed = { clientIdMetadataDocuments: false, registration: { mode: "off" } } as const;
  const subjects = { job: { client: "configured" } };
  const entry = (more: object): LatchkeyOptions => ({ trustedIssuers: [idp.entry(more)] });
  const bearer = ["trustedIssuers[0].clients"];
  const exchange = ["resourceAuthorizationServers[0].clients"];
  await forEachCase<[LatchkeyOptions, readonly string[]]>([
    [entry({}), bearer],
    [{ ...entry({}), ...closed }, []],
    [{ ...entry({}), ...closed, clientIdMetadataDocuments: true }, bearer],
    [{ ...entry({}), ...closed, registration: { mode: "open" } }, bearer],
    [entry({ clients: ["configured"] }), []],
    [entry({ users: undefined, subjects }), []],
    [entry({ users: undefined, subjects: { ...subjects, other: { user: "alice" } } }), bearer],
    [{ resourceAuthorizationServers: [{ issuer: chat }] }, exchange],
    [{ resourceAuthorizationServers: [{ issuer: chat }], ...closed }, []],
    [{ resourceAuthorizationServers: [{ issuer: chat, clients: { configured: "a" } }] }, []],
  ], async ([options, expected]) => {
    const { events } = await testServer({ clients: [{ ...publicClient, client_id: "configured" }], ...options });
    const warnings = events.flatMap((event) => event.type === "configuration_warning" ? [event] : []);
    assertEquals(warnings.map(({ path }) => path), expected);
    for (const { message } of warnings) assertMatch(message, /configured clients/);
  });
});

test("[IN-02, TX-01] an unknown client inspects and exchanges its own tokens alone", async () => {
  const confidential = { ...metadataFor(tokenExchange), scope: "openid read" };
  const server = await testServer({
    clients: [
      { ...confidential, client_id: "configured", client_secret: "configured-secret" },
      { ...publicClient, client_id: "spa" },
    ],
    users: [{ sub: "alice" }],
    tokenExchange: {},
    registration: { mode: "open", initialAccessTokens: [initialToken] },
  });
  const redirect_uri = publicClient.redirect_uris[0];
  const code = await server.code({ redirect_uri });
  const { access_token: ofSpa } = await assertTokenResponse(await server.token({ code, redirect_uri }));
  const clients = {
    configured: { client_id: "configured", client_secret: "configured-secret" },
    approved: await register(server, confidential, approved),
    unknown: await register(server, confidential),
  };
  await forEachCase(Object.entries(clients), async ([standing, { client_id, client_secret }]) => {
    const headers = basic(client_id, client_secret);
    const code = await server.code({ client_id, redirect_uri });
    const own = await assertTokenResponse(
      await server.token({ code, client_id: undefined, redirect_uri }, { headers }),
    );
    const inspect = async (token: string) => (await server.post("/oauth2/introspect", { token }, headers)).json();
    const exchange = async (subject_token: string) =>
      await getOutcome(
        await server.post("/oauth2/token", {
          grant_type: tokenExchange,
          subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
          subject_token,
        }, headers),
      );
    assertEquals([(await inspect(own.access_token)).active, await exchange(own.access_token)], [true, "200"]);
    const isUnknown = standing === "unknown";
    assertEquals((await inspect(ofSpa)).active, !isUnknown);
    assertEquals(await exchange(ofSpa), isUnknown ? "400 invalid_request" : "200");
    if (isUnknown) assertEquals(getRejections(server.events).at(-1)!.explanation.rule, "TX-01");
  });
});

test("[DR-04, DR-10] a software statement, which is public, approves the grant types that it names and no others", async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const issuer = "https://publisher.widgets.com";
  const jwks = { keys: [{ ...await exportJWK(publicKey) }] };
  const registration = { ...everyGrantType.registration, softwareStatementIssuers: [{ issuer, jwks }] };
  const responseTypes = ["code", "id_token", "code id_token"] as const;
  const server = await testServer({ ...everyGrantType, registration, responseTypes });
  const registerWith = async (claims: Record<string, unknown>, sent: Record<string, unknown>) => {
    // The rate of registrations is limited.
    server.advance(60);
    return await outcomeOf(
      await postRegistration(server, {
        ...publicClient,
        token_endpoint_auth_method: "client_secret_basic",
        ...sent,
        software_statement: await new SignJWT({ iss: issuer, redirect_uris: publicClient.redirect_uris, ...claims })
          .setProtectedHeader({ alg: "ES256" }).sign(privateKey),
      }),
    );
  };
  const code = { grant_types: ["authorization_code"] };
  const closed = (await grantTypesOf(server)).filter((type) => !openToUnknown.includes(type) && type !== "implicit");
  await forEachCase(closed, async (type) => {
    const named = { grant_types: ["authorization_code", type] };
    assertEquals(await registerWith(named, {}), "201");
    assertEquals(await registerWith(code, named), "201", "the statement replaces what is sent");
    assertEquals(await registerWith({}, named), "400 invalid_client_metadata");
  });
  // Response types that need `implicit`.
  const cases = [{ response_types: ["code", "id_token"] }, { response_types: ["code id_token"] }];
  await forEachCase(cases, async (hybrid) => {
    const named = { grant_types: ["authorization_code", "implicit"] };
    assertEquals(await registerWith({ ...code, ...hybrid }, {}), "201");
    assertEquals(await registerWith(named, hybrid), "201");
    for (const claims of [{}, code, { grant_types: ["authorization_code", "refresh_token"] }, hybrid]) {
      const outcome = await registerWith(claims, { ...named, ...hybrid });
      assertEquals(outcome, "400 invalid_client_metadata", JSON.stringify(claims));
    }
  });
});

test("[DR-10, IN-02] a software statement, which is public, approves its own members; the key in it approves who proves it", async () => {
  const publisher = await generateKeyPair("ES256");
  const issuer = "https://publisher.widgets.com";
  const jwks = { keys: [{ ...await exportJWK(publisher.publicKey) }] };
  const registration = { ...everyGrantType.registration, softwareStatementIssuers: [{ issuer, jwks }] };
  const spa = { ...publicClient, client_id: "spa" };
  const server = await testServer({
    ...everyGrantType,
    registration,
    clients: [spa],
    insecure: ["auto-login", "open-registration"],
  });
  const key = await clientKey("ES256");
  const metadata = {
    redirect_uris: publicClient.redirect_uris,
    post_logout_redirect_uris: ["https://app.example/bye"],
    logo_uri: "https://app.example/logo.png",
    grant_types: ["client_credentials"],
  };
  const ownKeys = { jwks: { keys: [key.jwk] } };
  const registerWith = async (claims: Record<string, unknown>, requested: Record<string, unknown>) => {
    const software_statement = await new SignJWT({ iss: issuer, redirect_uris: metadata.redirect_uris, ...claims })
      .setProtectedHeader({ alg: "ES256" }).sign(publisher.privateKey);
    const names = ["grant_types", "post_logout_redirect_uris"];
    const open = Object.fromEntries(
      Object.entries(metadata).filter(([name]) => name in claims || !names.includes(name)),
    );
    return await register(server, { ...open, ...requested, software_statement });
  };
  const withSecret = { token_endpoint_auth_method: "client_secret_basic" };
  const withKey = { token_endpoint_auth_method: "private_key_jwt" };
  const redirect_uri = metadata.redirect_uris[0]!;
  const { access_token: token } = await assertTokenResponse(
    await server.token({ client_id: "spa", redirect_uri, code: await server.code({ client_id: "spa", redirect_uri }) }),
  );
  const inspects = async ({ client_id, client_secret }: { client_id: string; client_secret?: string }) => {
    const response = client_secret === undefined
      ? await server.post("/oauth2/introspect", {
        token,
        ...await assertionOf(client_id, key, undefined, signingContext(undefined, server.as.issuer)),
      })
      : await server.post("/oauth2/introspect", { token }, basic(client_id, client_secret));
    assertEquals(response.status, 200);
    return (await response.json()).active;
  };
  assertEquals(await inspects(await registerWith({}, withSecret)), false, "no key");
  assertEquals(await inspects(await registerWith(metadata, withSecret)), false, "every member but a key");
  assertEquals(await inspects(await registerWith(ownKeys, withSecret)), false, "a key that is not proven");
  assertEquals(await inspects(await registerWith({}, { ...withKey, ...ownKeys })), false, "a key of its own");
  assertEquals(await inspects(await registerWith(ownKeys, withKey)), true, "the key of the statement");

  // Each permission that depends on a member is that of the statements with this member.
  const client = async (claims: Record<string, unknown>) =>
    (await server.as.clients.find((await registerWith(claims, withSecret)).client_id))!;
  const [all, none] = [await client(metadata), await client({})];
  const { policy } = await resolveSettings({ ...everyGrantType, users: [] }, "", { extensions });
  await forEachCase(Object.entries(permissions), (name) => {
    const [permission, requirement] = name as [keyof typeof permissions, StandingRequirement];
    const isMember = requirement.member !== undefined && requirement.from !== "configured";
    assertEquals(isPermitted({ policy }, all, permission), isMember);
    assertEquals(isPermitted({ policy }, none, permission), requirement.member === "redirect_uris");
    return Promise.resolve();
  });
});
