/** `latchkey check`: attacks an application that has this server as its issuer, and reports which attacks succeed. */

import { printable } from "../../core/http/quote_value.ts";
import type { ReadRules } from "../../devtools/rules/rules_file.ts";
import type { ProcessEnvironment } from "../../platform/runtime/process_environment.ts";
import { type Baseline, parseBaseline } from "../../check/baseline.ts";
import type { CheckReport } from "../../check/report.ts";
import { chooseDefaultUser, withUserFirst } from "../default_user.ts";
import { resolveOptions } from "../../server/hosting/extensions.ts";
import { describeFoundFile, readConfiguration } from "../read_config.ts";
import { missingPermission, programCommand, unwritableFile } from "../about.ts";
import { printText } from "../terminal_text.ts";
import { CommandLineError } from "../command_line_error.ts";
import { type Chromium, startChromium } from "../../platform/runtime/chromium.ts";
import { type CheckFlags, readCheckArguments } from "./check_flags.ts";
import { suggestFlag } from "./suggest_flag.ts";
import { showProgress } from "./show_progress.ts";
import { nameIssues, notTestHost } from "../../check/check_issues.ts";
import { checkHelpText } from "./check_help.ts";
import { latchkey } from "../../server/hosting/latchkey.ts";
import { clientCheck } from "../../check/client_check.ts";
import { checkPages } from "../../check/check_pages.ts";
import { inspector } from "../../devtools/inspector.ts";
import { formatCauses, formatSummary } from "../../check/report_text.ts";
import { describeReport, formatId } from "../../check/report_data.ts";
import { checkUsers } from "../../check/user_texts.ts";
import { PortInUseError } from "../../platform/runtime/serve.ts";
import {
  createTemporaryFolder,
  runInShell,
  type ShellProgram,
  startInShell,
  writeError,
  writeTextFile,
} from "../../platform/runtime/tools.ts";

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
 * @param readRules Reads the text of the rules, to whose pages the report links.
 * @returns The exit code.
 * @throws {CommandLineError} If the words of the command are wrong.
 * @throws {ConfigurationError} If the configuration is invalid.
 * @throws {ListenError} If the server cannot listen.
 */
export async function checkApplication(
  args: readonly string[],
  environment: Environment,
  readRules: ReadRules,
): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    printText(checkHelpText, environment);
    return 0;
  }
  const program = programCommand(environment, "check");
  const { loginUrl, flags, serverArgs, repeat } = readCheckArguments(args, program);
  const config = await readConfiguration({
    ...environment,
    args: serverArgs,
    async resolve(settings, origin) {
      const resolved = await resolveOptions(settings, origin);
      const { issuer, policy } = resolved;
      return policy.allows.openTools ? resolved : { ...resolved, issues: [notTestHost(issuer)] };
    },
  });
  if (config.kind !== "run") throw new TypeError(`expected flags of the server, received ${config.kind}`);
  const { settings, resolved, port, host, tls } = config;
  for (const { path, message } of [...config.warnings, ...resolved.warnings()]) console.error(`${path}: ${message}`);

  const unknownNames = nameIssues(flags).map((issue) => ({ ...issue, path: `--${issue.path}` }));
  if (unknownNames.length > 0) throw new CommandLineError(unknownNames);
  const baseline = await readBaseline(flags.baseline, environment.readTextFile);
  const check = clientCheck({ exposed: true, program });
  const flows = inspector({ readRules });
  const server = await latchkey({
    clients: [],
    ...withUserFirst({ ...settings, users: settings.users ?? checkUsers }, config.user),
    ...clientSettings(flags),
    login: "auto",
    plugins: [check.plugin, flows, checkPages(check)],
  });
  const { start, restart } = flags;
  const isApi = flags.tokenIn !== undefined;
  const startsPrograms = start !== undefined || restart !== undefined;
  // Where the programs write: their output is apart from the results.
  const folder = startsPrograms
    ? await createTemporaryFolder().catch((error) => {
      throw commandFailed(start === undefined ? "restart" : "start", error, program);
    })
    : undefined;
  let application: ShellProgram | undefined;
  let chromium: Chromium | undefined;
  try {
    await chooseDefaultUser(server.users, config.user);
    await server.listen({ port, host, tls }).catch((error) => {
      if (!(error instanceof PortInUseError)) throw error;
      const fix = "Stop the server that uses it, because the application's issuer must be this port.";
      throw new PortInUseError(error.address, error.cause, fix);
    });
    let stopCheck: (() => void) | undefined;
    let isStopped = false;
    // Before the start of the application, which would outlive the command.
    environment.onStop(() => {
      // A second signal, or one before the first login, stops immediately.
      if (stopCheck === undefined) {
        application?.stop();
        environment.exit(1);
      }
      isStopped = true;
      stopCheck?.();
      stopCheck = undefined;
    });
    const attemptMs = flags.timeout * 1000;
    const up = { attemptMs, now: environment.now };
    const outputFile = await folder?.write("application.log", "") ?? "";
    /** Shows the end of what the application has written. */
    const showOutput = async () => {
      const lines = outputFile === "" ? [] : (await environment.readTextFile(outputFile)).trim().split("\n");
      console.error(["The last lines of the application:", ...lines.slice(-maxOutputLines).map(printable)].join("\n"));
    };
    const startClient = start === undefined ? undefined : async () => {
      await application?.stop();
      application = startInShell(start, outputFile);
      await waitUntilUp(loginUrl, { ...up, limitMs: maxStartMs, failed: application.failed });
    };
    const restartClient = restart === undefined ? startClient : async () => {
      await runInShell(restart, outputFile);
      await waitUntilUp(loginUrl, { ...up, limitMs: attemptMs });
    };
    const clients = await server.clients.list({ limit: 50 });
    const described = clients.map(({ id, authMethod, redirectUris }) =>
      `Client: ${id}, authentication ${authMethod}, redirect URI ${redirectUris.join(" or ") || "none"}`
    );
    const foundFile = describeFoundFile(config.configSource);
    const tokens = { issuer: server.issuer, audience: settings.audience ?? server.issuer };
    console.error([
      ...foundFile === undefined ? [] : [`Config: ${foundFile}`],
      `Issuer: ${server.issuer}`,
      ...described.length === 0 ? ["Client: none is configured, so the application must register itself"] : described,
      ...isApi
        ? [`API:    ${loginUrl}`, `Tokens: iss ${tokens.issuer}, aud ${tokens.audience}`]
        : [`Login:  ${loginUrl}`],
      `Watch:  ${server.issuer.replace(/\/$/, "")}/flows`,
      ...outputFile === "" ? [] : [`Output: ${outputFile}, until this command ends`],
    ].join("\n"));
    if (flags.browser !== undefined) {
      chromium = await startChromium(flags.browser).catch((error) => {
        throw commandFailed("browser", error, program);
      });
    }
    // A command that cannot run at all must not look like an application that rejects an attack.
    await startClient?.().catch(async (error) => {
      await showOutput();
      throw commandFailed("start", error, program);
    });
    if (restart !== undefined) {
      await restartClient!().catch(async (error) => {
        await showOutput();
        throw commandFailed("restart", error, program);
      });
    }
    // An application that reads the metadata at its start can start only now.
    await waitUntilUp(loginUrl, {
      ...up,
      limitMs: maxStartMs,
      async onWait() {
        if (start !== undefined) await showOutput();
        console.error(`Waiting for ${loginUrl}: start the application now.`);
      },
    });
    const progress = showProgress(
      environment.isTerminal,
      writeError,
      formatId,
      environment.now,
      isApi ? "request" : "login",
    );
    stopCheck = () => {
      progress.end();
      check.stop();
    };
    console.error("Ctrl-C ends the check with a report of the results so far.");
    const ticks = setInterval(progress.tick, 1000);
    const { loggedInUrl, loggedInText, refreshUrl, apiUrl, logoutUrl, only, except } = flags;
    const report = await check.run(
      { loginUrl, loggedInUrl, loggedInText, refreshUrl, apiUrl, logoutUrl, only, except },
      server.issuer,
      {
        tokenIn: flags.tokenIn,
        openContext: chromium?.openContext,
        timeLimits: flags.timeLimits,
        timeoutMs: attemptMs,
        recoveryMs: flags.recovery * 1000,
        pauseMs: flags.pause * 1000,
        minutes: flags.minutes,
        onWait: progress.wait,
        restart: restartClient,
        baseline,
        failOn: flags.failOn,
        repeat,
        suggestFlag: (failure) => suggestFlag(failure, flags, tokens),
        recorder: flows.recorder,
        onStart: progress.start,
        onResult: progress.show,
      },
    ).finally(() => clearInterval(ticks));
    progress.end();
    const facts = describeReport(report);
    const summary = [...formatSummary(facts), ...formatCauses(facts)];
    await writeReport(report, summary, flags, environment);
    const [first] = report.causes.filter(({ isKnown }) => !isKnown);
    if (first !== undefined) {
      console.error(`Next: fix the first cause, and repeat its attack alone: ${repeat(first.attacks[0]!)}`);
      console.error("A JSON report (--report json) as --baseline FILE leaves only new failures.");
    }
    if (flags.stay && !isStopped) {
      console.error(`Report: ${server.issuer.replace(/\/$/, "")}/flows/check. Ctrl-C ends the command.`);
      await new Promise<void>((resolve) => environment.onStop(resolve));
    }
    return report.passed ? 0 : 1;
  } finally {
    await application?.stop();
    await chromium?.close();
    await server.close();
    await folder?.remove();
  }
}

/** The client of the flags, which replaces the configured clients. */
function clientSettings({ clientId, clientSecret, redirectUri }: CheckFlags) {
  if (clientId === undefined || redirectUri === undefined) return {};
  const grant_types = ["authorization_code", "refresh_token"];
  return { clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri], grant_types }] };
}

/** @throws {CommandLineError} If there is no JSON report at this path. */
async function readBaseline(
  path: string | undefined,
  readTextFile: Environment["readTextFile"],
): Promise<Baseline | undefined> {
  if (path === undefined) return undefined;
  const text = await readTextFile(path).catch((error: unknown) => ({ error }));
  const baseline = typeof text === "string" ? parseBaseline(text) : undefined;
  if (baseline !== undefined) return baseline;
  throw new CommandLineError([{
    path: "--baseline",
    expected: "a JSON report of an earlier check",
    received: typeof text === "string"
      ? "text that is not such a report"
      : `no file that can be read: ${printable(String(text.error))}`,
    hint: "Write one with --report json --output FILE.",
  }]);
}

/** How much of the output of an application is shown if its start fails, in lines. */
const maxOutputLines = 40;

function commandFailed(flag: "start" | "restart" | "browser", error: unknown, program: string): CommandLineError {
  return new CommandLineError([{
    path: `--${flag}`,
    expected: flag === "browser" ? "the path of a Chromium" : `a command that ${flag}s the application`,
    received: printable(error instanceof Error ? error.message : String(error)).slice(0, 300),
    hint: "Try it in a shell.",
    ...missingPermission(error, `${program} check`),
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
  readonly onWait?: () => void | Promise<void>;
  /** Rejects if the application cannot respond any more. Default: never. */
  readonly failed?: Promise<never>;
}

/**
 * Waits until the application responds to any request, or until the time is over.
 *
 * @throws {Error} If it cannot respond any more.
 */
async function waitUntilUp(loginUrl: string, { limitMs, attemptMs, now, onWait, failed }: UpWait): Promise<void> {
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
    if (attempt === 1) await onWait?.();
    const pause = new Promise<void>((resolve) => setTimeout(resolve, 200));
    await (failed === undefined ? pause : Promise.race([pause, failed]));
  }
}

async function writeReport(
  report: CheckReport,
  summary: readonly string[],
  flags: CheckFlags,
  environment: Environment,
): Promise<void> {
  const { output } = flags;
  const text = await formatReport(report, flags);
  if (output === undefined) return console.log(text.trimEnd());
  await writeTextFile(output, `${text.trimEnd()}\n`).catch((error) => {
    // The check took its time: its results are shown all the same.
    console.log(text.trimEnd());
    throw unwritableFile(output, error, environment, "check");
  });
  console.log([...summary.map(printable), `The report is in ${printable(output)}.`].join("\n"));
}

async function formatReport(report: CheckReport, flags: CheckFlags): Promise<string> {
  const { report: format, start, restart } = flags;
  if (format === "json") return JSON.stringify(report, null, 2);
  if (format === "junit") return report.toJUnit();
  if (format === "html") return await report.toHTML();
  const text = String(report);
  // Each check has new keys, and an application keeps those that it fetched.
  return start === undefined && restart === undefined
    ? text.replace(/^(?= {2}repeat:)/m, "  restart:     restart the application first: each check has new keys\n")
    : text;
}
