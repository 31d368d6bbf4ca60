/**
 * The `jti` of access tokens: the id of the grant, a random value for each token that was exchanged for the next one,
 * and the generations of user and client, so that a revocation of one of them needs no list of tokens.
 */

export function grantOfAccessToken(jti: string): string {
  return jti.split(".", 1)[0]!;
}

/** The ids whose revocation ends an access token: its grant, each token that was exchanged for it, and itself. */
export function revocableIds(jti: string): readonly string[] {
  const parts = jti.split(".");
  return parts.map((_, i) => parts.slice(0, i + 1).join("."));
}

/** The generations of the user and the client of an access token; `undefined` without one. */
export interface Generations {
  readonly user?: string;
  readonly client?: string;
}

/** The end of a `jti` with these generations. */
export function formatGenerations({ user, client }: Generations): string {
  if (client !== undefined) return `~${user ?? ""}~${client}`;
  return user === undefined ? "" : `~${user}`;
}

/** The generations in the `jti` of an access token, after its last dot. */
export function generationsOfAccessToken(jti: string): Generations {
  const [, user, client] = jti.slice(jti.lastIndexOf(".") + 1).split("~");
  return { user: user || undefined, client };
}
