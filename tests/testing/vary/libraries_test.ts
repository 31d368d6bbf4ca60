/**
 * Client libraries under seeds (group VA). `VARY_SEEDS=200` runs so many of each; the default is a few: the
 * responses of a seed never change.
 */

import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import process from "node:process";
import type { TestLatchkey } from "../../../src/testing/mod.ts";
import { variations } from "../../../src/testing/vary/variations.ts";
import { readPackageFile } from "../../installed.ts";
import { forEachCase } from "../../kit.ts";
import { testLatchkey } from "../test_latchkey.ts";
import { librariesWithGlobalFetch } from "./global_fetch_libraries.ts";
import { libraries, librariesOverSockets, type VariedLogin } from "./varied_libraries.ts";

const seeds = Number(process.env.VARY_SEEDS ?? 3);

const all: Readonly<Record<string, VariedLogin>> = {
  ...libraries,
  ...librariesWithGlobalFetch,
  ...librariesOverSockets,
};

/** What variations show of a library. */
interface Finding {
  readonly library: string;
  /** A profile with which the library fails. */
  readonly profile: `vary:${string}`;
  /** The variation without which it does not fail. */
  readonly variation: string;
  readonly error: RegExp;
  /** The file, the line and a part of the line that causes the failure. */
  readonly source: readonly [path: string, line: number, code: string];
}

/** The findings, with what the library does. */
const findings: readonly Finding[] = [
  // A refresh without an ID token fails if a claim of userinfo was an object and is now null, which it takes for an
  // object. OpenID Connect Core §5.3.2 only advises against null.
  {
    library: "oidc-client-ts",
    profile: "vary:107:userinfo-unknown-members+refresh-id-token-absent",
    variation: "userinfo-unknown-members",
    error: /undefined or null|null or undefined/,
    source: ["oidc-client-ts/dist/esm/oidc-client-ts.js", 1873, 'typeof result[claim] === "object" && typeof values'],
  },
  // It does not read JSON whose media type is followed by white space and a semicolon, which RFC 9110 §5.6.6 allows:
  // metadata and userinfo are missing.
  {
    library: "better-auth",
    profile: "vary:1:charset",
    variation: "charset",
    error: /unable_to_get_user_info|Invalid URL/,
    source: ["@better-fetch/fetch/dist/index.js", 260, '_contentType.split(";").shift()'],
  },
  // A user without `email` cannot log in. Map another claim to it if your provider may leave it out.
  {
    library: "better-auth",
    profile: "vary:2:userinfo-claim-absent",
    variation: "userinfo-claim-absent",
    error: /email_not_found/,
    source: ["better-auth/dist/api/routes/callback.mjs", 127, "if (!userInfo.email)"],
  },
  // `refreshAccessToken()` overwrites the new refresh token with the old one.
  {
    library: "google-auth-library",
    profile: "vary:1:refresh-token-rotated",
    variation: "refresh-token-rotated",
    error: /invalid_grant/,
    source: [
      "google-auth-library/build/src/auth/oauth2client.js",
      290,
      "tokens.refresh_token = this.credentials.refresh_token",
    ],
  },
  // To an authorization endpoint that has a query it appends another `?`, so the first parameter is lost.
  {
    library: "google-auth-library",
    profile: "vary:2:endpoint-query",
    variation: "endpoint-query",
    error: /no ID token/,
    source: ["google-auth-library/build/src/auth/oauth2client.js", 134, "'?' +"],
  },
  // It stores a new refresh token under the `sub` of the ID token. In a response without one it stores it under no
  // account, and sends the old one again, which revokes the grant. A response with `client_info`, a member of Entra, is
  // not affected.
  {
    library: "msal-node",
    profile: "vary:3:refresh-token-rotated+refresh-id-token-absent",
    variation: "refresh-id-token-absent",
    error: /invalid_grant/,
    source: ["@azure/msal-common/dist/cache/utils/AccountEntityUtils.mjs", 203, 'return idTokenClaims?.sub || ""'],
  },
  // It appends another `?` to an authorization endpoint that has a query.
  {
    library: "okta-auth-js",
    profile: "vary:2:endpoint-query",
    variation: "endpoint-query",
    error: /no redirect: 400/,
    source: ["@okta/okta-auth-js/esm/node/oidc/getWithRedirect.js", 28, "authorizeUrl + buildAuthorizeParams"],
  },
];

/** A server for a login of the library. */
async function serve(library: string, profile: `vary:${string}`): Promise<TestLatchkey> {
  // EdDSA signs in a hundredth of the time of RSA; some libraries verify RS256 alone.
  const alg = Object.hasOwn(libraries, library) ? "EdDSA" : "RS256";
  const as = await testLatchkey({ profile, alg, registration: { scope: "all" } });
  if (Object.hasOwn(librariesOverSockets, library)) await as.listen({ port: 0 });
  return as;
}

/**
 * Runs the seeds; returns the report of each that fails. After a known finding the seed runs again without its
 * variation, which could hide others.
 */
async function failures(library: string, login: VariedLogin): Promise<readonly string[]> {
  const failed: string[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const ids = new Set(variations.map(({ id }) => id));
    for (let known: Finding | undefined, isFirst = true; isFirst || known !== undefined; isFirst = false) {
      if (known !== undefined) ids.delete(known.variation);
      await using as = await serve(library, `vary:${seed}:${[...ids].join("+")}`);
      const report = await as.vary.minimize(() => login(as));
      known = report.passed
        ? undefined
        : findings.find(({ library: name, variation, error }) =>
          name === library && error.test(String(report.error)) && report.variations.some(({ id }) => id === variation)
        );
      if (!report.passed && known === undefined) failed.push(String(report));
    }
  }
  return failed;
}

for (const [name, login] of Object.entries(all)) {
  test(`[VA-03] ${name} logs in under each seed`, async () => {
    assertEquals(await failures(name, login), []);
  });
}

test("[VA-03] each finding fails under its profile, by its line of the source", async () => {
  await forEachCase(findings, async ({ library, profile, error, source: [path, line, code] }) => {
    await using as = await serve(library, profile);
    assertMatch(String(await assertRejects(() => all[library]!(as))), error);
    assertStringIncludes((await readPackageFile(path)).split("\n")[line - 1]!, code);
  });
});
