/** The servers that are attacked: together they have every endpoint, page, kind of client and way to log in. */

import { formatPasswordDigest } from "../../src/server/config/password_digest.ts";
import { digest } from "../../src/core/keys/secrets.ts";
import { demoSecret } from "../../src/server/config/demo_entries.ts";
import { type Inspector, inspector } from "../../src/devtools/mod.ts";
import { type ClientMetadata, type Latchkey, latchkey, type LatchkeyOptions } from "../../src/mod.ts";
import type { TraceEvent } from "../../src/server/trace.ts";
import { health } from "../../src/cli/operating/health.ts";
import { logging } from "../../src/cli/operating/logging.ts";
import { formatEvent } from "../../src/cli/operating/format_event.ts";
import { limitConcurrency } from "../../src/cli/operating/limit_concurrency.ts";
import { mcpServer } from "../../src/resource/mod.ts";
import { scryptDigest } from "../../src/platform/runtime/scrypt.ts";
import { providerProfiles } from "../server/profiles/all_profiles.ts";
import type { ProviderName } from "../../src/server/config/provider_profile.ts";
import { builtInKeys } from "../../src/testing/built_in_keys.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";
import { testKeys } from "../../src/testing/keys.ts";
import type { PrivateJwk } from "../../src/client/private_jwk.ts";
import { assertionGrantTypes, assertionSettings } from "./assertion_moves.ts";
import { cibaGrantType } from "./ciba_moves.ts";
import { deviceGrantType } from "./device_moves.ts";
import { detailsSettings } from "./details_moves.ts";
import { responseSettings } from "./request_object_moves.ts";
import { resourcePath } from "./resource_moves.ts";

/** Data of a client that an inside attacker knows. */
export interface KnownClient {
  readonly metadata: ClientMetadata;
  readonly privateJwk?: PrivateJwk;
}

/** A kind of server. */
export interface ServerKind {
  readonly name: string;
  readonly options: LatchkeyOptions & { readonly issuer: string };
  readonly clients: readonly KnownClient[];
  /** Whether a refresh token may be sent twice. */
  readonly forgives: boolean;
}

/** A server that is under attack. */
export interface AttackedServer {
  readonly kind: ServerKind;
  readonly clients: readonly KnownClient[];
  readonly as: Latchkey;
  /** Output for the operator. */
  readonly events: TraceEvent[];
  /** The same, as both logs write it. */
  readonly lines: string[];
  /** Moves the clock. */
  advance(seconds: number): void;
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

/** The password of the users who have one. */
export const password = "correct horse battery staple";

async function passwordDigest(): Promise<string> {
  // As cheap as a digest may be.
  const cost = { ln: 10, r: 1, p: 1, salt: new Uint8Array(16) };
  return formatPasswordDigest({ ...cost, hash: await scryptDigest(password, cost, 32) });
}

const refreshGrant = {
  grant_types: ["authorization_code", "refresh_token", ...assertionGrantTypes, cibaGrantType, deviceGrantType],
};
const keyOfClient = { ...builtInKeys.ES256[1]!.jwk, alg: "ES256" } as unknown as PrivateJwk;
const { d: _, ...publicKey } = keyOfClient;

/** Client secrets are random, so that they are distinguishable in a log. */
const createSecret = (client: string) => digest(`secret of ${client}`);

async function createClients(issuer: string): Promise<KnownClient[]> {
  const web = { redirect_uris: ["https://web.example/cb", "https://web.example/cb?a=b"], ...refreshGrant };
  const own = { redirect_uris: [`${issuer}/authorized`], post_logout_redirect_uris: [`${issuer}/`] };
  const clients: readonly ClientMetadata[] = [
    {
      client_id: "spa",
      client_name: 'The <b>"shop"</b>',
      redirect_uris: ["https://spa.example/cb"],
      post_logout_redirect_uris: ["https://spa.example/bye?x=y"],
      backchannel_logout_uri: "https://spa.example/logged-out",
      frontchannel_logout_uri: "https://spa.example/front?x=y",
      ...refreshGrant,
    },
    {
      client_id: "native",
      application_type: "native",
      redirect_uris: ["http://127.0.0.1/cb", "com.example.app:/cb"],
      default_acr_values: ["urn:x:mfa"],
      default_max_age: 60,
      ...refreshGrant,
    },
    { client_id: "web", client_secret: await createSecret("web"), ...web, serves: [issuer] },
    {
      client_id: "poster",
      client_secret: await createSecret("poster"),
      token_endpoint_auth_method: "client_secret_post",
      ...web,
    },
    {
      client_id: "hmac",
      client_secret: await createSecret("hmac"),
      token_endpoint_auth_method: "client_secret_jwt",
      ...web,
    },
    { client_id: "signer", jwks: { keys: [publicKey] }, ...web, userinfo_signed_response_alg: "ES256" },
    {
      client_id: "pair/with space",
      client_secret: await createSecret("pair"),
      subject_type: "pairwise",
      access_token_format: "opaque",
      ...web,
    },
    {
      client_id: "machine",
      client_secret: await createSecret("machine"),
      grant_types: ["client_credentials"],
      serves: [issuer],
    },
    { client_id: "demo-public", ...own, ...refreshGrant },
    {
      client_id: "demo-confidential",
      client_secret: demoSecret,
      ...own,
      grant_types: [...refreshGrant.grant_types, "client_credentials"],
    },
  ];
  return clients.map((metadata) => ({
    metadata,
    ...metadata.jwks === undefined ? {} : { privateJwk: keyOfClient },
  }));
}

/** The client of a metadata document: no server has it registered. */
const documentClient: ClientMetadata = {
  client_id: "https://docs.example/client.json",
  client_name: 'The <b>"docs"</b>',
  redirect_uris: ["https://docs.example/cb", "http://127.0.0.1/cb"],
  token_endpoint_auth_method: "none",
  ...refreshGrant,
};

/** Responds with the metadata document. */
function fetchDocument(url: string): Promise<Response> {
  if (url.endsWith("/logged-out")) return Promise.resolve(new Response(null, { status: 200 }));
  return url === documentClient.client_id
    ? Promise.resolve(Response.json(documentClient, { headers: { "cache-control": "max-age=60" } }))
    : Promise.reject(new TypeError("there is no network"));
}

const acrValues = [{ value: "urn:x:pwd" }, { value: "urn:x:mfa", amr: ["mfa"] }];

const users = [
  { sub: "alice", name: 'Alice "<i>" Adams', email: "alice@example.com", address: { country: "<b>" } },
  { sub: "bob", name: "Bob Brown" },
];

/** Whether the profile `mcp` accepts the method and the redirect URIs. */
function isAllowedByMcp({ metadata }: KnownClient): boolean {
  const { token_endpoint_auth_method, redirect_uris = [] } = metadata;
  return token_endpoint_auth_method !== "client_secret_jwt" && redirect_uris.every((uri) => /^https?:/.test(uri));
}

/** Registers a client for all response types, except the client `native`, whose requests for them are rejected. */
function withAllResponseTypes(client: KnownClient): KnownClient {
  const { metadata } = client;
  if (metadata.redirect_uris === undefined || metadata.client_id === "native") return client;
  const grant_types = [...metadata.grant_types ?? [], "implicit"];
  return { ...client, metadata: { ...metadata, grant_types, response_types: responseSettings.responseTypes } };
}

/** Every kind of server there is to attack, and who its clients are. */
export const serverKinds: readonly ServerKind[] = await Promise.all([
  {
    name: "automatic login, everything switched on",
    forgives: false,
    options: { issuer: "https://as.test", users, directory: "edit" as const, acrValues, ...responseSettings },
  },
  {
    name: "login by pages, without passwords",
    forgives: true,
    options: {
      issuer: "http://localhost:9000/t1",
      users,
      login: "interactive" as const,
      acrValues,
      ...responseSettings,
      refresh: { grace: 30, rotateConfidential: true },
      dpop: { nonce: "required" as const },
    },
  },
  {
    name: "login by password, guesses throttled",
    forgives: false,
    options: {
      issuer: "https://as.test/deep/er",
      users: [...users, { sub: "carol", password: await passwordDigest() }],
      login: "interactive" as const,
      throttle: true,
      pkce: { requireMethod: true, requireForConfidential: true },
      directory: "read" as const,
      resources: [{ uri: "https://api.example/a" }, {
        uri: "https://api.example/b",
        access_token_format: "opaque" as const,
      }],
    },
  },
  {
    name: "profile mcp, with the default endpoints",
    forgives: false,
    options: { issuer: "https://as.test", users, profile: "mcp" as const, mcpRevision: "2025-03-26" as const },
  },
].map(async (serverKind) => {
  const all = await createClients(serverKind.options.issuer);
  const clients = "profile" in serverKind.options
    ? all.filter(isAllowedByMcp)
    : "responseTypes" in serverKind.options
    ? all.map(withAllResponseTypes)
    : all;
  return {
    ...serverKind,
    clients: [...clients, { metadata: documentClient }],
    options: {
      ...assertionSettings,
      ...detailsSettings,
      backchannelAuthentication: true,
      deviceAuthorization: true,
      ...serverKind.options,
      clients: clients.map(({ metadata }) => metadata),
    },
  };
}));

/** The paths that the attacks know. */
const standardPaths = {
  ...{ authorization_endpoint: "/oauth2/authorize", token_endpoint: "/oauth2/token", jwks_uri: "/oauth2/jwks" },
  ...{ userinfo_endpoint: "/oauth2/userinfo", introspection_endpoint: "/oauth2/introspect" },
  ...{ revocation_endpoint: "/oauth2/revoke", end_session_endpoint: "/oauth2/logout" },
  pushed_authorization_request_endpoint: "/oauth2/par",
  device_authorization_endpoint: "/oauth2/device_authorization",
  backchannel_authentication_endpoint: "/oauth2/backchannel_authentication",
  registration_endpoint: "/oauth2/register",
};

/** A server with the profile of each provider, at the paths that the attacks know. */
export const profileKinds: readonly ServerKind[] = Object.values(providerProfiles)
  .filter(({ name }) => !name.includes("@"))
  .map(({ name, issuerPath }) => {
    const [kind] = serverKinds as [ServerKind];
    const issuer = `https://as.test${name === "entra" ? issuerPath : ""}`;
    const options = { ...kind.options, issuer, paths: standardPaths, profile: name as ProviderName };
    return { ...kind, name, forgives: true, options };
  });

/**
 * Starts a server for one attack; nothing of it is left to chance.
 *
 * @param shown The inspector of the server. Default: one that records a sample under load.
 */
export async function startServer(kind: ServerKind, shown: Inspector = inspector()): Promise<AttackedServer> {
  let time = Date.UTC(2026, 0, 1);
  const events: TraceEvent[] = [];
  const lines: string[] = [];
  const recordEvent = (event: TraceEvent) => {
    events.push(event);
    const line = formatEvent(event);
    if (line !== undefined) lines.push(line);
  };
  const log = logging({ write: (line) => lines.push(line), format: "json", verbose: true });
  const now = () => time;
  const random = seededRandom("siege");
  const as = await latchkey({
    // Its signatures come out the same each time.
    alg: "EdDSA",
    ...kind.options,
    now,
    randomBytes: random,
    keySource: testKeys(false),
    outbound: fetchDocument,
    trace: recordEvent,
    plugins: [
      limitConcurrency(),
      shown,
      log,
      health(),
      mcpServer(resourcePath),
      ...kind.options.plugins ?? [],
    ],
  });
  return {
    kind,
    clients: kind.clients,
    as,
    events,
    lines,
    now,
    random,
    advance: (seconds) => void (time += seconds * 1000),
  };
}

/** The path of the issuer, without a slash at its end. */
export function basePath({ as }: Pick<AttackedServer, "as">): string {
  return new URL(as.issuer).pathname.replace(/\/$/, "");
}
