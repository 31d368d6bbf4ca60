/** What the check finds in libraries, each with the line of their source, and the comparison with a report. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { CheckOptions, CheckReport, ClientDriver } from "../../../src/check/mod.ts";
import { readPackageFile } from "../../installed.ts";
import { partOfCatalogue } from "../catalogue_part.ts";
import { checkClient } from "../patient_check.ts";
import { findingLines } from "../accusations.ts";

/** The libraries. */
export type Library = typeof libraryNames[number];

const libraryNames = [
  "openid-client",
  "oauth4webapi",
  "oidc-client-ts",
  "Auth.js",
  "express-openid-connect",
  "MCP SDK",
] as const;

/** Something that a library does, and that an attack shows. */
interface Finding {
  /** The libraries that do it. */
  readonly libraries: readonly Library[];
  /** The results that show it: verdict, attack and the parameters of the variant, `*` for all variants. */
  readonly results: readonly string[];
  /** The line of the source: `package/path:line`, and what it contains. */
  readonly source: readonly [line: string, code: string];
}

const mcpSdk = "@modelcontextprotocol/client/dist/public-CvV4ZHkX.mjs";

/** Every finding, with what the library does. */
const findings: readonly Finding[] = [
  // Without `id_token_signed_response_alg` in the client metadata it accepts every algorithm that the server announces.
  {
    libraries: ["openid-client", "oauth4webapi"],
    results: ["warning id-token/alg-other {}"],
    source: ["oauth4webapi/build/index.js:2039", "!issuer.includes(header.alg)"],
  },
  // It accepts an ID token whose `sub` is an empty string.
  {
    libraries: ["openid-client", "oauth4webapi", "Auth.js", "express-openid-connect"],
    results: ['warning id-token/sub-missing {"value":"empty"}'],
    source: ["oauth4webapi/build/index.js:1398", "validateStringClaim.bind(undefined, 'sub')"],
  },
  // It compares `azp` only if `aud` has several values.
  {
    libraries: ["openid-client", "oauth4webapi", "Auth.js", "express-openid-connect"],
    results: ["warning id-token/azp-other *"],
    source: ["oauth4webapi/build/index.js:1440", "claims.aud.length !== 1"],
  },
  // It does not compare `at_hash`, which is optional in the code flow (OpenID Connect Core §3.1.3.8).
  {
    libraries: ["openid-client", "oauth4webapi", "Auth.js", "express-openid-connect"],
    results: ["warning id-token/at-hash-wrong *"],
    source: ["oauth4webapi/build/index.js:1267", "await validateIdTokenClaims("],
  },
  {
    libraries: ["oidc-client-ts"],
    results: ["warning id-token/at-hash-wrong *"],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1474", "if (!incoming.sub) {"],
  },
  // It relies on TLS instead of the signature of an ID token, as OpenID Connect Core §3.1.3.7 allows.
  {
    libraries: ["Auth.js", "express-openid-connect"],
    results: ["warning id-token/signed-by-stranger *"],
    source: ["oauth4webapi/build/index.js:1267", "await validateIdTokenClaims("],
  },
  {
    libraries: ["oidc-client-ts"],
    results: ["warning id-token/signed-by-stranger *"],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1473", "JwtUtils.decode("],
  },
  // It does not know the `sub` of the login, so it accepts an ID token of another user. The application must compare
  // the two.
  {
    libraries: ["openid-client", "oauth4webapi"],
    results: ['failed refresh/id-token-other {"member":"sub",*'],
    source: ["oauth4webapi/build/index.js:1288", "processGenericAccessTokenResponse(as, client, response, undefined"],
  },
  // It sends code, verifier and secret to an http token endpoint of an https issuer.
  {
    libraries: ["Auth.js"],
    results: ["failed metadata/plain-http *"],
    source: ["@auth/core/lib/actions/callback/oauth/callback.js:113", "[o.allowInsecureRequests]: true"],
  },
  // Of a repeated parameter it takes the last value, so it exchanges another code.
  {
    libraries: ["Auth.js"],
    results: ['warning response/repeated {"parameter":"code"}'],
    source: ["@auth/core/lib/utils/web.js:35", "Object.fromEntries(url.searchParams)"],
  },
  // It does not compare the issuer of the metadata with the configured authority.
  {
    libraries: ["oidc-client-ts"],
    results: ["failed metadata/issuer-other *"],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:880", "Object.assign({}, metadata,"],
  },
  // It reads the first value of a repeated parameter, and no `iss` (RFC 9207), which a client of several issuers needs.
  {
    libraries: ["oidc-client-ts"],
    results: [
      "warning response/repeated *",
      "failed response/iss-wrong *",
      "failed response/iss-missing *",
      "failed response/mix-up *",
    ],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1741", 'this.code = params.get("code")'],
  },
  // It takes null for an object when it compares a claim of userinfo with that of the login.
  {
    libraries: ["oidc-client-ts"],
    results: ["warning userinfo/member-null {}"],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1873", 'typeof result[claim] === "object" && typeof values'],
  },
  // It takes the members of the token response as they are: no access token, another `token_type` or none.
  {
    libraries: ["oidc-client-ts"],
    results: [
      ...["absent", "empty", "null"].map((value) =>
        `failed token/required-missing {"member":"access_token","value":"${value}"}`
      ),
      'warning token/required-missing {"member":"access_token","value":"number"}',
      'warning token/required-missing {"member":"access_token","value":"object"}',
      'failed token/required-missing {"member":"token_type",*',
      "failed token/type-unknown *",
    ],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1464", "Object.assign(response, tokenResponse)"],
  },
  // Of the ID token it verifies `nonce`, and that there is a `sub`: neither issuer, nor audience, nor expiry (OpenID
  // Connect Core §3.1.3.7).
  {
    libraries: ["oidc-client-ts"],
    results: [
      "failed id-token/iss-wrong *",
      "failed id-token/iss-known {}",
      "failed id-token/aud-wrong *",
      "warning id-token/sub-missing *",
      "failed id-token/exp-past *",
      "warning id-token/iat-missing *",
      "warning id-token/nbf-future *",
      "warning id-token/azp-other *",
      'failed refresh/id-token-other {"member":"iss",*',
      'failed refresh/id-token-other {"member":"aud",*',
    ],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1474", "if (!incoming.sub) {"],
  },
  // It follows a redirect of the token endpoint, with 307 and 308 with code and verifier, and fetches an http URL;
  // browsers block that on https pages.
  {
    libraries: ["oidc-client-ts"],
    results: [
      ...[301, 302, 303].map((status) => `warning transport/redirect {"status":${status}}`),
      ...[307, 308].map((status) => `failed transport/redirect {"status":${status}}`),
      'failed transport/redirect {"status":307,"journey":"refresh"}',
      "failed metadata/plain-http *",
    ],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:693", "const response = await fetch(input, {"],
  },
  // Its `state` is the URL to return to, the same for each login; a signed cookie, PKCE and `nonce` bind a login to the
  // browser.
  {
    libraries: ["express-openid-connect"],
    results: ["state", "used"].map((what) => `skipped response/state-of-another-browser {"what":"${what}"}`),
    source: ["express-openid-connect/lib/context.js:760", "state: encodeState(stateValue)"],
  },
  // A callback with a code and an error counts as a success.
  {
    libraries: ["MCP SDK"],
    results: ["warning error/beside-code *"],
    source: [`${mcpSdk}:428`, "if (code) return {"],
  },
  // It reads the first value of a repeated parameter.
  {
    libraries: ["MCP SDK"],
    results: ["warning response/repeated *"],
    source: [`${mcpSdk}:427`, 'const code = codeOrParams.get("code")'],
  },
  // After `invalid_grant` it sends the same code once more.
  {
    libraries: ["MCP SDK"],
    results: ['failed error/token {"how":"invalid_grant"}'],
    source: [`${mcpSdk}:653`, "return await authInternal(provider, options)"],
  },
  // It accepts an empty `token_type`, and any other.
  {
    libraries: ["MCP SDK"],
    results: ['warning token/required-missing {"member":"token_type","value":"empty"}', "failed token/type-unknown *"],
    source: [`${mcpSdk}:1284`, "OAuthTokensSchema.parse("],
  },
  // It reads a challenge only if Bearer is the first scheme and parameters are written in one way; then it does not
  // find the authorization server.
  {
    libraries: ["MCP SDK"],
    results: ["another-scheme-first", "scheme-without-parameters-first", "capitals", "spaces", "name-in-text"].map(
      (form) => `failed resource/challenge-shapes {"form":"${form}"}`,
    ),
    source: [`${mcpSdk}:899`, 'authenticateHeader.split(" ")'],
  },
  // It uses an empty `client_id`, and a registration with other redirect URIs than its own.
  {
    libraries: ["MCP SDK"],
    results: [
      'warning registration/response-shape {"value":"empty"}',
      'warning registration/changed {"member":"redirect_uris"}',
    ],
    source: [`${mcpSdk}:1452`, "OAuthClientInformationFullSchema.parse("],
  },
  // If the server has forgotten the client, every login ends at an error page. The application must let the user delete
  // the registration.
  {
    libraries: ["MCP SDK"],
    results: ['failed registration/forgotten {"endpoint":"authorize"}'],
    source: [`${mcpSdk}:731`, "provider.clientInformation(infoCtx)"],
  },
  // It checks that endpoints are https URLs, and not their hosts. An application on a server can pass a `fetch` that
  // does.
  {
    libraries: ["openid-client", "oauth4webapi", "Auth.js"],
    results: ["warning metadata/endpoint-internal *"],
    source: ["oauth4webapi/build/index.js:640", "only requests to HTTPS are allowed"],
  },
  // It checks `alg`, `iss` and `aud` of a userinfo response that is a JWT; the signature only with
  // `validateApplicationLevelSignature`.
  {
    libraries: ["oauth4webapi", "Auth.js"],
    results: ['warning userinfo/signed-wrong {"flaw":"key"}'],
    source: ["oauth4webapi/build/index.js:1134", "if (getContentType(response) === 'application/jwt') {"],
  },
  // It redirects the browser to a URL of any scheme. Browsers run no script of a redirect, but open other programs.
  {
    libraries: ["Auth.js"],
    results: ["javascript:", "data:", "file:", "vscode:"].map((scheme) =>
      `failed metadata/authorization-endpoint-hostile {"value":"${scheme}*`
    ),
    source: ["@auth/core/lib/actions/signin/authorization-url.js:33", "url = new URL(as.authorization_endpoint);"],
  },
  // It navigates to a URL of any scheme, which runs a script of the metadata in the page.
  {
    libraries: ["oidc-client-ts"],
    results: ["javascript:", "data:", "file:", "vscode:"].map((scheme) =>
      `failed metadata/authorization-endpoint-hostile {"value":"${scheme}*`
    ),
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1679", "const parsedUrl = new URL(url);"],
  },
  // It compares media types with letter case, so `Application/JSON` is an error.
  {
    libraries: ["oidc-client-ts"],
    results: ["failed transport/media-type *"],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:781", "contentType.startsWith(item)"],
  },
  // It runs in a browser, which may connect to any host.
  {
    libraries: ["oidc-client-ts"],
    results: ["warning metadata/endpoint-internal *"],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:739", "json = await response.json();"],
  },
  // It merges userinfo over the ID token: `iss` and `aud` of the profile are those of the userinfo response.
  {
    libraries: ["oidc-client-ts"],
    results: ["warning userinfo/claims-override *"],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1448", "mergeClaims(response.profile"],
  },
  // It decodes a userinfo response that is a JWT, and verifies nothing of it.
  {
    libraries: ["oidc-client-ts"],
    results: ["warning userinfo/signed-wrong *"],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1096", "JwtUtils.decode(responseText)"],
  },
  // It passes a URL of any scheme but `javascript:`, `data:` and `vbscript:` to the application, which opens it.
  {
    libraries: ["MCP SDK"],
    results: ["file:", "vscode:"].map((scheme) =>
      `failed metadata/authorization-endpoint-hostile {"value":"${scheme}*`
    ),
    source: [`${mcpSdk}:1208`, "authorizationUrl = new URL(metadata.authorization_endpoint)"],
  },
  // It continues if the metadata announces no code challenge method, although the authorization of MCP demands to stop.
  {
    libraries: ["MCP SDK"],
    results: ["failed resource/pkce-unsupported *"],
    source: [`${mcpSdk}:1210`, "metadata.code_challenge_methods_supported &&"],
  },
  // It accepts metadata about the origin of the resource, or a path above it.
  {
    libraries: ["MCP SDK"],
    results: ['warning resource/metadata-near {"value":"its origin"}'],
    source: [`${mcpSdk}:879`, "checkResourceAllowed({"],
  },
  // The resource names the server, so that two logins go to one.
  {
    libraries: ["MCP SDK"],
    results: ["skipped response/other-toolkit *"],
    source: [`${mcpSdk}:877`, "provider.validateResourceURL"],
  },
  // It connects to any host. An application can pass a `fetch` that does not.
  {
    libraries: ["MCP SDK"],
    results: ["warning metadata/endpoint-internal *"],
    source: [`${mcpSdk}:1282`, "const json = await response.json();"],
  },
  // `state` is the address to return to as JSON, the same in every login; the nonce and PKCE protect against CSRF.
  {
    libraries: ["express-openid-connect"],
    results: ["warning practice/state-random"],
    source: ["express-openid-connect/lib/hooks/getLoginState.js:31", "JSON.stringify(filteredState)"],
  },
];

/** Checks a library: the report has exactly the findings about it. */
export async function assertFindings(
  library: Library,
  driver: ClientDriver,
  options?: CheckOptions,
): Promise<CheckReport> {
  const found = findings.filter(({ libraries }) => libraries.includes(library)).flatMap(({ results }) => results)
    .map((result) => result.split(" ")[1]!).filter((id) => !id.startsWith("practice/"));
  const place = libraryNames.indexOf(library);
  const report = await checkClient(driver, {
    ...options,
    only: partOfCatalogue(8 * libraryNames.length, place, found),
  });
  assert(report.control.passed, String(report));
  assertEquals(differencesFrom(library, findingLines(report)), [], String(report));
  return report;
}

/** How the results of a check differ from the findings about a library. */
function differencesFrom(library: Library, received: readonly string[]): readonly string[] {
  const expected = findings.filter(({ libraries }) => libraries.includes(library)).flatMap(({ results }) => results);
  return [
    ...received.filter((result) => !expected.some((finding) => matches(result, finding)))
      .map((result) => `not documented: ${result}`),
    ...expected.filter((finding) => !received.some((result) => matches(result, finding)))
      .map((finding) => `not found: ${finding}`),
  ];
}

function matches(result: string, finding: string): boolean {
  return finding.endsWith("*") ? result.startsWith(finding.slice(0, -1)) : result === finding;
}

/** The sources still have the lines of the findings. */
export async function assertSources(): Promise<void> {
  for (const { source: [line, code] } of findings) {
    const [path, number] = line.split(":") as [string, string];
    assertStringIncludes((await readPackageFile(path)).split("\n")[Number(number) - 1]!, code, line);
  }
}
