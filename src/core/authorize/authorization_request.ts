/**
 * Authorization requests, the destinations of their responses, response modes and types (OAuth 2.1
 * §4.1.1; OAuth 2.0 Multiple Response Types). Extensions add modes and types; there the server is a type parameter,
 * because `server.ts` imports these types.
 */

import type { Grant } from "../store/store.ts";
import type { Client } from "../clients/repository.ts";
import type { Authorization } from "../token/grants/authenticated_request.ts";
import type { ParameterDescription, ResponseFields, ResponseMode, ResponseType } from "../http/params.ts";
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
  /**
   * Lists of subjects, such as that of `id_token_hint`: the user's subject for this client must be in each of them.
   */
  readonly demandedSubs?: readonly (readonly string[])[];
}

/** @internal One response mode. */
export interface ResponseModeDescription<Server> {
  readonly name: ResponseMode;
  /** The part of the request to the redirect URI that has the parameters. */
  readonly carrier: "query" | "fragment" | "form";
  /**
   * For a mode with the carrier `query`: the mode to use instead if the response type must not be sent in a query.
   * Default: such a request is rejected.
   */
  readonly inFragment?: ResponseMode;
  /** Describes the parameters that `replace` returns. Default: the usual parameters. */
  readonly parameters?: readonly ParameterDescription[];
  /**
   * Replaces the parameters with others. Default: they are sent unchanged.
   *
   * @param clientId The client that receives them.
   */
  replace?(server: Server, clientId: string, fields: ResponseFields): ResponseFields | Promise<ResponseFields>;
  /**
   * Delivers a grant itself. Default: the browser carries a code.
   *
   * @returns The parameters that the browser carries.
   */
  deliver?(server: Server, destination: Destination, grant: Grant): Promise<ResponseFields>;
  /**
   * Ends a request before its error is sent. Default: nothing happens.
   *
   * @throws {unknown} What the user sees, if nothing is sent.
   */
  end?(server: Server, destination: Destination, error: unknown): Promise<void>;
}

/** @internal The response modes of a server, by name. */
export type ResponseModes<Server> = ReadonlyMap<string, ResponseModeDescription<Server>>;

const ownModes: readonly ResponseModeDescription<unknown>[] = [
  { name: "query", carrier: "query" },
  { name: "fragment", carrier: "fragment" },
  { name: "form_post", carrier: "form" },
];

export const ownResponseModes: ResponseModes<unknown> = new Map(ownModes.map((mode) => [mode.name, mode]));

/** @internal One response type. */
export interface ResponseTypeDescription<Server> {
  /** The value of `response_type`, its words in alphabetical order. */
  readonly name: ResponseType;
  /** The parameters of its responses besides `code`. Default: none. */
  readonly parameters?: readonly ParameterDescription[];
  /**
   * Issues the parameters of the response. Default: the code alone.
   *
   * @param destination How the response is sent, and with which `state`.
   * @param issueCode Creates and stores the code.
   */
  issue?(
    server: Server,
    authorization: Authorization,
    destination: Pick<Destination, "mode" | "state">,
    issueCode: () => Promise<string>,
  ): Promise<ResponseFields>;
}

/** @internal The response types of a server, by name. */
export type ResponseTypes<Server> = ReadonlyMap<string, ResponseTypeDescription<Server>>;
