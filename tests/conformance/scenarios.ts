/**
 * The authorization scenarios of the MCP conformance package (npm: @modelcontextprotocol/conformance), and how this
 * server is tested by each. `deno task test:conformance` compares the names with those of the package.
 */

/** The version of the package. It is exact: `deno.lock` beside this file has what it needs. */
export const conformancePackage = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";

/** The scenarios that the package runs against an authorization server. */
export const serverScenarios = ["authorization-server-metadata-endpoint", "authorization-code-grant"];

/** Checks of these that end with another status than SUCCESS: name of the server → check → reason. */
export const knownFindings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Basic: { "authorization-server-metadata-cimd": "A metadata document has no secret, and Basic needs one." },
  post: {
    "authorization-server-metadata-cimd": "A metadata document has no secret, and client_secret_post needs one.",
  },
};

/**
 * The scenarios `auth/…`, which the package runs against a client. In each, the package starts an authorization server
 * of its own, and has no option to name another. So a test here sends the same client, the SDK's, through the same
 * situation with this server: a test whose title contains the name of the scenario and a colon. This list has the
 * others: name → reason.
 */
export const scenariosWithoutTest: Readonly<Record<string, string>> = {};
