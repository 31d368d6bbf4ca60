/** A small resource server, in legal styles and with mistakes. */

import { createLocalJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify, type JWTVerifyOptions } from "jose";
import type { ClientDriver, TokenJourney } from "../../src/check/mod.ts";

interface Expected {
  readonly issuer: string;
  readonly resource: string;
  readonly now: number;
}

/** What an API compares of an introspection response before it accepts the token of a request. */
export const introspectionChecks: Readonly<Record<string, (claims: JWTPayload, expected: Expected) => boolean>> = {
  active: ({ active }) => active === true,
  aud: ({ aud }, { resource }) => [aud].flat().includes(resource),
  iss: ({ iss }, { issuer }) => iss === undefined || iss === issuer,
  token_type: ({ token_type }) => token_type !== "refresh_token",
  // It asks for no proof of a key.
  cnf: ({ cnf }) => cnf === undefined,
  exp: ({ exp }, { now }) => exp === undefined || Number(exp) > now,
  nbf: ({ nbf }, { now }) => nbf === undefined || Number(nbf) < now + 60,
};

/** What differs from a resource server that verifies JWTs, keeps keys for a minute at least, and needs no scope. */
export interface ApiStyle {
  readonly verify?: JWTVerifyOptions;
  /** Whether the claims allow the request. */
  readonly allows?: (claims: JWTPayload) => boolean;
  /** Whether it introspects tokens instead, or also. */
  readonly introspects?: boolean | "also";
  /** What it does not compare of an introspection response: members of {@link introspectionChecks}. */
  readonly leavesOut?: readonly string[];
  /** Whether it sends its credentials in the body (RFC 7662 §2.1). */
  readonly postsSecret?: boolean;
  /** Whether it uses what it knows of a token for the request, by its age and its time left, in seconds. */
  readonly keeps?: (age: number, left: number) => boolean;
  /** How long it keeps keys before it fetches them for an unknown one, in seconds. */
  readonly keySeconds?: number;
  /** Whether it fetches the keys of the issuer that a token names. */
  readonly believesIssuer?: boolean;
  /** Whether it believes a token while it cannot verify it. */
  readonly failsOpen?: boolean;
}

export function smallResourceServer(
  { allows = () => true, keeps = () => false, keySeconds = 60, ...style }: ApiStyle,
): ClientDriver {
  const keySets = new Map<string, { at: number; readonly keys: ReturnType<typeof createLocalJWKSet> }>();
  const kept = new Map<string, { readonly at: number; readonly claims: JWTPayload }>();

  async function readKeys({ issuer, fetch, now }: TokenJourney) {
    const response = await fetch(`${issuer}/oauth2/jwks`);
    if (!response.ok) throw new Error("no keys");
    const keys = createLocalJWKSet(await response.json());
    keySets.set(issuer, { keys, at: now() / 1000 });
    return keys;
  }

  const believed = (error: unknown, { accessToken }: TokenJourney): JWTPayload => {
    const isSeen = error instanceof errors.JOSEError || String(error).includes("not active");
    if (isSeen || !style.failsOpen) throw error;
    return decodeJwt(accessToken);
  };

  async function verify(given: TokenJourney): Promise<JWTPayload> {
    const { accessToken, now, resource } = given;
    const issuer = style.believesIssuer ? String(decodeJwt(accessToken).iss) : given.issuer;
    const journey = { ...given, issuer };
    const options: JWTVerifyOptions = {
      ...{ issuer, audience: resource, typ: "at+jwt", requiredClaims: ["exp"], algorithms: ["EdDSA"] },
      ...{ currentDate: new Date(now()), ...style.verify },
    };
    const old = keySets.get(issuer);
    try {
      return (await jwtVerify(accessToken, old?.keys ?? await readKeys(journey), options)).payload;
    } catch (error) {
      const isOld = old !== undefined && now() / 1000 - old.at >= keySeconds;
      if (!isOld || !(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return (await jwtVerify(accessToken, await readKeys(journey), options)).payload;
    }
  }

  async function introspect({ issuer, accessToken, fetch, client, now, resource }: TokenJourney): Promise<JWTPayload> {
    const { client_id, client_secret = "" } = client;
    const response = await fetch(`${issuer}/oauth2/introspect`, {
      method: "POST",
      headers: style.postsSecret ? {} : { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
      body: new URLSearchParams({ token: accessToken, ...style.postsSecret && { client_id, client_secret } }),
    });
    if (!response.ok) throw new Error("no introspection");
    const claims = await response.json();
    const expected = { issuer, resource, now: now() / 1000 };
    const isRight = Object.entries(introspectionChecks).every(([name, compare]) =>
      style.leavesOut?.includes(name) || compare(claims, expected)
    );
    if (!isRight) throw new Error("not active");
    return claims;
  }

  return {
    name: "resource server",
    readsClock: true,
    async acceptToken(journey) {
      const now = journey.now() / 1000;
      const known = kept.get(journey.accessToken);
      const isKept = known !== undefined && keeps(now - known.at, known.claims.exp! - now);
      if (style.introspects === "also") await verify(journey);
      const claims = isKept ? known.claims : await (style.introspects ? introspect : verify)(journey)
        .catch((error) => believed(error, journey));
      if (!isKept) kept.set(journey.accessToken, { at: now, claims });
      if (claims.cnf !== undefined && !style.leavesOut?.includes("cnf")) throw new Error("bound");
      if (!allows(claims)) throw new Error("insufficient_scope");
      const passTime = (seconds: number) => {
        const keySet = keySets.get(journey.issuer);
        if (keySet !== undefined) keySet.at -= seconds;
      };
      return { sub: String(claims.sub), passTime };
    },
  };
}
