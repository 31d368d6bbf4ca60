/** The settings of token exchange (RFC 8693): access tokens, and ID-JAGs for other authorization servers. */

import {
  type Field,
  type FieldsOf,
  flag,
  list,
  object,
  record,
  seconds,
  text,
  texts,
} from "../../../core/policy/field.ts";
import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import { isAbsoluteUri } from "../../../platform/http/absolute_uri.ts";

/** The value of `grant_type` (RFC 8693 §2.1). */
export const tokenExchangeType = "urn:ietf:params:oauth:grant-type:token-exchange";

export const idJagType = "urn:ietf:params:oauth:token-type:id-jag";

/** @internal */
export interface TokenExchangeMembers {
  /** Lets clients exchange access tokens (RFC 8693); `{}` uses the defaults. Default: off. */
  readonly tokenExchange?: TokenExchangeSettings;
  /**
   * Other authorization servers, which accept ID-JAGs of this server. Clients exchange ID tokens or refresh tokens for
   * ID-JAGs (RFC 8693). Default: none.
   */
  readonly resourceAuthorizationServers?: readonly ResourceAuthorizationServer[];
}

/** How clients exchange access tokens for access tokens with less access (RFC 8693). */
export interface TokenExchangeSettings {
  /** Whether public clients may exchange tokens too. Default: false. */
  readonly allowPublicClients?: boolean;
  /**
   * The resources for which each client may exchange tokens, in addition to the resources of the exchanged token: URIs,
   * or logical names of services, which requests send as `audience` (RFC 8693 §2.1). Default: none.
   */
  readonly targets?: Readonly<Record<string, readonly string[]>>;
}

/**
 * @internal Another authorization server, which accepts ID-JAGs of this server (Identity Assertion Authorization
 * Grants). Clients exchange an ID token or a refresh token for an ID-JAG.
 *
 * @example
 * ```ts
 * const chat: ResourceAuthorizationServer = {
 *   issuer: "https://auth.chat.example",
 *   clients: { agent: "agent-at-chat" },
 *   resources: ["https://mcp.chat.example/mcp"],
 *   scopes: ["chat.read"],
 * };
 * ```
 */
export interface ResourceAuthorizationServer {
  /** Its issuer identifier: the `audience` of the request, and the `aud` of the ID-JAG. */
  readonly issuer: string;
  /**
   * The clients that may request ID-JAGs for it, each with its `client_id` there. Default: every client that the
   * operator configured, with the same id; no other client.
   */
  readonly clients?: Readonly<Record<string, string>>;
  /** Whether public clients may request ID-JAGs too. Default: false. */
  readonly allowPublicClients?: boolean;
  /** The resources that an ID-JAG may name. Default: every absolute URI. */
  readonly resources?: readonly string[];
  /** The scope values there that an ID-JAG may name. Default: every one. */
  readonly scopes?: readonly string[];
  /** The types of `authorization_details` there that an ID-JAG may have (RFC 9396). Default: none. */
  readonly authorizationDetailsTypes?: readonly string[];
  /**
   * The client of this server that is the same party as this audience: ID-JAGs have the `sub` of its ID tokens, which
   * may be pairwise. Default: none; the `sub` is not pairwise.
   */
  readonly client?: string;
  /** The claims about the user in its ID-JAGs, such as `email`. Default: none. */
  readonly claims?: readonly string[];
  /** The tenant of this audience that ID-JAGs are for: their claim `aud_tenant` (ID-JAG §3). Default: none. */
  readonly tenant?: string;
  /** User → the id of the account at this audience: the claim `aud_sub` of ID-JAGs (ID-JAG §3). Default: none. */
  readonly subjects?: Readonly<Record<string, string>>;
  /** The lifetime of an ID-JAG, in seconds. Default: 300. Maximum: 3600. */
  readonly lifetime?: number;
}

const tokenExchangeField: Field<TokenExchangeSettings> = object<TokenExchangeSettings>(
  "TokenExchangeSettings",
  {
    allowPublicClients: flag(false),
    targets: record(
      texts(["https://api.example"]),
      { gateway: ["https://api.example"] },
      "an object of arrays of URIs by client",
    ),
  },
  { targets: { gateway: ["https://api.example"] } },
);

const example: ResourceAuthorizationServer = {
  issuer: "https://auth.chat.example",
  clients: { agent: "agent-at-chat" },
};

const resourceAuthorizationServerField: Field<ResourceAuthorizationServer> = object<ResourceAuthorizationServer>(
  "ResourceAuthorizationServer",
  {
    issuer: text(["https://auth.chat.example"]),
    clients: record(text(["agent-at-chat"]), { agent: "agent-at-chat" }, "an object of client ids by client id"),
    allowPublicClients: flag(false),
    resources: texts(["https://mcp.chat.example/mcp"]),
    scopes: texts(["chat.read"]),
    authorizationDetailsTypes: texts(["payment"]),
    client: text(["chat"]),
    claims: texts(["email"]),
    tenant: text(["acme"]),
    subjects: record(text(["u-4711"]), { alice: "u-4711" }, "an object of account ids by sub"),
    lifetime: seconds(300, 3600),
  },
  example,
  { required: ["issuer"] },
);

export const tokenExchangeFields: FieldsOf<TokenExchangeMembers> = {
  tokenExchange: tokenExchangeField,
  resourceAuthorizationServers: list(resourceAuthorizationServerField, [[example]], {
    expected: "an array of authorization servers",
    default: [],
  }),
};

export interface TokenExchangePolicy {
  /** Absent: access tokens cannot be exchanged. */
  readonly tokenExchange?: TokenExchangeSettings;
  /** Empty: no ID-JAGs are issued. */
  readonly resourceAuthorizationServers: readonly ResourceAuthorizationServer[];
}

/**
 * All issues of a setting that matches its description.
 *
 * @param issuer The issuer of this server.
 */
export function validateResourceAuthorizationServers(
  { resourceAuthorizationServers }: Pick<TokenExchangePolicy, "resourceAuthorizationServers">,
  issuer: string,
): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [i, server] of resourceAuthorizationServers.entries()) {
    const path = `resourceAuthorizationServers[${i}]`;
    for (const [at, uri] of (server.resources ?? []).entries()) {
      if (isAbsoluteUri(uri)) continue;
      const expected = "an absolute URI without a fragment";
      issues.push({
        ...{ path: `${path}.resources[${at}]`, expected, received: quote(uri) },
        hint: "Write it as https://api.example.",
      });
    }
    if (!URL.canParse(server.issuer) || !/^https?:$/.test(new URL(server.issuer).protocol)) {
      const hint = "Write the issuer as its metadata spells it.";
      issues.push({ path: `${path}.issuer`, expected: "an absolute https URL", received: quote(server.issuer), hint });
    }
    const isRepeated = resourceAuthorizationServers.findIndex((other) => other.issuer === server.issuer) < i;
    if (!isRepeated && server.issuer !== issuer) continue;
    issues.push({
      path: `${path}.issuer`,
      expected: isRepeated ? "each issuer once" : "another issuer than this server",
      received: isRepeated ? `${quote(server.issuer)} again` : quote(server.issuer),
      hint: isRepeated
        ? "Remove one of the two."
        : "Remove it: this server accepts no assertions that it issued itself.",
    });
  }
  return issues;
}
