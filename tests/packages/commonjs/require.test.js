/** A suite that requires the mock, for jest and mocha. */

const assert = require("node:assert/strict");
const { testLatchkey } = require("@latchkey/latchkey/testing");

(globalThis.test ?? globalThis.it)("a user logs in", async () => {
  const as = await testLatchkey();
  const { claims } = await as.logIn(as.client());
  assert.equal(claims.sub, "alice");
  await as.close();
});
