/** A resource server: it introspects access tokens (RFC 7662), or verifies them as JWTs (RFC 9068). */

import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import type { ClientDriver, TokenJourney } from "../../../src/check/mod.ts";
import { assert, type Members, requestJson } from "./requests.ts";

/** The steps of the resource server. */
export interface ResourceSteps {
  /** The claims of a token; a server keeps what it knows of tokens in `cache`. */
  readClaims(journey: TokenJourney, cache: Map<string, Members>): Promise<Members>;
  introspect(journey: TokenJourney): Promise<Members>;
  checkActive(claims: Members): void;
  checkTime(claims: Members, now: number): void;
  checkAudience(claims: Members, resource: string): void;
  checkIssuer(claims: Members, issuer: string): void;
  checkKind(claims: Members): void;
  user(claims: Members): string;
}

/** Sends a token to the introspection endpoint. */
async function requestIntrospection({ issuer, fetch, accessToken, client }: TokenJourney): Promise<Members> {
  const { introspection_endpoint } = await requestJson({ fetch }, `${issuer}/.well-known/openid-configuration`);
  const credentials = [client.client_id, String(client.client_secret)].map(encodeURIComponent).join(":");
  return await requestJson({ fetch }, String(introspection_endpoint), {
    method: "POST",
    headers: { accept: "application/json", authorization: `Basic ${btoa(credentials)}` },
    body: new URLSearchParams({ token: accessToken, token_type_hint: "access_token" }),
  });
}

export const correctResource: ResourceSteps = {
  readClaims(journey) {
    return this.introspect(journey);
  },
  introspect: requestIntrospection,
  checkActive: ({ active }) => assert(active === true, "the token is not active"),
  checkTime({ exp, nbf }, now) {
    assert(exp === undefined || typeof exp === "number" && exp * 1000 > now, "the token has expired");
    assert(nbf === undefined || typeof nbf === "number" && nbf * 1000 < now + 30_000, "the token is not yet valid");
  },
  checkAudience({ aud }, resource) {
    assert([aud].flat().includes(resource), "the token is for another resource");
  },
  checkIssuer: ({ iss }, issuer) => assert(iss === undefined || iss === issuer, "the token is from another issuer"),
  checkKind({ token_type, cnf }) {
    assert(token_type !== "refresh_token", "the token is a refresh token");
    assert(cnf === undefined, "the token is bound to a key, and the request proves none");
  },
  user({ sub }) {
    assert(typeof sub === "string" && sub !== "", "the token has no user");
    return sub;
  },
};

/** The keys of the issuer. */
async function requestKeys({ issuer, fetch }: TokenJourney): Promise<JSONWebKeySet> {
  const { jwks_uri } = await requestJson({ fetch }, `${issuer}/.well-known/openid-configuration`);
  return await requestJson({ fetch }, String(jwks_uri)) as unknown as JSONWebKeySet;
}

/** The resource server that verifies JWTs itself. */
export const correctJwtResource: ResourceSteps = {
  ...correctResource,
  async readClaims(journey) {
    const { accessToken, now } = journey;
    const { typ } = decodeProtectedHeader(accessToken);
    assert(/^(?:application\/)?at\+jwt$/i.test(typ ?? ""), "the token is no access token");
    const { payload } = await jwtVerify(accessToken, createLocalJWKSet(await requestKeys(journey)), {
      algorithms: ["EdDSA", "ES256", "RS256"],
      requiredClaims: ["iss", "exp", "aud", "sub", "client_id"],
      currentDate: new Date(now()),
    });
    return { ...payload, active: true };
  },
};

/** A driver of the resource server. */
export function resourceServer(name: string, steps: ResourceSteps): ClientDriver {
  const cache = new Map<string, Members>();
  return {
    name,
    client: { confidential: true },
    readsClock: true,
    async acceptToken(journey) {
      const claims = await steps.readClaims(journey, cache);
      steps.checkActive(claims);
      steps.checkTime(claims, journey.now());
      steps.checkIssuer(claims, journey.issuer);
      steps.checkAudience(claims, journey.resource);
      steps.checkKind(claims);
      return { sub: steps.user(claims) };
    },
  };
}
