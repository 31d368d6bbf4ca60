/**
 * What never exists, whatever is configured: tokens in authorization responses, passwords outside the login form (group
 * NV).
 *
 * @extensions client_documents, par, registration
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { type ClientMetadata, ConfigurationError, type LatchkeyOptions } from "../../src/mod.ts";
import type { App } from "../../src/server/extension.ts";
import { profileNames } from "../../src/server/config/strictness.ts";
import { getForm } from "./browser.ts";
import { cheapDigest, recordScryptCosts } from "./digests.ts";
import {
  assertTokenResponse,
  basic,
  clients,
  encode,
  forEachCase,
  getOutcome,
  getRejections,
  goodRequest,
  recordingStore,
  testServer,
  verifier,
  webRequest,
  webToken,
} from "../kit.ts";
import type { Fields } from "../kit.ts";
import { postRegistration, publicClient } from "./registering.ts";
import { assertMetadata, isFapi, removedGrantTypes, removedResponseTypes } from "./removed_features.ts";

const form = "application/x-www-form-urlencoded";
const webBasic = basic("web", "web-secret");

/** Every other profile, and none. */
const configurations: readonly LatchkeyOptions[] = [
  {},
  { profile: undefined, pkce: { requireForConfidential: true } },
  ...profileNames.filter((profile) => !isFapi(profile)).map((profile) => ({ profile })),
];

/** The parameters of an authorization response: in the query, in the fragment, or in the fields of a form. */
async function readResponse(response: Response): Promise<URLSearchParams> {
  const location = response.headers.get("location");
  if (location === null) return new URLSearchParams(getForm(await response.text()).fields.map((pair) => [...pair]));
  const { searchParams, hash } = new URL(location);
  return new URLSearchParams([...searchParams, ...new URLSearchParams(hash.slice(1))]);
}

test("[NV-01] a response_type with token or none yields an error and no token, in every mode, profile and kind of client", async () => {
  await forEachCase(configurations, async (options) => {
    const b = await testServer(options);
    const challenged = { ...webRequest, code_challenge: goodRequest.code_challenge, code_challenge_method: "S256" };
    const senders: readonly Fields[] = [
      {},
      challenged,
      { ...challenged, client_id: "poster", redirect_uri: "https://poster.example/cb" },
    ];
    for (const response_type of removedResponseTypes) {
      for (const response_mode of [undefined, "query", "form_post"]) {
        for (const sender of senders) {
          for (const scope of ["openid read", "read"]) {
            const request = { ...sender, response_type, response_mode, scope, nonce: "n-0S6" };
            const params = await readResponse(await b.authorize(request));
            const names = [...params.keys()].filter((name) =>
              !["error", "error_description", "state", "iss"].includes(name)
            );
            assertEquals([params.get("error"), names], ["unsupported_response_type", []], response_type);
          }
        }
      }
      const pushed = await b.post("/oauth2/par", { ...goodRequest, response_type });
      assertEquals(await getOutcome(pushed), "400 unsupported_response_type");
    }
  });
});

const password = "correct-horse-battery-staple";

test("[NV-02, TK-05] the password grant is the same 400 for every user and password: no user is read, nothing is checked or logged", async () => {
  const users = [{ sub: "alice", password: await cheapDigest(password) }, { sub: "bob" }];
  const { store, asked } = recordingStore();
  const b = await testServer({ users, store, login: "interactive", throttle: true });
  const attempt = async (username: string, secret: string, authorization: Record<string, string>) => {
    asked.length = 0;
    const fields = { grant_type: "password", username, password: secret, scope: "openid" };
    const sent: Fields = "authorization" in authorization ? fields : { ...fields, client_id: "spa" };
    const response = await b.post("/oauth2/token", sent, authorization);
    const headers = [...response.headers].filter(([name]) => !["date", "link"].includes(name));
    return { status: response.status, headers, body: await response.text(), asked: [...asked] };
  };
  const attempts: Awaited<ReturnType<typeof attempt>>[] = [];
  const costs = await recordScryptCosts(async () => {
    for (const authorization of [{}, webBasic]) {
      for (const [username, secret] of [["alice", password], ["alice", "wrong-guess-9f2c"], ["eve-5d1b", password]]) {
        for (let i = 0; i < 4; i++) attempts.push(await attempt(username!, secret!, authorization));
      }
    }
  });
  assertEquals(costs, []);
  for (const each of [attempts.slice(0, 12), attempts.slice(12)]) {
    for (const one of each) assertEquals(one, each.at(-1));
    assertEquals([each[0]!.status, JSON.parse(each[0]!.body).error], [400, "unsupported_grant_type"]);
    assertEquals(each[0]!.asked.filter((call) => /user/.test(call)), []);
  }
  // Client authentication comes first.
  for (const headers of [basic("web", "wrong"), basic("alice", password)]) {
    const response = await b.post("/oauth2/token", { grant_type: "password", username: "alice", password }, headers);
    assertEquals(await getOutcome(response), "401 invalid_client");
  }
  const log = JSON.stringify(b.events);
  const flows = await (await b.get("/flows/1")).text();
  for (const value of [password, "wrong-guess-9f2c"]) {
    assert(!log.includes(value), `the log holds ${value}`);
    assert(!flows.includes(value), `the page of the flow holds ${value}`);
  }
  assert(!log.includes("eve-5d1b"));
});

test("[NV-02, NV-03] no option and no client turns these grant types on", async () => {
  await forEachCase(configurations, async (options) => {
    const b = await testServer(options);
    for (const grant_type of removedGrantTypes) {
      const fields = { grant_type, username: "alice", password: "x", assertion: "PHNhbWw+", client_id: "spa" };
      assertEquals(await getOutcome(await b.post("/oauth2/token", fields)), "400 unsupported_grant_type");
      const web = await b.post("/oauth2/token", { ...fields, client_id: undefined }, webBasic);
      assertEquals(await getOutcome(web), "400 unsupported_grant_type");
    }
  });
  await forEachCase(removedGrantTypes, async (type) => {
    const grant = { type, parameters: [], authorize: () => Promise.reject(new Error("never called")) };
    const error = await assertRejects(() => testServer({ grantTypes: [grant] }), ConfigurationError);
    assertMatch(error.message, /^The configuration has 1 issue\.\n\ngrantTypes\[0\]\.type\n/);
  });
});

test("[NV-03, JC-01] a SAML assertion authenticates no client", async () => {
  const b = await testServer();
  const fields = {
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:saml2-bearer",
    client_assertion: "PHNhbWw+",
  };
  for (const path of ["/oauth2/token", "/oauth2/revoke", "/oauth2/introspect"]) {
    for (const client_id of ["web", undefined]) {
      const request = { ...fields, client_id, grant_type: "authorization_code", code: "x", token: "x" };
      assertEquals(await getOutcome(await b.post(path, request)), "401 invalid_client");
    }
  }
});

test("[NV-04] registration, if it does not leave them out, and configuration reject the grant types and response types, and say why", async () => {
  const b = await testServer({ registration: { unsupportedValues: "reject" } });
  const cases: readonly (readonly [metadata: Partial<ClientMetadata>, path: string])[] = [
    ...removedGrantTypes.flatMap((type) => [
      [{ grant_types: [type] }, "grant_types[0]"] as const,
      [{ grant_types: ["authorization_code", type] }, "grant_types[1]"] as const,
    ]),
    ...["token", "none", "code token", "id_token token", "code id_token token", "token code"].flatMap((type) => [
      [{ response_types: [type] }, "response_types[0]"] as const,
      [{ response_types: ["code", type] }, "response_types[1]"] as const,
    ]),
  ];
  await forEachCase(cases, async ([metadata, path]) => {
    const kept = await testServer();
    const registered = await postRegistration(kept, { ...publicClient, ...metadata });
    const { grant_types = [], response_types = [] } = await registered.json();
    const names = [metadata.grant_types ?? metadata.response_types ?? []].flat();
    assertEquals(registered.status, names.length === 1 ? 400 : 201);
    assert(![...grant_types, ...response_types].includes(names.at(-1)), "the client may use it");
    const response = await postRegistration(b, { ...publicClient, ...metadata });
    assertEquals([response.status, (await response.json()).error], [400, "invalid_client_metadata"]);
    const { expected, received } = getRejections(b.events).at(-1)!.explanation;
    const wrong = [metadata.grant_types ?? metadata.response_types ?? []].flat().at(-1);
    assertEquals([received, expected!.includes(`${wrong}`)], [JSON.stringify(wrong), false]);
    const options = { clients: [{ ...clients[0], ...metadata }] };
    const error = await assertRejects(() => testServer(options), ConfigurationError);
    assert(error.message.includes(`clients[0].${path}`), error.message);
  });
  const error = await assertRejects(
    () => testServer({ clients: [{ ...clients[0], grant_types: ["password"] }] }),
    ConfigurationError,
  );
  assertMatch(error.message, /OAuth 2\.1 has no such grant type/);
});

test("[NV-04, MC-04] a metadata document: such values are dropped while a supported one is left", async () => {
  const client_id = "https://client.example/oauth/client.json";
  let members: Partial<ClientMetadata> = {};
  const document = () => ({ client_id, client_name: "Docs", redirect_uris: [goodRequest.redirect_uri], ...members });
  const outcome = async (next: typeof members) => {
    members = next;
    const b = await testServer({ outbound: () => Promise.resolve(Response.json(document())) });
    const response = await b.authorize({ client_id });
    if (response.headers.get("location") === null) return `${response.status}`;
    const code = (await readResponse(response)).get("code")!;
    const { access_token } = await assertTokenResponse(await b.token({ client_id, code }));
    return typeof access_token;
  };
  assertEquals(await outcome({ grant_types: ["password", "authorization_code", "implicit"] }), "string");
  assertEquals(await outcome({ response_types: ["token", "code", "code token"] }), "string");
  assertEquals(await outcome({ grant_types: ["password"] }), "400");
  assertEquals(await outcome({ response_types: ["token"] }), "400");
});

test("[NV-05] metadata names the supported grant types and response types, and never these", async () => {
  await forEachCase(configurations, async (options) => {
    const b = await testServer(options);
    for (const name of ["oauth-authorization-server", "openid-configuration"]) {
      const response = await b.get(`/.well-known/${name}`);
      if (response.status === 404) continue;
      await assertMetadata(response);
    }
  });
});

test("[NV-06, BR-01, TK-03, AZ-24] credentials and access tokens in a query never work", async () => {
  await forEachCase(configurations, async (options) => {
    const b = await testServer(options);
    const code = await b.code({ scope: "openid" });
    const { access_token } = await assertTokenResponse(await b.token({ code }));
    assertEquals((await b.get(`/oauth2/userinfo?${encode({ access_token })}`)).status, 401);
    const inQuery = { client_id: "web", client_secret: "web-secret" };
    for (
      const [path, fields] of Object.entries({
        "/oauth2/token": { grant_type: "authorization_code", code: "x" },
        "/oauth2/revoke": { token: access_token },
        "/oauth2/introspect": { token: access_token },
        "/oauth2/par": { ...goodRequest, ...webRequest },
      })
    ) {
      const response = await b.post(`${path}?${encode(inQuery)}`, fields);
      assertMatch(await getOutcome(response), /^40[01] invalid_(?:request|client)$/, path);
    }
    const webCode = { ...webRequest, code_challenge: goodRequest.code_challenge, code_challenge_method: "S256" };
    const params = await readResponse(await b.authorize({ ...webCode, client_secret: "web-secret" }));
    const exchanged = { ...webToken, client_id: "web", code: params.get("code")!, code_verifier: verifier };
    assertEquals(await getOutcome(await b.token(exchanged)), "401 invalid_client");
  });
});

test("[NV-07] only the login form takes a user's password", async () => {
  let app: App | undefined;
  const users = [{ sub: "alice", password: await cheapDigest(password) }];
  const b = await testServer({
    users,
    login: "interactive",
    plugins: [{ setup: (it) => void (app = it) }],
  });
  const named = app!.endpoints.filter(({ parameters = [] }) =>
    parameters.some(({ name, secret }) => secret === "password" || /passw|pwd/.test(name))
  );
  // The token endpoint declares the parameter of the password grant only to redact it (NV-02).
  assertEquals(named.map(({ name }) => name).sort(), ["login", "token"]);
  const credentials = { username: "alice", sub: "alice", password };
  const costs = await recordScryptCosts(async () => {
    for (const { name, path, methods } of app!.endpoints) {
      const place = path.replaceAll("*", "1");
      for (const method of methods) {
        if (name === "login" && method === "POST") continue;
        const body = method === "POST" || method === "PUT"
          ? encode({ ...credentials, grant_type: "password" })
          : undefined;
        const headers = { ...basic("alice", password), ...body !== undefined && { "content-type": form } };
        const response = await b.get(`${place}?${encode(credentials)}`, { method, body, headers });
        const cookies = response.headers.getSetCookie();
        assert(!cookies.some((line) => line.includes("latchkey_session")), `${method} ${path} starts a session`);
        const challenge = response.headers.get("www-authenticate") ?? "";
        const isForClients = ["token", "revoke", "introspect", "par"].includes(name);
        assert(isForClients || !/^basic/i.test(challenge), `${method} ${path} asks users for Basic: ${challenge}`);
        await response.body?.cancel();
      }
    }
  });
  assertEquals(costs, []);
});
