/**
 * Authorization requests, the destinations of their responses, and response modes (OAuth 2.1 §4.1.1; OAuth 2.0 Multiple
 * Response Types).
 */

import type { Client } from "../clients/clients.ts";
import type { ResponseMode, ResponseType } from "../http/params.ts";
import type { WithExtensions } from "../slot.ts";

/**
 * A valid authorization request. Plain JSON: it is stored, encoded and read back whole, with the values of extensions.
 */
export interface AuthorizationRequest extends WithExtensions {
  /** The client that sent the request. */
  readonly clientId: string;
  /** The response type; absent: `code`. */
  readonly responseType?: ResponseType;
  /** The requested scope values: supported ones that the client may request. */
  readonly scope: readonly string[];
  /** The S256 code challenge, if the request has one (RFC 7636 §4.2). */
  readonly codeChallenge?: string;
  /** The `nonce` for the ID token (OpenID Connect Core §3.1.2.1). */
  readonly nonce?: string;
  /** The requirements for the login (OpenID Connect Core §3.1.2.1). */
  readonly loginRequirements: LoginRequirements;
}

/**
 * @internal Where the response is sent, with what extensions know of the source of the request. Plain JSON: it is
 * stored with the pending authorization.
 */
export interface Destination extends WithExtensions {
  /** The redirect URI of the request, or the only registered one. */
  readonly uri: string;
  /** The response mode of the request if server and client allow it, otherwise the default of its response type. */
  readonly mode: ResponseMode;
  /** The `state` of the request, returned unchanged; absent if the request has none or an invalid one. */
  readonly state?: string;
}

/** @internal Who receives an authorization response. */
export interface Recipient {
  /** The client, as currently registered. */
  readonly client: Client;
  /** The destination of the response. */
  readonly destination: Destination;
}

/** An authorization request that waits for an approval. */
export interface PendingAuthorization extends Recipient {
  /** The request. */
  readonly request: AuthorizationRequest;
}

/** @internal The requirements of a request for the login, with those that extensions add. Plain JSON. */
export interface LoginRequirements extends WithExtensions {
  /** `none`, `login`, `consent`, `select_account`; unknown values are removed. */
  readonly prompt: readonly string[];
  readonly maxAgeSeconds?: number;
  /** The user that the client expects to log in: a subject or an e-mail address, unverified. */
  readonly loginHint?: string;
  /** Lists of subjects, such as that of `id_token_hint`: the user's subject for this client must be in each of them. */
  readonly demandedSubs?: readonly (readonly string[])[];
}

/** @internal One response mode. */
export interface ResponseModeDescription {
  readonly name: ResponseMode;
  /** The part of the request to the redirect URI that has the parameters. */
  readonly carrier: "query" | "fragment" | "form";
  /**
   * For a mode with the carrier `query`: the mode to use instead for a response type that must not be sent in a query.
   * Only extensions add such response types. Default: such a request is rejected.
   */
  readonly inFragment?: ResponseMode;
}

/** @internal The response modes of a server, by name. */
export type ResponseModes = ReadonlyMap<string, ResponseModeDescription>;

const ownModes: readonly ResponseModeDescription[] = [
  { name: "query", carrier: "query" },
  { name: "fragment", carrier: "fragment" },
  { name: "form_post", carrier: "form" },
];

export const ownResponseModes: ResponseModes = new Map(ownModes.map((mode) => [mode.name, mode]));
