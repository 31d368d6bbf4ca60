/** What a report says about a login that failed without an attack, with values that the application chose. */

import { assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import type { ClientJourney } from "../../src/check/driver.ts";
import type { ControlFailure } from "../../src/check/report.ts";
import { formatControlFailure } from "../../src/check/report_text.ts";
import { readCheckArguments } from "../../src/cli/check/check_flags.ts";
import { suggestFlag } from "../../src/cli/check/suggest_flag.ts";
import { checkInProcess } from "./fixed_issuer.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { smallClient } from "./small_client.ts";

const { flags } = readCheckArguments(["http://localhost:1/login"], "latchkey");

const tokens = { issuer: "http://localhost:9000", audience: "http://localhost:9000" };

function failureWith(error: string, received: string, rule?: string): ControlFailure {
  const request = "GET /oauth2/authorize";
  return { error: "rejected", rejections: [{ request, error, rule, received, reason: "client_id", sources: [] }] };
}

test("a value of the application adds no line to the report", () => {
  const failure = failureWith("invalid_request", "x\n::error::y\r\n::stop-commands::z", "RU-01");
  const lines = formatControlFailure({ ...failure, fix: suggestFlag(failure, flags, tokens) }, "client");
  assertEquals(lines.join("\n").split(/[\r\n]+/).length, lines.length);
  assertEquals(lines.filter((line) => /^\s*::/.test(line)), []);
});

test("the suggested flag has a value of the application as one word of a shell", () => {
  const value = "http://localhost:1/`id` $(touch pwn) ;x";
  for (const failure of [failureWith("invalid_request", value, "RU-01"), failureWith("invalid_request", value)]) {
    assertMatch(suggestFlag(failure, flags, tokens)!, /^Try --\S+ 'http:\/\/localhost:1\/`id` \$\(touch pwn\) ;x': /);
  }
  const plain = failureWith("invalid_request", '"http://localhost:1/cb"', "RU-01");
  assertMatch(suggestFlag(plain, flags, tokens)!, /^Try --redirect-uri http:\/\/localhost:1\/cb: /);
});

test("a URL that starts no login gets a fix", () => {
  const error = "failed, the login did not lead to http://localhost:9000: status 404 at http://localhost:1/logn";
  assertMatch(suggestFlag({ error, rejections: [] }, flags, tokens)!, /^Give a URL that redirects to the issuer, /);
});

test("a resource server that rejects the tokens of the check gets the audience as a fix", () => {
  const { flags } = readCheckArguments(["http://localhost:1/api", "--token-in", "bearer"], "latchkey");
  const error = "rejected, status 401 at http://localhost:1/api";
  assertMatch(
    suggestFlag({ error, rejections: [] }, flags, { ...tokens, audience: "https://orders.example" })!,
    /have iss http:\/\/localhost:9000 and aud https:\/\/orders\.example\. .*--config FILE/,
  );
});

test("a login that ends at the redirect URI fails by that page, not by the request that the check repeated there", async () => {
  const { controlFailure } = await checkInProcess({
    driver: { loggedInUrl: undefined, loggedInText: undefined },
    async respond(request, respond, as) {
      const { pathname, searchParams } = new URL(request.url);
      const response = await respond(request);
      if (pathname !== "/callback") return response;
      if (searchParams.has("code")) return new Response("the tokens");
      await as.fetch("/oauth2/token", { method: "POST", body: new URLSearchParams({ code: "" }) });
      return new Response("failed", { status: 500 });
    },
    only: ["response/late"],
  });
  assertEquals(controlFailure?.rejections, []);
  assertMatch(controlFailure?.error ?? "", /the login ends at the redirect URI, .* status 500 .* --logged-in-url/);
  assertMatch(suggestFlag(controlFailure!, flags, tokens)!, /^Try --logged-in-url URL/);
});

test("a client that accepts no token and fetched no keys may have those of an earlier server, and the report says so", async () => {
  const client = smallClient();
  const withKeysKept = (isKept: boolean) => ({
    ...client,
    logIn: (journey: ClientJourney) =>
      client.logIn!({
        ...journey,
        async fetch(url, init) {
          if (!String(url).includes("jwks")) return await journey.fetch(url, init);
          return isKept ? Response.json({ keys: [] }) : Response.json({ keys: [] }, await journey.fetch(url, init));
        },
      }),
  });
  const fixOf = async (isKept: boolean) =>
    (await checkClientWithEdDsa(withKeysKept(isKept), { only: ["id-token/alg-none"] })).controlFailure?.fix;
  assertMatch((await fixOf(true)) ?? "", /fetched no keys .* Restart it/);
  assertEquals(await fixOf(false), undefined);
});
