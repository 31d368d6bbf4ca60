/** Clients of MCP servers, and resource servers, with one mistake each. */

import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import type { Entry } from "./entry.ts";
import { assert, isSecure, requestJson } from "./requests.ts";
import { requestKeys } from "./resource_server.ts";

const mcpMistakes: readonly Entry[] = [
  {
    kind: "mcp",
    name: "names the resource in the authorization request, but not in the token request",
    source: "dust-tt/dust#20789, RFC 8707 §2.2",
    foundBy: "practice/resource-stated",
    mcp: () => ({ tokenParameters: (parameters) => parameters }),
  },
  {
    kind: "mcp",
    name: "believes metadata about another resource",
    source: "danny-avila/LibreChat#12755, RFC 9728 §3.3",
    foundBy: "resource/metadata-of-another",
    mcp: () => ({ checkResource: ({ resource }) => assert(typeof resource === "string", "no resource") }),
  },
  {
    kind: "mcp",
    name: "does not compare the issuer of the metadata of a server",
    source: "maximhq/bifrost#6251, modelcontextprotocol/ruby-sdk#556",
    foundBy: "metadata/issuer-other",
    mcp: (correct) => ({ checkServer: (metadata, issuer) => correct.checkServer({ ...metadata, issuer }, issuer) }),
  },
  {
    kind: "mcp",
    name: "does not compare the issuer in the authorization response",
    source: "modelcontextprotocol/csharp-sdk#1605, RFC 9207 §2.4",
    mcp: () => ({ checkIssuer: () => {} }),
  },
  {
    kind: "mcp",
    name: "only refreshes its tokens when the resource demands more scope",
    source: "modelcontextprotocol/typescript-sdk#2255",
    mcp: () => ({ refreshesAfter: () => true, maxLogins: 1 }),
  },
  {
    kind: "mcp",
    name: "does not ask for the scope that a challenge names",
    source: "anthropics/claude-code#19066",
    foundBy: "practice/scope-minimal",
    mcp: (correct) => ({ scope: (_, document, granted) => correct.scope(new Map(), document, granted) }),
  },
  {
    kind: "mcp",
    name: "uses its registration at one server with the next server of the resource",
    source: "getsentry/junior#837, MCP authorization, client registration",
    foundBy: "resource/issuer-changed",
    mcp: () => ({ registrationKey: (_, resource) => resource }),
  },
];

const resourceServerMistakes: readonly Entry[] = [
  {
    kind: "resource server",
    name: "does not verify the audience of an active token",
    source: "huskarl-rs/huskarl#70, thunder-id/thunderid#4985",
    foundBy: "resource/introspection-audience",
    introspecting: () => ({ checkAudience: () => {} }),
  },
  {
    kind: "resource server",
    name: "verifies the audience of a token only if it is an array",
    source: "hashicorp/vault-plugin-auth-jwt#274",
    foundBy: "resource/introspection-audience",
    introspecting: (correct) => ({
      checkAudience: (claims, resource) =>
        Array.isArray(claims.aud) ? correct.checkAudience(claims, resource) : undefined,
    }),
  },
  {
    kind: "resource server",
    name: "believes every value of active that is true in a condition",
    source: "RFC 7662 §2.2",
    foundBy: "resource/introspection-odd",
    introspecting: () => ({ checkActive: ({ active }) => assert(Boolean(active), "the token is not active") }),
  },
  {
    kind: "resource server",
    name: "believes a token itself when the introspection fails",
    source: "RFC 7662 §4",
    introspecting: (correct) => ({
      introspect: (journey) =>
        correct.introspect(journey).catch(() => ({ ...decodeJwt(journey.accessToken), active: true })),
    }),
  },
  {
    kind: "resource server",
    name: "keeps the response of an introspection for longer than the token is valid",
    source: "firecrawl/firecrawl#3973, RFC 7662 §4",
    introspecting: (correct) => ({
      async readClaims(journey, cache) {
        const claims = cache.get(journey.accessToken) ?? await correct.introspect(journey);
        cache.set(journey.accessToken, { ...claims, exp: undefined });
        return claims;
      },
    }),
  },
  {
    kind: "resource server",
    name: "sends tokens to the introspection endpoint in the query",
    source: "RFC 7662 §2.1, RFC 9700 §4.3.2",
    foundBy: "login",
    introspecting: () => ({
      async introspect({ issuer, fetch, accessToken, client }) {
        const { introspection_endpoint } = await requestJson({ fetch }, `${issuer}/.well-known/openid-configuration`);
        const url = `${introspection_endpoint}?token=${encodeURIComponent(accessToken)}`;
        assert(isSecure(url, issuer), "no introspection endpoint");
        const authorization = `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`;
        return await requestJson({ fetch }, url, { headers: { authorization } });
      },
    }),
  },
  {
    kind: "resource server",
    name: "verifies JWTs, but not their audience",
    source: "GHSA-hcxc-wf8j-23hv (OpenFGA)",
    foundBy: "resource/token-audience",
    verifying: () => ({ checkAudience: () => {} }),
  },
  {
    kind: "resource server",
    name: "verifies JWTs, but not that they are access tokens",
    source: "qauth-labs/qauth#283, wso2/carbon-apimgt#12485",
    verifying: () => ({
      async readClaims(journey) {
        const { payload } = await jwtVerify(journey.accessToken, createLocalJWKSet(await requestKeys(journey)), {
          algorithms: ["EdDSA", "ES256", "RS256"],
          requiredClaims: ["iss", "exp", "aud", "sub"],
          currentDate: new Date(journey.now()),
        });
        return { ...payload, active: true };
      },
    }),
  },
];

export const resourceMistakes: readonly Entry[] = [...mcpMistakes, ...resourceServerMistakes];
