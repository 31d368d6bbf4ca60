/** What a person or an embedder may set, and what holds where they do not. */

import type { ClientMetadata, User } from "./client.ts";
import { isTestHost } from "./hosts.ts";
import type { SigningAlgorithm } from "./keys.ts";
import { splitScope } from "./scope.ts";

/** Lifetimes in seconds. */
export interface Lifetimes {
  /** Authorization codes. Default 300, at most 600 (OAuth 2.1 §4.1.2). */
  readonly code?: number;
  /** Access tokens. Default 3600. */
  readonly access_token?: number;
  /** ID tokens. Default 3600. */
  readonly id_token?: number;
}

/** How strictly code challenges are asked for (OAuth 2.1 §7.5.1). Public clients always need one. */
export interface PkceSettings {
  /** Refuse a `code_challenge` without `code_challenge_method` instead of reading it as S256. Default: false. */
  readonly requireMethod?: boolean;
  /** Ask confidential clients for a challenge too. Default: false. */
  readonly requireForConfidential?: boolean;
}

/** The settings that a configuration file and an embedding program share. Everything has a default. */
export interface Settings {
  /**
   * The issuer identifier, an absolute URL without query and fragment; every URL the server emits begins with it.
   * Default: `http://localhost:PORT`, following the port the server listens on.
   */
  readonly issuer?: string;
  /** `auto`: the first user is logged in and everything asked for is approved at once; `login_hint` picks another. */
  readonly login?: "auto";
  /** Default: a public and a confidential demo client whose redirect URI is `<issuer>/authorized`. */
  readonly clients?: readonly ClientMetadata[];
  /** Default: `alice` and `bob`. */
  readonly users?: readonly User[];
  /** Default: `openid profile email read write offline_access`. */
  readonly scopes?: readonly string[];
  /**
   * Granted when a request names no scope, space-separated. Default: `read` where `scopes` is left at its default; where
   * it is not, a request without scope is `invalid_scope`.
   */
  readonly defaultScope?: string;
  /** Signs access tokens, and id tokens of clients that registered no other algorithm. Default `RS256`. */
  readonly alg?: SigningAlgorithm;
  /** The `aud` of access tokens. Default: the issuer. */
  readonly audience?: string;
  /** How long things live. */
  readonly lifetimes?: Lifetimes;
  /** How strictly code challenges are asked for. */
  readonly pkce?: PkceSettings;
  /** Slow down guesses of client secrets (429). Default: on, unless the issuer is a loopback or reserved test host. */
  readonly throttle?: boolean;
  /** Accept an `http` issuer that is not a loopback or reserved test host. */
  readonly insecureAllowHttpIssuer?: boolean;
  /** Accept `http` redirect URIs that are not loopback or reserved test hosts. */
  readonly insecureAllowHttpRedirectUris?: boolean;
  /** Accept `login: "auto"` although the issuer is not a loopback or reserved test host. */
  readonly insecureAllowAutoLogin?: boolean;
  /** Accept the demo clients, whose secret is public, although the issuer is not a loopback or reserved test host. */
  readonly insecureAllowDemoClients?: boolean;
}

const defaultScopes = ["openid", "profile", "email", "read", "write", "offline_access"];

/** The secret of the confidential demo client: public knowledge, and refused where the issuer is a real host. */
export const demoSecret = "demo-secret";

/** Everything of {@link Settings}, with its defaults. */
export interface Settled extends Required<Omit<Settings, "lifetimes" | "pkce" | "defaultScope">> {
  readonly defaultScope: readonly string[];
  readonly lifetimes: Required<Lifetimes>;
  readonly pkce: Required<PkceSettings>;
}

/** Fills in what a person left out. `issuer` is the one in effect. */
export function settle(settings: Settings, issuer: string): Settled {
  const scopes = settings.scopes ?? defaultScopes;
  const defaultScope = settings.defaultScope ?? (settings.scopes === undefined ? "read" : "");
  return {
    issuer,
    login: settings.login ?? "auto",
    clients: settings.clients ?? demoClients(issuer),
    users: settings.users ?? demoUsers,
    scopes,
    defaultScope: splitScope(defaultScope),
    alg: settings.alg ?? "RS256",
    audience: settings.audience ?? issuer,
    lifetimes: { code: 300, access_token: 3600, id_token: 3600, ...defined(settings.lifetimes) },
    pkce: { requireMethod: false, requireForConfidential: false, ...defined(settings.pkce) },
    throttle: settings.throttle ?? !hasTestHost(issuer),
    insecureAllowHttpIssuer: settings.insecureAllowHttpIssuer ?? false,
    insecureAllowHttpRedirectUris: settings.insecureAllowHttpRedirectUris ?? false,
    insecureAllowAutoLogin: settings.insecureAllowAutoLogin ?? false,
    insecureAllowDemoClients: settings.insecureAllowDemoClients ?? false,
  };
}

function defined<T extends object>(given: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** The clients there are when nobody wrote down any: they call back to this server's own page. */
export function demoClients(issuer: string): ClientMetadata[] {
  const redirect_uris = [`${issuer.replace(/\/$/, "")}/authorized`];
  return [
    { client_id: "demo-public", client_name: "Demo public client", redirect_uris },
    {
      client_id: "demo-confidential",
      client_name: "Demo confidential client",
      client_secret: demoSecret,
      redirect_uris,
    },
  ];
}

const demoUsers: readonly User[] = [
  { sub: "alice", name: "Alice Adams", email: "alice@example.com", email_verified: true },
  { sub: "bob", name: "Bob Brown", email: "bob@example.com", email_verified: false },
];

/** Whether the issuer is this machine or a reserved test name, so that nobody else can be meant. */
export function hasTestHost(issuer: string): boolean {
  return URL.canParse(issuer) && isTestHost(new URL(issuer).hostname);
}
