/**
 * Authorization details (RFC 9396): a list of objects that describe access. A request with them needs no scope, the
 * consent page lists each object, and a token request may name some of the granted objects.
 */

import type { Client } from "../../core/clients/clients.ts";
import type { AuthenticatedRequest, Authorization } from "../../core/token/grants/authenticated_request.ts";
import type { Params } from "../../core/http/params.ts";
import type { Server } from "../../core/server.ts";
import { type Slot, slot, type WithExtensions } from "../../core/slot.ts";
import type { Grant } from "../../core/store/store.ts";

/** One object of `authorization_details` (RFC 9396 §2): its other members are the fields of its type. */
export interface AuthorizationDetail extends Readonly<Record<string, unknown>> {
  /** The type, which the server configures. */
  readonly type: string;
}

/** The objects that a request asks for, or that are granted. */
export type AuthorizationDetails = readonly AuthorizationDetail[];

/** The objects in a request, an approval or a grant. */
export const detailsSlot: Slot<AuthorizationDetails> = slot("authorization_details");

/** Whether a request, an approval or a grant has such objects: it then needs no scope (RFC 9396 §3.1). */
export function hasAuthorizationDetails(holder: WithExtensions): boolean {
  return (detailsSlot.of(holder) ?? []).length > 0;
}

/** The name of the parameter, of the claim of access tokens, and of the member of token responses. */
export const detailsName = "authorization_details";

export interface GrantedDetails extends Pick<Grant, "scope"> {
  /** Absent if the grant has only scope. */
  readonly details?: AuthorizationDetails;
}

/** How the extension handles them. Only functions that return a promise load its code. */
export interface DetailsFunctions {
  isRequested(server: Server, params: Params): boolean;
  /**
   * The part of a grant that a token request receives, and the part of the grant that the server still supports.
   *
   * @param resources The resources of the access token.
   * @throws {OAuthError} If the request asks for more than was granted, or nothing of the grant is left.
   */
  narrow(
    server: Server,
    request: DetailsRequest,
    grant: GrantedDetails,
    resources: readonly string[],
  ): Promise<{ readonly granted?: AuthorizationDetails; readonly issued: IssuedDetails }>;
  /**
   * Reads the objects that a client requests on its own behalf; `undefined` for none.
   *
   * @throws {OAuthError} If one is invalid, or the client may not have it without a user.
   */
  readOwn(server: Server, request: DetailsRequest): Promise<AuthorizationDetails | undefined>;
  /** Issues objects: the access token has those that its resources may see, the response has all. */
  issue(details: AuthorizationDetails | undefined, resources: readonly string[]): Promise<IssuedDetails>;
  /** The questions of the consent page, one for each object, in their order. */
  describe(server: Server, items: AuthorizationDetails): Promise<readonly ConsentItem[]>;
  /**
   * Reads the claim of an assertion that lists the objects for the client on this server.
   *
   * @throws {OAuthError} If it is invalid.
   */
  readClaim(server: Server, client: Client, claim: unknown): Promise<AuthorizationDetails>;
  /**
   * Reads the objects that a client requests at another authorization server.
   *
   * @param types The types of objects that the other server supports.
   * @throws {OAuthError} If it is invalid, and the error of `reject` if it has no object of these types.
   */
  readForeign(
    params: Params,
    types: readonly string[],
    reject: (types: readonly string[]) => Error,
  ): Promise<AuthorizationDetails>;
}

type DetailsRequest = Pick<AuthenticatedRequest, "client" | "params">;

type IssuedDetails = Pick<Authorization, "addedClaims" | "responseMembers">;

export interface ConsentItem {
  readonly type: string;
  /** The name of its type; absent: the type itself. */
  readonly title?: string;
  readonly fields: readonly { readonly label: string; readonly values: readonly string[] }[];
}

export function requestsDetails(server: Server & { readonly details?: DetailsFunctions }, params: Params): boolean {
  return server.details?.isRequested(server, params) === true;
}
