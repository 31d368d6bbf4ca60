/** Checks of running applications over HTTP without a driver of their own: a web application and a resource server. */

import { assert, assertEquals, assertNotMatch } from "@std/assert";
import { createRemoteJWKSet, customFetch, jwtVerify } from "jose";
import { test } from "node:test";
import type { CheckReport } from "../../src/check/mod.ts";
import { attacks } from "../../src/check/attacks/mod.ts";
import { resourceApplication } from "../../src/check/resource_application.ts";
import { missingCapability } from "../../src/check/capabilities.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { checkFixedIssuer, checkInProcess, idsOf, shop } from "./fixed_issuer.ts";
import { checkClient } from "./patient_check.ts";

test("of the attacks on web applications, the check drives all but those on what the client does not do", async () => {
  const only = ["logout", "session/fixed", "refresh/transient"];
  const report = await checkFixedIssuer({ only, restarts: true });
  assert(report.passed, String(report));
  assertEquals([...report.control.failedCapabilities], []);
  const { capabilities } = report.control;
  const ofKind = attacks.filter(({ by }) => by === "any" || by === "logIn");
  const skipped = ofKind.filter(({ needs }) => missingCapability(needs, capabilities, false) !== undefined);
  assert(skipped.length <= 60, skipped.map(({ id }) => id).join(" "));
  assert(report.results.some(({ attack, verdict }) => attack.id === "logout/tokens-used" && verdict === "passed"));
});

test("a form after the callback is submitted if the login is complete only then", async () => {
  const report = await checkFixedIssuer({ only: ["response/state-wrong"], asksAfterLogin: true });
  assertEquals([report.control.passed, report.counts.passed > 0], [true, true], String(report));
});

test("an application that begins the login at a response without a code passes: an attacker sends it once", async () => {
  const report = await checkInProcess({
    async respond(request, respond) {
      const { pathname, searchParams } = new URL(request.url);
      const isEmpty = pathname === "/callback" && !searchParams.has("code");
      return isEmpty ? new Response(null, { status: 302, headers: { location: "/login" } }) : await respond(request);
    },
    only: ["response/token-of-another-client"],
  });
  assertEquals([report.counts.passed, report.results.length], [4, 4], String(report));
});

test("a logout that leads to a page for users alone is a logout", async () => {
  const report = await checkInProcess({
    driver: { logoutUrl: `${shop}/logout` },
    async respond(request, respond) {
      const response = await respond(request);
      if (new URL(request.url).pathname !== "/logout") return response;
      return new Response(null, { status: 302, headers: { ...Object.fromEntries(response.headers), location: "/me" } });
    },
    ...{ only: ["logout/cookie-kept"], inProcess: false },
  });
  assertEquals([...report.control.failedCapabilities], [], String(report));
  assertEquals(report.counts.passed, 1, String(report));
});

type Place = (request: Request) => string | null | undefined;

const bearer: Place = ({ headers }) => /^Bearer (.+)$/.exec(headers.get("authorization") ?? "")?.[1];

/** Checks a resource server that verifies JWTs. */
async function checkResource(
  tokenIn: string,
  placeOf: Place,
  { verifiesAudience = true, only }: { readonly verifiesAudience?: boolean; readonly only?: readonly string[] },
): Promise<CheckReport> {
  await using as = await testLatchkey({ issuer: "http://localhost:9000", alg: "EdDSA" });
  const { issuer } = as;
  const keys = createRemoteJWKSet(new URL(`${issuer}/oauth2/jwks`), {
    [customFetch]: (url: string, init: RequestInit) => as.fetch(url, init),
    cooldownDuration: 0,
  });
  const respond = async (request: Request) => {
    try {
      const options = { issuer, typ: "at+jwt", requiredClaims: ["exp", "sub"], algorithms: ["EdDSA"] };
      const audience = verifiesAudience ? { audience: issuer } : {};
      const { payload } = await jwtVerify(await placeOf(request) ?? "", keys, { ...options, ...audience });
      return Response.json({ user: payload.sub });
    } catch (error) {
      return new Response(String(error), { status: 401 });
    }
  };
  const driver = resourceApplication("http://localhost:4000/me", {
    tokenIn,
    loggedInText: "alice",
    fetch: ((url, init) => respond(new Request(url, init as RequestInit))) as Fetch,
  });
  return await checkClient(driver, { as, recoveryMs: 0, inProcess: false, only });
}

test("a resource server is checked by its URL: a correct one passes, and one that accepts any audience fails", async () => {
  const only = ["resource/token-forged", "resource/token-issuer", "resource/token-audience", "resource/token-outlived"];
  const correct = await checkResource("bearer", bearer, { only });
  assertEquals([correct.passed, correct.counts.passed > 30], [true, true], String(correct));
  const careless = await checkResource("bearer", bearer, { only, verifiesAudience: false });
  assertEquals(idsOf(careless.failures), ["resource/token-audience"], String(careless));
});

test("a resource server is checked by attacks on resource servers alone, and its report mentions no login", async () => {
  const report = await checkResource("bearer", bearer, {});
  const others = report.results.filter(({ attack }) => attack.by !== "acceptToken");
  assertEquals(idsOf(others), []);
  assertNotMatch(String(report), /nonce|PKCE|sends no state/);
});

test("the token of a resource server may be in another header, the query, a form or a cookie", async () => {
  const places: Readonly<Record<string, Place>> = {
    "header:x-token": ({ headers }) => headers.get("x-token"),
    "query:token": ({ url }) => new URL(url).searchParams.get("token"),
    "cookie:session": ({ headers }) => /session=([^;]+)/.exec(headers.get("cookie") ?? "")?.[1],
  };
  for (const [tokenIn, placeOf] of Object.entries(places)) {
    const report = await checkResource(tokenIn, placeOf, { only: ["resource/token-issuer"] });
    assertEquals([report.control.passed, report.passed], [true, true], String(report));
  }
});
