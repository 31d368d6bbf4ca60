/**
 * Authorization requests, from their parameters to a code (OAuth 2.1 §4.1.1, §4.1.2).
 *
 * 1. `findDestination` finds the client and the verified redirect URI. Errors before that are shown on a page of this
 *    server.
 * 2. `readRequest` (`request.ts`) reads the parts of the request into an `AuthorizationRequest`: a plain JSON
 *    record, which is stored whole while the user logs in. From here on errors are sent to the destination.
 * 3. `usableSession` (`login.ts`) decides whether the user's session suffices, before the approver is asked.
 * 4. `issueResponse` (`code.ts`) stores what the user has approved.
 *
 * Sessions and consents are in `session/`, the exchange of codes is in `grants/`.
 */

import type { FurtherAccess, RequestedClaims } from "../store/store.ts";
import type { ResponseType } from "../params.ts";

/**
 * Where a request for access is read: the authorization endpoint, the endpoint for pushed requests (RFC 9126), or one
 * whose client polls for the result, such as the endpoint for devices (RFC 8628).
 *
 * @internal
 */
export type EntryPoint = "authorize" | "par" | "poll";

/**
 * A valid authorization request. Plain JSON: it is stored, encoded and read back whole, so members that an extension
 * adds are kept.
 */
export interface AuthorizationRequest extends FurtherAccess {
  /** The client that sent the request. */
  readonly clientId: string;
  /** The generation of the client; absent if it has none. */
  readonly clientGeneration?: string;
  /** The response type; absent: `code`. */
  readonly responseType?: ResponseType;
  /** The requested scope values: supported ones that the client may request. */
  readonly scope: readonly string[];
  /** The S256 code challenge, if the request has one (RFC 7636 §4.2). */
  readonly codeChallenge?: string;
  /**
   * The thumbprint of the key that must be proven when the code is exchanged, if the request has one (RFC 9449 §10).
   */
  readonly dpopJkt?: string;
  /** The `nonce` for the ID token (OpenID Connect Core §3.1.2.1). */
  readonly nonce?: string;
  /** The requested resources (RFC 8707 §2). */
  readonly resources: readonly string[];
  /** The requirements for the login (OpenID Connect Core §3.1.2.1). */
  readonly loginRequirements: LoginRequirements;
}

/** @internal The requirements of a request for the login. Plain JSON. */
export interface LoginRequirements {
  /** `none`, `login`, `consent`, `select_account`; unknown values are removed. */
  readonly prompt: readonly string[];
  /** Maximum age of the login, in seconds. */
  readonly maxAgeSeconds?: number;
  /** The acceptable values of `acr`, in the order of preference; absent if the request demands none. */
  readonly acr?: readonly string[];
  /** The user that the client expects to log in: a subject or an e-mail address, unverified. */
  readonly loginHint?: string;
  /**
   * Lists of subjects from `id_token_hint` and `claims`: the user's subject for this client must be in each of them.
   */
  readonly demandedSubs?: readonly (readonly string[])[];
  /** The claims requested by name (OpenID Connect Core §5.5). */
  readonly claims?: RequestedClaims;
}
