/** The settings besides issuer, profile, clients, users and scopes, and the descriptions of their groups. */

import {
  anyValue,
  choice,
  type Field,
  type FieldsOf,
  flag,
  group,
  list,
  object,
  record,
  seconds,
  text,
  texts,
  whole,
} from "../../core/policy/field.ts";
import type { SigningAlgorithm } from "../../core/keys/signing_algorithm.ts";
import type { AccessTokenTyp, LifetimePolicy, PkcePolicy, RefreshPolicy } from "../../core/policy/policy.ts";
import * as core from "../../core/policy/policy.ts";
import {
  type ClientAuthMethod,
  clientAuthMethodNames,
  type ResponseMode,
  responseModeNames,
  type ResponseType,
  responseTypeNames,
} from "./client_metadata.ts";
import { type EndpointPaths, endpointPathsField } from "./endpoint_paths.ts";
import { type LoginPageName, loginPageNames } from "./login_page_names.ts";
import { defaultSignatureAlgorithms, secretAlgorithms, verificationAlgorithms } from "./verification_algorithms.ts";

/** @internal The settings of the protocol. A policy has them with their defaults. */
export interface ServerSettings extends NetworkSettings, ProviderSettings {
  /**
   * `auto`: the first user is logged in and everything is approved; `login_hint` selects another user. `interactive`:
   * pages ask the user to log in and to consent. Default: `auto`.
   */
  readonly login?: "auto" | "interactive";
  /**
   * What automatic login does if `login_hint` names no user. `default`: it logs in the user of the session or the first
   * user, with a warning. `reject`: it rejects the request with `invalid_request`. `create`: it creates a guest user
   * with this `sub`, which only a server on a test host may do. Default: `default`; in the mock `reject`.
   */
  readonly unknownLoginHint?: "default" | "reject" | "create";
  /**
   * The accepted algorithms of asymmetric signatures: of this server, of DPoP proofs, and of the JWTs of clients
   * (assertions and signed requests). `EdDSA` is Ed25519. Default:
   * `RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 Ed25519 EdDSA`, and `alg`. Others: `ML-DSA-44`,
   * `ML-DSA-65`, `ML-DSA-87`.
   */
  readonly signatureAlgorithms?: readonly string[];
  /**
   * The methods of client authentication that clients may use; the two of TLS also need `mutualTls`. Default:
   * `client_secret_basic client_secret_post client_secret_jwt private_key_jwt tls_client_auth
   * self_signed_tls_client_auth none`, those of the core and of all extensions.
   */
  readonly clientAuthMethods?: readonly ClientAuthMethod[];
  /**
   * Whether an authorization request must contain `redirect_uri`, even if the client has only one and the request is
   * not an OpenID Connect request. Default: false.
   */
  readonly requireRedirectUri?: boolean;
  /** Whether userinfo accepts an access token in a form (RFC 6750 §2.2). Default: true. */
  readonly accessTokenInForm?: boolean;
  /**
   * The accepted `aud` of client assertions and of assertions of `trustedIssuers`: only the issuer (RFC 10070), or
   * also the URL of the token endpoint (RFC 7523, sent by many clients), or of the endpoint for pushed requests (RFC
   * 9126 §2) or backchannel authentication (CIBA §7.1) that is called, which causes a warning. `aud` must contain one
   * value; with `issuer-string` it must be a string, not an array (FAPI 2.0). Default: `issuer-or-token-endpoint`.
   */
  readonly assertionAudience?: "issuer-string" | "issuer" | "issuer-or-token-endpoint";
  /**
   * Whether requests must name a `resource` (RFC 8707). Without one, `expected` causes a warning, and `required`
   * rejects the request with `invalid_target`. Default: `optional`.
   */
  readonly resourceParameter?: "optional" | "expected" | "required";
  /**
   * The URLs of the metadata document: the well-known names of RFC 8414 (`oauth`) and of OpenID Connect (`openid`),
   * before the path of the issuer (`inserted`) or after it (`appended`). Without such a path both are the same URL.
   * Default: `oauth-inserted openid-inserted openid-appended oauth-appended`.
   */
  readonly metadataForms?: readonly MetadataForm[];
  /**
   * The resources that access tokens are for (RFC 8707). Default: a request may name every absolute URI, with http only
   * on a test host.
   */
  readonly resources?: readonly ResourceSettings[];
  /** The rotation of signing keys. */
  readonly keys?: KeySettings;
  /**
   * What any visitor may do on the pages `/clients` and `/users`: `edit` (until the server stops), `read`, or `off` (no
   * such pages). Default: `edit` if the issuer is on a test host, otherwise `off`.
   */
  readonly directory?: "edit" | "read" | "off";
  /**
   * What is accepted although the issuer is not on a test host. `http-issuer`: an `http` issuer. `http-redirect-uris`:
   * `http` redirect URIs that are not on test hosts. `auto-login`: `login: "auto"`. `open-login`: `login:
   * "interactive"` without passwords, which lets every visitor log in as any user. `demo-clients`: the demo clients,
   * whose secret is public. `directory`: the setting `directory`, which shows clients and users to any visitor.
   * `open-registration`: the mode `open` of `registration`. `inspector`: the inspector, which shows all logins to any
   * visitor. And on test hosts alone, `show-secrets`: `/flows.json?show=secrets` has codes, tokens, passwords and
   * client secrets in clear, for every program that can reach the server. Default: none.
   */
  readonly insecure?: readonly Insecure[];
  /** Rate-limit failed client authentication and logins (429). Default: true, unless the issuer is on a test host. */
  readonly throttle?: boolean;
}

/** What each value of the setting `insecure` lets others do, as the end of a sentence. */
export const insecureEffects = {
  "http-issuer": "tokens and passwords are sent without TLS",
  "http-redirect-uris": "codes are sent to clients without TLS",
  "auto-login": "every visitor is logged in, without a page",
  "open-login": "every visitor can log in as any user, without a password",
  "demo-clients": "the secret of the demo clients is public",
  directory: "every visitor sees the clients and users",
  "open-registration": "every program can register a client",
  inspector: "every visitor sees all logins",
  "show-secrets": "every program that reaches the server can read codes, tokens and secrets",
} as const;

/** @internal What the setting `insecure` accepts. */
export type Insecure = keyof typeof insecureEffects;

/** Everything that the setting `insecure` can accept. */
export const insecureNames = Object.keys(insecureEffects) as readonly Insecure[];

/** @internal A form of the metadata URL: RFC 8414 (`oauth`) or OpenID Connect (`openid`). */
export type MetadataForm = "oauth-inserted" | "openid-inserted" | "openid-appended" | "oauth-appended";

/** @internal A protected resource that access tokens can be for (RFC 8707). */
export interface ResourceSettings {
  /**
   * The absolute URI of the resource, without a fragment, such as `urn:example:api`: the `aud` of its access tokens.
   * With the profile of a provider, any text.
   */
  readonly uri: string;
  /** `opaque`: the resource introspects its access tokens. Default: `jwt`. */
  readonly access_token_format?: "jwt" | "opaque";
  /** The claims about the user in its access tokens. Default: the setting `accessTokenClaims`. */
  readonly access_token_claims?: readonly string[];
}

export const resourceField = object<ResourceSettings>(
  "ResourceSettings",
  {
    uri: text(["https://api.example"]),
    access_token_format: choice(["jwt", "opaque"]),
    access_token_claims: texts(["roles"]),
  },
  { uri: "https://api.example" },
  { required: ["uri"] },
);

/** @internal The settings that the profile of a provider can set. */
export interface ProviderSettings {
  /**
   * The space-separated scope values of a request without `scope`; `""` rejects such a request with `invalid_scope`.
   * Default: `read` if `scopes` contains it, otherwise `""` with a warning.
   */
  readonly defaultScope?: string;
  /**
   * The claims that each scope value releases, in addition to the standard claims of `profile`, `email`, `address` and
   * `phone` (OpenID Connect Core §5.4). These scope values are added to `scopes`. Default: none.
   */
  readonly claims?: Readonly<Record<string, readonly string[]>>;
  /**
   * Whether `openid` releases the members of a user that no other scope value releases. Default: `openid` if the issuer
   * is on a test host, otherwise `none`.
   */
  readonly unmappedClaims?: "openid" | "none";
  /**
   * `minimal`: only userinfo returns the claims of scope values (OpenID Connect Core §5.4). `like-userinfo`: ID tokens
   * contain them as well, for clients that never call userinfo. Default: `minimal`.
   */
  readonly idTokenClaims?: "minimal" | "like-userinfo";
  /**
   * The claims about the user in access tokens and in introspection responses (RFC 9068 §2.2.3). A claim that a scope
   * value releases is included only if that scope value was granted. `groups`, `roles` and `entitlements` are always
   * lists. A resource may have its own list. Default: none.
   */
  readonly accessTokenClaims?: readonly string[];
  /** Signs access tokens, and ID tokens of clients that registered no other algorithm. Default: `RS256`. */
  readonly alg?: SigningAlgorithm;
  /**
   * The header parameter `typ` of access tokens that are JWTs: `at+jwt` (RFC 9068 §2.1), or `JWT` or `none`, as several
   * providers send it, for resource servers that accept nothing else. Default: `at+jwt`.
   */
  readonly accessTokenTyp?: AccessTokenTyp;
  /** The `aud` of access tokens. Default: the issuer. */
  readonly audience?: string;
  /** How long codes, tokens and sessions live, in seconds. */
  readonly lifetimes?: Lifetimes;
  /** When code challenges (PKCE, RFC 7636) are required. */
  readonly pkce?: Partial<PkcePolicy>;
  /**
   * Whether a token request must repeat `redirect_uri`. `optional`: it may leave `redirect_uri` out if the code has a
   * code challenge (OAuth 2.1 §10.2); a wrong value is rejected. Default: `required`.
   */
  readonly tokenRedirectUri?: "required" | "optional";
  /**
   * The origins of the real server if it has several: `issuer`, and those of other URLs, by the names of endpoints in
   * metadata or any other name. They count while the issuer has the origin `issuer`, such as in a mock with
   * `installFetch({ origins: "real" })`. Default: every endpoint has the origin of the issuer.
   */
  readonly origins?: Readonly<Record<string, string>>;
  /** The format of access tokens for no resource. Default: `jwt`. */
  readonly accessTokenFormat?: "jwt" | "opaque";
  /** How refresh tokens behave. */
  readonly refresh?: RefreshSettings;
  /**
   * The paths of endpoints below the issuer, by their names in metadata: metadata lists these paths, and the server
   * serves the endpoints there and nowhere else. Each `/..` at the start leads out of one segment of the path of the
   * issuer: at the issuer `/tenant/v2.0`, `/../oauth2/token` is `/tenant/oauth2/token`. Default: below `/oauth2`.
   */
  readonly paths?: EndpointPaths;
  /** How codes, opaque access tokens and refresh tokens begin. Default: all characters are random. */
  readonly tokenPrefixes?: TokenPrefixes;
  /**
   * Members of the metadata documents to replace or add; `null` removes one. Only on test hosts, to test clients
   * against other metadata. The server behaves as before, with one exception: if
   * `authorization_response_iss_parameter_supported` is not `true`, only signed authorization responses have `iss`.
   * Default: none.
   */
  readonly metadata?: Readonly<Record<string, unknown>>;
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
  /**
   * The form of `login: "interactive"`. `latchkey` lists the users. Every other value is the form of a provider, at the
   * provider's path and without consent, so that a test suite that fills it in runs unchanged. Only on test hosts.
   * Default: `latchkey`; with the profile of a provider, the provider's.
   */
  readonly loginPage?: LoginPageName;
}

/** @internal How codes and tokens begin. */
export interface TokenPrefixes {
  /** Authorization codes. Default: none. */
  readonly code?: string;
  /** Opaque access tokens. Default: none. */
  readonly access_token?: string;
  /** Refresh tokens. Default: none. */
  readonly refresh_token?: string;
}

/** A value that header, form and query transfer unchanged. */
function prefix(example: string): Field<string> {
  return text([example], { pattern: /^[\w~+/.-]{1,80}$/, expected: "1 to 80 of A-Z a-z 0-9 _ ~ + / . -" });
}

const tokenPrefixesField = group<TokenPrefixes>("TokenPrefixes", {
  code: prefix("code_"),
  access_token: prefix("at_"),
  refresh_token: prefix("rt_"),
}, { access_token: "at_" });

/** @internal The rotation of signing keys. */
export interface KeySettings {
  /** Seconds after which the next signing key is created. Default: never, only on request. Minimum: 3600. */
  readonly rotateEvery?: number;
  /** Seconds for which a new key is published before it signs: the time for which clients cache keys. Default: 300. */
  readonly lead?: number;
}

export const keysField = group<KeySettings>("KeySettings", {
  rotateEvery: whole(86400, { min: 3600, expected: "whole seconds, at least 3600", hint: () => "A day is 86400." }),
  lead: whole(300, {
    min: 0,
    default: 300,
    expected: "whole seconds, at least 0",
    hint: () => "300 is as long as most clients cache keys.",
  }),
}, { rotateEvery: 86400 });

/** @internal Settings of the network around the server. */
export interface NetworkSettings {
  /**
   * The hosts by which clients reach the server, such as `latchkey`, `laptop.local` or `192.168.0.10`. Each counts as a
   * test host, where http, login without a password, the demo clients, `/clients` and `/flows` are open to all machines
   * that reach it. If `issuer` is `from-host`, they may be issuers, besides loopback hosts, and requests to any other
   * host are rejected with 421. Test hosts, private addresses and names below no public top-level domain, such as
   * `dex.auth` or `idp.corp.internal`, are allowed. Default: none.
   */
  readonly issuerHosts?: readonly string[];
  /**
   * The origin at which browsers reach the server, if it is not the issuer's: metadata lists the authorization and the
   * logout endpoint there. Tokens and responses still have the issuer. Default: the origin of the issuer.
   */
  readonly frontChannelUrl?: string;
  /**
   * The origin at which clients and resource servers reach the server, if it is not the issuer's: metadata lists all
   * other endpoints there. Default: the origin of the issuer.
   */
  readonly backChannelUrl?: string;
  /**
   * Further origins of web pages that may call a server on a test host from the browser (CORS): to register, to
   * exchange a code, to renew a login in a frame. Pages on test hosts, and on origins of redirect URIs of configured
   * clients, may always call it. Default: none.
   */
  readonly allowedOrigins?: readonly string[];
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
   * https and a public address. Names of these hosts are resolved as the system does, with search domains; other names
   * by the hosts file and DNS. Default: none; if the issuer is on a test host, all test hosts.
   */
  readonly privateHosts?: readonly string[];
}

/** The description of {@link NetworkSettings}. */
const networkFields = {
  issuerHosts: list(host("latchkey"), [["latchkey"]], { expected: "an array of hosts", default: [] }),
  frontChannelUrl: origin("http://localhost:9000"),
  backChannelUrl: origin("http://latchkey:9000"),
  trustProxy: texts(["127.0.0.1", "10.0.0.0/8"], { default: [] }),
  proxyHeader: choice(["x-forwarded-for", "forwarded"]),
  privateHosts: list(host("keys.corp.internal"), [["keys.corp.internal"]], {
    expected: "an array of hosts",
    default: [],
  }),
  allowedOrigins: list({ ...origin("https://app.example.com"), hint: nullOriginHint }, [["https://app.example.com"]], {
    expected: "an array of origins",
    default: [],
  }),
} satisfies FieldsOf<NetworkSettings>;

function nullOriginHint(text: string | undefined): string | undefined {
  return text === "null"
    ? "Remove it: every file, sandboxed frame and data URL has the origin null. Serve the page by http on localhost."
    : undefined;
}

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

/** Lifetimes in seconds. */
export interface Lifetimes extends Partial<LifetimePolicy> {
  /** Device codes and user codes (RFC 8628). Default: 600. Maximum: 3600. */
  readonly device_code?: number;
  /** Signed authorization responses. Default: 120. Minimum: 10, maximum: 600 (JARM §2.1). */
  readonly authorization_response?: number;
}

const { code, session, ...lifetimesOfTokens } = core.lifetimesField.members;

export const lifetimesField = group<Lifetimes>("Lifetimes", {
  code,
  device_code: seconds(600, 3600),
  ...lifetimesOfTokens,
  authorization_response: whole(120, {
    min: 10,
    max: 600,
    default: 120,
    expected: "a whole number of seconds from 10 to 600",
  }),
  session,
}, { code: 300, access_token: 3600 });

/**
 * How refresh tokens behave (OAuth 2.1 §4.3). Those of public clients rotate, unless they are bound to a key.
 *
 * @internal
 */
export interface RefreshSettings extends Partial<RefreshPolicy> {
  /** Also rotate the refresh tokens of public clients if the tokens are bound to a key (DPoP). Default: false. */
  readonly rotateBound?: boolean;
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

export const refreshField = group<RefreshSettings>("RefreshSettings", {
  ...core.refreshField.members,
  rotateBound: flag(false),
  reuse: choice(["same", "another"]),
  lifetimeMembers: list(
    choice(["refresh_token_expires_in", "refresh_token_timeout", "authorization_expires_in"]),
    [["refresh_token_expires_in"]],
    { default: [] },
  ),
}, { grace: 10 });

export const providerFields = {
  defaultScope: text(["read"], { expected: "a string of space-separated scope values" }),
  claims: core.policyFields.claims,
  unmappedClaims: core.policyFields.unmappedClaims,
  idTokenClaims: core.policyFields.idTokenClaims,
  accessTokenClaims: core.policyFields.accessTokenClaims,
  alg: core.policyFields.alg,
  accessTokenTyp: core.policyFields.accessTokenTyp,
  audience: text(["https://api.example.com"]),
  lifetimes: lifetimesField,
  pkce: core.pkceField,
  metadata: {
    ...record(anyValue, { authorization_response_iss_parameter_supported: false }, "an object"),
    default: {},
  },
  paths: endpointPathsField([]),
  tokenRedirectUri: core.policyFields.tokenRedirectUri,
  origins: {
    ...record(origin("https://auth.example.com"), { issuer: "https://auth.example.com" }, "an object of origins"),
    default: {},
  },
  accessTokenFormat: choice(["jwt", "opaque"], { default: "jwt" }),
  tokenPrefixes: tokenPrefixesField,
  refresh: refreshField,
  responseModes: {
    ...core.policyFields.responseModes,
    items: choice(responseModeNames),
    examples: [["query", "jwt"]],
  },
  responseTypes: {
    ...core.policyFields.responseTypes,
    items: choice(responseTypeNames),
    examples: [["code", "id_token"]],
  },
  loginPage: choice(loginPageNames, { default: "latchkey" }),
} as const satisfies FieldsOf<ProviderSettings>;

const metadataForms: readonly MetadataForm[] = [
  ...["oauth-inserted", "openid-inserted", "openid-appended", "oauth-appended"] as const,
];

function secretAlgorithmHint(text = ""): string | undefined {
  return secretAlgorithms.includes(text)
    ? `Remove it: the list is about signatures by keys. Clients with client_secret_jwt always use ${
      secretAlgorithms.join(", ")
    }.`
    : undefined;
}

export const serverFields = {
  login: choice(["auto", "interactive"], {
    default: "auto",
    words: {
      form: "interactive",
      manual: "interactive",
      password: "interactive",
      skipLogin: "auto",
      autoLogin: "auto",
    },
  }),
  unknownLoginHint: choice(["default", "reject", "create"], { default: "default" }),
  ...providerFields,
  signatureAlgorithms: list(choice(verificationAlgorithms, { hint: secretAlgorithmHint }), [[
    "PS256",
    "ES256",
    "EdDSA",
  ]], {
    expected: "an array of asymmetric signature algorithms",
    default: defaultSignatureAlgorithms,
  }),
  assertionAudience: choice(["issuer-string", "issuer", "issuer-or-token-endpoint"], {
    default: "issuer-or-token-endpoint",
  }),
  clientAuthMethods: list(choice(clientAuthMethodNames), [["client_secret_basic", "none"]], {
    default: clientAuthMethodNames,
  }),
  requireRedirectUri: core.policyFields.requireRedirectUri,
  resourceParameter: choice(["optional", "expected", "required"], { default: "optional" }),
  accessTokenInForm: core.policyFields.accessTokenInForm,
  metadataForms: list(choice(metadataForms), [["oauth-inserted", "openid-appended"]], { default: metadataForms }),
  keys: keysField,
  resources: list(resourceField, [resourceField.examples], { expected: "an array of resources" }),
  directory: choice(["edit", "read", "off"]),
  insecure: list(choice(insecureNames), [["auto-login"]], { default: [] }),
  throttle: flag(),
  ...networkFields,
} satisfies FieldsOf<ServerSettings>;
