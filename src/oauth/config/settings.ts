/** What a person or an embedder may set, and what holds where they do not. */

import type { ClientMetadata, User } from "../clients/client.ts";
import { isTestHost } from "../test_hosts.ts";
import type { SigningAlgorithm } from "../keys/keys.ts";
import type { ResourceSettings } from "../authorize/resources.ts";
import { splitScope } from "../authorize/scope.ts";

/** Lifetimes in seconds. */
export interface Lifetimes {
  /** Authorization codes. Default 300, at most 600 (OAuth 2.1 §4.1.2). */
  readonly code?: number;
  /** Access tokens. Default 3600. */
  readonly access_token?: number;
  /** ID tokens. Default 3600. */
  readonly id_token?: number;
  /** Refresh tokens, from the grant on, however often they are used. Default 2592000, thirty days. */
  readonly refresh_token?: number;
  /** Refresh tokens that are not used. Default 604800, seven days. */
  readonly refresh_token_idle?: number;
  /** Logins, in one browser. Default 28800, eight hours. */
  readonly session?: number;
}

/** How refresh tokens behave (OAuth 2.1 §4.3). Those of public clients always rotate. */
export interface RefreshSettings {
  /** Rotate the refresh tokens of confidential clients too. Default: false. */
  readonly rotateConfidential?: boolean;
  /**
   * Seconds within which a token that was just exchanged may be sent again and is answered with the same new token, for
   * clients that lose answers. Default 0: the second use ends the family. At most 60.
   */
  readonly grace?: number;
  /** Issue refresh tokens only where `offline_access` was granted. Default: false. */
  readonly onlyOffline?: boolean;
}

/** How strictly code challenges are asked for (OAuth 2.1 §7.5.1). Public clients always need one. */
export interface PkceSettings {
  /** Refuse a `code_challenge` without `code_challenge_method` instead of reading it as S256. Default: false. */
  readonly requireMethod?: boolean;
  /** Ask confidential clients for a challenge too. Default: false. */
  readonly requireForConfidential?: boolean;
}

/** The life of signing keys. */
export interface KeySettings {
  /** Seconds after which a key's successor is made. Default: never, only on request. At least 3600. */
  readonly rotateEvery?: number;
  /** Seconds a new key is published before it signs, as long as clients cache keys. Default 300. */
  readonly lead?: number;
}

/** The settings that a configuration file and an embedding program share. Everything has a default. */
export interface Settings {
  /**
   * The issuer identifier, an absolute URL without query and fragment; every URL the server emits begins with it.
   * Default: `http://localhost:PORT`, following the port the server listens on.
   */
  readonly issuer?: string;
  /**
   * `auto`, the default: the first user is logged in and everything asked for is approved at once; `login_hint` picks
   * another. `interactive`: pages ask who is there, and what they allow.
   */
  readonly login?: "auto" | "interactive";
  /** Default: a public and a confidential demo client whose redirect URI is `<issuer>/authorized`. */
  readonly clients?: readonly ClientMetadata[];
  /** Default: `alice` and `bob`. */
  readonly users?: readonly User[];
  /** Default: `openid profile email read write offline_access`. */
  readonly scopes?: readonly string[];
  /**
   * Granted when a request names no scope, space-separated; `""` rejects such a request with `invalid_scope`. Default:
   * `read` if `scopes` contains it, otherwise `""` with a warning.
   */
  readonly defaultScope?: string;
  /**
   * The claims that each scope value releases, in addition to the standard claims (OpenID Connect Core §5.4): `{
   * groups: ["groups"], profile: ["employee_no"] }`. These scope values are added to `scopes`. Default: none.
   */
  readonly claims?: Readonly<Record<string, readonly string[]>>;
  /**
   * Whether `openid` releases the members of a user that no other scope value releases: `openid` or `none`. Default:
   * `openid` if the issuer is on a test host, otherwise `none`.
   */
  readonly unmappedClaims?: "openid" | "none";
  /**
   * `minimal`, the default: only userinfo returns the claims of scope values (OpenID Connect Core §5.4).
   * `like-userinfo`: ID tokens contain them as well, for clients that never call userinfo.
   */
  readonly idTokenClaims?: "minimal" | "like-userinfo";
  /**
   * The claims about the user in access tokens and in introspection responses (RFC 9068 §2.2.3). A claim that a scope
   * value releases is included only if that scope value was granted. `groups`, `roles` and `entitlements` are always
   * lists. A resource may have a list of its own. Default: none.
   */
  readonly accessTokenClaims?: readonly string[];
  /** Signs access tokens, and id tokens of clients that registered no other algorithm. Default `RS256`. */
  readonly alg?: SigningAlgorithm;
  /** The `aud` of access tokens. Default: the issuer. */
  readonly audience?: string;
  /** How long things live. */
  readonly lifetimes?: Lifetimes;
  /** How strictly code challenges are asked for. */
  readonly pkce?: PkceSettings;
  /**
   * The accepted `aud` of client assertions: only the issuer (RFC 7523bis), or also the URL of the token endpoint (RFC
   * 7523, sent by many clients), which causes a warning. `aud` must hold one value. Default:
   * `issuer-or-token-endpoint`.
   */
  readonly assertionAudience?: "issuer" | "issuer-or-token-endpoint";
  /** The life of signing keys. */
  readonly keys?: KeySettings;
  /** How refresh tokens behave. */
  readonly refresh?: RefreshSettings;
  /** What access tokens are for. Default: every https URI and every URI on a test host may be named (RFC 8707). */
  readonly resources?: readonly ResourceSettings[];
  /**
   * The pages `/clients` and `/users`: whoever opens them may change what is there for this run (`edit`), may look at it
   * (`read`), or there are no such pages (`off`). Default: `edit` where the issuer is a test host,
   * `off` elsewhere.
   */
  readonly directory?: "edit" | "read" | "off";
  /** Rate-limit failed client authentication and logins (429). Default: on, unless the issuer is a test host. */
  readonly throttle?: boolean;
  /**
   * The addresses and networks (`10.0.0.0/8`) of proxies whose word counts about who sent a request, in `Forwarded` or
   * `X-Forwarded-For`: for slowing down guesses, and for logs. What they say of host and scheme never counts. Default: none.
   */
  readonly trustProxy?: readonly string[];
  /**
   * The header in which these proxies send the client's address; the other one is ignored, because a proxy may forward
   * it unchecked. Default: either. If both are present and differ, the proxy's own address is used.
   */
  readonly proxyHeader?: "x-forwarded-for" | "forwarded";
  /** Accept an `http` issuer that is not a test host. */
  readonly insecureAllowHttpIssuer?: boolean;
  /** Accept `http` redirect URIs that are not test hosts. */
  readonly insecureAllowHttpRedirectUris?: boolean;
  /** Accept `login: "auto"` although the issuer is not a test host. */
  readonly insecureAllowAutoLogin?: boolean;
  /** Accept `login: "interactive"` without passwords, so that anybody can be anybody, the issuer not being a test host. */
  readonly insecureAllowOpenLogin?: boolean;
  /** Accept the demo clients, whose secret is public, although the issuer is not a test host. */
  readonly insecureAllowDemoClients?: boolean;
  /** Accept a `directory` that shows clients and users to strangers, the issuer not being a test host. */
  readonly insecureAllowDirectory?: boolean;
}

const defaultLifetimes: Required<Lifetimes> = {
  code: 300,
  access_token: 3600,
  id_token: 3600,
  refresh_token: 30 * 24 * 3600,
  refresh_token_idle: 7 * 24 * 3600,
  session: 8 * 3600,
};

const defaultScopes = ["openid", "profile", "email", "read", "write", "offline_access"];

/** The secret of the confidential demo client: public knowledge, and refused where the issuer is a real host. */
export const demoSecret = "demo-secret";

/** Everything of {@link Settings}, with its defaults. */
export interface ResolvedSettings
  extends
    Required<Omit<Settings, "lifetimes" | "pkce" | "refresh" | "resources" | "keys" | "defaultScope" | "proxyHeader">> {
  readonly defaultScope: readonly string[];
  readonly lifetimes: Required<Lifetimes>;
  readonly pkce: Required<PkceSettings>;
  readonly refresh: Required<RefreshSettings>;
  readonly resources?: readonly ResourceSettings[];
  readonly keys: { readonly rotateEvery?: number; readonly lead: number };
}

/** The issuer of a server that was given none, in its normal form: without the port where that is the scheme's own. */
export function localIssuer(port: number, scheme: "http" | "https" = "http"): string {
  return new URL(`${scheme}://localhost:${port}`).origin;
}

/** Fills in what a person left out. `issuer` is the one in effect. */
export function resolveSettings(settings: Settings, issuer: string): ResolvedSettings {
  const { claims = {} } = settings;
  const listed = settings.scopes ?? defaultScopes;
  const scopes = [...listed, ...Object.keys(claims).filter((value) => !listed.includes(value))];
  const defaultScope = settings.defaultScope ?? (scopes.includes("read") ? "read" : "");
  return {
    issuer,
    login: settings.login ?? "auto",
    clients: settings.clients ?? demoClients(issuer),
    users: settings.users ?? demoUsers,
    scopes,
    defaultScope: splitScope(defaultScope),
    claims,
    unmappedClaims: settings.unmappedClaims ?? (hasTestHost(issuer) ? "openid" : "none"),
    idTokenClaims: settings.idTokenClaims ?? "minimal",
    accessTokenClaims: settings.accessTokenClaims ?? [],
    alg: settings.alg ?? "RS256",
    audience: settings.audience ?? issuer,
    lifetimes: { ...defaultLifetimes, ...withoutUndefined(settings.lifetimes) },
    refresh: { rotateConfidential: false, grace: 0, onlyOffline: false, ...withoutUndefined(settings.refresh) },
    resources: settings.resources,
    assertionAudience: settings.assertionAudience ?? "issuer-or-token-endpoint",
    keys: { lead: 300, ...withoutUndefined(settings.keys) },
    pkce: { requireMethod: false, requireForConfidential: false, ...withoutUndefined(settings.pkce) },
    directory: settings.directory ?? (hasTestHost(issuer) ? "edit" : "off"),
    throttle: settings.throttle ?? !hasTestHost(issuer),
    trustProxy: settings.trustProxy ?? [],
    insecureAllowHttpIssuer: settings.insecureAllowHttpIssuer ?? false,
    insecureAllowHttpRedirectUris: settings.insecureAllowHttpRedirectUris ?? false,
    insecureAllowAutoLogin: settings.insecureAllowAutoLogin ?? false,
    insecureAllowOpenLogin: settings.insecureAllowOpenLogin ?? false,
    insecureAllowDemoClients: settings.insecureAllowDemoClients ?? false,
    insecureAllowDirectory: settings.insecureAllowDirectory ?? false,
  };
}

function withoutUndefined<T extends object>(values: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** The clients there are when nobody wrote down any: they call back to this server's own page. */
function demoClients(issuer: string): ClientMetadata[] {
  const redirect_uris = [`${issuer.replace(/\/$/, "")}/authorized`];
  const post_logout_redirect_uris = [`${issuer.replace(/\/$/, "")}/`];
  return [
    {
      client_id: "demo-public",
      client_name: "Demo public client",
      redirect_uris,
      post_logout_redirect_uris,
      grant_types: ["authorization_code", "refresh_token"],
    },
    {
      client_id: "demo-confidential",
      client_name: "Demo confidential client",
      client_secret: demoSecret,
      redirect_uris,
      post_logout_redirect_uris,
      grant_types: ["authorization_code", "refresh_token", "client_credentials"],
    },
  ];
}

const demoUsers: readonly User[] = [
  { sub: "alice", name: "Alice Adams", email: "alice@example.com", email_verified: true },
  { sub: "bob", name: "Bob Brown", email: "bob@example.com", email_verified: false },
];

/** Whether the issuer is on a test host ({@link isTestHost}). */
export function hasTestHost(issuer: string): boolean {
  return URL.canParse(issuer) && isTestHost(new URL(issuer).hostname);
}
