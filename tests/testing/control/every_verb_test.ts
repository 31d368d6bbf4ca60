/** Every verb of the control, over a socket on the runtime of the test. */

import { test } from "node:test";
import { testLatchkey } from "../test_latchkey.ts";
import { callEveryVerb, settingsOfEveryVerb } from "./every_verb.ts";

test("every verb is called over a socket, and its result is as described", async () => {
  await using as = await testLatchkey({ control: true, ...settingsOfEveryVerb });
  await as.listen();
  await callEveryVerb(as.issuer);
});
