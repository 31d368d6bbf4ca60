/**
 * Applications exactly as the documentation of their libraries shows them: each protects its page, so that a request
 * without a session begins a login, and keeps one login at a time.
 */

import { assertEquals } from "@std/assert";
import express from "express";
import { auth } from "express-openid-connect";
import { test } from "node:test";
import { type CheckOptions, type CheckReport, webApplication } from "../../../src/check/mod.ts";
import { partOfCatalogue } from "../catalogue_part.ts";
import { checkClient } from "../patient_check.ts";
import { importUntyped } from "../../server/profiles/samples/sample.ts";
import { serveSample } from "../../server/profiles/samples/web_sample.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { withPatientTimers } from "../../until.ts";
import { findingLines } from "../accusations.ts";

const { default: session } = await importUntyped("express-session");
const { default: Keycloak } = await importUntyped("keycloak-connect");

// deno-lint-ignore no-explicit-any -- what the handlers use of Express
type Any = any;

/** What a check says of the application at a URL: each verdict and its attack once. Requests end after 3 seconds. */
async function verdictsAt(url: string, options: CheckOptions): Promise<readonly string[]> {
  const driver = webApplication(url, { loggedInText: "alice" });
  const report: CheckReport = await withPatientTimers(() =>
    checkClient(driver, { recoveryMs: 0, timeoutMs: 3000, ...options })
  );
  assertEquals(report.control.passed, true, String(report));
  return [...new Set(findingLines(report).map((line) => line.replace(/ \{.*/, "")))];
}

test("the README of express-openid-connect: an ID token is posted, and every page needs a login", async () => {
  const app = express();
  await using site = await serveSample(app);
  await using as = await testLatchkey({ alg: "RS256", responseTypes: ["code", "id_token"] });
  const { url: issuer } = await as.listen();
  const { client_id } = as.client({ redirect_uri: `${site.url}/callback`, response_types: ["id_token"] });
  const settings = { issuerBaseURL: issuer, baseURL: site.url, clientID: client_id };
  app.use(auth({ ...settings, secret: "LONG_RANDOM_STRING", idpLogout: true }));
  app.get("/", ({ oidc }: Any, response: Any) => response.json(oidc.user));
  const found = ["response/iss-missing", "response/state-of-another-browser", "session/markup"];
  assertEquals(await verdictsAt(`${site.url}/`, { as, only: partOfCatalogue(6, 0, found) }), [
    "warning response/iss-missing",
    // The state is the URL to return to, the same for each login; the nonce binds the login to the browser.
    "skipped response/state-of-another-browser",
    "skipped session/markup",
    "warning practice/state-random",
  ]);
});

test("the example of keycloak-connect: a page is protected by keycloak.protect()", async () => {
  const app = express();
  await using site = await serveSample(app);
  const secret = "the secret of this client, long enough";
  await using as = await testLatchkey({
    profile: "keycloak",
    clients: [{ client_id: "web", client_secret: secret, redirect_uris: [`${site.url}/login?auth_callback=1`] }],
  });
  const { url: issuer } = await as.listen();
  const store = new session.MemoryStore();
  app.use(session({ secret: "mySecret", resave: false, saveUninitialized: true, store }));
  const keycloak = new Keycloak({ store }, {
    ...{ realm: "myrealm", "auth-server-url": issuer, "ssl-required": "external", resource: "web" },
    ...{ credentials: { secret }, "confidential-port": 0 },
  });
  app.use(keycloak.middleware({ logout: "/logout", admin: "/" }));
  app.get("/login", keycloak.protect(), (request: Any, response: Any) => {
    response.json(request.kauth.grant.access_token.content.sub);
  });
  assertEquals(await verdictsAt(`${site.url}/login`, { as, only: ["response", "session"] }), [
    // It compares no state and no iss, and sends neither a nonce nor a code challenge (RFC 9700 §2.1).
    "failed response/state-wrong",
    "warning response/iss-wrong",
    "warning response/iss-missing",
    "warning response/code-missing",
    "warning response/repeated",
    "warning response/code-injected",
    "failed response/twice",
    "warning response/state-of-another-browser",
    "failed response/state-of-another-browser",
    // The session keeps its id at the login.
    "failed session/fixed",
  ]);
});
