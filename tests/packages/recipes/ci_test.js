/** The recipes for continuous integration: their commands start the server and wait until it is ready. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import settings from "./latchkey.json" with { type: "json" };

const metadata = `http://localhost:${settings.port}/.well-known/openid-configuration`;

/** Runs the commands between the installation and the tests, as one shell, and requests the metadata. */
async function runJob(commands) {
  const [install, start, wait, run] = commands;
  assert.deepEqual([install, run], ["npm ci", "npm test"]);
  // A group of its own, so that the server, which the shell started, ends with it.
  const shell = spawn("bash", ["-ec", `${start}\n${wait}\nread`], {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    await new Promise((resolve, reject) => {
      shell.stdout.once("data", resolve);
      shell.once("exit", (code) => reject(new Error(`The commands ended with ${code}.`)));
    });
    assert.equal((await fetch(metadata)).status, 200);
    assert.match(readFileSync("latchkey.log", "utf8"), /http:\/\/localhost:/);
  } finally {
    process.kill(-shell.pid);
  }
}

test("GitHub Actions", async () => {
  const { jobs } = parse(readFileSync(".github/workflows/test.yml", "utf8"));
  const { steps } = jobs.test;
  await runJob(steps.filter((step) => step.run && !step.if).map(({ run }) => run));
  assert.deepEqual(steps.at(-1), { run: "cat latchkey.log", if: "failure()" });
});

test("GitLab", async () => {
  const { test: job } = parse(readFileSync(".gitlab-ci.yml", "utf8"));
  await runJob(job.script);
  assert.deepEqual(job.artifacts, { when: "on_failure", paths: ["latchkey.log"] });
});
