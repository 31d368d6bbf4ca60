/** Back-channel logout in flows and in the log (group BL). */

import { assert, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../../src/devtools/mod.ts";
import { describeEvent } from "../../../src/cli/operating/describe_event.ts";
import { formatEvent, isRoutine } from "../../../src/cli/operating/format_event.ts";
import { openBrowser } from "../../server/browser.ts";
import { callingServer, logOut } from "../../server/extensions/client_logout/logout_receiver.ts";

test("[BL-09] the flow of the login and the log name each call, its status and how to fix a failure, without the token", async () => {
  const b = await callingServer({ plugins: [inspector()] });
  const browser = openBrowser(b);
  const { id_token } = await browser.login();
  await browser.login({ client_id: "app" });
  b.respond = ({ claims }) => new Response(null, { status: claims.aud === "app" ? 404 : 200 });
  await logOut(browser, id_token);
  // The logout belongs to the flow of the hint, which is the first one.
  const html = await (await b.get("/flows/1")).text();
  assertStringIncludes(html, "Back-channel logout of spa, call 1: status 200.");
  assertStringIncludes(html, "Back-channel logout of app, call 1: status 404.");
  assertStringIncludes(html, "The back-channel logout of the client failed, and is not repeated.");
  const lines = (verbose: boolean) =>
    b.events.filter((event) => verbose || !isRoutine(event))
      .flatMap((event) => formatEvent(event, { details: describeEvent(event) }) ?? []).join("\n");
  assertMatch(lines(true), /back-channel logout of spa: 200/);
  assertMatch(
    lines(false),
    /warning {2}app {2}BL-09\n +the back-channel logout[^]*received {2}status 404\n +fix {7}Let the/,
  );
  for (const { token } of b.calls) assert(!(html + lines(true)).includes(token));
});
