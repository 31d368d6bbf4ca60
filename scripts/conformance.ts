/** Runs the scenarios of the MCP conformance package against this server: `deno task test:conformance --help`. */

import { globSync } from "node:fs";
import { latchkey, type LatchkeyOptions } from "../src/mod.ts";
import { mcpRevisions } from "../src/server/config/strictness.ts";
import {
  conformancePackage,
  knownFindings,
  scenariosWithoutTest,
  serverScenarios,
} from "../tests/conformance/scenarios.ts";
import { findFreePort } from "../tests/platform/runtime/free_port.ts";
import { exitWithError, readCommand } from "./command.ts";
import { formatCounts } from "./test_run.ts";

/** A check of a scenario, as the package writes it. */
interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

/** A server to run the scenarios against. */
interface Target {
  readonly name: string;
  readonly options: LatchkeyOptions;
  /** The path of the issuer. Default: none. */
  readonly path?: string;
  readonly secret?: string;
  /** The revision whose checks count. Default: the newest. */
  readonly revision?: string;
}

/** Milliseconds after which the package counts as hung. */
const timeoutMs = 120_000;

const secret = "a-secret-for-the-scenarios";
const resource = "https://mcp.example/mcp";

const targets: readonly Target[] = [
  ...mcpRevisions.map((revision): Target => ({
    name: `mcp ${revision}`,
    options: { profile: "mcp", mcpRevision: revision },
    revision,
  })),
  { name: "path issuer", options: { profile: "mcp" }, path: "/tenant" },
  // The package authenticates a client only if metadata does not list `none`.
  { name: "Basic", options: { profile: "mcp", clientAuthMethods: ["client_secret_basic"] }, secret },
  { name: "post", options: { profile: "mcp", clientAuthMethods: ["client_secret_post"] }, secret },
  { name: "no profile", options: {} },
];

readCommand({
  call: "deno task test:conformance",
  does:
    `Runs the authorization server scenarios of ${conformancePackage} against servers of several kinds, and compares ` +
    "its other authorization scenarios with tests/conformance/scenarios.ts.",
});

const folder = await Deno.makeTempDir({ prefix: "latchkey-conformance-" });
let passed = 0;
const failures: string[] = [];
try {
  const problems = await compareScenarios();
  if (problems.length === 0) passed++;
  failures.push(...problems);
  for (const target of targets) await runTarget(target);
} catch (error) {
  exitWithError(error);
} finally {
  await Deno.remove(folder, { recursive: true });
}
for (const failure of failures) console.log(failure);
console.log(formatCounts({ passed, failed: failures.length, skipped: 0 }));
Deno.exit(failures.length > 0 ? 1 : 0);

/** Runs the package, and returns what it prints. `onLine` receives each line when it is printed. */
async function runPackage(args: readonly string[], onLine: (line: string) => void = () => {}): Promise<string> {
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "-A", "--no-config", "--frozen", "--lock=tests/conformance/deno.lock"],
      conformancePackage,
      ...args,
    ],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
    signal: AbortSignal.timeout(timeoutMs),
  }).spawn();
  let output = "";
  let unread = "";
  for await (const text of process.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    const lines = (unread + text).split("\n");
    unread = lines.pop()!;
    for (const line of lines) onLine(line);
  }
  await process.status;
  return output;
}

/**
 * The scenarios of the package that no test and no table has, and those of the tables that the package does not have.
 */
async function compareScenarios(): Promise<string[]> {
  const listed = async (kind: string) =>
    [...(await runPackage(["list", kind])).matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name!);
  const names = [
    ...await listed("--authorization"),
    ...(await listed("--client")).filter((name) => name.startsWith("auth/")),
  ];
  const tests = globSync("tests/testing/*_test.ts").map((file) => Deno.readTextFileSync(file)).join("\n");
  const covered = [...tests.matchAll(/\b(auth\/[\w-]+): /g)].map(([, name]) => name!);
  const excused = Object.keys(scenariosWithoutTest);
  const expected = [...serverScenarios, ...covered, ...excused];
  return [
    ...names.filter((name) => !expected.includes(name)).map((name) => `${name}: no test, and not in scenarios.ts`),
    ...expected.filter((name) => !names.includes(name)).map((name) => `${name}: not in the package`),
    ...excused.filter((name) => covered.includes(name)).map((name) =>
      `${name}: has a test; remove it from scenarios.ts`
    ),
  ];
}

/** Runs the scenarios against one server, with a browser that follows the redirects of the automatic login. */
async function runTarget({ name, options, path = "", secret, revision = mcpRevisions.at(-1)! }: Target): Promise<void> {
  const [port, callbackPort] = [await findFreePort(), await findFreePort()];
  const issuer = `http://localhost:${port}${path}`;
  const redirect_uris = [`http://127.0.0.1:${callbackPort}/callback`];
  await using as = await latchkey({
    ...options,
    issuer,
    clients: [{ client_id: "conformance", client_secret: secret, redirect_uris }],
  });
  await as.listen({ port });
  const output = `${folder}/${name}`;
  const flags = ["--url", issuer, "--client-id", "conformance", "--port", String(callbackPort), "--resource", resource];
  let authorizationUrl = "";
  const printed = await runPackage(
    [
      "authorization",
      ...flags,
      ...secret === undefined ? [] : ["--client-secret", secret],
      ...["--spec-version", revision, "--output-dir", output],
    ],
    (line) => {
      if (line.startsWith(`${issuer}/`)) authorizationUrl = line;
      // Printed last: the callback can be reached.
      if (line.startsWith("Callback server started")) {
        fetch(authorizationUrl).then((response) => response.body?.cancel(), (error) => console.error(error));
      }
    },
  );
  const checks = globSync(`${output}/**/checks.json`).flatMap((file): Check[] =>
    JSON.parse(Deno.readTextFileSync(file))
  );
  const expected = checks.filter(({ status, id }) => status === "SUCCESS" || knownFindings[name]?.[id] !== undefined);
  const unexpected = checks.filter((check) => !expected.includes(check));
  const missing = serverScenarios.length - new Set(globSync(`${output}/*/checks.json`)).size;
  passed += expected.length;
  failures.push(
    ...unexpected.map(({ id, status, errorMessage }) => `${name}: ${id}: ${status} ${errorMessage ?? ""}`),
    ...missing > 0 ? [`${name}: ${missing} scenarios did not run:\n${printed}`] : [],
  );
  console.log(`${name}: ${checks.map(({ id, status }) => `${id} ${status}`).join(", ")}`);
}
