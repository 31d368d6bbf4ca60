/** The challenge of a response: the header `WWW-Authenticate` (RFC 9110 §11.6.1). */

/** A challenge: the scheme, and its parameters as quoted strings. Parameters that are `undefined` are left out. */
export function challenge(scheme: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${sanitizeQuotedString(value)}"`]
  );
  return pairs.length === 0 ? scheme : `${scheme} ${pairs.join(", ")}`;
}

/** A scheme of access tokens. */
type TokenScheme = "Bearer" | "DPoP";

/** The scheme whose challenge names the error of a request with this `Authorization` header. */
export function usedScheme(authorization: string | null): TokenScheme {
  return /^dpop\b/i.test(authorization ?? "") ? "DPoP" : "Bearer";
}

/** The request that a protected resource rejects. */
export interface RejectedRequest {
  /** The scheme that the request used; `Bearer` if it used none. */
  readonly scheme: TokenScheme;
  /** The status of the response. */
  readonly status: number;
  /** The algorithms of DPoP proofs; absent if the resource accepts none. */
  readonly algorithms?: readonly string[];
  /** Whether the resource accepts no bearer token. Default: false. */
  readonly isBoundRequired?: boolean;
}

/**
 * The challenges of a protected resource. The challenge of the scheme that the request used contains the error (RFC
 * 9449 §7.2). With 401, a request without `DPoP` also learns that the resource accepts that scheme. `Bearer` is not
 * offered if the resource requires DPoP.
 */
export function tokenChallenges(
  { scheme, status, algorithms, isBoundRequired = false }: RejectedRequest,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const algs = algorithms?.join(" ");
  if (algs !== undefined && (scheme === "DPoP" || isBoundRequired)) return challenge("DPoP", { ...parameters, algs });
  const bearer = challenge("Bearer", parameters);
  if (status !== 401 || algs === undefined) return bearer;
  return `${bearer}, ${challenge("DPoP", { resource_metadata: parameters.resource_metadata, algs })}`;
}

/** Removes the characters that a quoted string in a header must not contain. */
function sanitizeQuotedString(text: string): string {
  return text.replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, "");
}
