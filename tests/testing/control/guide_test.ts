/** The guide to the control: its commands run in their order. */

import { assertEquals } from "@std/assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { testLatchkey } from "../test_latchkey.ts";

const text = readFileSync("static/docs/control.md", "utf8");

/** The requests of the curl commands in a shell script. */
function* readCommands(script: string): Generator<Request> {
  for (const [, json, url] of script.matchAll(/^curl (?:--json '([^']+)' (?:\\\n)?\s*)?'?(\S+?)'?$/gm)) {
    yield new Request(url!, {
      ...json !== undefined && { method: "POST", body: json, headers: { "content-type": "application/json" } },
    });
  }
}

test("the commands of the guide succeed in their order", async () => {
  await using as = await testLatchkey({ issuer: "http://localhost:9000", control: true });
  const [, script = ""] = /```sh\n([\s\S]*?)```/.exec(text) ?? [];
  const outcomes: string[] = [];
  const body = new URLSearchParams({ client_id: "web" });
  for (const request of readCommands(script)) {
    const { pathname, searchParams } = new URL(request.url);
    // Nothing else sends a request.
    if (searchParams.has("wait")) await as.fetch("/oauth2/token", { method: "POST", body });
    outcomes.push(`${(await as.fetch(request)).status} ${pathname.slice("/_control/".length)}`);
  }
  assertEquals(outcomes.length, script.match(/^curl /gm)!.length);
  assertEquals(outcomes, [
    ...["200 clients/set", "200 users/set", "204 decisions/loginNext", "204 issue/nextIdToken", "200 faults/add"],
    ...["200 faults/add", "200 clock/advance", "200 log/exchanges", "409 reset"],
  ]);
});
