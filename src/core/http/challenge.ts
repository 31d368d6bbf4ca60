/** The challenge of a response: the header `WWW-Authenticate` (RFC 9110 §11.6.1). */

/** A challenge: the scheme, and its parameters as quoted strings. Parameters that are `undefined` are left out. */
export function challenge(scheme: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${sanitizeQuotedString(value)}"`]
  );
  return pairs.length === 0 ? scheme : `${scheme} ${pairs.join(", ")}`;
}

/**
 * The scheme of a request with this `Authorization` header: `bound` if the header has it, otherwise `Bearer`.
 *
 * @param bound The scheme of access tokens that are bound to a key.
 */
export function usedScheme(authorization: string | null, bound?: string): string {
  const [name = ""] = /^[a-z]+\b/i.exec(authorization ?? "") ?? [];
  return bound !== undefined && name.toLowerCase() === bound.toLowerCase() ? bound : "Bearer";
}

/** The proofs of keys that a protected resource accepts. */
interface ChallengedProofs {
  readonly scheme: string;
  readonly algorithms: readonly string[];
  /** Whether the resource accepts no bearer token. */
  readonly isRequired: boolean;
}

export interface RejectedRequest {
  /** The scheme that the request used; `Bearer` if it used none. */
  readonly scheme: string;
  readonly status: number;
  /** The proofs that the resource accepts; absent: none. */
  readonly proofs?: ChallengedProofs;
}

/**
 * The challenges of a protected resource. The challenge of the scheme that the request used contains the error (RFC
 * 9449 §7.2). With 401, a bearer request also learns that the resource accepts bound tokens. `Bearer` is not offered if
 * tokens must be bound.
 */
export function tokenChallenges(
  { scheme, status, proofs }: RejectedRequest,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  if (proofs === undefined) return challenge("Bearer", parameters);
  const algs = proofs.algorithms.join(" ");
  if (scheme === proofs.scheme || proofs.isRequired) return challenge(proofs.scheme, { ...parameters, algs });
  const bearer = challenge("Bearer", parameters);
  if (status !== 401) return bearer;
  return `${bearer}, ${challenge(proofs.scheme, { resource_metadata: parameters.resource_metadata, algs })}`;
}

/** Removes the characters that a quoted string in a header must not contain. */
function sanitizeQuotedString(text: string): string {
  return text.replace(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, "");
}
