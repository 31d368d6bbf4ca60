/**
 * For resource servers: access tokens, challenges and protected resource metadata (RFC 9728).
 *
 * 1. A {@link ProtectedResource} describes the resource: its identifier, its verifier, its scope values.
 * 2. {@link resourceMetadata} serves the metadata document, where clients find the authorization server.
 * 3. {@link requireToken} checks the access token of a request for one operation: it returns the claims of the token,
 *    or the response with the challenge.
 *
 * @example
 * ```ts
 * import { jwksVerifier, requireToken, resourceMetadata } from "@latchkey/latchkey/resource";
 * import type { ProtectedResource } from "@latchkey/latchkey/resource";
 *
 * const api: ProtectedResource = {
 *   resource: "https://files.example/api",
 *   verifier: jwksVerifier({ issuer: "https://auth.example" }),
 *   scopes: ["files:read", "files:write"],
 *   impliedScopes: { "files:write": ["files:read"] },
 * };
 *
 * async function handle(request: Request): Promise<Response> {
 *   const document = await resourceMetadata(request, api);
 *   if (document !== undefined) return document;
 *   const token = await requireToken(request, { ...api, scope: ["files:read"] });
 *   if (token instanceof Response) return token;
 *   return Response.json({ user: token.sub });
 * }
 * ```
 *
 * @module
 */

export { mcpServer } from "./mcp_server.ts";
export type { HostedResourceOptions } from "./hosted_resource.ts";
export { metadataUrl, resourceMetadata } from "./metadata.ts";
export { requireToken, stepUpChallenge } from "./require_token.ts";
export { dpopProofs } from "./dpop_proofs.ts";
export { jwksVerifier } from "./jwks_verifier.ts";
export { introspectionVerifier } from "./introspection_verifier.ts";
export type { AccessTokenClaims, ProtectedResource, RequiredToken, TokenVerifier } from "./protected_resource.ts";
