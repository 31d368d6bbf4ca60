/** The entries that are ES modules alone, which Node loads by require(). */

const assert = require("node:assert/strict");
const { test } = require("node:test");

test("require() loads the core and the plugins for operators", async () => {
  const { core, memoryStore } = require("@latchkey/latchkey/core");
  assert.equal(typeof require("@latchkey/latchkey/operating").logging, "function");
  const issuer = "http://localhost:9000";
  const server = await core({ issuer, clients: [], users: [], store: memoryStore() });
  const response = await server.fetch(new Request(`${issuer}/.well-known/openid-configuration`));
  assert.equal((await response.json()).issuer, issuer);
});
