/** What the package is made of: pieces that keep apart what must not be loaded together, and maps for debuggers. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const home = "node_modules/@latchkey/latchkey";

/** The files that this one loads, at once or, if `later`, at any time. */
function reachedFrom(entry, later = true) {
  const reached = new Set([entry]);
  for (const path of reached) {
    const text = readFileSync(path, "utf8");
    const imports = later ? /(?:from |import |import\()"(\.[^"]+\.js)"/g : /(?:from |import )"(\.[^"]+\.js)"/g;
    for (const [, file] of text.matchAll(imports)) {
      reached.add(join(dirname(path), file));
    }
  }
  return [...reached];
}

const hasTestKeys = (path) => readFileSync(path, "utf8").includes("latchkey-test-rs256-1");

test("the built-in test keys come with the mock alone, which the program loads for its command check", () => {
  assert.ok(reachedFrom(`${home}/testing/mod.js`).some(hasTestKeys));
  for (
    const entry of [
      "mod.js",
      "devtools/mod.js",
      "devtools/handlers.js",
      "cli/operating/mod.js",
      "resource/mod.js",
    ]
  ) {
    assert.deepEqual(reachedFrom(`${home}/${entry}`).filter(hasTestKeys), [], entry);
  }
  assert.deepEqual(reachedFrom(`${home}/main.js`, false).filter(hasTestKeys), []);
});

test("the attacks come with the check, and not with what the program loads at its start", () => {
  const hasAttacks = (path) => readFileSync(path, "utf8").includes("response/state-of-another-browser");
  assert.ok(reachedFrom(`${home}/check/mod.js`).some(hasAttacks));
  const started = reachedFrom(`${home}/main.js`, false);
  assert.ok(started.length > 1);
  for (const entry of [`${home}/main.js`, `${home}/platform/runtime/process.js`]) {
    assert.deepEqual(reachedFrom(entry, false).filter(hasAttacks), [], entry);
  }
});

test("each entry of the package loads as an ES module and in CommonJS", () => {
  const { exports } = JSON.parse(readFileSync(`${home}/package.json`, "utf8"));
  // These two need a package of a database, which is not installed here.
  const databases = { "./stores/postgres": "postgres", "./stores/redis": "ioredis" };
  const entries = Object.entries(exports).filter(([, { default: path }]) => path?.endsWith(".js"));
  assert.ok(entries.length > 10);
  for (const [entry] of entries) {
    const specifier = JSON.stringify(`@latchkey/latchkey${entry.slice(1)}`);
    for (const [type, load] of [["module", `await import(${specifier})`], ["commonjs", `require(${specifier})`]]) {
      const args = [`--input-type=${type}`, "--eval", load];
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
      if (databases[entry] === undefined) assert.equal(status, 0, `${entry} (${type}): ${stderr}`);
      else {assert.match(
          stderr,
          new RegExp(`Cannot find (?:package|module) '${databases[entry]}'`),
          `${entry} (${type})`,
        );}
    }
  }
});

test("a stack trace names the file of the package, and in CommonJS the bundle", () => {
  const broken = `as.client({ confidential: true, token_endpoint_auth_method: "none" })`;
  const programs = {
    module: `import { testLatchkey } from "@latchkey/latchkey/testing"; const as = await testLatchkey(); ${broken};`,
    commonjs: `require("@latchkey/latchkey/testing").testLatchkey().then((as) => ${broken});`,
  };
  const expected = {
    module: /latchkey\/(?:testing|chunks)\/[\w-]+\.js:\d+/,
    commonjs: /latchkey\/cjs\/latchkey\.js:\d+/,
  };
  for (const [type, program] of Object.entries(programs)) {
    const args = [`--input-type=${type}`, "--eval", program];
    const { stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.match(stderr, expected[type], type);
  }
});

test("the interface of oauth2-mock-server is an ES module and CommonJS", () => {
  const specifier = "@latchkey/latchkey/testing/oauth2-mock-server";
  const use = `const server = new OAuth2Server();
    server.start().then(() => server.issuer.keys.generate("ES256", { kid: "own" }))
      .then(() => fetch(server.issuer.url + "/jwks")).then((response) => response.json())
      .then(({ keys }) => console.log(keys[0].kid)).then(() => server.stop());`;
  const programs = {
    module: `import { OAuth2Server } from "${specifier}"; ${use}`,
    commonjs: `const { OAuth2Server } = require("${specifier}"); ${use}`,
  };
  for (const [type, program] of Object.entries(programs)) {
    const { stdout, stderr } = spawnSync(process.execPath, [`--input-type=${type}`, "--eval", program], {
      encoding: "utf8",
    });
    assert.equal(stdout.trim(), "own", type + stderr);
  }
});
