/** The catalogue against client libraries, unchanged: nothing is found but the documented findings. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import type { CheckOptions, ClientDriver } from "../../../src/check/mod.ts";
import type { TestClientOptions } from "../../../src/testing/clients.ts";
import { partOf } from "../catalogue_part.ts";
import { checkClient } from "../patient_check.ts";
import { assertFindings } from "./findings.ts";
import { authJsDriver } from "./libraries/auth_js.ts";
import { mcpSdkDriver } from "./libraries/mcp_sdk.ts";
import { oauth4webapiDriver } from "./libraries/oauth4webapi.ts";
import { oidcClientTsDriver } from "./libraries/oidc_client_ts.ts";
import { openidClientDriver } from "./libraries/openid_client.ts";

/** Signs in a hundredth of the time of RSA; the libraries accept it because the metadata names it. */
const server: CheckOptions["server"] = { alg: "EdDSA" };

test("openid-client has the documented findings and no others", async () => {
  await assertFindings("openid-client", openidClientDriver({ verifySignature: true }), { server });
});

test("oauth4webapi has the documented findings and no others", async () => {
  await assertFindings("oauth4webapi", oauth4webapiDriver({ verifySignature: true }), { server });
});

test("oidc-client-ts has the documented findings and no others", async () => {
  await assertFindings("oidc-client-ts", oidcClientTsDriver(), { server });
});

test("Auth.js has the documented findings and no others", async () => {
  await assertFindings("Auth.js", authJsDriver(), { server });
});

test("the MCP SDK has the documented findings and no others", async () => {
  await assertFindings("MCP SDK", mcpSdkDriver(), { server });
});

const withClient: Readonly<Record<string, (client: TestClientOptions) => ClientDriver>> = {
  "openid-client": (client) => openidClientDriver({ client }),
  oauth4webapi: (client) => oauth4webapiDriver({ client }),
  "oidc-client-ts": (client) => oidcClientTsDriver({ client }),
  "Auth.js": (client) => authJsDriver({ client }),
};

for (const [library, driver] of Object.entries(withClient)) {
  test(`the driver of ${library} authenticates by Basic and by post, and says that it has no private_key_jwt`, async () => {
    for (const token_endpoint_auth_method of ["client_secret_basic", "client_secret_post"] as const) {
      const report = await checkClient(driver({ token_endpoint_auth_method }), { only: ["token/type-case"], server });
      assertEquals(report.counts.passed, 1, String(report));
    }
    const { control } = await checkClient(driver({ token_endpoint_auth_method: "private_key_jwt" }), { only: [] });
    assertMatch(
      String(control.error),
      /expected one of none, client_secret_basic, client_secret_post, received private/,
    );
  });
}

test("a library that relies on TLS has one warning because of signatures and keys", async () => {
  for (const [place, driver] of [openidClientDriver(), oauth4webapiDriver()].entries()) {
    const report = await checkClient(driver, {
      only: ["id-token/signed-by-stranger", "id-token/alg-none", ...partOf(["keys"], 4, place)],
      server,
    });
    assert(report.passed, String(report));
    assertEquals(report.causes.map(({ attacks, verdict }) => [verdict, ...attacks]), [[
      "warning",
      "id-token/signed-by-stranger",
    ]], String(report));
    assert(report.results.some(({ attack: { id }, verdict }) => id === "id-token/alg-none" && verdict === "skipped"));
  }
});
