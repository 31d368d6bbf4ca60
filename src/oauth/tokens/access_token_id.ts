/**
 * The `jti` of an access token: the id of its grant, the ids of the tokens that were exchanged for it, the oldest first,
 * and its own, separated by dots. So it ends with each of them, and nothing is stored. Its own id ends with `~` and the
 * generation of the user, if the user has one.
 */

/** The id of the grant of an access token. */
export function grantOfAccessToken(jti: string): string {
  return jti.split(".", 1)[0]!;
}

/** The ids whose revocation ends an access token: its grant, each token that was exchanged for it, and itself. */
export function revocableIds(jti: string): readonly string[] {
  const parts = jti.split(".");
  return parts.map((_, i) => parts.slice(0, i + 1).join("."));
}

/** The number of exchanges that led to an access token. */
export function exchangeCount(jti: string): number {
  return jti.split(".").length - 2;
}

/** The generation of the user of an access token; `undefined` without one. */
export function generationOfAccessToken(jti: string): string | undefined {
  const at = jti.lastIndexOf("~");
  return at < jti.lastIndexOf(".") ? undefined : jti.slice(at + 1);
}
