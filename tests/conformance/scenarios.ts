/**
 * The authorization scenarios of the MCP conformance package (npm: @modelcontextprotocol/conformance), and how this server
 * is tested by each. `deno task test:conformance` compares the names with those of the package.
 */

/** The version of the package. It is exact: `deno.lock` beside this file has what it needs. */
export const conformancePackage = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";

/** The scenarios that the package runs against an authorization server. */
export const serverScenarios = ["authorization-server-metadata-endpoint", "authorization-code-grant"];

/** Checks of these that end with another status than SUCCESS → the reason. */
export const knownFindings: Readonly<Record<string, string>> = {
  "authorization-server-metadata-cimd": "This server does not resolve Client ID Metadata Documents yet.",
};

/**
 * The scenarios `auth/…`, which the package runs against a client. In each, the package starts an authorization server of its
 * own, and has no option to name another. So a test here sends the same client, the SDK's, through the same situation with
 * this server: a test whose title contains the name of the scenario and a colon. This list has the others: name → reason.
 */
export const scenariosWithoutTest: Readonly<Record<string, string>> = {
  "auth/basic-cimd": "This server does not resolve Client ID Metadata Documents yet.",
  "auth/token-endpoint-auth-basic": "The client registers itself, which this server does not offer yet.",
  "auth/token-endpoint-auth-post": "The client registers itself, which this server does not offer yet.",
  "auth/token-endpoint-auth-none": "The client registers itself, which this server does not offer yet.",
  "auth/2025-03-26-oauth-metadata-backcompat": "The client registers itself, which this server does not offer yet.",
  "auth/authorization-server-migration": "The client registers itself, which this server does not offer yet.",
  "auth/enterprise-managed-authorization":
    "The SDK exchanges an ID token for an ID-JAG, which this server does not issue yet.",
  "auth/wif-jwt-bearer": "The SDK has no client of its own for a workload.",
  "auth/dpop": "This server does not support DPoP (RFC 9449).",
  "auth/dpop-nonce": "This server does not support DPoP (RFC 9449).",
};
