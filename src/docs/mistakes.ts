/** Requests with a mistake, by the rule that each breaks. */

import type { RejectionRuleId } from "../oauth/rules/mod.ts";
import type { LatchkeyOptions } from "../server/options.ts";

/**
 * Parameters; `undefined` leaves one out, a list repeats it. A value such as `$code` is the member of this name in an
 * earlier response.
 */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request to the server of an example. */
export interface Step {
  /** The method and the path below the issuer, such as `POST /oauth2/token`. */
  readonly to: string;
  /** The parameters that the request has in place of those of {@link Step.from}. */
  readonly fields: Fields;
  /** The parameters of a correct request. Default: none. */
  readonly from?: Fields;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body that is no form; {@link Step.fields} are then empty. */
  readonly body?: string;
  /** Seconds since the request before. Default: 0. */
  readonly seconds?: number;
}

export interface Mistake {
  /** The requests; the last one has the mistake. */
  readonly steps: readonly Step[];
  /** The options of the server. Default: demo clients only. */
  readonly options?: LatchkeyOptions;
}

/** The issuer of the examples. */
export const issuer = "http://localhost:9000";

const redirect_uri = `${issuer}/authorized`;

/** An authorization request of the public demo client. Verifier and challenge are those of RFC 7636, Appendix B. */
const loginFields = {
  response_type: "code",
  client_id: "demo-public",
  redirect_uri,
  scope: "openid",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
};

/** The token request of the public demo client. */
const exchangeFields = {
  grant_type: "authorization_code",
  client_id: "demo-public",
  redirect_uri,
  code: "$code",
  code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
};

type Extra = Partial<Pick<Step, "headers" | "body" | "seconds" | "from">>;

const post = (path: string, fields: Fields = {}, extra: Extra = {}): Step => ({
  to: `POST /oauth2/${path}`,
  fields,
  ...extra,
});
const login = (fields: Fields = {}): Step => ({ to: "GET /oauth2/authorize", fields, from: loginFields });
const exchange = (fields: Fields = {}, extra?: Extra) => post("token", fields, { from: exchangeFields, ...extra });
const refresh = (fields: Fields = {}, extra?: Extra) =>
  post("token", fields, {
    from: { grant_type: "refresh_token", client_id: "demo-public", refresh_token: "$refresh_token" },
    ...extra,
  });

const authorize = (fields: Fields, options?: LatchkeyOptions): Mistake => ({ steps: [login(fields)], options });
const token = (fields: Fields, extra?: Extra): Mistake => ({ steps: [login(), exchange(fields, extra)] });
const one = (step: Step, options?: LatchkeyOptions): Mistake => ({ steps: [step], options });

const secret = { client_id: "demo-confidential", client_secret: "demo-secret" };
const basic = (credentials: string) => ({ headers: { authorization: `Basic ${btoa(credentials)}` } });
const json = { headers: { "content-type": "application/json" } };
/** The public demo client with other metadata. */
const client = (metadata: object): LatchkeyOptions => ({
  clients: [{ client_id: "demo-public", redirect_uris: [redirect_uri], ...metadata }],
});
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
const deviceOptions: LatchkeyOptions = {
  login: "interactive",
  deviceAuthorization: true,
  clients: [
    { client_id: "demo-tv", token_endpoint_auth_method: "none", grant_types: [deviceGrant] },
    { client_id: "demo-printer", token_endpoint_auth_method: "none", grant_types: [deviceGrant] },
  ],
};
const cibaGrant = "urn:openid:params:grant-type:ciba";
const cibaOptions: LatchkeyOptions = {
  backchannelAuthentication: true,
  clients: [{ ...secret, grant_types: [cibaGrant] }],
};
const ciba = (fields: Fields) =>
  one(
    post("backchannel_authentication", fields, { from: { ...secret, scope: "openid", login_hint: "alice" } }),
    cibaOptions,
  );
const exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";
const tokenExchange = (fields: Fields) =>
  one(
    post("token", fields, {
      from: { ...secret, grant_type: exchangeGrant, subject_token: "unknown", subject_token_type: accessTokenType },
    }),
    { tokenExchange: {}, clients: [{ ...secret, grant_types: [exchangeGrant] }] },
  );
const jwtGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const jwtBearer = (fields: Fields) =>
  one(post("token", fields, { from: { ...secret, grant_type: jwtGrant } }), {
    trustedIssuers: [{ issuer: "https://idp.example", users: "sub", jwks_uri: "https://idp.example/jwks" }],
    clients: [{ ...secret, grant_types: [jwtGrant] }],
  });
const details = (objects: unknown, options?: LatchkeyOptions) =>
  authorize({ authorization_details: typeof objects === "string" ? objects : JSON.stringify(objects) }, {
    authorizationDetails: { payment: { schema: {} } },
    ...options,
  });
const registration = (metadata: unknown) =>
  one(post("register", {}, { ...json, body: JSON.stringify(metadata) }), { registration: { mode: "open" } });

/** A mistake for each rule that is broken without a key, a page or another server. */
export const mistakes: Readonly<Partial<Record<RejectionRuleId, Mistake>>> = {
  "AZ-02": authorize({ client_id: "demo-pubilc" }),
  "AZ-06": authorize({ redirect_uri: [redirect_uri, redirect_uri] }),
  "AZ-07": authorize({ scope: ["openid", "read"] }),
  "AZ-09": authorize({ response_type: "token" }),
  "AZ-11": authorize(
    { client_id: "demo-confidential" },
    client({ ...secret, grant_types: ["client_credentials"] }),
  ),
  "AZ-13": authorize({ state: "s".repeat(5000) }),
  "AZ-15": authorize({ scope: 'read"' }),
  "AZ-16": authorize({ scope: undefined }, { scopes: ["api"] }),
  "AZ-17": authorize({ scope: "raed" }),
  "AZ-19": authorize({ response_mode: "fragment" }),
  "RU-01": authorize({ redirect_uri: `${redirect_uri}/` }),
  "RU-06": authorize(
    { redirect_uri: undefined, scope: "read" },
    client({ redirect_uris: [redirect_uri, "http://localhost:3000/callback"] }),
  ),
  "RU-07": authorize({ redirect_uri: undefined }),
  "PK-01": authorize({ code_challenge: undefined, code_challenge_method: undefined }),
  "PK-02": authorize(
    { client_id: "demo-confidential", code_challenge: undefined, code_challenge_method: undefined },
    { pkce: { requireForConfidential: true } },
  ),
  "PK-04": authorize({ code_challenge_method: "plain" }),
  "PK-05": authorize({ code_challenge_method: undefined }, { pkce: { requireMethod: true } }),
  "PK-06": authorize({ client_id: "demo-confidential", code_challenge: undefined }),
  "PK-07": authorize({ code_challenge: "short" }),
  "FP-03": authorize({ response_mode: "form_post", state: "one\ntwo" }),
  "OI-03": authorize({ prompt: "none" }, { login: "interactive" }),
  "OI-05": authorize({ max_age: "long" }),
  "OI-06": authorize({ login_hint: "crol" }, { unknownLoginHint: "reject" }),
  "OI-07": authorize({ id_token_hint: "unknown" }),
  "OI-08": authorize({ claims: "name" }),
  "ST-08": authorize({ claims: '{"id_token":{"acr":{"essential":true,"value":"gold"}}}' }),
  "RA-02": details("payment"),
  "RA-03": details([{ type: "transfer" }]),
  "RA-04": details([{ type: "payment", actions: "pay" }]),
  "RA-05": details([{ type: "payment" }], client({ authorization_details_types: [] })),
  "JR-01": authorize({ request_uri: "https://client.example/request" }),
  "JR-05": authorize({ request: undefined }, { requireSignedRequestObject: true }),
  "PA-06": authorize({ request_uri: "urn:ietf:params:oauth:request_uri:unknown" }),
  "PA-07": authorize({ request_uri: undefined }, { requirePushedAuthorizationRequests: true }),
  "PA-05": {
    steps: [
      post("par", {}, { from: loginFields }),
      { ...login({ client_id: "demo-confidential", request_uri: "$request_uri" }), from: {} },
    ],
  },
  "PA-01": one(post("par", { client_id: undefined }, { from: loginFields })),
  "PA-04": one(
    post("par", { request_uri: "urn:ietf:params:oauth:request_uri:unknown" }, { from: { client_id: "demo-public" } }),
  ),
  "RI-01": authorize({ resource: "api" }),
  "MC-02": authorize({ resource: undefined }, { resourceParameter: "required", resources: [{ uri: `${issuer}/api` }] }),
  "MC-03": authorize({ client_id: "https://client.example" }, { clientIdMetadataDocuments: true }),
  "MC-05": authorize({ client_id: "https://10.0.0.1/client.json" }, { clientIdMetadataDocuments: true }),
  "DO-08": authorize({ dpop_jkt: "short" }),
  "TK-02": token({}, { body: '{"grant_type":"authorization_code"}', ...json }),
  "TK-03": one({ ...exchange({ code: "unknown" }), to: "POST /oauth2/token?code=unknown" }),
  "TK-04": token({ grant_type: ["authorization_code", "authorization_code"] }),
  "TK-05": token({ grant_type: "password" }),
  "TK-06": one(
    post("token", { ...secret, grant_type: "client_credentials" }),
    client({ ...secret, grant_types: ["authorization_code"] }),
  ),
  "TK-08": token({}, basic("demo-confidential:demo-secret")),
  "TK-14": token({ redirect_uri: undefined }),
  "TK-15": token({ redirect_uri: `${redirect_uri}/` }),
  "TK-16": token({ code: "unknown" }),
  "PK-08": token({ code_verifier: "short" }),
  "PK-09": token({ code_verifier: "a".repeat(43) }),
  "PK-10": token({ code_verifier: undefined }),
  "PK-11": {
    steps: [
      login({ client_id: secret.client_id, nonce: "n", code_challenge: undefined, code_challenge_method: undefined }),
      exchange(secret),
    ],
  },
  "CA-04": token({ client_id: undefined }, { headers: { authorization: "Basic demo-confidential" } }),
  "CA-07": token({ client_id: "demo-confidential", client_secret: "wrong" }),
  "CA-09": token({ ...secret }, basic("demo-confidential:demo-secret")),
  "CI-02": token({}, { seconds: 301 }),
  "CI-05": token(secret),
  "CI-06": { steps: [login(), exchange(), exchange()] },
  "RT-02": { steps: [login(), exchange(), refresh(secret)] },
  "RT-04": { steps: [login(), exchange(), refresh(), refresh({ refresh_token: "$first_refresh_token" })] },
  "RT-06": { steps: [login(), exchange(), refresh({ scope: "openid email" })] },
  "RT-07": { steps: [login(), exchange(), refresh({}, { seconds: 60 * 60 * 24 * 400 })] },
  "CC-02": one(post("token", { ...secret, grant_type: "client_credentials", scope: "openid" })),
  "RI-03": {
    steps: [login(), exchange({ resource: `${issuer}/api` })],
    options: { resources: [{ uri: `${issuer}/api` }] },
  },
  "RV-01": one(post("revoke", secret)),
  "IN-01": one(post("introspect", secret)),
  "BR-01": one({
    to: "POST /oauth2/userinfo",
    fields: { access_token: "unknown" },
    headers: { authorization: "Bearer unknown" },
  }),
  "BR-02": one({ to: "GET /oauth2/userinfo", fields: {}, headers: { authorization: "Bearer unknown" } }),
  "LO-02": one({ to: "GET /oauth2/logout", fields: { id_token_hint: "unknown" } }),
  "LO-03": one({
    to: "GET /oauth2/logout",
    fields: { client_id: "demo-public", post_logout_redirect_uri: "https://client.example/" },
  }),
  "DO-01": token({}, { headers: { dpop: "unknown" } }),
  "DO-06": { steps: [login(), exchange()], options: { requireSenderConstrainedTokens: true } },
  "DR-03": registration("name"),
  "DR-04": registration({ redirect_uris: ["/callback"] }),
  "DR-05": one(
    post("register", {}, { ...json, body: "{}" }),
    { registration: { initialAccessTokens: ["an-initial-access-token-of-the-operator"] } },
  ),
  "DR-06": one(
    { to: "GET /oauth2/register/unknown", fields: {}, headers: { authorization: "Bearer unknown" } },
    { registration: { mode: "open" } },
  ),
  "DR-12": one(post("register", {}, { ...json, body: "{}" }), { registration: { mode: "off" } }),
  "DV-03": one(post("token", { grant_type: deviceGrant, client_id: "demo-tv", device_code: "unknown" }), deviceOptions),
  "DV-04": {
    steps: [
      post("device_authorization", { client_id: "demo-tv" }),
      post("token", { grant_type: deviceGrant, client_id: "demo-tv", device_code: "$device_code" }),
      post("token", { grant_type: deviceGrant, client_id: "demo-tv", device_code: "$device_code" }),
    ],
    options: deviceOptions,
  },
  "DV-05": {
    steps: [
      post("device_authorization", { client_id: "demo-tv" }),
      post("token", { grant_type: deviceGrant, client_id: "demo-printer", device_code: "$device_code" }),
    ],
    options: deviceOptions,
  },
  "CB-01": ciba({ scope: "read" }),
  "CB-02": ciba({ login_hint: undefined }),
  "CB-03": one(post("token", { ...secret, grant_type: cibaGrant, auth_req_id: "unknown" }), cibaOptions),
  "CB-08": ciba({ binding_message: "x".repeat(200) }),
  "CB-09": ciba({ requested_expiry: "long" }),
  "TX-01": tokenExchange({ subject_token: "unknown" }),
  "TX-02": tokenExchange({ requested_token_type: "urn:ietf:params:oauth:token-type:saml2" }),
  "JB-01": jwtBearer({ assertion: undefined }),
  "HT-08": authorize({ state: "s".repeat(20_000) }),
  "HT-01": one({ to: "GET /oauth2/tokens", fields: {} }),
  "HT-10": one({ to: "GET /oauth2/authorize?client_id=%FF", fields: {} }),
  "HT-13": token({}, { headers: { "content-encoding": "gzip" } }),
};
