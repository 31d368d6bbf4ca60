/** The servers whose responses are recorded: the core, and the whole server with many settings. */

import { scryptSync } from "node:crypto";
import { core, type CoreOptions } from "../../src/core/mod.ts";
import { latchkey, type LatchkeyOptions, type Settings } from "../../src/mod.ts";

/** Key pairs of RFC 8032 §7.1, tests 1 and 2: one of the clients, one of the servers. */
export const clientKey = {
  kty: "OKP",
  crv: "Ed25519",
  kid: "client-key",
  d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
};
export const serverKey = {
  kty: "OKP",
  crv: "Ed25519",
  d: "TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs",
  x: "PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw",
};

const { d: _private, ...publicKey } = clientKey;
const jwks = { keys: [{ ...publicKey, use: "sig", alg: "EdDSA" }] };

export const issuer = "http://localhost:9000";

const loginGrants = ["authorization_code", "refresh_token"];
const grants = [...loginGrants, "client_credentials"];

export const clients: CoreOptions["clients"] = [
  { client_id: "spa", client_name: "Single page", redirect_uris: ["https://spa.example/cb"], grant_types: loginGrants },
  { client_id: "two", redirect_uris: ["https://two.example/a", "https://two.example/b?x=1"] },
  { client_id: "native", redirect_uris: ["http://127.0.0.1/cb", "com.example.app:/cb"], application_type: "native" },
  { client_id: "web", client_secret: "web-secret", redirect_uris: ["https://web.example/cb"], grant_types: grants },
  {
    client_id: "poster",
    client_secret: "poster-secret",
    token_endpoint_auth_method: "client_secret_post",
    redirect_uris: ["https://poster.example/cb"],
    grant_types: grants,
  },
  {
    client_id: "limited",
    client_secret: "limited-secret",
    redirect_uris: ["https://limited.example/cb"],
    scope: "read",
    response_modes: ["query"],
    require_pkce: true,
    default_max_age: 60,
  },
  {
    client_id: "expired",
    client_secret: "expired-secret",
    client_secret_expires_at: 1,
    grant_types: ["client_credentials"],
  },
  { client_id: "machine", client_secret: "machine-secret", grant_types: ["client_credentials"], scope: "read write" },
];

const polled = ["urn:ietf:params:oauth:grant-type:device_code", "urn:openid:params:grant-type:ciba"];
const exchanged = [
  "implicit",
  "urn:ietf:params:oauth:grant-type:token-exchange",
  "urn:ietf:params:oauth:grant-type:jwt-bearer",
];

const hostedClients: NonNullable<LatchkeyOptions["clients"]> = [
  ...clients.map((client) =>
    client.client_id === "web"
      ? {
        ...client,
        post_logout_redirect_uris: ["https://web.example/bye"],
        serves: ["https://api.example"],
        policy_uri: "https://web.example/policy",
      }
      : client
  ),
  { client_id: "keyed", jwks, redirect_uris: ["https://keyed.example/cb"], grant_types: grants },
  {
    client_id: "secret-jwt",
    client_secret: "a secret of more than thirty-two characters",
    token_endpoint_auth_method: "client_secret_jwt",
    redirect_uris: ["https://secret-jwt.example/cb"],
  },
];

const users = [
  { sub: "alice", name: "Alice", email: "alice@example.com", email_verified: true },
  { sub: "bob", name: "Bob", email: "bob@example.com" },
];

/** The users, whose password is `SUB-password`. On a real host, weaker digests are rejected. */
const usersWithPasswords = users.map((user) => {
  const [salt, base64] = ["0123456789abcdef", (bytes: Uint8Array) => bytes.toBase64({ omitPadding: true })];
  const hash = scryptSync(`${user.sub}-password`, salt, 32, { N: 2 ** 13, r: 8, p: 8, maxmem: 2 ** 26 });
  return { ...user, password: `$scrypt$ln=13,r=8,p=8$${base64(new TextEncoder().encode(salt))}$${base64(hash)}` };
});

/** Many extensions switched on. */
const everything: Settings = {
  login: "interactive",
  alg: "EdDSA",
  registration: { mode: "open" },
  insecure: ["open-registration"],
  backchannelAuthentication: true,
  deviceAuthorization: true,
  clientIdMetadataDocuments: true,
  sharedSignals: true,
  tokenExchange: { targets: { "web": ["https://api.example"] } },
  resources: [{ uri: "https://api.example" }, { uri: "https://opaque.example", access_token_format: "opaque" }],
  responseTypes: ["code", "id_token", "code id_token"],
  responseModes: ["query", "fragment", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"],
  acrValues: [{ value: "silver", methods: ["password"] }, { value: "gold" }],
  clientLogout: { backChannel: true, frontChannel: true },
  authorizationDetails: {
    payment: {
      title: "Payment",
      schema: { properties: { amount: { type: "string" }, currency: { enum: ["EUR", "USD"] } }, required: ["amount"] },
      clientsWithoutUser: ["web"],
    },
  },
  trustedIssuers: [{ issuer: "https://other.example", jwks, users: "sub", clients: ["web"] }],
} as Settings;

const everyClient = hostedClients.map((client) =>
  client.client_id === "web" || client.client_id === "keyed"
    ? {
      ...client,
      grant_types: [...grants, ...polled, ...exchanged],
      response_types: ["code", "id_token", "code id_token"],
      jwks,
      ...client.client_id === "web" && {
        token_endpoint_auth_method: "client_secret_basic" as const,
        backchannel_logout_uri: "https://web.example/backchannel",
        frontchannel_logout_uri: "https://web.example/frontchannel",
      },
    }
    : client
) as typeof hostedClients;

/** How much of the list a server gets: a short list has fewer wrong values. */
export type Extent = "full" | "short";

/** What every server receives instead of chance. */
export type Fixed = Required<Pick<CoreOptions, "now" | "randomBytes">> & {
  readonly trace: (event: { readonly type: string }) => void;
};

/** A server, as far as requests need it. */
export interface Recorded {
  fetch(request: Request): Promise<Response>;
}

export interface ServerDescription {
  readonly name: string;
  readonly extent: Extent;
  readonly issuer?: string;
  create(fixed: Fixed): Promise<Recorded>;
}

function hosted(name: string, extent: Extent, settings: Settings | LatchkeyOptions): ServerDescription {
  const options: LatchkeyOptions = { issuer, clients: hostedClients, users, ...settings };
  return {
    name,
    extent,
    issuer: options.issuer,
    create: (fixed) =>
      latchkey({
        ...options,
        ...fixed,
        outbound: () => Promise.resolve(new Response("nothing", { status: 404 })),
      } as LatchkeyOptions),
  };
}

function minimal(name: string, extent: Extent, options: Partial<CoreOptions> = {}): ServerDescription {
  return {
    name,
    extent,
    issuer: options.issuer ?? issuer,
    create: (fixed) => core({ issuer, clients, users, ...fixed, ...options }),
  };
}

const approver: CoreOptions["approver"] = (request) => ({
  user: { sub: "alice", name: "Alice" },
  authTime: 1_893_456_000,
  scope: request.scope,
} as never);

const standards = ["oauth2.1", "oidc", "mcp", "fapi2-security", "fapi2-message-signing", "next-2026.11"] as const;
const clientsOf = (profile: string) =>
  profile.startsWith("fapi2")
    ? hostedClients.filter(({ client_id }) => client_id === "keyed")
    : hostedClients.filter(({ client_id }) => !["native", "limited", "machine", "secret-jwt"].includes(client_id));
const providers = ["apple", "auth0", "cognito", "entra", "github", "google", "keycloak", "okta"] as const;
const alg = "EdDSA";

export const servers: readonly ServerDescription[] = [
  minimal("core", "full", { policy: { alg } }),
  minimal("core, path", "short", { issuer: `${issuer}/tenant`, policy: { alg } }),
  minimal("core, loose", "short", {
    policy: {
      alg,
      pkce: { insecureAllowMissing: true, insecureAllowPlain: true },
      refresh: { rotateConfidential: true, grace: 10 },
      tokenRedirectUri: "optional",
    },
  }),
  minimal("core, real host", "short", { issuer: "https://as.widgets.com", policy: { alg }, approver }),
  hosted("plain", "full", { alg }),
  hosted("demo", "short", { alg, clients: undefined, users: undefined }),
  hosted("login", "short", { alg, login: "interactive" }),
  hosted("everything", "full", { ...everything, clients: everyClient }),
  hosted("real host", "short", {
    alg,
    issuer: "https://as.widgets.com",
    login: "interactive",
    users: usersWithPasswords,
  }),
  hosted("any", "short", { alg, clients: "any", users: "any", scopes: "any", redirectUris: "any" }),
  hosted("opaque", "short", { alg, accessTokenFormat: "opaque", refresh: { rotateConfidential: true, grace: 10 } }),
  hosted("path", "short", { alg, issuer: `${issuer}/tenant` }),
  hosted("from host", "short", { alg, issuer: "from-host" }),
  hosted("loose", "short", {
    alg,
    pkce: { insecureAllowMissing: true, insecureAllowPlain: true },
    tokenRedirectUri: "optional",
    idTokenClaims: "like-userinfo",
    unmappedClaims: "none",
    throttle: true,
  }),
  hosted("strict", "short", {
    alg,
    pkce: { requireMethod: true, requireForConfidential: true, acceptNonce: false },
    requireRedirectUri: true,
    resourceParameter: "required",
    resources: [{ uri: "https://api.example" }],
    accessTokenInForm: false,
    dpop: { nonce: "required" },
  }),
  ...standards.map((profile) => hosted(profile, "short", { alg, profile, clients: clientsOf(profile) })),
  ...providers.map((profile) =>
    hosted(profile, "short", { alg, issuer: undefined, profile, clients: clientsOf(profile) })
  ),
];
