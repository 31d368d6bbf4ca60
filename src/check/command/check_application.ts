/** `latchkey check`: attacks an application that has this server as its issuer, and reports which attacks succeed. */

import { type ConfigIssue, ConfigurationError, printable } from "../../server/config/config_issue.ts";
import { allowancesOf } from "../../server/config/allowances.ts";
import { testHosts } from "../../server/oauth/test_hosts.ts";
import type { ProcessEnvironment } from "../../platform/runtime/process_environment.ts";
import type { Baseline } from "../baseline.ts";
import type { CheckReport } from "../report.ts";
import type { reportPage } from "../report_page.ts";
import { chooseDefaultUser } from "../../cli/default_user.ts";
import { readConfiguration, type ValidateSettings } from "../../cli/read_config.ts";
import { programCommand } from "../../cli/about.ts";
import { type CheckFlags, readCheckArguments } from "./check_flags.ts";
import { showProgress } from "./show_progress.ts";

/** How long the check waits for an application that the user starts after the check. */
const maxStartMs = 30_000;

/** Where the program runs. */
type Environment = Pick<
  ProcessEnvironment,
  "env" | "mainModule" | "isTerminal" | "now" | "readTextFile" | "onStop" | "exit"
>;

/**
 * Runs the command.
 *
 * @param args The words after `check`.
 * @param openRulePages Creates the plugin with the pages of rules, to which the report links.
 * @returns The exit code.
 * @throws {ConfigurationError} If the command line or the configuration is invalid.
 * @throws {ListenError} If the server cannot listen.
 */
export async function checkApplication(
  args: readonly string[],
  environment: Environment,
  validateSettings: ValidateSettings,
  openRulePages: () => Promise<ReturnType<typeof reportPage>>,
): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    console.log((await import("./check_help.ts")).checkHelpText.trimEnd());
    return 0;
  }
  const { loginUrl, flags, serverArgs, repeat } = readCheckArguments(args, programCommand(environment));
  const config = await readConfiguration(
    { ...environment, args: serverArgs },
    (settings, issuer) =>
      allowancesOf(issuer).openTools ? validateSettings(settings, issuer) : [issuerNotAllowed(issuer)],
  );
  if (config.kind !== "run") throw new TypeError(`expected flags of the server, received ${config.kind}`);
  const { settings, port, host, tls, warnings } = config;
  for (const { path, message } of warnings) console.error(`${path}: ${message}`);

  await assertKnownAttacks(flags);
  const baseline = await readBaseline(flags.baseline, environment.readTextFile);
  const [
    { testLatchkey },
    { checkClient },
    { applicationDriver },
    { inspector },
    { reportPage },
    { formatId, formatSummary },
    serve,
    tools,
    rulePages,
  ] = await Promise.all([
    import("../../testing/mod.ts"),
    import("../check_client.ts"),
    import("../application_driver.ts"),
    import("../../devtools/requests/mod.ts"),
    import("../report_page.ts"),
    import("../report_text.ts"),
    import("../../platform/runtime/serve.ts"),
    import("../../platform/runtime/tools.ts"),
    openRulePages(),
  ]);
  let report: CheckReport | undefined;
  const as = await testLatchkey({
    unknownLoginHint: "default",
    ...settings,
    ...clientSettings(flags),
    login: "auto",
    plugins: [
      inspector(),
      rulePages,
      reportPage(
        () => report,
        { showFlow: async (...flow) => await (await import("../../devtools/requests/handlers.ts")).showFlow(...flow) },
      ),
    ],
  });
  try {
    await chooseDefaultUser(as.users, config.user);
    await as.listen({ port, host, tls }).catch((error) => {
      if (!(error instanceof serve.PortInUseError)) throw error;
      const fix = "Stop the server that uses it, because the application's issuer must be this port.";
      throw new serve.PortInUseError(error.address, error.cause, fix);
    });
    const { restart } = flags;
    const attemptMs = flags.timeout * 1000;
    const restartClient = restart === undefined ? undefined : async () => {
      await tools.runInShell(restart);
      await waitUntilUp(loginUrl, { limitMs: attemptMs, attemptMs, now: environment.now });
    };
    console.error(`Issuer: ${as.issuer}\nLogin:  ${loginUrl}\nWatch:  ${as.issuer.replace(/\/$/, "")}/flows`);
    // A command that cannot run at all must not look like an application that rejects an attack.
    await restartClient?.().catch((error) => {
      throw restartFailed(error);
    });
    // An application that reads the metadata at its start can start only now.
    await waitUntilUp(loginUrl, {
      limitMs: maxStartMs,
      attemptMs,
      now: environment.now,
      onWait: () => console.error(`Waiting for ${loginUrl}: start the application now.`),
    });
    const driver = await applicationDriver(as, loginUrl, {
      loggedInUrl: flags.loggedInUrl,
      loggedInText: flags.loggedInText,
      refreshUrl: flags.refreshUrl,
      verifiesIdTokenSignature: flags.idTokenSignature,
    });
    const progress = showProgress(environment.isTerminal, tools.writeError, formatId, environment.now);
    const stop = new AbortController();
    environment.onStop(() => {
      // A second signal stops immediately.
      if (stop.signal.aborted) environment.exit(1);
      stop.abort(new Error("The check was stopped."));
    });
    console.error("Ctrl-C ends the check with a report of the results so far.");
    report = await checkClient(driver, {
      as,
      only: flags.only,
      except: flags.except,
      timeLimits: flags.timeLimits,
      timeoutMs: flags.timeout * 1000,
      recoveryMs: flags.recovery * 1000,
      pauseMs: flags.pause * 1000,
      inProcess: false,
      restart: restartClient,
      baseline,
      repeat,
      signal: stop.signal,
      onResult: progress.show,
    });
    progress.end();
    await writeReport(report, flags, tools.writeTextFile, formatSummary);
    if (flags.stay && !stop.signal.aborted) {
      console.error(`Report: ${as.issuer.replace(/\/$/, "")}/flows/check. Ctrl-C ends the command.`);
      await new Promise<void>((resolve) => environment.onStop(resolve));
    }
    return report.passed ? 0 : 1;
  } finally {
    await as.close();
  }
}

/** The client of the flags, which replaces the configured clients. */
function clientSettings({ clientId, clientSecret, redirectUri }: CheckFlags) {
  if (clientId === undefined || redirectUri === undefined) return {};
  const grant_types = ["authorization_code", "refresh_token"];
  return { clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri], grant_types }] };
}

/** @throws {ConfigurationError} If a name is neither an attack nor a category. */
async function assertKnownAttacks({ only = [], except = [] }: CheckFlags): Promise<void> {
  const { findUnknown } = await import("../check_options.ts");
  const issues = Object.entries({ "--only": only, "--except": except }).flatMap(([path, names]) => {
    const unknown = findUnknown(names);
    if (unknown === undefined) return [];
    const { name, hint } = unknown;
    return [{
      path,
      expected: "attacks or categories, separated by commas or spaces",
      received: JSON.stringify(name.slice(0, 80)),
      hint,
    }];
  });
  if (issues.length > 0) throw new ConfigurationError(issues);
}

/** @throws {ConfigurationError} If there is no JSON report at this path. */
async function readBaseline(
  path: string | undefined,
  readTextFile: Environment["readTextFile"],
): Promise<Baseline | undefined> {
  if (path === undefined) return undefined;
  const { parseBaseline } = await import("../baseline.ts");
  const text = await readTextFile(path).catch((error: unknown) => ({ error }));
  const baseline = typeof text === "string" ? parseBaseline(text) : undefined;
  if (baseline !== undefined) return baseline;
  throw new ConfigurationError([{
    path: "--baseline",
    expected: "a JSON report of an earlier check",
    received: typeof text === "string"
      ? "text that is not such a report"
      : `no file that can be read: ${printable(String(text.error))}`,
    hint: "Write one with --report json --output FILE.",
  }]);
}

function issuerNotAllowed(issuer: string): ConfigIssue {
  return {
    path: "issuer",
    expected: `a test host (${testHosts}), because the server attacks its clients`,
    received: issuer,
    hint: "Configure the application with an issuer on a test host, such as http://localhost:9000.",
  };
}

function restartFailed(error: unknown): ConfigurationError {
  return new ConfigurationError([{
    path: "--restart",
    expected: "a command that restarts the application",
    received: printable(error instanceof Error ? error.message : String(error)).slice(0, 300),
    hint: "Try it in a shell. With Deno, programs may start commands only if it runs with --allow-run.",
  }]);
}

/** How long to wait for an application. */
interface UpWait {
  /** Milliseconds in total. */
  readonly limitMs: number;
  /** Milliseconds for one response. */
  readonly attemptMs: number;
  readonly now: () => number;
  /** Called if the first request fails. */
  readonly onWait?: () => void;
}

/** Waits until the application responds to any request, or until the time is over. */
async function waitUntilUp(loginUrl: string, { limitMs, attemptMs, now, onWait }: UpWait): Promise<void> {
  const deadline = now() + limitMs;
  for (let attempt = 1;; attempt++) {
    const remaining = Math.ceil(deadline - now());
    if (remaining <= 0) return;
    const signal = AbortSignal.timeout(Math.min(remaining, attemptMs));
    const isUp = await fetch(new URL("/", loginUrl), { redirect: "manual", signal }).then(
      (response) => response.body?.cancel().then(() => true) ?? true,
      () => false,
    );
    // If the application accepts connections but never responds, the login reports that.
    if (isUp || signal.aborted) return;
    if (attempt === 1) onWait?.();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function writeReport(
  report: CheckReport,
  { report: format, output }: CheckFlags,
  writeTextFile: (path: string, text: string) => Promise<void>,
  formatSummary: (report: CheckReport) => readonly string[],
): Promise<void> {
  const text = await formatReport(report, format);
  if (output === undefined) return console.log(text.trimEnd());
  await writeTextFile(output, `${text.trimEnd()}\n`);
  console.log([...formatSummary(report).map(printable), `The report is in ${printable(output)}.`].join("\n"));
}

async function formatReport(report: CheckReport, format: CheckFlags["report"]): Promise<string> {
  if (format === "json") return JSON.stringify(report, null, 2);
  if (format === "junit") return report.toJUnit();
  return format === "html" ? await report.toHTML() : toLines(report).join("\n");
}

/** The report as text; without control characters that the application wrote. */
function toLines(report: CheckReport): string[] {
  return String(report).split("\n").map(printable);
}
