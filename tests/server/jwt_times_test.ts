/**
 * JWTs with unusual times, at every endpoint that receives a JWT: nothing is an internal error, and each rejection says
 * what is wrong. Tokens of the server are signed with its own key.
 */

import { assertEquals } from "@std/assert";
import type { JWK } from "jose";
import { test } from "node:test";
import { importSigningKey, type JwtChanges, signWithKey } from "../../src/client/jwt.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { type ClientMetadata, memoryStore } from "../../src/mod.ts";
import { openBrowser } from "./browser.ts";
import { basicHeader, confidentialClient, publicClient, testClients, webTokens } from "./client_endpoints.ts";
import { assertionOf, sharedKey, startSeconds, tokenProof, userinfoProof } from "./client_jwts.ts";
import { fetchCsrfToken } from "./csrf.ts";
import { exchangeAssertion, foreignIssuer, jwtBearer } from "./foreign_issuer.ts";
import { decodeClaims, type Fields, getRejections, goodRequest, testServer } from "../kit.ts";
import { postRegistration } from "./registering.ts";

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const cibaType = "urn:openid:params:grant-type:ciba";
const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
const now = startSeconds;

const key = await sharedKey("ES256");
const jwks = { keys: [key.jwk] };
const grant_types = ["authorization_code", "refresh_token", tokenExchange, cibaType];
const publisher = "https://publisher.example";
const chat = "https://auth.chat.test";

const clients: readonly ClientMetadata[] = [
  ...testClients.clients,
  confidentialClient("agent", { grant_types }),
  confidentialClient("gateway", { grant_types: [jwtBearer] }),
  { client_id: "keyed", jwks, grant_types: ["client_credentials"] },
  publicClient("signing", { jwks, token_endpoint_auth_method: "none" }),
];

/** A server on which every kind of JWT is accepted, with the means to sign each. */
async function walkedServer() {
  const store = memoryStore();
  const [idp, jagIdp] = [await foreignIssuer("https://idp.test"), await foreignIssuer("https://jag.test")];
  const server = await testServer({
    alg: "ES256",
    ...testClients,
    ...{ clients, store, plugins: [inspector()] },
    tokenExchange: {},
    backchannelAuthentication: true,
    trustedIssuers: [idp.entry(), jagIdp.entry({ grantProfile: "id-jag" })],
    resourceAuthorizationServers: [{ issuer: chat, clients: { agent: "agent-at-chat" } }],
    registration: { mode: "open", softwareStatementIssuers: [{ issuer: publisher, jwks }] },
  });
  const tokens = await webTokens(server, "agent");
  const record = (await store.get("key", "ES256 0"))!.value;
  const ownKey = { ...await importSigningKey(record.jwk as JWK & { kty: string }, "ES256"), kid: record.kid };
  /** A token of this server with other claims. */
  const resign = (token: string, typ: string, { claims }: JwtChanges) =>
    signWithKey(ownKey, { typ }, { ...decodeClaims(token), ...claims });
  const bound = await (await server.token({ code: await server.code() }, { headers: await tokenProof(key) })).json();
  return { server, idp, jagIdp, tokens, bound, resign };
}

type Walked = Awaited<ReturnType<typeof walkedServer>>;

/** Where a JWT with changed claims is sent. */
type Send = (walked: Walked, changes: JwtChanges) => Promise<Response>;

async function requestObject(claims: JwtChanges["claims"]): Promise<string> {
  const times = { nbf: now, iat: now, exp: now + 60 };
  return await signWithKey(key, { typ: "oauth-authz-req+jwt" }, {
    ...{ ...goodRequest, client_id: "signing", iss: "signing", aud: "https://as.test" },
    ...{ ...times, ...claims },
  });
}

/** Sends an access token of this server. */
function withAccessToken(send: (walked: Walked, token: string) => Promise<Response>): Send {
  return async (walked, changes) =>
    await send(walked, await walked.resign(walked.tokens.access_token, "at+jwt", changes));
}

/** Sends an ID token of this server. */
function withIdToken(send: (walked: Walked, token: string) => Promise<Response>): Send {
  return async (walked, changes) => await send(walked, await walked.resign(walked.tokens.id_token, "JWT", changes));
}

let number = 0;

/** Exchanges tokens as their client. */
const exchange = ({ server }: Walked, fields: Fields) =>
  server.post("/oauth2/token", { grant_type: tokenExchange, ...fields }, basicHeader("agent"));

/** Pastes a token into the page that explains tokens. */
async function paste({ server }: Walked, token: string): Promise<Response> {
  const browser = openBrowser(server);
  return await browser.post("/tokens", { form_token: await fetchCsrfToken(browser, "/tokens"), token });
}

/** Times, and what they are; `now` is also the time of the server. */
const times: Readonly<Record<string, unknown>> = {
  ...{ text: String(now), null: null, object: {}, absent: undefined },
  ...{ negative: -1, huge: 1e300, "hugely negative": -1e300, now, fraction: now + 0.5, "in an hour": now + 3600 },
};

/** What is wrong with a time: a text for each claim and time, such as `exp text`. All other times are accepted. */
type Problems = Readonly<Record<string, string>>;

const noNumbers: Problems = Object.fromEntries(
  ["exp", "nbf", "iat"].flatMap((claim) =>
    ["text", "null", "object"].map((time) => [`${claim} ${time}`, `${claim} is not a number`])
  ),
);
const expired = { "exp negative": "it has expired", "exp hugely negative": "it has expired" };
const futureNbf = { "nbf huge": "nbf is in the future", "nbf in an hour": "nbf is in the future" };
const futureIat = { "iat huge": "iat is in the future", "iat in an hour": "iat is in the future" };

const ofAccessToken: Problems = {
  ...{ ...noNumbers, ...expired, ...futureNbf, "exp now": "it has expired", "exp absent": "it has no exp" },
  "nbf fraction": "nbf is in the future",
};
/** The times of a hint are not compared with the clock. */
const ofHint: Problems = { ...noNumbers, "exp absent": "no exp", "iat absent": "no iat" };
const ofClientAssertion: Problems = {
  ...{ ...noNumbers, ...expired, ...futureNbf, ...futureIat, "exp now": "it has expired" },
  "exp absent": 'missing required "exp" claim',
};
const ofRequestObject: Problems = { ...noNumbers, ...expired, ...futureNbf, ...futureIat };
const ofProof: Problems = {
  ...{ ...noNumbers, ...expired, ...futureNbf, ...futureIat, "exp now": "it has expired" },
  ...{ "iat negative": "too old", "iat hugely negative": "too old", "iat absent": "no iat" },
};
const ofStatement: Problems = { ...noNumbers, ...expired, ...futureNbf, ...futureIat, "exp now": "it has expired" };
/** The times of an assertion must be those of a date. */
const ofAssertion: Problems = {
  ...{ ...ofStatement, "exp absent": "no exp", "iat negative": "too long" },
  ...Object.fromEntries(
    ["exp", "nbf", "iat"].flatMap((claim) =>
      ["text", "null", "object", "huge", "hugely negative"].map((time) => [`${claim} ${time}`, "no seconds"])
    ),
  ),
};

interface Place {
  readonly send: Send;
  /** The outcome if the times are accepted. */
  readonly accepted: string;
  readonly problems: Problems;
  /** The outcome for a problem of a claim. */
  rejected(problem: string, claim: string): string;
}

const always = (outcome: string) => () => outcome;
const noHint = "id_token_hint is not an ID token that this server issued to this client";
const proofOutcome = (status: number): Place["rejected"] => (problem, claim) => {
  const known: Problems = {
    "no iat": "DO-02: the DPoP proof has no iat",
    "too old": "DO-03: the DPoP proof is too old",
    [`${claim} is not a number`]: `DO-02: ${claim} of the DPoP proof is not a number`,
  };
  return `${status} invalid_dpop_proof ${
    known[problem] ?? `DO-03: the DPoP proof is not valid at this time: ${problem}`
  }`;
};
const assertionOutcome: Place["rejected"] = (problem, claim) => {
  const known: Problems = {
    "no exp": "the assertion has no exp",
    "no seconds": `${claim} of the assertion is not seconds since 1970`,
    "too long": "the assertion is valid for too long",
  };
  return `400 invalid_grant JB-04: ${known[problem] ?? `the assertion is invalid: ${problem}`}`;
};
const requestOutcome: Place["rejected"] = (problem) =>
  `400 invalid_request_object JR-04: the request object is invalid: ${problem}`;
/** A page shows what is wrong. */
const page = { accepted: "200", problems: {}, rejected: always("none") };
const exchangeOutcome = (name: string) =>
  always(`400 invalid_request TX-01: ${name} is unknown, expired, revoked, or not acceptable from this client`);

const places: Readonly<Record<string, Place>> = {
  "BR-02: userinfo": {
    send: withAccessToken(({ server }, token) =>
      server.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } })
    ),
    ...{ accepted: "200", problems: ofAccessToken },
    rejected: (problem) =>
      `401 invalid_token BR-02: the access token ${
        problem === "it has expired" ? "has expired" : `is invalid: ${problem}`
      }`,
  },
  "IN-02: introspection": {
    send: withAccessToken(({ server }, token) => server.post("/oauth2/introspect", { token }, basicHeader("api"))),
    ...{ accepted: "200 active", problems: ofAccessToken, rejected: always("200 inactive") },
  },
  "RV-02: revocation": {
    send: async ({ server, tokens, resign }, { claims }) => {
      const { jti } = decodeClaims(tokens.access_token);
      // Another token of the grant each time.
      const token = await resign(tokens.access_token, "at+jwt", { claims: { jti: `${jti}.${number++}`, ...claims } });
      return await server.post("/oauth2/revoke", { token }, basicHeader("agent"));
    },
    ...{ accepted: "200", problems: {}, rejected: always("none") },
  },
  "TX-01: subject_token": {
    send: withAccessToken((walked, subject_token) =>
      exchange(walked, { subject_token_type: type("access_token"), subject_token })
    ),
    ...{ accepted: "200", problems: ofAccessToken, rejected: exchangeOutcome("subject_token") },
  },
  "TX-01: actor_token": {
    send: withAccessToken((walked, actor_token) =>
      exchange(walked, {
        ...{ subject_token_type: type("access_token"), subject_token: walked.tokens.access_token },
        ...{ actor_token_type: type("access_token"), actor_token },
      })
    ),
    ...{ accepted: "200", problems: ofAccessToken, rejected: exchangeOutcome("actor_token") },
  },
  // The server knows each ID token that it issued.
  "IJ-03: subject_token for an ID-JAG": {
    send: withIdToken((walked, subject_token) =>
      exchange(walked, {
        ...{ requested_token_type: type("id-jag"), audience: chat },
        ...{ subject_token_type: type("id_token"), subject_token },
      })
    ),
    accepted: "400 invalid_request IJ-03: the ID token is invalid",
    ...{ problems: {}, rejected: always("none") },
  },
  "OI-07: id_token_hint of a login": {
    send: withIdToken(({ server }, id_token_hint) =>
      server.authorize({ client_id: "agent", redirect_uri: "https://web.example/cb", id_token_hint })
    ),
    ...{ accepted: "302", problems: ofHint, rejected: always(`302 invalid_request OI-07: ${noHint}`) },
  },
  "CB-02: id_token_hint of a backchannel authentication": {
    send: withIdToken(({ server }, id_token_hint) =>
      server.post("/oauth2/backchannel_authentication", { scope: "openid", id_token_hint }, basicHeader("agent"))
    ),
    ...{ accepted: "200", problems: ofHint, rejected: always(`400 invalid_request OI-07: ${noHint}`) },
  },
  "LO-02: id_token_hint of a logout": {
    send: withIdToken(({ server }, token) => server.get(`/oauth2/logout?id_token_hint=${token}`)),
    ...{ accepted: "200", problems: ofHint, rejected: always(`400 invalid_request LO-02: ${noHint}`) },
  },
  "JC-02: client_assertion": {
    send: async ({ server }, changes) =>
      await server.post("/oauth2/token", {
        ...{ grant_type: "client_credentials", scope: "read" },
        ...await assertionOf("keyed", key, changes),
      }),
    ...{ accepted: "200", problems: { ...ofClientAssertion, "exp huge": "too long" } },
    rejected: (problem) =>
      `401 invalid_client CA-07: the assertion is ${
        problem === "too long" ? "valid for too long" : `invalid: ${problem}`
      }`,
  },
  "JR-04: request object": {
    send: async ({ server }, { claims }) =>
      await server.get(`/oauth2/authorize?client_id=signing&request=${await requestObject(claims)}`),
    ...{ accepted: "302", problems: ofRequestObject, rejected: requestOutcome },
  },
  "JR-04: pushed request object": {
    send: async ({ server }, { claims }) =>
      await server.post("/oauth2/par", { client_id: "signing", request: await requestObject(claims) }),
    ...{ accepted: "201", problems: ofRequestObject, rejected: requestOutcome },
  },
  "DO-02, DO-03: DPoP proof at the token endpoint": {
    send: async ({ server }, changes) =>
      await server.token({ code: await server.code() }, { headers: await tokenProof(key, changes) }),
    ...{ accepted: "200", problems: ofProof, rejected: proofOutcome(400) },
  },
  "DO-02, DO-03: DPoP proof at userinfo": {
    send: async ({ server, bound }, changes) =>
      await server.get("/oauth2/userinfo", { headers: await userinfoProof(key, bound.access_token, changes) }),
    ...{ accepted: "200", problems: ofProof, rejected: proofOutcome(401) },
  },
  "JB-04: assertion": {
    send: async ({ server, idp }, changes) => await exchangeAssertion(server, await idp.assertion("alice", changes)),
    ...{ accepted: "200", problems: ofAssertion, rejected: assertionOutcome },
  },
  "JB-04: ID-JAG": {
    send: async ({ server, jagIdp }, { claims }) =>
      await exchangeAssertion(
        server,
        await jagIdp.assertion("alice", {
          ...{ claims: { client_id: "gateway", ...claims }, header: { typ: "oauth-id-jag+jwt" } },
        }),
      ),
    ...{ accepted: "200", problems: { ...ofAssertion, "iat absent": "no iat" } },
    rejected: (problem, claim) =>
      problem === "no iat" ? "400 invalid_grant IJ-16: the ID-JAG has no iat" : assertionOutcome(problem, claim),
  },
  "DR-10: software_statement": {
    send: async ({ server }, { claims }) => {
      const metadata = { redirect_uris: ["https://app.example/cb"], token_endpoint_auth_method: "none" };
      const software_statement = await signWithKey(key, { typ: "JWT" }, { iss: publisher, ...metadata, ...claims });
      return await postRegistration(server, { ...metadata, software_statement });
    },
    ...{ accepted: "201", problems: ofStatement },
    rejected: (problem) => `400 invalid_software_statement DR-10: the software statement is invalid: ${problem}`,
  },
  "TP-02: an ID token on the page /tokens": { send: withIdToken(paste), ...page },
  "TP-02: an access token on the page /tokens": { send: withAccessToken(paste), ...page },
  "DM-01: a response on the page /authorized": {
    send: async ({ server, tokens, resign }, { claims }) => {
      const response = await resign(tokens.id_token, "JWT", { claims: { aud: "demo-public", code: "x", ...claims } });
      return await server.get(`/authorized?response=${response}`);
    },
    ...page,
  },
};

/** The status, and the rejection of the request, or whether introspection says that the token is active. */
async function outcomeOf({ server }: Walked, send: () => Promise<Response>): Promise<string> {
  const before = getRejections(server.events).length;
  const response = await send();
  const [rejection] = getRejections(server.events).slice(before);
  if (rejection !== undefined) {
    const { error, explanation: { rule, reason } } = rejection;
    return `${response.status} ${error} ${rule}: ${reason}`;
  }
  const active = /"active":(true|false)/.exec(await response.text())?.[1];
  return `${response.status}${active === undefined ? "" : active === "true" ? " active" : " inactive"}`;
}

for (const [name, { send, accepted, problems, rejected }] of Object.entries(places)) {
  const [rules, place] = name.split(": ");
  test(`[${rules}] ${place}: each time of a JWT is accepted, or rejected with what is wrong`, async () => {
    const walked = await walkedServer();
    const outcomes: Record<string, string> = {};
    const expected: Record<string, string> = {};
    for (const claim of ["exp", "nbf", "iat"]) {
      for (const [time, value] of Object.entries(times)) {
        const problem = problems[`${claim} ${time}`];
        expected[`${claim} ${time}`] = problem === undefined ? accepted : rejected(problem, claim);
        outcomes[`${claim} ${time}`] = await outcomeOf(walked, () => send(walked, { claims: { [claim]: value } }));
      }
    }
    assertEquals(outcomes, expected);
    assertEquals(walked.server.events.filter(({ type }) => type === "internal_error"), []);
  });
}
