/** The recipe for Cypress, without its browser: the types, the tasks, and the request whose header the test sets. */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import config from "./cypress.config.js";
import settings from "./latchkey.json" with { type: "json" };

const issuer = `http://localhost:${settings.port}`;
let server;
before(async () => {
  const args = ["node_modules/@latchkey/latchkey/main.js", "--config", "latchkey.json", "--control", "on"];
  server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const text of server.stdout) if (String(text).includes(issuer)) break;
});
after(() => server.kill());

test("the types of Cypress accept the configuration and the test", () => {
  const files = ["cypress.config.js", "cypress/e2e/login.cy.js"];
  const options = "--noEmit --allowJs --checkJs --strict --skipLibCheck --noImplicitAny false --types cypress " +
    "--module nodenext --target esnext";
  const { status, stdout } = spawnSync(process.execPath, [
    ...["node_modules/typescript/bin/tsc", ...options.split(" "), ...files],
  ], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});

test("the tasks run, and the server logs in the user of the header", async () => {
  const tasks = {};
  config.e2e.setupNodeEvents((event, handlers) => {
    assert.equal(event, "task");
    Object.assign(tasks, handlers);
  });
  const calls = [];
  const headers = {};
  let intercepted;
  const chain = { click: () => chain };
  globalThis.cy = {
    task: (...args) => calls.push(args),
    intercept(pattern, change) {
      intercepted = pattern;
      change({ headers });
    },
    visit: (path) => assert.equal(path, "/"),
    contains: () => chain,
  };
  globalThis.it = (_, run) => run();
  await import("./cypress/e2e/login.cy.js");
  const [[name, user]] = calls;
  assert.equal(await tasks[name](user), null);

  const url = new URL(`${issuer}/oauth2/authorize`);
  assert.equal(intercepted, `${url}*`);
  const [redirect_uri] = settings.clients[0].redirect_uris;
  const code_challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"; // RFC 7636, Appendix B
  const login = { response_type: "code", client_id: "web", redirect_uri, scope: "openid", code_challenge };
  url.search = new URLSearchParams({ ...login, code_challenge_method: "S256" });
  const response = await fetch(url, { headers, redirect: "manual" });
  const code = new URL(response.headers.get("location")).searchParams.get("code");
  const exchange = { grant_type: "authorization_code", redirect_uri, code };
  const tokens = await fetch(`${issuer}/oauth2/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("web:secret")}` },
    body: new URLSearchParams({ ...exchange, code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" }),
  });
  const { id_token } = await tokens.json();
  assert.equal(JSON.parse(atob(id_token.split(".")[1])).sub, user);
});
