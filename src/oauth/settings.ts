/** What a person or an embedder may set, and every fault in it, each with its place and how to mend it. */

import type { ClientMetadata, User } from "./client.ts";
import { isTestHost } from "./hosts.ts";
import type { SigningAlgorithm } from "./keys.ts";
import { redirectUriFault } from "./redirect_uri.ts";
import { scopeToken, splitScope } from "./scope.ts";

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
  readonly lifetimes?: Lifetimes;
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

/** One fault in a setting, for a person. */
export interface Fault {
  /** Where: `clients[1].redirect_uris[0]`. */
  readonly place: string;
  /** What would have been right, as a noun phrase: `an absolute URL without a fragment`. */
  readonly expected: string;
  /** What was found, quoted where it is text; never a secret. */
  readonly found: string;
  /** How to mend it, one imperative sentence. */
  readonly mend: string;
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

function hasTestHost(issuer: string): boolean {
  return URL.canParse(issuer) && isTestHost(new URL(issuer).hostname);
}

/**
 * Judges the meaning of settings whose shape is right, and finds every fault at once.
 *
 * @param issuer The issuer in effect: the configured one, or the default that follows from the port.
 */
export function settingsFaults(settings: Settings, issuer: string): Fault[] {
  const settled = settle(settings, issuer);
  return [
    ...issuerFaults(settled),
    ...loginFaults(settings, settled),
    ...scopeFaults(settings, settled),
    ...lifetimeFaults(settled),
    ...userFaults(settled),
    ...clientFaults(settled),
  ];
}

function* issuerFaults({ issuer, insecureAllowHttpIssuer }: Settled): Generator<Fault> {
  const fault = (expected: string, mend: string): Fault => ({ place: "issuer", expected, found: quote(issuer), mend });
  if (!URL.canParse(issuer) || !/^https?:\/\/[^/]/.test(issuer)) {
    return yield fault("an absolute https URL", "Write it as https://host or, on this machine, http://localhost:9000.");
  }
  const url = new URL(issuer);
  if (issuer.includes("?") || issuer.includes("#") || url.username !== "" || url.password !== "") {
    yield fault("a URL without query, fragment and user information", "Keep only scheme, host, port and path.");
  } else if (issuer !== url.origin && issuer !== url.href) {
    yield fault("a URL in its normal form", `Write it as ${quote(url.pathname === "/" ? url.origin : url.href)}.`);
  }
  if (url.protocol === "http:" && !isTestHost(url.hostname) && !insecureAllowHttpIssuer) {
    yield fault(
      "https, because the host is neither a loopback address nor a reserved test name",
      "Use https, or set insecureAllowHttpIssuer for a test that cannot.",
    );
  }
}

function* loginFaults(settings: Settings, settled: Settled): Generator<Fault> {
  if (hasTestHost(settled.issuer)) return;
  if (!settled.insecureAllowAutoLogin) {
    yield {
      place: "login",
      expected: "a login that asks who is there, because the issuer is a real host",
      found: settings.login === undefined ? `nothing, which means "auto"` : quote(settled.login),
      mend: "Give the server a loopback issuer, or set insecureAllowAutoLogin to let everybody in as the first user.",
    };
  }
  if (settings.clients === undefined && !settled.insecureAllowDemoClients) {
    yield {
      place: "clients",
      expected: "clients of your own, because the issuer is a real host and the demo clients' secret is public",
      found: "nothing",
      mend: "Write down the clients, or set insecureAllowDemoClients.",
    };
  }
}

function* scopeFaults(settings: Settings, settled: Settled): Generator<Fault> {
  for (const [i, token] of settled.scopes.entries()) {
    if (scopeToken.test(token)) continue;
    yield {
      place: `scopes[${i}]`,
      expected: "printable ASCII without spaces, quotes and backslashes",
      found: quote(token),
      mend: "Write each scope value as an item of its own.",
    };
  }
  for (const token of settings.defaultScope === undefined ? [] : settled.defaultScope) {
    if (settled.scopes.includes(token)) continue;
    yield {
      place: "defaultScope",
      expected: `values that scopes holds (${settled.scopes.join(" ")})`,
      found: quote(token),
      mend: `Add ${quote(token)} to scopes, or remove it from defaultScope.`,
    };
  }
}

function* lifetimeFaults({ lifetimes }: Settled): Generator<Fault> {
  for (const [name, seconds] of Object.entries(lifetimes)) {
    const longest = name === "code" ? 600 : Infinity;
    if (Number.isSafeInteger(seconds) && seconds > 0 && seconds <= longest) continue;
    yield {
      place: `lifetimes.${name}`,
      expected: longest === Infinity ? "a whole number of seconds above 0" : `whole seconds from 1 to ${longest}`,
      found: String(seconds),
      mend: name === "code" ? "A code is redeemed at once: 300 is plenty." : "Write seconds, such as 3600.",
    };
  }
}

function* userFaults({ users }: Settled): Generator<Fault> {
  for (const [i, { sub }] of users.entries()) {
    const place = `users[${i}].sub`;
    if (typeof sub !== "string" || !/^[\x21-\x7E]{1,255}$/.test(sub)) {
      yield {
        place,
        expected: "1 to 255 printable ASCII characters",
        found: quote(sub),
        mend: "Choose a short identifier that will never change.",
      };
    } else if (users.findIndex((other) => other.sub === sub) < i) {
      yield { place, expected: "a subject that no other user has", found: quote(sub), mend: "Choose another one." };
    }
  }
}

/** Grant types that a client may be registered for, served here or not. */
const grantTypes = [
  "authorization_code",
  "refresh_token",
  "client_credentials",
  "urn:ietf:params:oauth:grant-type:device_code",
  "urn:ietf:params:oauth:grant-type:token-exchange",
  "urn:ietf:params:oauth:grant-type:jwt-bearer",
];

function* clientFaults(settled: Settled): Generator<Fault> {
  for (const [i, client] of settled.clients.entries()) {
    const first = settled.clients.findIndex((other) => other.client_id === client.client_id);
    if (first < i) {
      yield {
        place: `clients[${i}].client_id`,
        expected: "an id that no other client has",
        found: quote(client.client_id),
        mend: `Rename this one, or remove clients[${first}].`,
      };
    }
    for (const fault of clientMetadataFaults(client, settled)) {
      yield { ...fault, place: `clients[${i}].${fault.place}` };
    }
  }
}

/** Every fault in one client's metadata (RFC 7591 §2); places are relative to the client. */
export function* clientMetadataFaults(
  client: ClientMetadata,
  server: { readonly scopes: readonly string[]; readonly insecureAllowHttpRedirectUris: boolean },
): Generator<Fault> {
  if (typeof client.client_id !== "string" || !/^[\x20-\x7E]{1,256}$/.test(client.client_id)) {
    yield {
      place: "client_id",
      expected: "1 to 256 printable ASCII characters",
      found: quote(client.client_id),
      mend: "Choose a short identifier.",
    };
  }
  yield* clientSecretFaults(client);
  for (const [i, type] of (client.grant_types ?? []).entries()) {
    if (grantTypes.includes(type)) continue;
    yield {
      place: `grant_types[${i}]`,
      expected: `one of ${grantTypes.join(", ")}`,
      found: quote(type),
      mend: type === "password" || type === "implicit"
        ? "OAuth 2.1 has no such grant: use authorization_code."
        : "Correct the spelling.",
    };
  }
  for (const [i, type] of (client.response_types ?? []).entries()) {
    if (type === "code") continue;
    yield { place: `response_types[${i}]`, expected: `"code"`, found: quote(type), mend: `Write ["code"].` };
  }
  const uris = client.redirect_uris ?? [];
  if (uris.length === 0 && (client.grant_types ?? ["authorization_code"]).includes("authorization_code")) {
    yield {
      place: "redirect_uris",
      expected: "at least one redirect URI, because the client is registered for authorization_code",
      found: "none",
      mend: "Add the URI the client listens on, or give it other grant_types.",
    };
  }
  for (const [i, uri] of uris.entries()) {
    const fault = redirectUriFault(uri, server.insecureAllowHttpRedirectUris);
    if (fault !== undefined) yield { place: `redirect_uris[${i}]`, ...fault, found: quote(uri) };
  }
  for (const token of splitScope(client.scope ?? "")) {
    if (server.scopes.includes(token)) continue;
    yield {
      place: "scope",
      expected: `values that the server's scopes hold (${server.scopes.join(" ")})`,
      found: quote(token),
      mend: `Add ${quote(token)} to scopes, or remove it here.`,
    };
  }
}

function* clientSecretFaults(client: ClientMetadata): Generator<Fault> {
  const method = client.token_endpoint_auth_method;
  if (client.client_secret === undefined) {
    if (method === undefined || method === "none") return;
    yield {
      place: "client_secret",
      expected: `a secret, because token_endpoint_auth_method is ${quote(method)}`,
      found: "nothing",
      mend: `Add a client_secret, or set token_endpoint_auth_method to "none" for a public client.`,
    };
  } else if (method === "none") {
    yield {
      place: "client_secret",
      expected: `no secret, because token_endpoint_auth_method is "none"`,
      found: "a secret",
      mend: "Remove client_secret, or name the method that uses it.",
    };
  } else if (!/^[\x20-\x7E]+$/.test(client.client_secret)) {
    yield {
      place: "client_secret",
      expected: "printable ASCII characters, at least one",
      found: client.client_secret === "" ? "an empty text" : "other characters",
      mend: "Choose a long random secret of letters and digits.",
    };
  }
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
