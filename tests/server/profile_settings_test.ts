/**
 * What each setting of each profile does: the same as the setting alone, and not what the default does (PF-06).
 *
 * @extensions assertion_authentication, client_documents, dpop, par, registration, signed_requests, signed_responses
 */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { test } from "node:test";
import {
  type McpRevision,
  type ProfileName,
  profileNames,
  type ProfileSetting,
} from "../../src/server/config/strictness.ts";
import { mcpRevisions } from "../../src/server/config/strictness.ts";
import { profiles, readSetting } from "../../src/server/config/profiles.ts";
import { resolveSettings } from "../../src/server/config/resolve_settings.ts";
import { extensions } from "../../src/server/hosting/extensions.ts";
import type { ClientMetadata, LatchkeyOptions } from "../../src/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { sharedKey, startSeconds, tokenProof } from "./client_jwts.ts";
import { assertion, authorizePushed, bank, bankKey, dpopKey, fapiCode, publicKeys, push } from "./fapi_client.ts";
import { defaultProfilePolicy } from "../../src/server/config/server_policy.ts";
import { exchangeCode, request, signed } from "./fapi_client.ts";
import { decodeClaims, type Fields, forEachCase, getRedirectParams, type TestServer, testServer } from "../kit.ts";
import { postRegistration } from "./registering.ts";

/** Settings that select the profile of one standard. */
interface StandardSettings {
  readonly profile: ProfileName;
  readonly mcpRevision?: McpRevision;
}

const rsa = await sharedKey("RS256");
const clients: readonly ClientMetadata[] = [{ ...bank, jwks: publicKeys(bankKey, rsa) }];

/** A request of a client that meets every profile, except in what a setting is about; what can be seen of it. */
type Probe = (options: LatchkeyOptions) => Promise<unknown>;

const start = (options: LatchkeyOptions) => testServer({ clients, ...options });

/** Whether requests must be signed; then the parameters are sent in a JWT. */
async function pushAny(b: TestServer, options: LatchkeyOptions, fields: Fields): Promise<Response> {
  const isSigned = options.profile === "fapi2-message-signing";
  return isSigned ? push(b, await signed(fields)) : push(b, { ...fields, ...await assertion() });
}

async function statusOf(options: LatchkeyOptions, fields: Fields): Promise<number> {
  return (await pushAny(await start(options), options, fields)).status;
}

/** A code, with signed requests and responses where these are demanded. */
async function codeOf(b: TestServer, options: LatchkeyOptions): Promise<string> {
  if (options.profile !== "fapi2-message-signing") return await fapiCode(b);
  return String(decodeClaims(getRedirectParams(await authorizePushed(b, await signed())).get("response")!).code);
}

/** Whether a server with this client starts. */
async function starts(options: LatchkeyOptions, client: Partial<ClientMetadata>): Promise<boolean> {
  try {
    await (await latchkey({ issuer: "https://as.test", ...options, clients: [{ ...bank, ...client }] })).close();
    return true;
  } catch {
    return false;
  }
}

const metadata = async (options: LatchkeyOptions): Promise<Record<string, unknown>> =>
  await (await (await start(options)).get("/.well-known/oauth-authorization-server")).json();

async function register(options: LatchkeyOptions, scope = "read", more = {}) {
  const b = await start(options);
  const redirect_uris = ["https://app.example/cb"];
  const response = await postRegistration(b, { redirect_uris, scope, jwks: publicKeys(bankKey), ...more });
  const warnings = b.events.filter((event) => event.type === "warning" && /deprecated/.test(event.explanation.reason));
  return [(await response.json()).scope, warnings.length];
}

/** A token request at a later time. */
async function exchangeAt(b: TestServer, seconds: number, fields: Fields): Promise<Response> {
  const now = startSeconds + seconds;
  return await exchangeCode(b, { ...fields, ...await assertion({}, now) }, await tokenProof(dpopKey, {}, now));
}

const refreshFields = (refresh_token: string): Fields => ({
  grant_type: "refresh_token",
  refresh_token,
  redirect_uri: undefined,
  code_verifier: undefined,
});

const spa = { client_id: "spa", redirect_uris: ["https://spa.example/cb"], grant_types: bank.grant_types!.slice(0, 2) };

const machine: Fields = { grant_type: "client_credentials", redirect_uri: undefined, code_verifier: undefined };

const documentUrl = "https://app.example/client.json";

async function resolvesDocument(options: LatchkeyOptions, members: object): Promise<boolean> {
  const document = { client_id: documentUrl, redirect_uris: ["https://app.example/cb"], ...members };
  const b = await start({ ...options, outbound: () => Promise.resolve(Response.json(document)) });
  const response = await b.authorize({ client_id: documentUrl, redirect_uri: "https://app.example/cb" });
  return response.headers.has("location");
}

const probes: Readonly<Partial<Record<ProfileSetting, Probe>>> = {
  "pkce.requireForConfidential": (options) =>
    statusOf(options, { code_challenge: undefined, code_challenge_method: undefined, nonce: undefined }),
  "pkce.acceptNonce": (options) => statusOf(options, { code_challenge: undefined, code_challenge_method: undefined }),
  "pkce.requireMethod": (options) => statusOf(options, { code_challenge_method: undefined }),
  requireRedirectUri: (options) => statusOf(options, { redirect_uri: undefined, scope: "read" }),
  assertionAudience: async (options) => {
    const b = await start(options);
    const audiences = ["https://as.test", ["https://as.test"], "https://as.test/oauth2/token"];
    return await Promise.all(audiences.map(async (aud) => {
      const fields = { ...machine, scope: "read", ...await assertion({ claims: { aud } }) };
      return (await exchangeCode(b, fields)).status;
    }));
  },
  maxAssertionLifetime: async (options) => {
    const b = await start(options);
    return await Promise.all([300, 301, 3600].map(async (seconds) => {
      const claims = { exp: startSeconds + seconds };
      return (await exchangeCode(b, { ...machine, scope: "read", ...await assertion({ claims }) })).status;
    }));
  },
  tokenRedirectUri: async (options) => {
    const b = await start(options);
    return (await exchangeCode(b, { code: await codeOf(b, options), redirect_uri: undefined })).status;
  },
  requirePushedAuthorizationRequests: async (options) => {
    const response = await (await start(options)).authorize(request);
    return getRedirectParams(response).has("code");
  },
  requireSignedRequestObject: async (options) => (await push(await start(options))).status,
  requestObjectTimes: async (options) => {
    const response_mode = options.profile === "fapi2-message-signing" ? "jwt" : undefined;
    return (await push(await start(options), await signed({ nbf: undefined, response_mode }))).status;
  },
  responseModes: async (options) => {
    const b = await start(options);
    const modes = ["query", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"];
    return await Promise.all(
      modes.map(async (response_mode) => (await push(b, await signed({ response_mode }))).status),
    );
  },
  requireSenderConstrainedTokens: async (options) =>
    (await exchangeCode(await start(options), { ...machine, scope: "read" }, {})).status,
  clientAuthMethods: async (options) => [
    (await metadata(options)).token_endpoint_auth_methods_supported,
    await starts(options, {
      jwks: undefined,
      client_secret: "a secret of thirty-two characters or more",
      token_endpoint_auth_method: "client_secret_jwt",
    }),
  ],
  privateUseRedirectUris: (options) =>
    starts(options, { redirect_uris: ["com.example.app:/cb"], application_type: "native" }),
  nativeOnlyRedirectUris: async (options) => {
    const uris = ["http://127.0.0.1/cb", "http://bank.test/cb"];
    const started = await Promise.all(uris.map((uri) => starts(options, { redirect_uris: [uri] })));
    // The profiles of FAPI reject private-use schemes by another setting.
    if (String(options.profile).startsWith("fapi2-")) {
      return started;
    }
    return [...started, await starts(options, { redirect_uris: ["com.example.app:/cb"] })];
  },
  accessTokenInForm: async (options) => {
    const body = new URLSearchParams({ access_token: "x" });
    return (await (await start(options)).get("/oauth2/userinfo", { method: "POST", body })).status;
  },
  "refresh.grace": async (options) => {
    const b = await start({ ...options, refresh: { ...options.refresh, rotateConfidential: true } });
    const tokens = await (await exchangeCode(b, { code: await codeOf(b, options) })).json();
    const fields = refreshFields(tokens.refresh_token);
    b.advance(1);
    await exchangeAt(b, 1, fields);
    b.advance(28);
    return (await exchangeAt(b, 29, fields)).status;
  },
  "refresh.rotateBound": async (options) => {
    const b = await start({ ...options, clients: [spa] });
    const headers = await tokenProof(dpopKey);
    const first = await (await b.token({ code: await b.code() }, { headers })).json();
    const again = await b.token(refreshFields(first.refresh_token), { headers: await tokenProof(dpopKey) });
    return (await again.json()).refresh_token === first.refresh_token;
  },
  "lifetimes.code": async (options) => {
    const b = await start(options);
    const code = await codeOf(b, options);
    b.advance(62);
    return (await exchangeAt(b, 62, { code })).status;
  },
  seeOther: async (options) => {
    const response = await (await start(options)).authorize(request);
    return response.status;
  },
  alg: async (options) => {
    const b = await start({ ...options, alg: options.alg });
    const { access_token } = await (await exchangeCode(b, { ...machine, scope: "read" })).json();
    return JSON.parse(atob(access_token.split(".")[0])).alg;
  },
  signatureAlgorithms: async (options) => {
    const b = await start(options);
    const fields = { ...machine, scope: "read", ...await assertion({ key: rsa }) };
    const { token_endpoint_auth_signing_alg_values_supported: listed } = await (await b.get(
      "/.well-known/openid-configuration",
    )).json();
    return [(await exchangeCode(b, fields)).status, listed.includes("RS256")];
  },
  "dpop.algorithms": async (options) => {
    const b = await start(options);
    return (await exchangeCode(b, { ...machine, scope: "read" }, await tokenProof(rsa))).status;
  },
  resourceParameter: async (options) => {
    const b = await start(options);
    await authorizePushed(b);
    return b.events.some((event) => event.type === "warning" && /resource is missing/.test(event.explanation.reason));
  },
  metadataForms: async (options) => {
    const b = await start({ ...options, issuer: "https://as.test/t" });
    const paths = ["oauth-authorization-server", "openid-configuration"].flatMap((name) => [
      `https://as.test/.well-known/${name}/t`,
      `https://as.test/t/.well-known/${name}`,
    ]);
    return await Promise.all(paths.map(async (url) => (await b.as.fetch(new Request(url))).status));
  },
  clientIdMetadataDocuments: (options) => resolvesDocument(options, { client_name: "App" }),
  requireClientName: (options) => resolvesDocument({ ...options, clientIdMetadataDocuments: true }, {}),
  "registration.mode": async (options) => {
    const metadata = await (await start(options)).get("/.well-known/openid-configuration");
    return "registration_endpoint" in await metadata.json();
  },
  "registration.scope": async (options) => (await register(options))[0],
  "registration.unsupportedValues": async (options) => {
    const method = { token_endpoint_auth_method: "private_key_jwt" };
    const grant_types = ["authorization_code", "implicit"];
    return typeof (await register(options, "read", { ...method, grant_types }))[0];
  },
  defaultEndpoints: async (options) => (await (await start(options)).get("/token", { method: "POST" })).status !== 404,
};

/** Settings whose effect alone needs another one. */
const companions: Readonly<Partial<Record<ProfileSetting, LatchkeyOptions>>> = {
  "pkce.acceptNonce": { pkce: { requireForConfidential: true } },
};

function withSetting(path: ProfileSetting, value: unknown): LatchkeyOptions {
  const [name, member] = path.split(".") as [keyof LatchkeyOptions, string?];
  const companion = companions[path] ?? {};
  if (member === undefined) return { ...companion, [name]: value };
  return { ...companion, [name]: { ...companion[name] as object | undefined, [member]: value } };
}

const cases: readonly (StandardSettings & { readonly path: ProfileSetting })[] = [
  ...profileNames.filter((profile) => profile !== "mcp").map((profile) => ({ profile })),
  ...mcpRevisions.map((mcpRevision) => ({ profile: "mcp" as const, mcpRevision })),
].flatMap((settings: StandardSettings) =>
  (Object.keys(profiles[settings.profile]) as ProfileSetting[]).map((path) => ({ ...settings, path }))
);

async function resolved(settings: Partial<StandardSettings>, path: ProfileSetting): Promise<unknown> {
  return readSetting((await resolveSettings(settings, "https://as.test", { extensions })).policy, path);
}

/** The cases in which the profile changes the setting. */
async function findDifferences(): Promise<typeof cases> {
  const differs = await Promise.all(
    cases.map(async ({ path, ...settings }) =>
      JSON.stringify(await resolved(settings, path)) !== JSON.stringify(await resolved({}, path))
    ),
  );
  return cases.filter((_, i) => differs[i]);
}

test("[PF-06] each setting of a profile has the effect of that setting alone, and not that of the default", async () => {
  await (await testServer({ profile: "mcp" })).as.close();
  const differing = await findDifferences();
  assert(differing.length > 50);
  await forEachCase(differing, async ({ path, ...settings }) => {
    const probe = probes[path];
    assert(probe !== undefined, `no probe of ${path}`);
    const value = await resolved(settings, path);
    const byProfile = await probe(settings);
    if (!Object.hasOwn(defaultProfilePolicy, path)) {
      assertEquals(byProfile, await probe(withSetting(path, value)), "the setting alone");
    }
    assertNotEquals(byProfile, await probe({}), "the default");
  });
});
