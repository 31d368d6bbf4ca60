/** The groups of settings, such as `lifetimes`: their types, their documentation and their descriptions. */

import { type ResponseMode, responseModeNames, type ResponseType, responseTypeNames } from "../oauth/params.ts";
import { choice, type Field, type Fields, flag, list, object, seconds, text, texts, whole } from "../oauth/field.ts";
import type { ResourceSettings } from "../oauth/resource_list.ts";

/** Lifetimes in seconds. */
export interface Lifetimes {
  /** Authorization codes. Default: 300. Maximum: 600 (OAuth 2.1 §4.1.2). */
  readonly code?: number;
  /** Device codes and user codes (RFC 8628). Default: 600. Maximum: 3600. */
  readonly device_code?: number;
  /** Access tokens. Default: 3600. */
  readonly access_token?: number;
  /** ID tokens. Default: 3600. */
  readonly id_token?: number;
  /** Refresh tokens, counted from the grant, even if they are used. Default: 2592000, thirty days. */
  readonly refresh_token?: number;
  /** Refresh tokens, counted from their last use. Default: 604800, seven days. */
  readonly refresh_token_idle?: number;
  /** Signed authorization responses. Default: 120. Minimum: 10, maximum: 600 (JARM §2.1). */
  readonly authorization_response?: number;
  /** Logins in one browser. Default: 28800, eight hours. */
  readonly session?: number;
}

/**
 * How refresh tokens behave (OAuth 2.1 §4.3). Those of public clients rotate, unless they are bound to a key.
 *
 * @internal
 */
export interface RefreshSettings {
  /** Rotate the refresh tokens of confidential clients too. Default: false. */
  readonly rotateConfidential?: boolean;
  /** Also rotate the refresh tokens of public clients if the tokens are bound to a key (DPoP). Default: false. */
  readonly rotateBound?: boolean;
  /**
   * Seconds within which a rotated token is accepted again and returns the same new token, for clients that lost the
   * response. Default: 0 (a second use revokes the grant). Maximum: 60.
   */
  readonly grace?: number;
  /** Issue refresh tokens only if `offline_access` was granted. Default: false. */
  readonly onlyOffline?: boolean;
  /**
   * Accept a refresh token any number of times, although OAuth 2.1 §4.3.1 forbids it for public clients. `same`: no
   * response contains another one. `another`: each response does, and the used one stays valid. Only on test hosts.
   * Default: refresh tokens rotate, as above.
   */
  readonly reuse?: "same" | "another";
  /**
   * The members of each response with a refresh token, and of its introspection, that say when it ends, in seconds.
   * `refresh_token_expires_in`, as several providers have it, and `refresh_token_timeout` of
   * draft-ietf-oauth-refresh-token-expiration-03: until the refresh token expires unless it is used.
   * `authorization_expires_in` of the same draft: until the user must log in again. Default: none.
   */
  readonly lifetimeMembers?: readonly RefreshLifetimeMember[];
}

/** @internal A member of a token response with the rest of a lifetime. */
export type RefreshLifetimeMember =
  | "refresh_token_expires_in"
  | "refresh_token_timeout"
  | "authorization_expires_in";

/** @internal How codes and tokens begin. */
export interface TokenPrefixes {
  /** Authorization codes. Default: none. */
  readonly code?: string;
  /** Opaque access tokens. Default: none. */
  readonly access_token?: string;
  /** Refresh tokens. Default: none. */
  readonly refresh_token?: string;
}

/** @internal When code challenges are required (OAuth 2.1 §7.5.1). Public clients need one. */
export interface PkceSettings {
  /** Reject a `code_challenge` without `code_challenge_method` instead of reading it as S256. Default: false. */
  readonly requireMethod?: boolean;
  /** Require a code challenge from confidential clients too. Default: false. */
  readonly requireForConfidential?: boolean;
  /**
   * Although `requireForConfidential` is set, accept a confidential client's OpenID Connect request with a `nonce`,
   * which the client verifies instead (OAuth 2.1 §7.5.1). Default: false if `requireForConfidential` is set.
   */
  readonly acceptNonce?: boolean;
  /**
   * Insecure: accept public clients without a code challenge, with a warning, as some providers do: a stolen
   * code is then as good as a token. If `tokenRedirectUri` is optional, a code without a challenge needs no
   * `redirect_uri` either. Only on test hosts. Default: false.
   */
  readonly insecureAllowMissing?: boolean;
  /**
   * Insecure: accept `code_challenge_method=plain`, with a warning, as some providers do. Only on test hosts. Default:
   * false.
   */
  readonly insecureAllowPlain?: boolean;
}

/** @internal The rotation of signing keys. */
export interface KeySettings {
  /** Seconds after which the next signing key is created. Default: never, only on request. Minimum: 3600. */
  readonly rotateEvery?: number;
  /** Seconds for which a new key is published before it signs: the time for which clients cache keys. Default: 300. */
  readonly lead?: number;
}

/** Describes {@link Lifetimes}. */
export const lifetimes = object<Lifetimes>("Lifetimes", {
  code: seconds(300, 600),
  device_code: seconds(600, 3600),
  access_token: seconds(3600),
  id_token: seconds(3600),
  refresh_token: seconds(30 * 24 * 3600),
  refresh_token_idle: seconds(7 * 24 * 3600),
  authorization_response: whole(120, {
    min: 10,
    max: 600,
    default: 120,
    expected: "a whole number of seconds from 10 to 600",
  }),
  session: seconds(8 * 3600),
}, { code: 300, access_token: 3600 });

/** Describes {@link RefreshSettings}. */
export const refresh = object<RefreshSettings>("RefreshSettings", {
  rotateConfidential: flag(false),
  rotateBound: flag(false),
  grace: whole(10, {
    min: 0,
    max: 60,
    default: 0,
    expected: "whole seconds from 0 to 60",
    hint: () => "A client repeats a lost request immediately: 10 is enough.",
  }),
  onlyOffline: flag(false),
  reuse: choice(["same", "another"]),
  lifetimeMembers: list(
    choice(["refresh_token_expires_in", "refresh_token_timeout", "authorization_expires_in"]),
    [["refresh_token_expires_in"]],
    { default: [] },
  ),
}, { grace: 10 });

/** A value that header, form and query transfer unchanged. */
function prefix(example: string): Field<string> {
  return text([example], { pattern: /^[\w~+/.-]{1,80}$/, expected: "1 to 80 of A-Z a-z 0-9 _ ~ + / . -" });
}

/** Describes {@link TokenPrefixes}. */
export const tokenPrefixes = object<TokenPrefixes>("TokenPrefixes", {
  code: prefix("code_"),
  access_token: prefix("at_"),
  refresh_token: prefix("rt_"),
}, { access_token: "at_" });

/** Describes {@link PkceSettings}. */
export const pkce = object<PkceSettings>("PkceSettings", {
  requireMethod: flag(false),
  requireForConfidential: flag(false),
  acceptNonce: flag(),
  insecureAllowMissing: flag(false),
  insecureAllowPlain: flag(false),
}, { requireMethod: true, requireForConfidential: true });

/** Describes {@link KeySettings}. */
export const keys = object<KeySettings>("KeySettings", {
  rotateEvery: whole(86400, { min: 3600, expected: "whole seconds, at least 3600", hint: () => "A day is 86400." }),
  lead: whole(300, {
    min: 0,
    default: 300,
    expected: "whole seconds, at least 0",
    hint: () => "300 is as long as most clients cache keys.",
  }),
}, { rotateEvery: 86400 });

/** Describes {@link ResourceSettings}. */
export const resource = object<ResourceSettings>(
  "ResourceSettings",
  {
    uri: text(["https://api.example"]),
    access_token_format: choice(["jwt", "opaque"]),
    access_token_claims: texts(["roles"]),
  },
  { uri: "https://api.example" },
  { required: ["uri"] },
);

/** @internal Settings of the network around the server. */
export interface NetworkSettings {
  /**
   * The hosts by which clients reach the server, such as `latchkey`, `laptop.local` or `192.168.0.10`. Each counts as a
   * test host, where http, login without a password, the demo clients, `/clients` and `/flows` are open to all machines
   * that reach it. If `issuer` is `from-host`, they may be issuers, besides loopback hosts, and requests to any other
   * host are rejected with 421. Only test hosts, private addresses, and names below `.local` and `.home.arpa` are
   * allowed. Default: none.
   */
  readonly issuerHosts?: readonly string[];
  /**
   * The origin at which browsers reach the server, if not that of the issuer: metadata lists the authorization and the
   * logout endpoint there. Tokens and responses still have the issuer. Default: the origin of the issuer.
   */
  readonly frontChannelUrl?: string;
  /**
   * The origin at which clients and resource servers reach the server, if not that of the issuer: metadata lists all
   * other endpoints there. Default: the origin of the issuer.
   */
  readonly backChannelUrl?: string;
  /**
   * The addresses and networks (`10.0.0.0/8`) of proxies that may send the client's address in `Forwarded` or
   * `X-Forwarded-For`, for the rate limiter and for logs. Their host and scheme never count. Default: none.
   */
  readonly trustProxy?: readonly string[];
  /**
   * The header in which trusted proxies send the client's address; the other one is ignored, because a proxy may
   * forward it unchecked. Default: either. If both are present and differ, the proxy's own address is used.
   */
  readonly proxyHeader?: "x-forwarded-for" | "forwarded";
  /**
   * The hosts that the server may fetch from although they are in a private network or on this machine, such as
   * `keys.corp.internal`: for `jwks_uri`, also over http, and for metadata documents, over https. All other hosts need
   * https and a public address. Default: none; if the issuer is on a test host, all test hosts.
   */
  readonly privateHosts?: readonly string[];
  /**
   * Further origins of web pages that may call a server on a test host from the browser: to register, to exchange a
   * code, to renew a login in a frame. Pages on test hosts, and on origins of redirect URIs of configured clients, may
   * always call it. Default: none.
   */
  readonly allowedOrigins?: readonly string[];
}

/** The description of {@link NetworkSettings}. */
export const networkFields = {
  issuerHosts: list(host("latchkey"), [["latchkey"]], { expected: "an array of hosts", default: [] }),
  frontChannelUrl: origin("http://localhost:9000"),
  backChannelUrl: origin("http://latchkey:9000"),
  trustProxy: texts(["127.0.0.1", "10.0.0.0/8"], { default: [] }),
  proxyHeader: choice(["x-forwarded-for", "forwarded"]),
  privateHosts: list(host("keys.corp.internal"), [["keys.corp.internal"]], {
    expected: "an array of hosts",
    default: [],
  }),
  allowedOrigins: list(origin("https://app.example.com"), [["https://app.example.com"]], {
    expected: "an array of origins",
    default: [],
  }),
} satisfies Fields<NetworkSettings>;

function host(example: string): Field<string> {
  return text([example], {
    pattern: /^(?:[a-z\d](?:[a-z\d._-]*[a-z\d])?|\[[\da-f:]+\])$/,
    expected: "a host in lower case, without scheme and port",
  });
}

/** Describes an origin. */
export function origin(example: string): Field<string> {
  return text([example], {
    pattern: /^https?:\/\/[^\s/?#@A-Z]+$/,
    expected: "an origin in lower case: scheme, host and port, without a slash at its end",
  });
}

/** @internal Settings of the form of authorization requests and responses. */
export interface RequestSettings {
  /**
   * The accepted values of `response_mode`. In the modes with `jwt`, authorization responses are signed (JARM); `jwt`
   * alone means `query.jwt`. Without `query`, every request must name a mode. Default: `query form_post`, and
   * `fragment` if `responseTypes` has more than `code`.
   */
  readonly responseModes?: readonly ResponseMode[];
  /**
   * The accepted values of `response_type`. With `id_token` and `code id_token`, the response has an ID token (OpenID
   * Connect Core §3.2, §3.3); a client must be registered for them. Default: `code`.
   */
  readonly responseTypes?: readonly ResponseType[];
}

/** The description of a list of response modes. */
export const responseModesField: Field<readonly ResponseMode[]> = list(choice(responseModeNames), [["query", "jwt"]], {
  min: 1,
  expected: "an array of response modes, at least one",
});

/** The description of {@link RequestSettings}. */
export const requestFields = {
  responseModes: { ...responseModesField, default: ["query", "form_post"] },
  responseTypes: list(choice(responseTypeNames), [["code", "id_token"]], {
    min: 1,
    expected: "an array of response types, at least one",
    default: ["code"],
  }),
} satisfies Fields<RequestSettings>;

/** @internal Settings that accept insecure configurations. */
export interface InsecureSettings {
  /** Insecure: accept an `http` issuer that is not on a test host. Default: false. */
  readonly insecureAllowHttpIssuer?: boolean;
  /** Insecure: accept `http` redirect URIs that are not on test hosts. Default: false. */
  readonly insecureAllowHttpRedirectUris?: boolean;
  /** Insecure: accept `login: "auto"` although the issuer is not on a test host. Default: false. */
  readonly insecureAllowAutoLogin?: boolean;
  /**
   * Insecure: accept `login: "interactive"` without passwords, which lets every visitor log in as any user, although
   * the issuer is not on a test host. Default: false.
   */
  readonly insecureAllowOpenLogin?: boolean;
  /**
   * Insecure: accept the demo clients, whose secret is public, although the issuer is not on a test host. Default:
   * false.
   */
  readonly insecureAllowDemoClients?: boolean;
  /**
   * Insecure: accept a `directory`, which shows clients and users to any visitor, although the issuer is not on a test
   * host. Default: false.
   */
  readonly insecureAllowDirectory?: boolean;
}

/** The description of {@link InsecureSettings}. */
export const insecureFields = {
  insecureAllowHttpIssuer: flag(false),
  insecureAllowHttpRedirectUris: flag(false),
  insecureAllowAutoLogin: flag(false),
  insecureAllowOpenLogin: flag(false),
  insecureAllowDemoClients: flag(false),
  insecureAllowDirectory: flag(false),
} satisfies Fields<InsecureSettings>;
