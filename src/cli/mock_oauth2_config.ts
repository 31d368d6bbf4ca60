/**
 * The configuration of mock-oauth2-server (navikt), read as one of this server, for suites that change servers:
 * nothing needs a registration, the paths are those of that server, and parameters of token requests are mapped to
 * claims.
 */

import type { ConfigIssue, ConfigurationWarning } from "../oauth/config/config_issue.ts";
import { anyValue, flag, list, object, record, text, whole } from "../oauth/config/field.ts";
import { validate } from "../oauth/config/validate.ts";
import type { ConfigFile } from "./options.ts";

/** Claims of the tokens of requests with a parameter. */
export interface RequestMapping {
  /** The name of the parameter. */
  readonly requestParam: string;
  /** Its value; `*` matches any. */
  readonly match: string;
  /** Claims to add or replace. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Has no effect. */
  readonly typeHeader?: string;
}

interface TokenCallback {
  readonly issuerId?: string;
  readonly tokenExpiry?: number;
  readonly requestMappings?: readonly RequestMapping[];
}

interface MockOAuth2Config {
  readonly interactiveLogin?: boolean;
  readonly rotateRefreshToken?: boolean;
  readonly tokenCallbacks?: readonly TokenCallback[];
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
    issuerId: text(["default"]),
    tokenExpiry: whole(120, { min: 1, expected: "a whole number of seconds, at least 1" }),
    requestMappings: list(mappingField, [[mappingField.examples[0]!]], { expected: "an array of request mappings" }),
  },
  {},
  { others: anyValue },
);

const configField = object<MockOAuth2Config>(
  "MockOAuth2Config",
  {
    interactiveLogin: flag(),
    rotateRefreshToken: flag(),
    tokenCallbacks: list(callbackField, [[{}]], { expected: "an array of token callbacks" }),
  },
  {},
  { others: anyValue },
);

/** What a configuration of mock-oauth2-server means here. */
interface ConvertedConfig {
  readonly content: ConfigFile;
  readonly requestMappings: readonly RequestMapping[];
  readonly issues: readonly ConfigIssue[];
  /** One sentence for each part that cannot be carried over. */
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

const carriedOver = ["interactiveLogin", "rotateRefreshToken", "tokenCallbacks"];

/** Converts a configuration of mock-oauth2-server. */
export function convertMockOAuth2Config(given: object): ConvertedConfig {
  const issues = validate(configField, given);
  if (issues.length > 0) return { content: {}, requestMappings: [], issues, warnings: [] };
  const { interactiveLogin, tokenCallbacks = [] } = given as MockOAuth2Config;
  const expiries = [...new Set(tokenCallbacks.flatMap(({ tokenExpiry }) => tokenExpiry ?? []))];
  const mappings = tokenCallbacks.flatMap(({ requestMappings = [] }) => requestMappings);
  return {
    content: {
      login: interactiveLogin ? "interactive" : "auto",
      ...{ clients: "any", redirectUris: "any", scopes: "any", users: "any" },
      paths,
      ...expiries[0] !== undefined && { lifetimes: { access_token: expiries[0], id_token: expiries[0] } },
    },
    requestMappings: mappings,
    issues,
    warnings: [
      ...Object.keys(given).filter((name) => !carriedOver.includes(name)).map((name) => ({
        path: name,
        message: "This server does not have this setting of mock-oauth2-server. Remove it.",
      })),
      ...notCarriedOver("rotateRefreshToken", (given as MockOAuth2Config).rotateRefreshToken === false, [
        "It has no effect: refresh tokens of clients without a secret rotate. Remove it.",
      ]),
      ...notCarriedOver("tokenCallbacks.issuerId", tokenCallbacks.length > 0, [
        `This server has one issuer, not one for each path. For the path of ${
          tokenCallbacks[0]?.issuerId ?? "default"
        },`,
        `set issuer, such as http://localhost:8080/${tokenCallbacks[0]?.issuerId ?? "default"}.`,
      ]),
      ...notCarriedOver("tokenCallbacks.tokenExpiry", expiries.length > 1, [
        `One lifetime applies to all tokens: ${expiries[0]} seconds, the first.`,
      ]),
      ...notCarriedOver(
        "tokenCallbacks.requestMappings.claims",
        mappings.some(({ claims }) => claims?.sub !== undefined || claims?.aud !== undefined),
        [
          "Userinfo of this server rejects access tokens whose sub or aud a mapping has changed.",
          "Log the user in by login_hint, and set audience.",
        ],
      ),
      ...notCarriedOver("tokenCallbacks.requestMappings.typeHeader", mappings.some((one) => one.typeHeader), [
        "The typ of tokens follows RFC 9068 and cannot be changed.",
      ]),
      ...notCarriedOver(
        "tokenCallbacks.requestMappings.claims",
        mappings.some(({ claims }) => JSON.stringify(claims ?? {}).includes("${")),
        ["Templates such as ${clientId} are not replaced. Write the value."],
      ),
    ],
  };
}

function notCarriedOver(path: string, isGiven: unknown, sentences: readonly string[]): ConfigurationWarning[] {
  return isGiven ? [{ path, message: sentences.join(" ") }] : [];
}
