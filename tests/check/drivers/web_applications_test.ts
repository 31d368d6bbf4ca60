/** The catalogue against web applications over sockets: nothing is found but the documented findings. */

import { test } from "node:test";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { webApplication } from "../../../src/check/mod.ts";
import { startExpressApplication } from "./express_application.ts";
import { assertFindings } from "./findings.ts";

test("express-openid-connect has the documented findings and no others", async () => {
  await using as = await testLatchkey({ alg: "RS256" });
  const { url: issuer } = await as.listen();
  await using application = await startExpressApplication(
    issuer,
    (url) => as.client({ redirect_uri: `${url}/callback`, confidential: true }),
  );
  const driver = webApplication(`${application.url}/login`, {
    loggedInUrl: `${application.url}/me`,
    loggedInText: '"sub":"alice"',
  });
  await assertFindings("express-openid-connect", driver, { as, restart: application.restart, recoveryMs: 0 });
});
