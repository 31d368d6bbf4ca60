/** Legal styles of clients as web applications: the check that drives them by pages accuses none of them. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { webApplication } from "../../src/check/web_application.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { sample } from "../sample.ts";
import { assertNothingFailed } from "./accusations.ts";
import { partOfCatalogue } from "./catalogue_part.ts";
import { frameworkStyles } from "./framework_styles.ts";
import { legalStyles } from "./legal_styles.ts";
import { checkClient } from "./patient_check.ts";
import { styledApplication } from "./styled_application.ts";
import { styledClient } from "./styled_client.ts";

const issuer = "http://localhost:9000";
const application = "http://localhost:3000";

/** Each authentication, response mode and protection of a style that a web application can have. */
const names = [
  "every protection",
  "PKCE and nonce without state (RFC 9700 §2.1)",
  "client_secret_basic and nonce without PKCE (RFC 9700 §2.1.1); keeps no metadata and keys",
  "signed responses (JARM); assertions for the issuer",
  "form_post; pushed requests with client_secret_basic",
  "DPoP (RFC 9449); max_age",
  "a login without pages first",
  "fetches keys at most once in five minutes",
  "no use of the ID token",
  "discards userinfo that is not valid (OpenID Connect Core §5.3.2)",
  "a login per session, a minute of tolerance, keys for five minutes",
  "an error is read before state; one login per session; userinfo alone",
  "OAuth alone, without nonce and ID token; the server configured by endpoints",
  "state is the address to return to, and a random part",
  "a proxy: starts one more login after one that fails",
  "signed requests that are pushed, DPoP, assertions",
];

for (const [place, name] of sample([...names.entries()], 6, 1)) {
  test(`a correct web application is accused of nothing: ${name}`, async () => {
    const style = { ...legalStyles, ...frameworkStyles }[name];
    assert(style !== undefined, name);
    const showsUser = place % 2 === 1 && (style.scope ?? "openid").includes("openid");
    await using as = await testLatchkey({
      issuer,
      now: Date.now,
      alg: "EdDSA",
      responseModes: ["query", "form_post", "jwt"],
    });
    const fetch: Fetch = (url, init) =>
      String(url).startsWith(issuer) ? as.fetch(url, init) : globalThis.fetch(url as string, init as RequestInit);
    let respond: ReturnType<typeof styledApplication>;
    const start = () => void (respond = styledApplication(styledClient(name, style), { issuer, client, fetch }));
    const client = as.client({
      ...styledClient(name, style).client,
      redirect_uris: [`${application}/callback`],
      id_token_signed_response_alg: "EdDSA",
    });
    start();
    const driver = webApplication(`${application}/login`, {
      loggedInUrl: `${application}/me`,
      // An application may show no user, or its owner may not say how.
      ...showsUser && { loggedInText: "alice" },
      ...style.refresh !== false && { refreshUrl: `${application}/refresh` },
      fetch: ((url, init) => respond(new Request(url, init as RequestInit))) as Fetch,
    });
    const report = await checkClient(driver, {
      ...{ as, recoveryMs: 0, only: partOfCatalogue(names.length, place) },
      restart: () => Promise.resolve(start()),
    });
    assertNothingFailed(report);
    assertEquals(report.problem, undefined, String(report));
  });
}
