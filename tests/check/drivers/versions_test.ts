/**
 * The whole catalogue against earlier versions of the libraries: what it finds in them, and not in the newest version,
 * is listed with the reason. It takes packages from npm, and is checked with LATCHKEY_TEST_VERSIONS=true alone.
 */

import { assert, assertEquals } from "@std/assert";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { differencesFrom, type Library } from "./findings.ts";

/** An earlier version of a library. */
interface Version {
  readonly npm: string;
  readonly version: string;
  readonly library: Library;
  /** What is found in it alone, as in `findings.ts`. */
  readonly also?: readonly string[];
  /** What is found in the newest version alone, as in `findings.ts`. */
  readonly not?: readonly string[];
}

/** oauth4webapi compares the type of sub since 3.8. */
const numericSub = ['warning id-token/sub-missing {"value":"number"}'];

/** oidc-client-ts compares the nonce since 3.5, so that another kind of JWT was an ID token too. */
const noNonce = [
  ...["id-token/nonce-wrong *", "id-token/typ-foreign {}"],
  "response/code-injected {}",
].map((result) => `failed ${result}`);

/** The MCP SDK follows no redirect of the token endpoint since 2.4. */
const followsRedirects = [
  ...[301, 302, 303].map((status) => `warning transport/redirect {"status":${status}}`),
  ...["307}", "308}", '307,"journey":"refresh"}'].map((rest) => `failed transport/redirect {"status":${rest}`),
];

/** openid-client 4, of express-openid-connect 2, compares no issuer of metadata and responses, and no types. */
const openidClient4 = [
  ...["metadata/issuer-other *", "token/required-missing *"].map((one) => `failed ${one}`),
  'failed id-token/sub-missing {"value":"number"}',
  ...["response/repeated *", "response/iss-wrong *", "response/iss-missing *"].map((
    one,
  ) => `warning ${one}`),
  "warning response/mix-up *",
];

const versions: readonly Version[] = [
  { npm: "openid-client", version: "6.5.3", library: "openid-client" },
  { npm: "openid-client", version: "6.1.7", library: "openid-client" },
  { npm: "oauth4webapi", version: "3.5.5", library: "oauth4webapi", also: numericSub },
  { npm: "oauth4webapi", version: "3.1.5", library: "oauth4webapi", also: numericSub },
  { npm: "oidc-client-ts", version: "3.2.1", library: "oidc-client-ts", also: noNonce },
  {
    ...{ npm: "oidc-client-ts", version: "2.4.1", library: "oidc-client-ts" },
    ...{ also: noNonce, not: ["warning userinfo/claims-override *"] },
  },
  { npm: "@auth/core", version: "0.39.1", library: "Auth.js" },
  { npm: "@auth/core", version: "0.37.4", library: "Auth.js" },
  { npm: "@modelcontextprotocol/client", version: "2.2.0", library: "MCP SDK", also: followsRedirects },
  {
    ...{ npm: "@modelcontextprotocol/client", version: "2.0.0", library: "MCP SDK" },
    also: [...followsRedirects, 'failed resource/challenge-shapes {"form":"another-token-scheme-first"}'],
  },
  { npm: "express-openid-connect", version: "3.2.0", library: "express-openid-connect" },
  {
    ...{ npm: "express-openid-connect", version: "2.20.2", library: "express-openid-connect" },
    ...{ also: openidClient4, not: ["warning id-token/azp-other *"] },
  },
];

/** The configuration of this repository, with another version of one package. */
function configurationWith(npm: string, version: string): object {
  const { imports, scopes, compilerOptions, unstable } = JSON.parse(readFileSync("deno.json", "utf8"));
  const root = pathToFileURL(`${process.cwd()}/`).href;
  const absolute = Object.fromEntries(
    Object.entries(scopes).map(([scope, packages]) => [new URL(scope, root).href, packages as object]),
  );
  const tests = new URL("./tests/", root).href;
  absolute[tests] = { ...absolute[tests], [npm]: `npm:${npm}@${version}` };
  return { imports, scopes: absolute, unstable, compilerOptions: { ...compilerOptions, types: [] } };
}

/** What the check says of a version. */
async function accusationsOfVersion({ npm, version }: Version): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-version-"));
  try {
    const config = join(folder, "deno.json");
    writeFileSync(config, JSON.stringify(configurationWith(npm, version)));
    const child = ["run", "-A", "--no-check", "--no-lock", "--node-modules-dir=none", "--config", config];
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [...child, "tests/check/drivers/version_child.ts", npm],
      { maxBuffer: 1 << 26 },
    );
    assert(/^CHECKED$/m.test(stdout), `${stdout.slice(-2000)}${stderr.slice(-2000)}`);
    return [...stdout.matchAll(/^RESULT (.*)$/gm)].map(([, result]) => result!);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("every version is earlier than the one that the tests use, and two of each library are listed", () => {
  const { scopes } = JSON.parse(readFileSync("deno.json", "utf8"));
  const numbersOf = (version: string) => version.split(".").map((part) => part.padStart(6, "0")).join(".");
  for (const { npm, version } of versions) {
    const [, newest] = /\^([\d.]+)$/.exec(scopes["./tests/"][npm])!;
    assert(numbersOf(version) < numbersOf(newest!), `${npm} ${version}`);
    assertEquals(versions.filter((other) => other.npm === npm).length, 2, npm);
  }
});

const checked = process.env.LATCHKEY_TEST_VERSIONS === "true" ? versions : [];
for (const one of checked) {
  const { npm, version, library, also, not } = one;
  test(`${npm} ${version} has the findings of the newest version, but for those that are listed`, async () => {
    assertEquals(differencesFrom(library, await accusationsOfVersion(one), { also, not }), []);
  });
}
