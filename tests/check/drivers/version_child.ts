/** Checks one library, as a process of its own: its versions have the same name. Prints a line for each accusation. */

import process from "node:process";
import { type CheckOptions, type CheckReport, type ClientDriver, webApplication } from "../../../src/check/mod.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { checkClient } from "../patient_check.ts";
import { findingLines } from "../accusations.ts";

const server: CheckOptions["server"] = { alg: "EdDSA" };

const check = async (driver: ClientDriver) => await checkClient(driver, { server });

/** The checks, by the name of the package. */
const checks: Readonly<Record<string, () => Promise<CheckReport>>> = {
  async "openid-client"() {
    const { openidClientDriver } = await import("./libraries/openid_client.ts");
    return await check(openidClientDriver({ verifySignature: true }));
  },
  async oauth4webapi() {
    const { oauth4webapiDriver } = await import("./libraries/oauth4webapi.ts");
    return await check(oauth4webapiDriver({ verifySignature: true }));
  },
  async "oidc-client-ts"() {
    const { oidcClientTsDriver } = await import("./libraries/oidc_client_ts.ts");
    return await check(oidcClientTsDriver());
  },
  async "@auth/core"() {
    const { authJsDriver } = await import("./libraries/auth_js.ts");
    return await check(authJsDriver());
  },
  async "@modelcontextprotocol/client"() {
    const { mcpSdkDriver } = await import("./libraries/mcp_sdk.ts");
    return await check(mcpSdkDriver());
  },
  async "express-openid-connect"() {
    const { startExpressApplication } = await import("./express_application.ts");
    await using as = await testLatchkey();
    const { url: issuer } = await as.listen();
    await using application = await startExpressApplication(
      issuer,
      (url) => as.client({ redirect_uri: `${url}/callback`, confidential: true }),
    );
    const driver = webApplication(`${application.url}/login`, {
      loggedInUrl: `${application.url}/me`,
      loggedInText: '"sub":"alice"',
    });
    return await checkClient(driver, { as, restart: application.restart, recoveryMs: 0 });
  },
};

const report = await checks[process.argv[2]!]!();
for (const accusation of findingLines(report)) console.log(`RESULT ${accusation}`);
console.log(report.control.passed ? "CHECKED" : `NOT CHECKED ${report.control.error}`);
process.exit(0);
