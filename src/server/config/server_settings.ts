/** The other settings, and the descriptions of their groups. */

import { choice, type Field, type Fields, list, object, text, texts, whole } from "../../core/policy/field.ts";
import type { PolicySettings, RequestSettings, TokenSettings, UrlSettings } from "./policy_settings.ts";
import type { EndpointPaths } from "./endpoint_paths.ts";

/** @internal The settings of the protocol. A policy has them with their defaults. */
export interface ServerSettings extends PolicySettings, NetworkSettings, ProviderSettings, RequestSettings {
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

/** @internal What the setting `insecure` accepts. */
export type Insecure =
  | "http-issuer"
  | "http-redirect-uris"
  | "auto-login"
  | "open-login"
  | "demo-clients"
  | "directory"
  | "open-registration"
  | "inspector"
  | "show-secrets";

/** What each value of the setting `insecure` lets others do, as the end of a sentence. */
export const insecureEffects: Readonly<Record<Insecure, string>> = {
  "http-issuer": "tokens and passwords are sent without TLS",
  "http-redirect-uris": "codes are sent to clients without TLS",
  "auto-login": "every visitor is logged in, without a page",
  "open-login": "every visitor can log in as any user, without a password",
  "demo-clients": "the secret of the demo clients is public",
  directory: "every visitor sees the clients and users",
  "open-registration": "every program can register a client",
  inspector: "every visitor sees all logins",
  "show-secrets": "every program that reaches the server can read codes, tokens and secrets",
};

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

/** @internal The settings that the profile of a provider can set. */
export interface ProviderSettings extends TokenSettings {
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

/** Describes {@link TokenPrefixes}. */
export const tokenPrefixes = object<TokenPrefixes>("TokenPrefixes", {
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

/** @internal Settings of the network around the server. */
export interface NetworkSettings extends UrlSettings {
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
  allowedOrigins: list({ ...origin("https://app.example.com"), hint: nullOriginHint }, [["https://app.example.com"]], {
    expected: "an array of origins",
    default: [],
  }),
} satisfies Fields<NetworkSettings>;

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
