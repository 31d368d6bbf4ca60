/**
 * Client libraries under seeds (group VA). `VARY_SEEDS=200` runs so many of each; the default is a few: the
 * responses of a seed never change.
 */

import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import process from "node:process";
import { testLatchkey } from "../test_latchkey.ts";
import { libraries, librariesOverSockets, type VariedLogin } from "./varied_libraries.ts";

const seeds = Number(process.env.VARY_SEEDS ?? 3);

/** What variations show of a library; `tests/check/drivers/README.md` says what it means. */
const finding = {
  library: "oidc-client-ts",
  variation: "userinfo-unknown-members",
  // V8 says "undefined or null", JavaScriptCore "null or undefined".
  error: /undefined or null|null or undefined/,
  source: ["oidc-client-ts/dist/esm/oidc-client-ts.js", 1873, 'typeof result[claim] === "object" && typeof values'],
} as const;

/** Runs the seeds; returns the report of each that fails. */
async function failures(library: string, login: VariedLogin, listens: boolean): Promise<readonly string[]> {
  const failed: string[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    // EdDSA signs in a hundredth of the time of RSA; express-openid-connect is configured for RS256.
    await using as = await testLatchkey({
      profile: `vary:${seed}`,
      alg: listens ? "RS256" : "EdDSA",
      registration: { scope: "all" },
    });
    if (listens) await as.listen({ port: 0 });
    const report = await as.vary.minimize(() => login(as));
    const isKnown = library === finding.library && finding.error.test(String(report.error)) &&
      report.variations.some(({ id }) => id === finding.variation);
    if (!report.passed && !isKnown) failed.push(String(report));
  }
  return failed;
}

for (const [name, login] of Object.entries({ ...libraries, ...librariesOverSockets })) {
  test(`[VA-03] ${name} logs in under each seed`, async () => {
    assertEquals(await failures(name, login, Object.hasOwn(librariesOverSockets, name)), []);
  });
}

test("[VA-03] oidc-client-ts fails if a claim of userinfo is an object and then null, in the line that the README names", async () => {
  await using as = await testLatchkey({ alg: "EdDSA" });
  let count = 0;
  as.issue.everyUserinfo((claims) => ({ ...claims, address: count++ === 0 ? { country: "NL" } : null }));
  as.issue.everyTokenResponse((members, { grant }) =>
    grant.type === "refresh_token" ? { ...members, id_token: undefined } : members
  );
  const error = await assertRejects(() => libraries[finding.library]!(as), TypeError);
  assertMatch(error.message, finding.error);
  const [path, line, code] = finding.source;
  assertStringIncludes(readFileSync(`node_modules/${path}`, "utf8").split("\n")[line - 1]!, code);
  assertStringIncludes(readFileSync("tests/check/drivers/README.md", "utf8"), `${path}:${line}`);
});
