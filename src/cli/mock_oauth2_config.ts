/**
 * Reads a configuration of mock-oauth2-server (navikt) as a configuration of this server, for suites that change
 * servers. The resulting server requires no registrations, has the paths of mock-oauth2-server and an issuer for each
 * first segment of a path, and maps parameters of token requests to claims.
 */

import type { PrivateJwk } from "../client/private_jwk.ts";
import type { ConfigIssue, ConfigurationWarning } from "../core/rules/configuration_error.ts";
import { hasPrivateKey } from "../core/keys/jwk.ts";
import { anyValue, flag, list, object, record, text, union, whole } from "../core/policy/field.ts";
import { validate } from "../server/config/config_issue.ts";
import { matcherFor } from "../testing/request_mappings.ts";
import { settingFields, type Settings } from "../server/config/settings.ts";
import type { ConfigFile } from "./settings.ts";

/** Claims of the tokens of requests with a parameter. */
export interface RequestMapping {
  /** The name of the parameter. */
  readonly requestParam: string;
  /** Its value, or a regular expression for it; `*` matches any. */
  readonly match: string;
  /** Claims to add or replace; a text may have templates such as `${clientId}`. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The `typ` of access tokens, if all mappings have the same. */
  readonly typeHeader?: string;
}

interface TokenCallback {
  readonly issuerId?: string;
  readonly tokenExpiry?: number;
  readonly requestMappings?: readonly RequestMapping[];
}

interface HttpServer {
  readonly ssl?: Readonly<Record<string, unknown>>;
}

interface MockOAuth2Config {
  /** The name of a server, which has no effect, or its settings. */
  readonly httpServer?: string | HttpServer;
  readonly interactiveLogin?: boolean;
  readonly rotateRefreshToken?: boolean;
  readonly tokenCallbacks?: readonly TokenCallback[];
  readonly tokenProvider?: TokenProvider;
}

interface TokenProvider {
  /** `initialKeys` is one private JWK, as a text. */
  readonly keyProvider?: { readonly algorithm?: string; readonly initialKeys?: string };
}

const mappingField = object<RequestMapping>(
  "RequestMapping",
  {
    requestParam: text(["scope"]),
    match: text(["api"]),
    claims: record(anyValue, { sub: "alice" }, "an object"),
    typeHeader: text(["JWT"]),
  },
  { requestParam: "scope", match: "api", claims: { sub: "alice" } },
  { required: ["requestParam", "match"] },
);

const callbackField = object<TokenCallback>(
  "TokenCallback",
  {
    issuerId: text(["default"], { pattern: /^[\w~-][\w.~-]{0,63}$/, expected: "a segment of a path, such as default" }),
    tokenExpiry: whole(120, { min: 1, expected: "a whole number of seconds, at least 1" }),
    requestMappings: list(mappingField, [[mappingField.examples[0]!]], { expected: "an array of request mappings" }),
  },
  {},
  { others: anyValue },
);

const tokenProviderField = object<TokenProvider>(
  "TokenProvider",
  {
    keyProvider: object<Required<TokenProvider>["keyProvider"]>(
      "KeyProvider",
      { algorithm: text(["ES256"]), initialKeys: text(["{}"]) },
      { algorithm: "ES256" },
      { others: anyValue },
    ),
  },
  {},
  { others: anyValue },
);

const configField = object<MockOAuth2Config>(
  "MockOAuth2Config",
  {
    httpServer: union<string | HttpServer>(
      [
        text(["NettyWrapper"]),
        object<HttpServer>("HttpServer", { ssl: record(anyValue, {}, "an object") }, {}, { others: anyValue }),
      ],
      ["NettyWrapper"],
      "the name of a server, or an object",
    ),
    interactiveLogin: flag(),
    rotateRefreshToken: flag(),
    tokenCallbacks: list(callbackField, [[{}]], { expected: "an array of token callbacks" }),
    tokenProvider: tokenProviderField,
  },
  {},
  { others: anyValue },
);

/** The issuers of mock-oauth2-server: the first segment of a path is the ID of its issuer. */
export interface IssuersByPathConfig {
  /** The issuers that callbacks name. */
  readonly ids: readonly string[];
  /** What the callbacks of an issuer say. Those of an unknown one say nothing. */
  find(id: string): { readonly requestMappings: readonly RequestMapping[]; readonly tokenExpiry?: number };
}

/** The configuration of this server that replaces one of mock-oauth2-server. */
export interface ConvertedConfig {
  readonly content: ConfigFile;
  /** The mappings for an issuer: the mappings of the callback for the last segment of its path, otherwise all. */
  readonly requestMappings: (issuer: string) => readonly RequestMapping[];
  /** The issuers at paths of a server whose own issuer has none. */
  readonly issuersByPath?: IssuersByPathConfig;
  /** The key that each issuer signs with first. Default: generated. */
  readonly signingKey?: PrivateJwk;
  readonly issues: readonly ConfigIssue[];
  /** One sentence for each part that has no equivalent here. */
  readonly warnings: readonly ConfigurationWarning[];
}

const paths = {
  authorization_endpoint: "/authorize",
  token_endpoint: "/token",
  jwks_uri: "/jwks",
  userinfo_endpoint: "/userinfo",
  introspection_endpoint: "/introspect",
  revocation_endpoint: "/revoke",
  end_session_endpoint: "/endsession",
} as const;

/** Members of `ssl` that name a certificate, in a format of Java. */
const keystoreMembers = ["keystoreFile", "keystorePassword", "keyPassword", "keystoreType"];

/** The grant types of mock-oauth2-server that exchange or check nothing, and their parameters. */
const missingGrants = {
  "urn:ietf:params:oauth:grant-type:jwt-bearer": ["assertion", "requested_token_use"],
  "urn:ietf:params:oauth:grant-type:token-exchange": [
    ...["subject_token", "subject_token_type", "actor_token", "actor_token_type", "requested_token_type"],
  ],
  password: ["username", "password"],
};

/** Parameters of authorization requests that no token request has. */
const authorizationParameters = [
  ...["response_type", "response_mode", "state", "nonce", "prompt", "display", "max_age", "acr_values", "claims"],
  ...["login_hint", "id_token_hint", "ui_locales", "request", "request_uri", "code_challenge"],
];

/** The grant types of a server with such a configuration. */
const servedGrants = [
  ...["authorization_code", "refresh_token", "client_credentials"],
  ...["urn:openid:params:grant-type:ciba", "urn:ietf:params:oauth:grant-type:device_code"],
];

const carriedOver = ["interactiveLogin", "rotateRefreshToken", "tokenCallbacks", "tokenProvider", "httpServer"];

/** The users that mappings name: the login page lists them. */
export function usersOfMappings(
  mappings: readonly RequestMapping[],
): { readonly sub: string; readonly name: string }[] {
  const subjects = mappings.flatMap(({ requestParam, match }) =>
    requestParam === "subject" && /^[\w.@-]{1,255}$/.test(match) ? match : []
  );
  return [...new Set(subjects)].map((sub) => ({ sub, name: sub }));
}

/** Variables of mock-oauth2-server without effect, and the message about each. */
const variables: Readonly<Record<string, string>> = {
  LOG_LEVEL: "It has no effect: the log has each rejection and its reason. LATCHKEY_LOG sets its format.",
  LOGBACK_CONFIG: "It has no effect. LATCHKEY_LOG sets the format of the log.",
  SERVER_HOSTNAME: "It has no effect. Set LATCHKEY_HOST to the name or address to listen on.",
};

/**
 * Converts a configuration of mock-oauth2-server.
 *
 * @param env The environment: `SERVER_PORT` is the port, or `PORT`, or 8080, as there. Default: empty.
 */
export function convertMockOAuth2Config(
  given: object,
  env: Readonly<Record<string, string | undefined>> = {},
): ConvertedConfig {
  const issues = validate(configField, given);
  if (issues.length > 0) return { content: {}, requestMappings: () => [], issues, warnings: [] };
  const { interactiveLogin, tokenCallbacks = [], tokenProvider = {}, httpServer } = given as MockOAuth2Config;
  const { ssl }: HttpServer = typeof httpServer === "object" ? httpServer : {};
  const algorithm = tokenProvider.keyProvider?.algorithm;
  const signingKey = readInitialKey(tokenProvider.keyProvider?.initialKeys);
  const isSupported = algorithm !== undefined && validate(settingFields.alg, algorithm).length === 0;
  const port = [env.SERVER_PORT, env.PORT].find((text = "") => /^\d{1,5}$/.test(text) && Number(text) <= 65535);
  const issuerIds = [...new Set(tokenCallbacks.flatMap(({ issuerId }) => issuerId ?? []))];
  const expiries = [...new Set(tokenCallbacks.flatMap(({ tokenExpiry }) => tokenExpiry ?? []))];
  const mappings = tokenCallbacks.flatMap(({ requestMappings = [] }) => requestMappings);
  const types = new Set(mappings.map(({ typeHeader = "JWT" }) => typeHeader));
  // As RequestMappingTokenCallback.typeHeader: JWT, unless every mapping says otherwise.
  const accessTokenTyp = types.size === 1 && types.has("at+jwt") ? "at+jwt" : "JWT";
  return {
    content: {
      login: interactiveLogin ? "interactive" : "auto",
      loginPage: "mock-oauth2-server",
      ...{ clients: "any", redirectUris: "any", scopes: "any", users: "any" },
      paths,
      accessTokenTyp,
      port: Number(port ?? 8080),
      ...ssl !== undefined && { tls: "self-signed" as const },
      ...isSupported && { alg: algorithm as Settings["alg"] },
      ...expiries[0] !== undefined && { lifetimes: { access_token: expiries[0], id_token: expiries[0] } },
    },
    ...signingKey !== undefined && { signingKey },
    requestMappings(issuer) {
      const id = issuer.slice(issuer.lastIndexOf("/") + 1);
      const own = tokenCallbacks.filter(({ issuerId }) => issuerId === id);
      return (own.length > 0 ? own : tokenCallbacks).flatMap(({ requestMappings = [] }) => requestMappings);
    },
    issuersByPath: {
      ids: issuerIds,
      find(id) {
        const own = tokenCallbacks.filter(({ issuerId = id }) => issuerId === id);
        return {
          requestMappings: own.flatMap(({ requestMappings = [] }) => requestMappings),
          tokenExpiry: own.find(({ tokenExpiry }) => tokenExpiry !== undefined)?.tokenExpiry,
        };
      },
    },
    issues,
    warnings: [
      ...Object.entries(variables).flatMap(([name, message]) => env[name] ? [{ path: name, message }] : []),
      ...Object.keys(given).filter((name) => !carriedOver.includes(name)).map((name) => ({
        path: name,
        message: "This server does not have this setting of mock-oauth2-server. Remove it.",
      })),
      {
        path: "grant types",
        message:
          "mock-oauth2-server issues tokens for any JWT, unverified, by jwt-bearer (on-behalf-of) and token-exchange, " +
          "and for any name by password. This server does not: such a request is unsupported_grant_type. Mint these " +
          "tokens: start with --control on, and POST to /_control/mint/accessToken below the issuer.",
      },
      ...tokenCallbacks.flatMap(({ requestMappings = [] }, i) =>
        requestMappings.flatMap((mapping, j) =>
          notCarriedOver(`tokenCallbacks[${i}].requestMappings[${j}]`, isForMissingGrant(mapping), [
            `It never matches: no request with ${mapping.requestParam} ${mapping.match} gets a token here. Remove it.`,
          ]).concat(notCarriedOver(
            `tokenCallbacks[${i}].requestMappings[${j}]`,
            authorizationParameters.includes(mapping.requestParam),
            [
              `It matches token requests alone, and only one that sends ${mapping.requestParam} itself: what the ` +
              'authorization request sent is not compared. Map "subject" or "client_id" instead.',
            ],
          ))
        )
      ),
      ...notCarriedOver("httpServer", typeof httpServer === "string", ["It has no effect. Remove it."]),
      ...notCarriedOver("httpServer.ssl", keystoreMembers.some((name) => Object.hasOwn(ssl ?? {}, name)), [
        "The keystore is not read: the certificate is self-signed, as with ssl {}. For your own, convert it to PEM, remove " +
        "ssl, and set --tls-cert and --tls-key.",
      ]),
      ...notCarriedOver("rotateRefreshToken", (given as MockOAuth2Config).rotateRefreshToken === false, [
        "It has no effect: refresh tokens of clients without a secret rotate. Remove it.",
      ]),
      ...notCarriedOver("tokenProvider.keyProvider.algorithm", algorithm !== undefined && !isSupported, [
        "It has no effect: this server does not sign with it. The setting alg lists the algorithms.",
      ]),
      ...notCarriedOver("tokenProvider.systemTime", Object.hasOwn(tokenProvider, "systemTime"), [
        "It has no effect. Set the clock with the control: the verb clock.set.",
      ]),
      ...notCarriedOver(
        "tokenProvider.keyProvider.initialKeys",
        Object.hasOwn(tokenProvider.keyProvider ?? {}, "initialKeys") && signingKey === undefined,
        ["It has no effect: it is not one private JWK as a text. Keys are generated."],
      ),
      ...notCarriedOver("tokenCallbacks.tokenExpiry", expiries.length > 1, [
        `Issuers without one of their own have the first: ${expiries[0]} seconds.`,
      ]),
      ...notCarriedOver("tokenCallbacks.requestMappings.typeHeader", [...types].some((typ) => typ !== accessTokenTyp), [
        `All access tokens have typ ${accessTokenTyp}, all ID tokens JWT. The setting accessTokenTyp is for the whole server.`,
      ]),
    ],
  };
}

/** The private key in `initialKeys`; `undefined` if it has none. */
function readInitialKey(text: string | undefined): PrivateJwk | undefined {
  if (text === undefined) return undefined;
  try {
    const { kid: _, ...key } = JSON.parse(text);
    return hasPrivateKey(key) ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Whether only requests match that no grant type of this server serves. */
function isForMissingGrant({ requestParam, match }: RequestMapping): boolean {
  if (requestParam !== "grant_type") return Object.values(missingGrants).flat().includes(requestParam);
  const matches = matcherFor(match);
  return Object.keys(missingGrants).some(matches) && !servedGrants.some(matches);
}

function notCarriedOver(path: string, isGiven: unknown, sentences: readonly string[]): ConfigurationWarning[] {
  return isGiven ? [{ path, message: sentences.join(" ") }] : [];
}
