/**
 * The requests that are recorded, as data. `record.ts` plays them at every server of `servers.ts`: each request of
 * each endpoint as it is, then with each parameter missing, empty, repeated and wrong, then with other methods, headers
 * and client authentication.
 *
 * A value such as `{code}` is made by the requests before it that a correct client sends; `Fields` are form-encoded.
 */

/** Parameters of a request. A value may be a list, for repeated ones. */
export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** How a client of `servers.ts` authenticates. */
export interface Authentication {
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fields?: Fields;
}

export interface RecordedRequest {
  readonly name: string;
  readonly client: string;
  readonly fields: Fields;
  /** Parameters that it lacks, with valid values. */
  readonly optional?: Fields;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RecordedEndpoint {
  readonly name: string;
  /** The member of metadata with its URL. */
  readonly metadata?: string;
  /** Its path below the issuer, if metadata does not have it. */
  readonly path: string;
  readonly method: "GET" | "POST";
  /** Whether clients authenticate. */
  readonly authenticates?: boolean;
  /** Whether a browser with a session calls it. */
  readonly inBrowser?: boolean;
  readonly requests: readonly RecordedRequest[];
  /** Further wrong values of parameters. */
  readonly wrong?: Readonly<Record<string, readonly string[]>>;
}

/** RFC 7636, Appendix B. */
export const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
export const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });

/** How each client authenticates. */
export const authentication: Readonly<Record<string, Authentication>> = {
  spa: { name: "none", fields: { client_id: "spa" } },
  two: { name: "none", fields: { client_id: "two" } },
  native: { name: "none", fields: { client_id: "native" } },
  web: { name: "basic", headers: basic("web", "web-secret") },
  poster: { name: "post", fields: { client_id: "poster", client_secret: "poster-secret" } },
  limited: { name: "basic", headers: basic("limited", "limited-secret") },
  machine: { name: "basic", headers: basic("machine", "machine-secret") },
  keyed: { name: "key", fields: assertion("{assertion:keyed}") },
};

function assertion(value: string): Fields {
  return {
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: value,
  };
}

/** Other ways to authenticate, right and wrong, instead of that of the client. */
export const authentications: readonly Authentication[] = [
  { name: "nothing" },
  { name: "only an id", fields: { client_id: "web" } },
  { name: "an empty id", fields: { client_id: "" } },
  { name: "an unknown id", fields: { client_id: "unknown" } },
  { name: "basic, wrong secret", headers: basic("web", "wrong") },
  { name: "basic, unknown client", headers: basic("unknown", "web-secret") },
  { name: "basic, public client", headers: basic("spa", "secret") },
  { name: "basic, empty secret", headers: basic("web", "") },
  { name: "basic, public client, empty secret", headers: basic("spa", "") },
  { name: "basic, expired secret", headers: basic("expired", "expired-secret") },
  { name: "basic, client of post", headers: basic("poster", "poster-secret") },
  { name: "basic, not base64", headers: { authorization: "Basic %%%" } },
  { name: "basic, no colon", headers: { authorization: `Basic ${btoa("web")}` } },
  { name: "basic, broken percent", headers: basic("web", "%zz") },
  { name: "basic, not UTF-8", headers: { authorization: `Basic ${btoa("web:\xff\xfe")}` } },
  { name: "basic, no credentials", headers: { authorization: "Basic" } },
  { name: "basic, small letters", headers: { authorization: `basic  ${btoa("web:web-secret")}` } },
  { name: "basic, another id in the body", headers: basic("web", "web-secret"), fields: { client_id: "spa" } },
  { name: "basic, the id in the body", headers: basic("web", "web-secret"), fields: { client_id: "web" } },
  {
    name: "basic and post",
    headers: basic("web", "web-secret"),
    fields: { client_id: "web", client_secret: "web-secret" },
  },
  { name: "post", fields: { client_id: "web", client_secret: "web-secret" } },
  { name: "post, wrong secret", fields: { client_id: "poster", client_secret: "wrong" } },
  { name: "post, no id", fields: { client_secret: "poster-secret" } },
  { name: "post, public client", fields: { client_id: "spa", client_secret: "secret" } },
  { name: "post, repeated", fields: { client_id: "poster", client_secret: ["poster-secret", "poster-secret"] } },
  { name: "post, long secret", fields: { client_id: "poster", client_secret: "x".repeat(5000) } },
  { name: "bearer", headers: { authorization: "Bearer abc" } },
  { name: "unknown scheme", headers: { authorization: "Digest abc" } },
  { name: "empty header", headers: { authorization: "" } },
  { name: "key", fields: assertion("{assertion:keyed}") },
  { name: "key, with the id", fields: { ...assertion("{assertion:keyed}"), client_id: "keyed" } },
  { name: "key, another id", fields: { ...assertion("{assertion:keyed}"), client_id: "web" } },
  { name: "key and basic", headers: basic("web", "web-secret"), fields: assertion("{assertion:keyed}") },
  { name: "key, unknown client", fields: assertion("{assertion:unknown}") },
  { name: "key, client with a secret", fields: assertion("{assertion:web}") },
  { name: "key, expired", fields: assertion("{assertion:keyed,exp=-60}") },
  { name: "key, lives too long", fields: assertion("{assertion:keyed,exp=999999}") },
  { name: "key, not yet valid", fields: assertion("{assertion:keyed,nbf=600}") },
  { name: "key, another audience", fields: assertion("{assertion:keyed,aud=https://other.example}") },
  { name: "key, no jti", fields: assertion("{assertion:keyed,jti=}") },
  { name: "key, another issuer", fields: assertion("{assertion:keyed,iss=web}") },
  { name: "key, no subject", fields: assertion("{assertion:keyed,sub=}") },
  { name: "key, broken signature", fields: assertion("{assertion:keyed}AAAA") },
  { name: "key, no JWT", fields: assertion("abc") },
  { name: "key, unsigned", fields: assertion("eyJhbGciOiJub25lIn0.e30.") },
  { name: "key, no type", fields: { client_assertion: "{assertion:keyed}" } },
  { name: "key, unknown type", fields: { client_assertion: "{assertion:keyed}", client_assertion_type: "jwt" } },
  { name: "key, no assertion", fields: { client_assertion_type: assertion("").client_assertion_type! } },
];

const login: Fields = {
  response_type: "code",
  scope: "openid read",
  state: "st4te",
  code_challenge: challenge,
  code_challenge_method: "S256",
};

const spaLogin: Fields = { ...login, client_id: "spa", redirect_uri: "https://spa.example/cb" };
const webLogin: Fields = { ...login, client_id: "web", redirect_uri: "https://web.example/cb" };
const keyedLogin: Fields = { ...login, client_id: "keyed", redirect_uri: "https://keyed.example/cb" };

/** The authorization request of each client that logs users in. */
export const logins: Readonly<Record<string, Fields>> = {
  spa: { ...spaLogin, scope: "openid read profile email" },
  web: { ...webLogin, scope: "openid read profile email" },
  keyed: { ...keyedLogin, scope: "openid read profile email" },
  poster: { ...login, client_id: "poster", redirect_uri: "https://poster.example/cb" },
};

const optionalOfLogin: Fields = {
  nonce: "n0nce",
  prompt: "none",
  max_age: "3600",
  login_hint: "bob",
  id_token_hint: "{id_token}",
  response_mode: "query",
  resource: "https://api.example",
  acr_values: "silver",
  ui_locales: "de en",
  display: "page",
  claims: '{"userinfo":{"email":{"essential":true}},"id_token":{"acr":{"values":["silver"]}}}',
  authorization_details: '[{"type":"payment","amount":"1.00","currency":"EUR"}]',
  request: "{request_object:spa}",
  request_uri: "{request_uri}",
  dpop_jkt: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
  audience: "https://api.example",
  registration: "{}",
  access_type: "offline",
  client_secret: "web-secret",
};

const wrongInLogin: Readonly<Record<string, readonly string[]>> = {
  response_type: ["token", "id_token", "code token", "code  id_token", "id_token code", "none", "unknown"],
  client_id: ["unknown", "SPA", "https://client.example/metadata", "http://client.example/metadata", "two", "machine"],
  redirect_uri: [
    "https://spa.example/other",
    "https://spa.example/cb/",
    "https://SPA.example/cb",
    "https://spa.example/cb?x=1",
    "https://spa.example/cb#x",
    "http://spa.example/cb",
    "https://evil.example/cb",
    "javascript:alert(1)",
    "/cb",
    "urn:ietf:wg:oauth:2.0:oob",
  ],
  scope: ["openid unknown", "unknown", "read\tx", "openid  read", "offline_access", "openid offline_access", "opénid"],
  state: ["x".repeat(1024), "<script>", '"quoted"', "a b", "{id_token}"],
  code_challenge: ["short", verifier, "x".repeat(44), "!".repeat(43), "{code}"],
  code_challenge_method: ["plain", "s256", "S512"],
  prompt: ["login", "consent", "select_account", "create", "none login", "login consent", "unknown"],
  max_age: ["0", "-1", "1.5", "ten", "99999999999999999999"],
  login_hint: ["unknown", "alice", "alice@example.com", "<b>"],
  id_token_hint: ["abc", "{access_token}", "{id_token}x"],
  response_mode: ["fragment", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt", "unknown"],
  resource: ["https://other.example", "https://api.example#x", "relative", "https://opaque.example"],
  acr_values: ["gold", "silver gold", "unknown"],
  claims: ["{", "[]", '{"id_token":1}', '{"id_token":{"acr":{"essential":true,"value":"gold"}}}', '{"x":{}}'],
  authorization_details: [
    "{",
    "{}",
    "[]",
    "[1]",
    '[{"type":"unknown"}]',
    '[{"type":"payment"}]',
    '[{"type":"payment","amount":1}]',
  ],
  request: [
    "abc",
    "eyJhbGciOiJub25lIn0.e30.",
    "{request_object:keyed}",
    "{request_object:spa,iss=web}",
    "{request_object:spa,exp=-60}",
    "{request_object:spa}AAAA",
  ],
  request_uri: ["https://client.example/request", "urn:ietf:params:oauth:request_uri:unknown", "urn:x", "relative"],
  dpop_jkt: ["short", "x".repeat(43)],
  display: ["popup", "unknown"],
};

const tokenGrant = (grant_type: string, fields: Fields): Fields => ({ grant_type, ...fields });
const code = (client: string) =>
  tokenGrant("authorization_code", {
    code: `{code:${client}}`,
    redirect_uri: `https://${client}.example/cb`,
    code_verifier: verifier,
  });
const refresh = (client: string) => tokenGrant("refresh_token", { refresh_token: `{refresh_token:${client}}` });

const optionalOfToken: Fields = {
  scope: "openid",
  resource: "https://api.example",
  audience: "https://api.example",
  authorization_details: '[{"type":"payment","amount":"1.00","currency":"EUR"}]',
  username: "alice",
  password: "alice-password",
};

const tokenValues: readonly string[] = [
  "unknown",
  "{code:spa}",
  "{refresh_token:spa}",
  "{access_token:spa}",
  "{access_token:web}",
  "{access_token:web}x",
  "{id_token:spa}",
  "eyJhbGciOiJub25lIn0.e30.",
  "a b",
];

const urn = "urn:ietf:params:oauth:token-type";

export const endpoints: readonly RecordedEndpoint[] = [
  {
    name: "authorize",
    metadata: "authorization_endpoint",
    path: "/oauth2/authorize",
    method: "GET",
    inBrowser: true,
    requests: [
      { name: "public", client: "spa", fields: spaLogin, optional: optionalOfLogin },
      {
        name: "confidential",
        client: "web",
        fields: { ...webLogin, nonce: "n0nce", login_hint: "alice" },
        optional: {
          prompt: "none",
          request: "{request_object:web}",
          request_uri: "{request_uri:web}",
          code: "{code:web}",
        },
      },
      { name: "keyed", client: "keyed", fields: keyedLogin, optional: { request_uri: "{request_uri:keyed}" } },
      { name: "without openid", client: "web", fields: { ...webLogin, scope: "read" } },
      {
        name: "several redirect URIs",
        client: "two",
        fields: { ...login, client_id: "two", redirect_uri: "https://two.example/b?x=1" },
      },
      {
        name: "native, another port",
        client: "native",
        fields: { ...login, client_id: "native", redirect_uri: "http://127.0.0.1:1234/cb" },
      },
      {
        name: "native, private scheme",
        client: "native",
        fields: { ...login, client_id: "native", redirect_uri: "com.example.app:/cb" },
      },
      {
        name: "limited",
        client: "limited",
        fields: { ...login, client_id: "limited", redirect_uri: "https://limited.example/cb", scope: "read" },
      },
      { name: "form_post", client: "web", fields: { ...webLogin, response_mode: "form_post" } },
      { name: "id_token", client: "web", fields: { ...webLogin, response_type: "id_token", nonce: "n0nce" } },
      { name: "hybrid", client: "web", fields: { ...webLogin, response_type: "code id_token", nonce: "n0nce" } },
    ],
    wrong: wrongInLogin,
  },
  {
    name: "token",
    metadata: "token_endpoint",
    path: "/oauth2/token",
    method: "POST",
    authenticates: true,
    requests: [
      { name: "code, public", client: "spa", fields: code("spa"), optional: optionalOfToken },
      { name: "code, confidential", client: "web", fields: code("web") },
      { name: "code, post", client: "poster", fields: code("poster") },
      { name: "code, keyed", client: "keyed", fields: code("keyed") },
      { name: "refresh, public", client: "spa", fields: refresh("spa"), optional: optionalOfToken },
      { name: "refresh, confidential", client: "web", fields: refresh("web") },
      {
        name: "client credentials",
        client: "machine",
        fields: tokenGrant("client_credentials", {}),
        optional: optionalOfToken,
      },
      { name: "client credentials, web", client: "web", fields: tokenGrant("client_credentials", { scope: "read" }) },
      { name: "client credentials, public", client: "spa", fields: tokenGrant("client_credentials", {}) },
      { name: "password", client: "web", fields: tokenGrant("password", { username: "alice", password: "x" }) },
      {
        name: "device",
        client: "web",
        fields: tokenGrant("urn:ietf:params:oauth:grant-type:device_code", { device_code: "{device_code:web}" }),
      },
      {
        name: "ciba",
        client: "web",
        fields: tokenGrant("urn:openid:params:grant-type:ciba", { auth_req_id: "{auth_req_id:web}" }),
      },
      {
        name: "exchange",
        client: "web",
        fields: tokenGrant("urn:ietf:params:oauth:grant-type:token-exchange", {
          subject_token: "{access_token:web}",
          subject_token_type: `${urn}:access_token`,
        }),
        optional: {
          ...optionalOfToken,
          actor_token: "{access_token:web}",
          actor_token_type: `${urn}:access_token`,
          requested_token_type: `${urn}:access_token`,
        },
      },
      {
        name: "assertion",
        client: "web",
        fields: tokenGrant("urn:ietf:params:oauth:grant-type:jwt-bearer", { assertion: "{grant_assertion}" }),
        optional: optionalOfToken,
      },
      {
        name: "client credentials, DPoP",
        client: "web",
        fields: tokenGrant("client_credentials", { scope: "read" }),
        headers: { dpop: "{proof:POST}" },
      },
      {
        name: "code, DPoP",
        client: "spa",
        fields: code("spa"),
        headers: { dpop: "{proof:POST}" },
      },
      ...["", "abc", "{proof:GET}", "{proof:POST,htu=https://other.example}", "{proof:POST,iat=-600}", "{proof:POST}x"]
        .map(
          (dpop, i) => ({
            name: `wrong DPoP ${i}`,
            client: "web",
            fields: tokenGrant("client_credentials", { scope: "read" }),
            headers: { dpop },
          }),
        ),
    ],
    wrong: {
      grant_type: ["unknown", "implicit", "Authorization_Code", "refresh_token", "client_credentials"],
      code: ["unknown", "{code:web}", "{refresh_token:spa}", "{used_code:spa}"],
      redirect_uri: ["https://spa.example/other", "https://spa.example/cb/", "relative"],
      code_verifier: ["short", "x".repeat(43), "x".repeat(129), "!".repeat(43), challenge],
      refresh_token: ["unknown", "{refresh_token:web}", "{access_token:spa}", "{code:spa}", "{used_refresh_token:spa}"],
      scope: ["read", "openid write", "unknown", "openid read profile email", 'a"b', "offline_access"],
      resource: ["https://other.example", "relative", "https://opaque.example"],
      authorization_details: ["{", "[]", '[{"type":"payment","amount":"2.00"}]', '[{"type":"unknown"}]'],
      device_code: ["unknown", "{code:web}"],
      auth_req_id: ["unknown", "{code:web}"],
      subject_token: tokenValues,
      subject_token_type: ["unknown", `${urn}:id_token`, `${urn}:refresh_token`, `${urn}:jwt`],
      requested_token_type: [`${urn}:id_token`, `${urn}:refresh_token`, `${urn}:id-jag`, "unknown"],
      assertion: [
        "abc",
        "{grant_assertion,exp=-60}",
        "{grant_assertion,sub=unknown}",
        "{grant_assertion,aud=x}",
        "{grant_assertion,iss=x}",
      ],
    },
  },
  {
    name: "introspect",
    metadata: "introspection_endpoint",
    path: "/oauth2/introspect",
    method: "POST",
    authenticates: true,
    requests: [
      {
        name: "access token",
        client: "web",
        fields: { token: "{access_token:web}" },
        optional: { token_type_hint: "access_token" },
      },
      {
        name: "refresh token",
        client: "web",
        fields: { token: "{refresh_token:web}" },
        optional: { token_type_hint: "refresh_token" },
      },
      {
        name: "as JWT",
        client: "web",
        fields: { token: "{access_token:web}" },
        headers: { accept: "application/token-introspection+jwt" },
      },
      { name: "public", client: "spa", fields: { token: "{access_token:spa}" } },
      { name: "keyed", client: "keyed", fields: { token: "{access_token:keyed}" } },
    ],
    wrong: { token: tokenValues, token_type_hint: ["unknown", "id_token"] },
  },
  {
    name: "revoke",
    metadata: "revocation_endpoint",
    path: "/oauth2/revoke",
    method: "POST",
    authenticates: true,
    requests: [
      {
        name: "access token",
        client: "web",
        fields: { token: "{access_token:web}" },
        optional: { token_type_hint: "access_token" },
      },
      {
        name: "refresh token",
        client: "web",
        fields: { token: "{refresh_token:web}" },
        optional: { token_type_hint: "refresh_token" },
      },
      { name: "public", client: "spa", fields: { token: "{refresh_token:spa}" } },
    ],
    wrong: { token: tokenValues, token_type_hint: ["unknown", "id_token"] },
  },
  {
    name: "userinfo",
    metadata: "userinfo_endpoint",
    path: "/oauth2/userinfo",
    method: "GET",
    requests: [
      {
        name: "header",
        client: "web",
        fields: {},
        headers: { authorization: "Bearer {access_token:web}" },
        optional: { access_token: "{access_token:web}" },
      },
      { name: "query", client: "web", fields: { access_token: "{access_token:web}" } },
      { name: "nothing", client: "web", fields: {} },
      {
        name: "without openid",
        client: "web",
        fields: {},
        headers: { authorization: "Bearer {access_token:machine}" },
      },
      ...[...tokenValues, ""].map((token) => ({
        name: `wrong token ${token}`,
        client: "web",
        fields: {},
        headers: { authorization: `Bearer ${token}` },
      })),
      ...[
        "Basic abc",
        "bearer  {access_token:web}",
        "Bearer",
        "DPoP {access_token:web}",
        "Bearer a, Bearer b",
        "{access_token:web}",
      ].map(
        (authorization) => ({ name: authorization, client: "web", fields: {}, headers: { authorization } }),
      ),
      {
        name: "DPoP",
        client: "web",
        fields: {},
        headers: { authorization: "DPoP {access_token:web}", dpop: "{proof:GET}" },
      },
    ],
  },
  {
    name: "userinfo by form",
    metadata: "userinfo_endpoint",
    path: "/oauth2/userinfo",
    method: "POST",
    requests: [
      { name: "form", client: "web", fields: { access_token: "{access_token:web}" } },
      {
        name: "form and header",
        client: "web",
        fields: { access_token: "{access_token:web}" },
        headers: { authorization: "Bearer {access_token:web}" },
      },
    ],
    wrong: { access_token: tokenValues },
  },
  {
    name: "par",
    metadata: "pushed_authorization_request_endpoint",
    path: "/oauth2/par",
    method: "POST",
    authenticates: true,
    requests: [
      { name: "public", client: "spa", fields: spaLogin, optional: optionalOfLogin },
      { name: "confidential", client: "web", fields: webLogin, optional: { request: "{request_object:web}" } },
      { name: "keyed", client: "keyed", fields: keyedLogin, optional: { request: "{request_object:keyed}" } },
    ],
    wrong: wrongInLogin,
  },
  {
    name: "device",
    metadata: "device_authorization_endpoint",
    path: "/oauth2/device_authorization",
    method: "POST",
    authenticates: true,
    requests: [
      {
        name: "confidential",
        client: "web",
        fields: { scope: "openid read" },
        optional: { resource: "https://api.example", nonce: "n0nce" },
      },
      { name: "public", client: "spa", fields: { scope: "openid" } },
    ],
    wrong: { scope: ["unknown", 'a"b'], resource: ["relative", "https://other.example"] },
  },
  {
    name: "ciba",
    metadata: "backchannel_authentication_endpoint",
    path: "/oauth2/backchannel_authentication",
    method: "POST",
    authenticates: true,
    requests: [
      {
        name: "confidential",
        client: "web",
        fields: { scope: "openid", login_hint: "alice", binding_message: "W4SCT" },
        optional: {
          id_token_hint: "{id_token:web}",
          login_hint_token: "abc",
          requested_expiry: "60",
          acr_values: "silver",
          user_code: "1234",
          client_notification_token: "abc",
          request: "{request_object:web}",
        },
      },
      { name: "public", client: "spa", fields: { scope: "openid", login_hint: "alice" } },
    ],
    wrong: {
      scope: ["unknown", "read"],
      login_hint: ["unknown"],
      requested_expiry: ["0", "x", "99999999"],
      id_token_hint: ["abc", "{access_token:web}"],
      binding_message: ["x".repeat(300), "é"],
    },
  },
  {
    name: "logout",
    metadata: "end_session_endpoint",
    path: "/oauth2/logout",
    method: "GET",
    inBrowser: true,
    requests: [
      {
        name: "with a hint",
        client: "web",
        fields: {
          id_token_hint: "{id_token:web}",
          post_logout_redirect_uri: "https://web.example/bye",
          state: "st4te",
        },
        optional: { client_id: "web", logout_hint: "alice", ui_locales: "de" },
      },
      { name: "nothing", client: "web", fields: {} },
    ],
    wrong: {
      id_token_hint: ["abc", "{access_token:web}", "{id_token:spa}"],
      post_logout_redirect_uri: ["https://evil.example/", "relative", "https://web.example/bye/"],
      client_id: ["spa", "unknown"],
    },
  },
  {
    name: "jwks",
    metadata: "jwks_uri",
    path: "/oauth2/jwks",
    method: "GET",
    requests: [{ name: "keys", client: "spa", fields: {} }],
  },
  ...[
    "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource",
    "/.well-known/webfinger",
    "/.well-known/ssf-configuration",
    "/",
    "/start",
    "/authorized",
    "/account",
    "/device",
    "/oauth2/login",
    "/oauth2/consent",
    "/oauth2/select_account",
    "/oauth2/register/unknown",
    "/backchannel",
    "/ssf/stream",
    "/ssf/status",
    "/unknown",
    "/oauth2",
    "/oauth2/token/",
    "//oauth2/token",
    "/%6Fauth2/token",
    "/favicon.ico",
  ].map((path): RecordedEndpoint => ({
    name: path,
    path,
    method: "GET",
    inBrowser: true,
    requests: [{
      name: "page",
      client: "spa",
      fields: {},
      optional: {
        code: "{code:spa}",
        state: "st4te",
        error: "access_denied",
        user_code: "BCDF-GHJK",
        iss: "x",
        client_id: "spa",
        request_id: "x",
      },
    }],
  })),
];

/** Registrations (RFC 7591), by their JSON. */
export const registrations: readonly string[] = [
  "",
  "{",
  "[]",
  "null",
  "{}",
  ...[
    { redirect_uris: ["https://new.example/cb"], client_name: "New" },
    {
      redirect_uris: ["https://new.example/cb"],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code"],
    },
    { redirect_uris: [] },
    { redirect_uris: "https://new.example/cb" },
    { redirect_uris: ["relative"] },
    { redirect_uris: ["https://new.example/cb#x"] },
    { redirect_uris: ["http://new.example/cb"] },
    { redirect_uris: ["javascript:alert(1)"] },
    { redirect_uris: ["https://new.example/cb"], grant_types: ["client_credentials"] },
    { redirect_uris: ["https://new.example/cb"], grant_types: ["unknown"] },
    { redirect_uris: ["https://new.example/cb"], response_types: ["token"] },
    { redirect_uris: ["https://new.example/cb"], token_endpoint_auth_method: "unknown" },
    { redirect_uris: ["https://new.example/cb"], token_endpoint_auth_method: "private_key_jwt" },
    { redirect_uris: ["https://new.example/cb"], jwks: { keys: [] }, jwks_uri: "https://new.example/jwks" },
    { redirect_uris: ["https://new.example/cb"], scope: "unknown" },
    { redirect_uris: ["https://new.example/cb"], scope: 1 },
    { redirect_uris: ["https://new.example/cb"], software_statement: "abc" },
    { redirect_uris: ["https://new.example/cb"], client_secret: "mine", client_id: "mine" },
    { redirect_uris: ["https://new.example/cb"], subject_type: "pairwise", application_type: "native" },
    { redirect_uris: ["https://new.example/cb"], client_name: "x".repeat(5000) },
  ].map((metadata) => JSON.stringify(metadata)),
];

/** What a browser, a client and a script accept. */
export const accepts: readonly (string | undefined)[] = [
  "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "application/json",
  "*/*",
  "text/plain",
  undefined,
];

export const methods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export const form = "application/x-www-form-urlencoded";

export const contentTypes: readonly (string | undefined)[] = [
  form,
  "Application/X-WWW-Form-Urlencoded; charset=UTF-8",
  `${form}; charset=iso-8859-1`,
  "application/json",
  "multipart/form-data; boundary=x",
  "text/plain",
  "",
  undefined,
];

/** Headers that change how a request is treated. */
export const otherHeaders: readonly Readonly<Record<string, string>>[] = [
  { origin: "https://spa.example" },
  { origin: "null" },
  { origin: "http://localhost:9000" },
  { origin: "https://spa.example", "access-control-request-method": "POST", "access-control-request-headers": "dpop" },
  { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
  { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
  { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
  { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
  { host: "evil.example" },
  { host: "localhost:9000" },
  { "x-forwarded-for": "1.2.3.4", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
  { "if-none-match": "*" },
  { "accept-language": "de" },
  { cookie: "x=1; __Host-latchkey_session=abc; __Host-latchkey_login=abc" },
];

/** Bodies that are no form. */
export const bodies: readonly string[] = [
  "",
  "grant_type",
  "%",
  "grant_type=%zz",
  "a=%ff%fe",
  "=x",
  "&&&",
  "a=1&a=2",
  `a=${"x".repeat(2_000_000)}`,
  "{}",
  '{"grant_type":"client_credentials"}',
  "a=1&".repeat(5000),
];
