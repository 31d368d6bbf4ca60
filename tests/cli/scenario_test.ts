/** Scenarios of `--scenario`, and users by convention: what they do to a suite that knows nothing of them. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { execHelpText } from "../../src/cli/exec/exec_help.ts";
import { execute } from "../../src/cli/exec/execute.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import type { ConfigurationError, Latchkey } from "../../src/mod.ts";
import { type ProgramControl, programControl } from "../../src/testing/control/program_control.ts";
import { runScenarios } from "../../src/testing/control/run_scenarios.ts";
import { chooseScenario, type ChosenScenario } from "../../src/testing/scenarios/choose.ts";
import { scenarios } from "../../src/testing/scenarios/scenarios.ts";
import { userNames } from "../../src/testing/scenarios/user_names.ts";
import { parseForms, submitForm } from "../../src/client/html_form.ts";
import { challenge, verifier } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";
import { runCommandHere } from "./command_runs.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-scenario-"));
after(() => rmSync(folder, { recursive: true }));

const redirect_uri = "https://app.test/cb";
const client = {
  client_id: "app",
  redirect_uris: [redirect_uri],
  grant_types: ["authorization_code", "refresh_token"],
};

interface Run {
  readonly as: Latchkey;
  readonly program: ProgramControl;
  /** Sends a form, or without one a GET. */
  send(path: string, form?: Readonly<Record<string, string>>): Promise<Response>;
  /** The parameters of the authorization response. */
  authorize(params?: Readonly<Record<string, string>>): Promise<URLSearchParams>;
  /** The token response of a login. */
  logIn(): Promise<Response>;
}

/** A server as the program has it, with scenarios. */
async function start(names: readonly (string | ChosenScenario)[], settings: object = {}): Promise<Run> {
  const chosen = names.map((name) => typeof name === "string" ? chooseScenario(name) as ChosenScenario : name);
  const program = programControl({ scenarios: (control) => runScenarios(control, chosen) });
  const users = [{ sub: "alice" }, { sub: "bob" }];
  const as = await latchkey({
    ...{ issuer: "https://as.test", clients: [client], users, plugins: program.plugins },
    ...settings,
  });
  await program.start();
  const send: Run["send"] = async (path, form) =>
    await as.fetch(
      new Request(as.issuer + path, form && { method: "POST", body: new URLSearchParams(form) }),
    );
  const request = {
    ...{ response_type: "code", client_id: "app", redirect_uri, scope: "openid offline_access", state: "s" },
    ...{ code_challenge: challenge, code_challenge_method: "S256" },
  };
  const authorize: Run["authorize"] = async (params) => {
    const response = await send(`/oauth2/authorize?${new URLSearchParams({ ...request, ...params })}`);
    return new URL(response.headers.get("location") ?? `${as.issuer}/?status=${response.status}`).searchParams;
  };
  return {
    ...{ as, program, send, authorize },
    async logIn() {
      const code = (await authorize()).get("code") ?? "";
      const body = { grant_type: "authorization_code", client_id: "app", redirect_uri, code, code_verifier: verifier };
      return await send("/oauth2/token", body);
    },
  };
}

const kids = async ({ send }: Run) => (await (await send("/oauth2/jwks")).json()).keys.length;

/** What the effect of a scenario is, to a client that does not know it. */
const effects: Readonly<Record<string, (run: Run) => Promise<unknown>>> = {
  "provider-down-30s": async ({ send, program: { control: { clock } } }) => {
    const statuses = [];
    // Time before the first request does not count.
    clock.advance(3600);
    for (const seconds of [0, 29, 1]) {
      clock.advance(seconds);
      statuses.push((await send("/.well-known/openid-configuration")).status);
    }
    assertEquals(statuses, [503, 503, 200]);
  },
  "rate-limited-5s": async ({ send, program: { control: { clock } } }) => {
    const form = { grant_type: "authorization_code" };
    const { status, headers } = await send("/oauth2/token", form);
    assertEquals([status, headers.get("retry-after")], [429, "5"]);
    clock.advance(5);
    assertEquals((await send("/oauth2/token", form)).status, 401);
  },
  "token-fails-twice": async ({ logIn }) => {
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await logIn()).status);
    assertEquals(statuses, [503, 503, 200]);
  },
  "refresh-rejected": async ({ logIn, send }) => {
    const { refresh_token } = await (await logIn()).json();
    const body = { grant_type: "refresh_token", client_id: "app", refresh_token };
    assertEquals((await (await send("/oauth2/token", body)).json()).error, "invalid_grant");
    assertEquals((await send("/oauth2/token", body)).status, 200);
  },
  "keys-rotated": async (run) => {
    const before = await kids(run);
    await run.logIn();
    assertEquals(await kids(run), before + 1);
  },
  "keys-down-30s": async ({ send, program: { control: { clock } } }) => {
    assertEquals((await send("/oauth2/jwks")).status, 503);
    clock.advance(30);
    assertEquals((await send("/oauth2/jwks")).status, 200);
  },
  "clock-ahead-10m": async ({ logIn }) => {
    const { id_token } = await (await logIn()).json();
    const { iat } = JSON.parse(atob(id_token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));
    assert(Math.abs(iat - Date.now() / 1000 - 600) < 60, String(iat));
  },
  "tokens-revoked": async ({ logIn, send }) => {
    const { refresh_token } = await (await logIn()).json();
    const body = { grant_type: "refresh_token", client_id: "app", refresh_token };
    assertEquals((await (await send("/oauth2/token", body)).json()).error, "invalid_grant");
  },
  "user-removed": async ({ as, logIn, send }) => {
    const { access_token } = await (await logIn()).json();
    assertEquals((await as.users.list()).map(({ sub }) => sub), ["bob"]);
    assertEquals((await send("/oauth2/userinfo", { access_token })).status, 401);
  },
  "consent-denied": async ({ authorize }) => assertEquals((await authorize()).get("error"), "access_denied"),
};

for (const [name, check] of Object.entries(effects)) {
  test(`[CO-08, CO-09] ${name} has its effect, once more after a reset, and is then no longer unused`, async () => {
    const run = await start([name]);
    await check(run);
    const { withEffect, withoutEffect } = run.program.scenarioResults();
    assertEquals([withEffect.length, withoutEffect], [1, []]);
    await run.program.control.reset();
    await check(run);
    await run.as.close();
  });
}

test("[CO-09] every scenario has a check, except the slow one and the names of users", () => {
  const unchecked = scenarios.map(({ name }) => name).filter((name) => !Object.hasOwn(effects, name));
  assertEquals(unchecked, ["provider-slow-3s", "user-names"]);
});

test("[CO-09] a scenario is about the user after the colon, and unused until it has an effect", async () => {
  const { as, program, logIn } = await start(["user-removed:bob", "keys-down-30s"]);
  assertEquals(program.scenarioResults().withoutEffect, [
    "The scenario user-removed:bob had no effect: no successful response of token.",
    "The scenario keys-down-30s had no effect: no request that its faults apply to.",
  ]);
  await logIn();
  assertEquals((await as.users.list()).map(({ sub }) => sub), ["alice"]);
  // A reset of a test does not fail because of a scenario that the test did not meet.
  await program.control.reset();
  assertEquals(program.scenarioResults().withoutEffect.length, 1);
  await as.close();
});

test("[CO-09] a step that fails is named, and the request that it follows is not", async () => {
  const { program, logIn, as } = await start(["user-removed:carol"]);
  assertEquals((await logIn()).status, 200);
  assertMatch(
    program.scenarioResults().withoutEffect[0]!,
    /^The scenario user-removed:carol had no effect: users\.delete: No user.*[^.]\.$/,
  );
  await as.close();
});

test("[CO-09] a server that is not on a test host does not start with a scenario, with a secret neither", async () => {
  const chosen = [chooseScenario("provider-slow-3s") as ChosenScenario];
  const { plugins } = programControl({
    scenarios: (control) => runScenarios(control, chosen),
    secret: "secret-of-the-control-1",
  });
  const settings = { issuer: "https://as.example.com", clients: [client], users: [] };
  const login = { login: "interactive", plugins } as const;
  const error = await assertRejects(() => latchkey({ ...settings, ...login }), Error);
  assertStringIncludes(error.message, "Expected an issuer on a test host, because every visitor meets the scenario");
});

test("[CO-10] each name causes its error, as a login_hint and typed at the login page", async () => {
  // Faults that are tested by themselves change the response; slow@ only waits.
  const expected: Readonly<Record<string, (response: URLSearchParams) => unknown>> = {
    "deny@": (response) => assertEquals(response.get("error"), "access_denied"),
    "error@": (response) => assertEquals(response.get("error"), "server_error"),
    "unavailable@": (response) => assertEquals(response.get("error"), "temporarily_unavailable"),
  };
  assertEquals(userNames.map(({ prefix }) => prefix).filter((name) => !Object.hasOwn(expected, name)), ["slow@"]);
  const hinted = await start(["user-names"], { users: "any" });
  const typed = await start(["user-names"], { login: "interactive" });
  for (const [prefix, check] of Object.entries(expected)) {
    check(await hinted.authorize({ login_hint: `${prefix}example.com` }));
    check(await logInAtPage(typed, `${prefix}any.host.example`));
  }
  assertEquals(hinted.program.scenarioResults().withoutEffect, []);
  assert((await hinted.authorize({ login_hint: "carol@example.com" })).has("code"));
  for (const { as } of [hinted, typed]) await as.close();
});

test("[CO-10] without the scenario no name has a meaning", async () => {
  const run = await start([], { login: "interactive" });
  for (const { prefix } of userNames) assert((await logInAtPage(run, `${prefix}example.com`)).has("code"), prefix);
  await run.as.close();
});

/** Types a new subject at the login page, allows everything, and returns the authorization response. */
async function logInAtPage({ as, program }: Run, subject: string): Promise<URLSearchParams> {
  const browser = program.control.browser();
  const request = {
    ...{ response_type: "code", client_id: "app", redirect_uri, scope: "openid", state: "s" },
    ...{ code_challenge: challenge, code_challenge_method: "S256" },
  };
  let url = `${as.issuer}/oauth2/authorize?${new URLSearchParams(request)}`;
  let init: RequestInit | undefined;
  for (;;) {
    const response = await browser.open(url, init);
    const location = response.headers.get("location");
    if (location !== null) return new URL(location).searchParams;
    const forms = parseForms(await response.text(), response.url || url);
    const typing = forms.find(({ controls }) => controls.some(({ name }) => name === "subject"));
    const form = typing ?? forms.find(({ buttons }) => buttons.some(({ value }) => value === "allow"))!;
    const submission = submitForm(form, form.buttons[0], typing && { subject });
    url = submission.url;
    init = { method: "POST", body: submission.form };
  }
}

const configure = (args: readonly string[]) =>
  readConfiguration(
    { args, env: { LATCHKEY_CONFIG: "none" }, readTextFile: (path) => Promise.resolve(readFileSync(path, "utf8")) },
  );

test("[CO-09] an unknown name, a user of no use, a wrong file and a missing control are issues with their fix", async () => {
  const wrong = join(folder, "wrong.json");
  writeFileSync(wrong, JSON.stringify({ name: "Mine", does: "x", steps: [{ verb: 1 }] }));
  const error = await assertRejects(
    () => configure(["--scenario", `keys-rotate,keys-rotated:bob,${wrong}`]),
    Error,
  ) as ConfigurationError;
  assertEquals(error.issues.map(({ path, hint }) => [path.replace(wrong, "FILE"), hint]), [
    ["FILE: name", error.issues[0]!.hint],
    ["FILE: steps[0].verb", error.issues[1]!.hint],
    ["--scenario", "Did you mean keys-rotated?"],
    ["--scenario", "Write keys-rotated."],
    ["--scenario", "Add --control on, or control in the file."],
  ]);
});

test("[CO-09] a step with an unknown verb, a verb that reads, a wrong input or endpoint stops the start", async () => {
  const cases = [
    [{ verb: "faults.ad" }, "Did you mean faults.add?"],
    [{ verb: "users.all" }, "Expected a verb of the control that changes the server"],
    [{ verb: "faults.add", input: { faults: "drop" } }, "mine: steps[0].input.fault"],
    [{ verb: "rotateKeys", after: "tokens" }, "Did you mean token?"],
  ] as const;
  for (const [step, expected] of cases) {
    const error = await assertRejects(() => start([{ name: "mine", does: "It fails.", steps: [step] }]), Error);
    assertStringIncludes(error.message, expected);
  }
});

/** A suite that fetches the metadata, and once it responds the keys twice. */
const suiteFile = join(folder, "suite.mjs");
writeFileSync(
  suiteFile,
  `const { jwks_uri } = await (await fetch(process.env.LATCHKEY_DISCOVERY_URL)).json();
  const statuses = [];
  for (let i = 0; i < 2; i++) statuses.push((await fetch(jwks_uri)).status);
  process.exit(statuses.join() === process.argv[2] ? 0 : 3);`,
);
const suite = [process.execPath, ..."Deno" in globalThis ? ["run", "-A", "--no-lock"] : [], suiteFile];

test("[CO-09] exec runs a scenario of a file, and fails a suite that met none of it", async () => {
  const file = join(folder, "keys-gone.json");
  const steps = [{ after: "discovery", verb: "faults.add", input: { fault: "status", endpoint: "jwks" } }];
  writeFileSync(file, JSON.stringify({ name: "keys-gone", does: "The keys are gone once.", steps }));
  const met = await runCommandHere(execute, ["--scenario", file, "--", ...suite, "503,200"]);
  assertEquals([met.code, met.stderr], [0, "The scenario keys-gone had an effect.\n"]);
  const unmet = await runCommandHere(execute, ["--scenario", "user-removed", "--", ...suite, "200,200"]);
  assertEquals([unmet.code, unmet.stderr], [
    1,
    "The scenario user-removed had no effect: no successful response of token.\n",
  ]);
});

test("the help lists every scenario and every name, in 80 columns", () => {
  const help = execHelpText;
  const unwrapped = help.replaceAll(/\s+/g, " ");
  for (const { name, does } of [...scenarios, ...userNames.map(({ prefix, does }) => ({ name: prefix, does }))]) {
    assertStringIncludes(unwrapped, `${name} ${does}`);
  }
  assertEquals(help.split("\n").filter((line) => line.length > 80), []);
});
