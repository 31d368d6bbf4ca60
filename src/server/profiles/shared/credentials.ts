/** CORS for scripts that send cookies (Fetch §3.2.5): `*` is not enough for them. */

/** The headers of a response that scripts of an origin may read. */
export function credentialsFor(origin: string): Readonly<Record<string, string>> {
  return { "access-control-allow-origin": origin, "access-control-allow-credentials": "true", vary: "origin" };
}
