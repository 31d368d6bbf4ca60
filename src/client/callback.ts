/** Authorization responses (OAuth 2.1 §4.1.2, RFC 9207, JARM). */

import { parseLocation } from "../platform/http/location.ts";
import { decodeJwtPart } from "../platform/http/jwt_part.ts";

/** The parameters of an authorization response. */
export interface AuthorizationResponse {
  /** The parameters of the response: `params.get("code")`. The parameters of a form are not in the URL. */
  readonly params: URLSearchParams;
  /**
   * The JWT of a signed response (JARM), which is the only parameter. The members below are the claims of this JWT,
   * decoded but not verified.
   */
  readonly response?: string;
  /** Why the members below cannot be read from `response`; absent if they can be read. */
  readonly problem?: string;
  /** The authorization code. */
  readonly code?: string;
  /** The `state` as the client sent it. */
  readonly state?: string;
  /** The issuer (RFC 9207). */
  readonly iss?: string;
  /** The error code of an error response. */
  readonly error?: string;
  /** One sentence about the error. */
  readonly errorDescription?: string;
}

/** Reads the request that a redirect URI received: a URL, or a form that was posted to it. */
export function readCallback(url: string, form?: URLSearchParams): AuthorizationResponse {
  const params = form ?? new URLSearchParams(parseLocation(url).params.map(([name, value]) => [name, value]));
  const response = params.get("response") ?? undefined;
  const signed = response === undefined ? undefined : decodeJwtPart(response, 1);
  const problem = signed && findProblem(response!, signed);
  const getParam = (name: string) => {
    const value = signed === undefined ? params.get(name) : signed[name];
    return typeof value === "string" ? value : undefined;
  };
  return {
    params,
    ...response !== undefined && { response },
    ...problem !== undefined && { problem },
    ...{ code: getParam("code"), state: getParam("state"), iss: getParam("iss") },
    ...{ error: getParam("error"), errorDescription: getParam("error_description") },
  };
}

/** Why a signed response cannot be decoded. */
function findProblem(response: string, claims: Readonly<Record<string, unknown>>): string | undefined {
  const parts = response.split(".").length;
  if (parts === 5) return "response is encrypted";
  if (parts !== 3) return `response is not a JWT: expected 3 parts, received ${parts}`;
  return Object.keys(claims).length > 0
    ? undefined
    : "response is not a JWT: its second part is not a JSON object with members";
}
