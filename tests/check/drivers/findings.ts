/** What the check finds in libraries, each with the line of their source, and the comparison with a report. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readFileSync } from "node:fs";
import type { CheckOptions, CheckReport, ClientDriver } from "../../../src/check/mod.ts";
import { readPackageFile } from "../../installed.ts";
import { partOfCatalogue } from "../catalogue_part.ts";
import { checkClient } from "../patient_check.ts";
import { accusationsOf } from "./accusations.ts";

/** The drivers, by the name in the README. */
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

/** Every finding; `tests/check/drivers/README.md` says what each means. */
const findings: readonly Finding[] = [
  {
    libraries: ["openid-client", "express-openid-connect"],
    results: ['warning metadata/issuer-equivalent {"how":"case"}', 'warning metadata/issuer-equivalent {"how":"port"}'],
    source: ["openid-client/build/index.js:287", "new URL(as.issuer).href !== server.href"],
  },
  {
    libraries: ["oauth4webapi", "Auth.js"],
    results: ['warning metadata/issuer-equivalent {"how":"case"}', 'warning metadata/issuer-equivalent {"how":"port"}'],
    source: ["oauth4webapi/build/index.js:309", "new URL(json.issuer).href !== expected.href"],
  },
  {
    libraries: ["openid-client", "oauth4webapi"],
    results: ["warning id-token/alg-other {}"],
    source: ["oauth4webapi/build/index.js:2039", "!issuer.includes(header.alg)"],
  },
  {
    libraries: ["openid-client", "oauth4webapi", "Auth.js"],
    results: ['warning id-token/sub-missing {"value":""}'],
    source: ["oauth4webapi/build/index.js:1398", "validateStringClaim.bind(undefined, 'sub')"],
  },
  {
    libraries: ["express-openid-connect"],
    results: ['failed id-token/sub-missing {"value":""}'],
    source: ["oauth4webapi/build/index.js:1398", "validateStringClaim.bind(undefined, 'sub')"],
  },
  {
    libraries: ["openid-client", "oauth4webapi", "Auth.js", "express-openid-connect"],
    results: [
      "warning id-token/at-hash-wrong {}",
      'warning clock/large {"seconds":7200}',
    ],
    source: ["oauth4webapi/build/index.js:1395", "validatePresence.bind(undefined, ['aud', 'exp', 'iat', 'iss', 'sub'"],
  },
  {
    libraries: ["openid-client", "oauth4webapi", "Auth.js", "express-openid-connect"],
    results: ["warning id-token/azp-other {}"],
    source: ["oauth4webapi/build/index.js:1440", "claims.aud.length !== 1"],
  },
  {
    libraries: ["openid-client", "oauth4webapi"],
    results: ['failed refresh/id-token-other {"claim":"sub"}'],
    source: ["oauth4webapi/build/index.js:1288", "processGenericAccessTokenResponse(as, client, response, undefined"],
  },
  {
    libraries: ["Auth.js"],
    results: ["failed metadata/plain-http *"],
    source: ["@auth/core/lib/actions/callback/oauth/callback.js:113", "[o.allowInsecureRequests]: true"],
  },
  {
    libraries: ["Auth.js"],
    results: ['warning response/repeated {"parameter":"code"}'],
    source: ["@auth/core/lib/utils/web.js:35", "Object.fromEntries(url.searchParams)"],
  },
  {
    libraries: ["oidc-client-ts"],
    results: [
      "failed metadata/issuer-other *",
      "failed metadata/issuer-missing *",
      "warning metadata/issuer-equivalent *",
      "inconclusive metadata/rejected-kept {}",
    ],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:880", "Object.assign({}, metadata,"],
  },
  {
    libraries: ["oidc-client-ts"],
    results: [
      "warning response/repeated *",
      "failed response/iss-wrong *",
      "failed response/iss-known {}",
      "failed response/iss-missing *",
      "failed response/iss-equivalent *",
      "failed response/mix-up *",
      "failed metadata/endpoint-of-another {}",
    ],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1741", 'this.code = params.get("code")'],
  },
  {
    libraries: ["oidc-client-ts"],
    results: [
      ...["absent", "", null].map((value) =>
        `failed token/required-missing {"member":"access_token","value":${JSON.stringify(value)}}`
      ),
      'warning token/required-missing {"member":"access_token","value":7}',
      'warning token/required-missing {"member":"access_token","value":{}}',
      'failed token/required-missing {"member":"token_type",*',
      "failed token/type-unknown *",
    ],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1464", "Object.assign(response, tokenResponse)"],
  },
  {
    libraries: ["oidc-client-ts"],
    results: [
      "failed id-token/iss-wrong *",
      "failed id-token/iss-known {}",
      "failed id-token/iss-missing *",
      "failed id-token/iss-partial *",
      "failed id-token/aud-wrong *",
      "failed id-token/aud-missing *",
      "failed id-token/aud-extra *",
      "failed id-token/azp-wrong *",
      'warning id-token/sub-missing {"value":7}',
      "failed id-token/exp-past *",
      "failed id-token/exp-missing *",
      "warning id-token/iat-missing *",
      "failed id-token/nbf-future *",
      "warning id-token/azp-other {}",
      "warning id-token/at-hash-wrong *",
      "warning clock/large *",
      'failed refresh/id-token-other {"claim":"iss"}',
      'failed refresh/id-token-other {"claim":"aud"}',
    ],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1474", "if (!incoming.sub) {"],
  },
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
  {
    libraries: ["express-openid-connect"],
    results: ['warning response/other-mode {"mode":"form"}'],
    source: ["express-openid-connect/middleware/auth.js:64", "router.post(path"],
  },
  {
    libraries: ["express-openid-connect"],
    results: ['inconclusive response/state-of-another-browser {"what":"state"}', "inconclusive response/state-used {}"],
    source: ["express-openid-connect/lib/context.js:760", "state: encodeState(stateValue)"],
  },
  {
    libraries: ["MCP SDK"],
    results: ["warning error/beside-code *"],
    source: [`${mcpSdk}:428`, "if (code) return {"],
  },
  {
    libraries: ["MCP SDK"],
    results: ["warning response/repeated *"],
    source: [`${mcpSdk}:427`, 'const code = codeOrParams.get("code")'],
  },
  {
    libraries: ["MCP SDK"],
    results: ['failed error/token {"code":"invalid_grant"}'],
    source: [`${mcpSdk}:653`, "return await authInternal(provider, options)"],
  },
  {
    libraries: ["MCP SDK"],
    results: [
      'warning token/required-missing {"member":"access_token","value":""}',
      'warning token/required-missing {"member":"token_type","value":""}',
      'warning token/access-token-hostile {"value":"töken"}',
      "failed token/type-unknown *",
    ],
    source: [`${mcpSdk}:1284`, "OAuthTokensSchema.parse("],
  },
  {
    libraries: ["MCP SDK"],
    results: ["another-scheme-first", "scheme-without-parameters-first", "capitals", "spaces", "name-in-text"].map(
      (form) => `failed resource/challenge-shapes {"form":"${form}"}`,
    ),
    source: [`${mcpSdk}:899`, 'authenticateHeader.split(" ")'],
  },
  {
    libraries: ["MCP SDK"],
    results: [
      'warning registration/response-shape {"value":""}',
      'warning registration/changed {"member":"redirect_uris"}',
    ],
    source: [`${mcpSdk}:1452`, "OAuthClientInformationFullSchema.parse("],
  },
  {
    libraries: ["MCP SDK"],
    results: ['failed registration/forgotten {"endpoint":"authorize"}'],
    source: [`${mcpSdk}:731`, "provider.clientInformation(infoCtx)"],
  },
  {
    libraries: ["openid-client", "oauth4webapi", "Auth.js"],
    results: ["warning metadata/endpoint-internal *"],
    source: ["oauth4webapi/build/index.js:640", "only requests to HTTPS are allowed"],
  },
  {
    libraries: ["openid-client", "oauth4webapi", "Auth.js", "express-openid-connect"],
    results: ["warning transport/huge *"],
    source: ["oauth4webapi/build/index.js:2515", "json = await response.json();"],
  },
  {
    libraries: ["oauth4webapi", "Auth.js"],
    results: ['warning userinfo/signed-wrong {"flaw":"key"}'],
    source: ["oauth4webapi/build/index.js:1134", "if (getContentType(response) === 'application/jwt') {"],
  },
  {
    libraries: ["Auth.js"],
    results: ["javascript:", "data:", "file:", "vscode:"].map((scheme) =>
      `failed metadata/authorization-endpoint-hostile {"value":"${scheme}*`
    ),
    source: ["@auth/core/lib/actions/signin/authorization-url.js:33", "url = new URL(as.authorization_endpoint);"],
  },
  {
    libraries: ["oidc-client-ts"],
    results: ["javascript:", "data:", "file:", "vscode:"].map((scheme) =>
      `failed metadata/authorization-endpoint-hostile {"value":"${scheme}*`
    ),
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1679", "const parsedUrl = new URL(url);"],
  },
  {
    libraries: ["oidc-client-ts"],
    results: ['failed transport/media-type {"endpoint":"token","how":"case"}'],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:781", "contentType.startsWith(item)"],
  },
  {
    libraries: ["oidc-client-ts"],
    results: ["warning metadata/endpoint-internal *", "warning transport/huge *"],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:739", "json = await response.json();"],
  },
  {
    libraries: ["oidc-client-ts"],
    results: ["warning userinfo/claims-override *"],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1448", "mergeClaims(response.profile"],
  },
  {
    libraries: ["oidc-client-ts"],
    results: ["warning userinfo/signed-wrong *"],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:1096", "JwtUtils.decode(responseText)"],
  },
  {
    libraries: ["MCP SDK"],
    results: ["file:", "vscode:"].map((scheme) =>
      `failed metadata/authorization-endpoint-hostile {"value":"${scheme}*`
    ),
    source: [`${mcpSdk}:1208`, "authorizationUrl = new URL(metadata.authorization_endpoint)"],
  },
  {
    libraries: ["MCP SDK"],
    results: ["failed resource/pkce-unsupported {}"],
    source: [`${mcpSdk}:1210`, "metadata.code_challenge_methods_supported &&"],
  },
  {
    libraries: ["MCP SDK"],
    results: ['warning resource/metadata-near {"how":"origin"}'],
    source: [`${mcpSdk}:879`, "checkResourceAllowed({"],
  },
  {
    libraries: ["MCP SDK"],
    results: ["inconclusive response/other-toolkit *"],
    source: [`${mcpSdk}:877`, "provider.validateResourceURL"],
  },
  {
    libraries: ["MCP SDK"],
    results: ["warning metadata/endpoint-internal *", "warning transport/huge *"],
    source: [`${mcpSdk}:1282`, "const json = await response.json();"],
  },
  {
    libraries: ["Auth.js"],
    results: ["warning habit/metadata-cached"],
    source: ["@auth/core/lib/actions/signin/authorization-url.js:18", "await o.discoveryRequest(issuer"],
  },
  {
    libraries: ["oidc-client-ts"],
    results: ["warning habit/metadata-cached"],
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js:869", "if (this._metadata)"],
  },
  {
    libraries: ["MCP SDK"],
    results: ["warning habit/metadata-cached"],
    source: [`${mcpSdk}:670`, "await provider.discoveryState?.()"],
  },
  {
    libraries: ["express-openid-connect"],
    results: ["warning habit/state-random"],
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
    .map((result) => result.split(" ")[1]!).filter((id) => !id.startsWith("habit/"));
  const place = libraryNames.indexOf(library);
  const report = await checkClient(driver, { ...options, only: partOfCatalogue(libraryNames.length, place, found) });
  assert(report.control.passed, String(report));
  assertEquals(differencesFrom(library, accusationsOf(report)), [], String(report));
  return report;
}

/**
 * How the results of a check differ from the findings about a library.
 *
 * @param changes What is found in this version alone, and what is found in the newest version alone.
 */
export function differencesFrom(
  library: Library,
  received: readonly string[],
  { also = [], not = [] }: { readonly also?: readonly string[]; readonly not?: readonly string[] } = {},
): readonly string[] {
  const own = findings.filter(({ libraries }) => libraries.includes(library)).flatMap(({ results }) => results);
  const expected = [...own.filter((finding) => !not.includes(finding)), ...also];
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

/** The verdicts of a finding in the README: each with its attacks, the worst first; an attack has its worst verdict. */
function summarize(results: Finding["results"]): string {
  const verdicts = ["failed", "warning", "inconclusive"];
  const named = new Set<string>();
  return verdicts.flatMap((verdict) => {
    const own = results.filter((result) => result.startsWith(`${verdict} `)).map((result) => result.split(" ")[1]!);
    const attacks = [...new Set(own)].filter((attack) => !named.has(attack));
    for (const attack of attacks) named.add(attack);
    return attacks.length === 0 ? [] : [[verdict, ...attacks.map((attack) => `\`${attack}\``)].join(", ")];
  }).join("; ");
}

/** The sources still have the lines, and the README has each finding, in an item or under the heading of a library. */
export async function assertSources(): Promise<void> {
  const readme = readFileSync("tests/check/drivers/README.md", "utf8");
  const items = readme.split(/^## /m).slice(1).flatMap((section) => {
    const [heading = "", ...list] = section.split(/^- /m);
    return list.map((item) => ({ heading, item: item.replace(/\s+/g, " ") }));
  });
  for (const { libraries, results, source: [line, code] } of findings) {
    const [path, number] = line.split(":") as [string, string];
    const lines = (await readPackageFile(path)).split("\n");
    assertStringIncludes(lines[Number(number) - 1]!, code, line);
    const names = libraries.map((library) => `\`${library}\``);
    const summary = summarize(results);
    const isOf = ({ heading, item }: typeof items[number]) => {
      const isNamed = names.every((name) => heading.includes(name)) && item.startsWith(`${summary}: `);
      return (isNamed || item.startsWith(`${names.join(", ")}: ${summary}: `)) && item.includes(`\`${line}\``);
    };
    assert(items.some(isOf), `no item of the README is "${names.join(", ")}: ${summary}: … (\`${line}\`)"`);
  }
  assertEquals(items.length, findings.length, "the README has an item without a finding");
}
