/** Functions that say how the requests, responses and claims of a provider differ from the standards. */

import type { HttpRequest } from "../../core/http/message.ts";
import type { User } from "../../core/clients/client.ts";
import type { Explanation } from "../../core/rules/errors.ts";

/** Members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** Names and values in the order of a request. */
type Parameters = readonly (readonly [name: string, value: string])[];

/** @internal The part of the server that the functions of a program can use. */
export interface ProviderServer {
  readonly issuer: string;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
}

/** @internal The token, client, user and grant that claims are issued for. */
export interface ClaimsFacts<Server = ProviderServer> {
  /** `access_token`, `id_token`, `userinfo` or another kind of token. */
  readonly kind: string;
  readonly server: Server;
  /** The client that receives the claims. */
  readonly client: {
    readonly id: string;
    readonly redirectUris: readonly string[];
    /** How it authenticates; `none` for a public client. */
    readonly authMethod: string;
  };
  /** The user; absent if the client acts on its own behalf. */
  readonly user?: User;
  /** The grant: scope values, and resources; without resources, an access token is for the default audience. */
  readonly grant: { readonly scope: readonly string[]; readonly resources: readonly string[] };
}

/** @internal A request, as a profile can change it before the server reads it. */
export interface ProviderRequest {
  /** The parameters of the query or the form. */
  readonly parameters: Parameters;
  /** The header `authorization`; `null` without one. */
  readonly authorization: string | null;
}

/** @internal Where a request was sent. */
export interface RequestFacts<Server = ProviderServer> {
  /** The endpoint, by its name in metadata, such as `token_endpoint`, or by its own name. */
  readonly endpoint: string;
  readonly method: string;
  /** Whether the parameters were sent as JSON. */
  readonly isJson: boolean;
  readonly server: Server;
  /** Logs that only this provider accepts such a request. */
  readonly warn: (explanation: Explanation & { readonly fix: string }) => void;
}

/** @internal A response, as a profile can change it before it is sent. */
export interface ProviderResponse {
  readonly status: number;
  /** The headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The members of a JSON object, or any other body as a text. */
  readonly body: Members | string | null;
}

/** @internal The request that a response belongs to. */
export interface ResponseFacts<Server = ProviderServer> {
  /** The endpoint, by its name in metadata, such as `token_endpoint`, or by its own name. */
  readonly endpoint: string;
  readonly request: Pick<HttpRequest, "method" | "url" | "headers">;
  /** The parameters of a request to an endpoint of the metadata, as the server read them. */
  readonly parameters: Parameters;
  readonly server: Server;
  /** The client that the request names. */
  readonly clientId?: string;
  /** Why the server rejected the request: the code of the error and the ID of the rule. */
  readonly rejection?: { readonly error: string; readonly rule?: string; readonly client?: string };
  /** The code that the server issued: its client, its user and its scope values. */
  readonly issued?: { readonly client: string; readonly sub: string; readonly scope: readonly string[] };
}

/**
 * Differences of a provider from the standards for which there is no setting. Each function returns its first
 * parameter, or a value that replaces it. Only on test hosts.
 *
 * @internal
 */
export interface ProviderFunctions<Server = ProviderServer> {
  /** The claims of a token, or the members of a userinfo response. */
  claims?(claims: Members, facts: ClaimsFacts<Server>): Members;
  /**
   * The claims that an access token had before `claims` changed them. The server reads `sub`, `aud`, `client_id` and
   * `scope` of the result. Without `aud`, the token is for the default audience. Default: the claims of the token.
   */
  originalClaims?(claims: Members): Members;
  /** A request to an endpoint of the metadata. */
  request?(request: ProviderRequest, facts: RequestFacts<Server>): ProviderRequest;
  /** A response with a status below 400, except authorization responses. */
  response?(response: ProviderResponse, facts: ResponseFacts<Server>): ProviderResponse | Promise<ProviderResponse>;
  /** A response with a status of 400 or above. */
  error?(response: ProviderResponse, facts: ResponseFacts<Server>): ProviderResponse;
  /** The parameters of an authorization response: `code` or `error`, and others. */
  callback?(
    parameters: Readonly<Record<string, string>>,
    facts: ResponseFacts<Server>,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
}
