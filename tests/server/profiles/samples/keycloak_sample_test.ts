/**
 * The samples of Keycloak for Node: the example of keycloak-connect, and the quick start of a resource server.
 *
 * https://github.com/keycloak/keycloak-nodejs-connect (example) and
 * https://github.com/keycloak/keycloak-quickstarts (nodejs/resource-server). That of a single-page application is in
 * `tests/browser/keycloak_browser.ts`.
 */

import { assertEquals, assertMatch } from "@std/assert";
import express from "express";
import { testLatchkey } from "../../../testing/test_latchkey.ts";
import { decodeClaims } from "../../../kit.ts";
import { secret } from "../provider_server.ts";
import { importUntyped, testSample } from "./sample.ts";
import { callApi, openSampleBrowser, serveSample } from "./web_sample.ts";

const { default: session } = await importUntyped("express-session");
const { default: Keycloak } = await importUntyped("keycloak-connect");
const source = "https://github.com/keycloak/keycloak-nodejs-connect";

/** What the handlers use of Express and of keycloak-connect. */
// deno-lint-ignore no-explicit-any
type Any = any;

testSample("keycloak", "keycloak-connect", source, async (step) => {
  const [web, other, api] = [express(), express(), express()];
  await using site = await serveSample(web);
  await using otherSite = await serveSample(other);
  await using resource = await serveSample(api);
  await using as = await testLatchkey({
    profile: "keycloak",
    clients: [{
      ...{ client_id: "web", client_secret: secret, grant_types: ["authorization_code", "refresh_token"] },
      redirect_uris: [`${site.url}/login?auth_callback=1`, `${otherSite.url}/check-sso?auth_callback=1`],
      post_logout_redirect_uris: [`${site.url}/`],
    }],
    users: [{ sub: "alice", name: "Alice Adams", phone_number: "+1 555 0100", realm_access: { roles: ["user"] } }],
  });
  const { url } = await as.listen({ port: 0 });
  const installation = { realm: "myrealm", "auth-server-url": url, "ssl-required": "external", resource: "web" };

  const store = new session.MemoryStore();
  web.use(session({ secret: "mySecret", resave: false, saveUninitialized: true, store }));
  const confidential = { ...installation, credentials: { secret }, "confidential-port": 0 };
  const keycloak = new Keycloak({ store }, confidential);
  web.use(keycloak.middleware({ logout: "/logout", admin: "/" }));
  const showToken = (request: Any, response: Any) => response.send(request.session["keycloak-token"]);
  web.get("/login", keycloak.protect(), showToken);
  // Another application of the same client: its option `scope` asks for more, and checkSso() asks silently.
  const wider = new Keycloak({ store, scope: "phone" }, confidential);
  other.use(session({ secret: "mySecret", resave: false, saveUninitialized: true, store }));
  other.use(wider.middleware());
  other.get("/check-sso", wider.checkSso(), showToken);
  web.get("/", (request: Any, response: Any) => response.json({ isAuthenticated: request.kauth.grant !== undefined }));

  const bearer = new Keycloak({}, { ...installation, "bearer-only": true, "confidential-port": 0 });
  api.use(bearer.middleware());
  api.get(
    "/service/secured",
    bearer.protect("realm:user"),
    (_: Any, response: Any) => response.json({ message: "secured" }),
  );
  api.get(
    "/service/admin",
    bearer.protect("realm:admin"),
    (_: Any, response: Any) => response.json({ message: "admin" }),
  );

  const visit = openSampleBrowser();
  const token = await step("log in", async () => {
    const { text } = await visit(`${site.url}/login`);
    const { access_token, id_token } = JSON.parse(text);
    assertEquals(decodeClaims(id_token).sub, "alice");
    return access_token;
  });
  await step("second scope, silently", async () => {
    const { text, urls } = await visit(`${otherSite.url}/check-sso`);
    assertMatch(urls[1]!.href, /scope=openid%20phone.*prompt=none/);
    const { scope, access_token } = JSON.parse(text);
    assertEquals([scope.split(" ").includes("phone"), decodeClaims(access_token).sub], [true, "alice"]);
  });
  await step("API verifies the token", async () => {
    const calls = await Promise.all([
      callApi(`${resource.url}/service/secured`, token),
      callApi(`${resource.url}/service/secured`),
      callApi(`${resource.url}/service/secured`, `${token}x`),
      callApi(`${resource.url}/service/admin`, token),
    ]);
    assertEquals(calls.map(({ status }) => status), [200, 403, 403, 403]);
  });
  await step("log out", async () => {
    const { text, urls } = await visit(`${site.url}/logout`);
    assertMatch(urls[1]!.pathname, /\/logout$/);
    assertEquals([urls.at(-1)!.href, text], [`${site.url}/`, JSON.stringify({ isAuthenticated: false })]);
  });
});
