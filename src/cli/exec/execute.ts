/** `latchkey exec`: runs a command, such as a test suite, beside a server of its own. */

import type { ReadRules } from "../../devtools/rules/rules_file.ts";
import type { ProcessEnvironment } from "../../platform/runtime/process_environment.ts";
import type { Flow } from "../../recorder/exchange.ts";
import type { App } from "../../server/app.ts";
import { ConfigurationError } from "../../core/rules/configuration_error.ts";
import { printable, printableLines } from "../../core/http/quote_value.ts";
import type { Settings } from "../../server/config/settings.ts";
import { UnmetFaultsError } from "../../testing/assert_all_met.ts";
import { missingPermission, programCommand } from "../about.ts";
import { printText } from "../terminal_text.ts";
import { CommandLineError } from "../command_line_error.ts";
import { describeExposure } from "../exposure.ts";
import { openServer, type RunConfiguration } from "../open_server.ts";
import { noConfig } from "../environment.ts";
import { describeFoundFile, readConfiguration } from "../read_config.ts";
import { type ExportedValue, exportedVariables, readExecArguments } from "./exec_arguments.ts";
import { findUnexchangedCode } from "../../recorder/issued_tokens.ts";
import { redactFlow } from "../../recorder/redact.ts";
import { unexchangedCodeFix } from "../../server/explain/notes.ts";
import { formatExchange } from "../../recorder/export/text.ts";
import { createFolder, createTemporaryFolder, replaceTextFile, runCommand } from "../../platform/runtime/tools.ts";
import { execHelpText } from "./exec_help.ts";
import { suiteRecorder } from "./suite_recorder.ts";
import { trustCertificate } from "./trusted_certificate.ts";
import { visibleText } from "../../server/explain/visible_text.ts";

/** How many flows are printed; the report has all. */
const maxPrintedFlows = 5;

/** The exit code if the command cannot be started. */
const notStarted = 127;

/** The client of a command whose configuration has none. */
const ownClient = { client_id: "app", client_secret: "app-secret" };

/**
 * Runs the command.
 *
 * @param args The words after `exec`.
 * @param readRules Reads the text of the rules, for their pages.
 * @returns The exit code.
 * @throws {CommandLineError} If the words of the command are wrong.
 * @throws {ConfigurationError} If the configuration is invalid.
 * @throws {ListenError} If the server cannot listen.
 */
export async function execute(
  args: readonly string[],
  environment: ProcessEnvironment,
  readRules: ReadRules,
): Promise<number> {
  const first = args[0];
  const program = programCommand(environment, "exec");
  if (first === "--help" || first === "-h") {
    printText(execHelpText, environment);
    return 0;
  }
  const { command, variables, report, redirectUris, serverArgs } = readExecArguments(args, program);
  const env = { LATCHKEY_PORT: "0", LATCHKEY_CONTROL: "on", LATCHKEY_LOG: "off", ...environment.env };
  const { readTextFile } = environment;
  const config = await readConfiguration({ args: serverArgs, env, readTextFile });
  if (config.kind !== "run") throw new TypeError(`expected flags of the server, received ${config.kind}`);
  const changes = clientSettings(config, redirectUris);
  const settings = { ...config.settings, ...changes };
  const recorded = suiteRecorder((flow) => isRejected(flow) || findUnexchangedCode(flow) !== undefined);
  const opening = openServer(config, { ...environment, env }, readRules, changes, [recorded.plugin]);
  const opened = await opening.catch((error) => {
    const isOwn = settings.redirectUris !== config.settings.redirectUris;
    throw isOwn && isAbout(error, "redirectUris") ? redirectUriNeeded() : error;
  });
  const { server, app, control } = opened;
  const temporary = config.tls === undefined ? undefined : await createTemporaryFolder().catch((error) => {
    const missing = missingPermission(error, `${program} exec`);
    if (missing === undefined) throw error;
    throw new CommandLineError([{ path: "--tls", ...missing }]);
  });
  try {
    const foundFile = describeFoundFile(config.configSource);
    if (foundFile !== undefined) console.error(`${foundFile}.`);
    const { cert } = await server.listen({ port: config.port, host: config.host, tls: config.tls });
    const trusted = temporary && await trustCertificate(cert!, environment.env, temporary, readTextFile, opened.warn);
    const { issuer } = server;
    const exposure = describeExposure(opened.exposed());
    if (exposure !== undefined) console.error(`Warning: ${printable(exposure)}`);
    const base = issuer.replace(/\/$/, "");
    const { clients = [ownClient] } = settings;
    const client = clients === "any" ? ownClient : clients[0] ?? ownClient;
    const values: Readonly<Record<ExportedValue, string | undefined>> = {
      issuer,
      client_id: client.client_id,
      client_secret: client.client_secret,
      discovery: `${base}/.well-known/openid-configuration`,
      control: control === undefined ? undefined : `${base}/_control`,
      ca_file: trusted?.file,
    };
    const exported = Object.entries(exportedVariables).map(([value, name]) => [name, value as ExportedValue] as const);
    const set = Object.fromEntries([...exported, ...variables].map(([name, value]) => [name, values[value]]));
    const code = await runCommand(
      command,
      { ...environment.env, ...trusted?.variables, ...set },
      environment.onStop,
    ).catch((error: Error) => {
      const missing = missingPermission(error, `${program} exec`);
      const why = missing === undefined ? error.message : `this process may start no programs. ${missing.hint}`;
      console.error(`${printable(command[0])} cannot be started: ${printable(why)}`);
      return notStarted;
    });
    if (code !== 0 && code !== notStarted && !recorded.hasRequests()) {
      console.error(`\n${printable(nothingArrived(issuer, set, variables))}`);
    }
    const explainProgram = programCommand(environment);
    const flows = recorded.flows();
    const rejected = flows.filter(isRejected);
    if (code !== 0 && rejected.length > 0) console.error(`\n${formatFlows(rejected, explainProgram).join("\n")}`);
    // No code is exchanged after the command has ended.
    const unexchanged = code === 0 ? [] : lastUnexchanged(flows);
    if (unexchanged.length > 0) console.error(`\n${formatUnexchanged(unexchanged).join("\n")}`);
    if (
      code !== 0 && code !== notStarted && recorded.hasRequests() && rejected.length === 0 && unexchanged.length === 0
    ) {
      const about = "If a login failed, the application rejected a response. What its error message means";
      console.error(`\nThe server rejected no request. ${about}: ${explainProgram} explain "THE MESSAGE"`);
    }
    const scenarios = control?.scenarioResults();
    for (const text of scenarios?.withEffect ?? []) console.error(text);
    const unmet = await control?.control.reset().then(() => undefined, (error: unknown) => {
      if (error instanceof UnmetFaultsError) return error.message;
      throw error;
    });
    const withoutEffect = [...scenarios?.withoutEffect ?? [], ...unmet === undefined ? [] : [unmet]];
    for (const text of withoutEffect) console.error(printableLines(text));
    const isEmpty = rejected.length === 0 && unexchanged.length === 0 && withoutEffect.length === 0;
    const isReported = report === undefined || isEmpty ||
      await writeReport(report, { app, rejected, unexchanged, withoutEffect, explainProgram });
    return code === 0 && (withoutEffect.length > 0 || !isReported) ? 1 : code;
  } finally {
    await server.close();
    await temporary?.remove();
  }
}

/** Why an application may have sent no request to the server, and what to do. */
function nothingArrived(
  issuer: string,
  set: Readonly<Record<string, string | undefined>>,
  named: ReadonlyMap<string, ExportedValue>,
): string {
  const own = [...named].flatMap(([name, value]) => value === "issuer" || value === "discovery" ? [name] : []);
  const fix = own.length > 0
    ? `${own.join(" and ")} had this address: check that the application reads it.`
    : "Let the application read the issuer from one of them, or set the one that it reads: --env NAME=issuer.";
  const names = Object.keys(set).filter((name) => set[name] !== undefined);
  return `No application sent a request to ${issuer}. The command got the variables ${names.join(", ")}. ${fix}`;
}

const isRejected = ({ exchanges }: Flow) => exchanges.some(({ rejection }) => rejection !== undefined);

const isAbout = (error: unknown, path: string) =>
  error instanceof ConfigurationError && error.issues.some((issue) => issue.path === path);

/** The profile of a standard does not let the server accept any redirect URI. */
function redirectUriNeeded(): CommandLineError {
  return new CommandLineError([{
    path: "--redirect-uri",
    expected: "the redirect URI of the application, because the profile accepts registered ones alone",
    received: "none",
    hint: "Write it like --redirect-uri http://localhost:3000/callback.",
  }]);
}

/**
 * The client that the command gets if the configuration has none.
 *
 * @throws {CommandLineError} If it has clients, and the flags name redirect URIs too.
 */
function clientSettings(
  { settings, resolved: { policy }, configSource }: RunConfiguration,
  named: readonly string[],
): Settings | undefined {
  const { clients, redirectUris } = settings;
  if (clients !== undefined) {
    if (named.length === 0) return undefined;
    const instead = configSource?.isFound ? `, or ignore ${configSource.name} with --config ${noConfig}` : "";
    throw new CommandLineError([{
      path: "--redirect-uri",
      expected: `no such flag, because the configuration${configSource ? ` in ${configSource.name}` : ""} has clients`,
      received: "the flag",
      hint: `Add the URI to redirect_uris of the client${instead}.`,
    }]);
  }
  // An OAuth app of GitHub has the code flow alone: refresh tokens belong to GitHub Apps.
  const isOfGitHub = policy.providers.some((name) => /^github(?:@|$)/.test(name));
  const grant_types = ["authorization_code", ...isOfGitHub ? [] : ["refresh_token", "client_credentials"]];
  const isNamed = named.length > 0;
  const redirect_uris = isNamed ? named : ["http://localhost/callback"];
  const origins = redirect_uris.filter((uri) => /^https?:/.test(uri) && URL.canParse(uri))
    .map((uri) => new URL(uri).origin);
  const client = {
    ...{ ...ownClient, client_name: "The application under test", redirect_uris, grant_types },
    post_logout_redirect_uris: [...new Set(origins)].flatMap((origin) => [`${origin}/`, origin]),
  };
  return { clients: [client], redirectUris: redirectUris ?? (isNamed ? "registered" : "any") };
}

/** The line without `error_uri`, whose page is gone, because the server has stopped. */
const withoutErrorUri = (line: string) =>
  line.replace(/^ +error_uri {2}.*|, error_uri="[^"\\]*"?|,"error_uri":"[^"\\]*"?|&error_uri=[^&]*/, "");

/**
 * The last rejections, which may explain why the command failed, as lines for a terminal; the newest last.
 *
 * @param program The command that explains a rule.
 */
function formatFlows(rejected: readonly Flow[], program: string): string[] {
  const printed = rejected.slice(-maxPrintedFlows);
  return [
    `${countFlows(rejected)} with a rejection:`,
    ...printed.length < rejected.length ? [`  the last ${printed.length} of them:`] : [],
    ...printed.flatMap((flow) => {
      const { id, exchanges } = redactFlow(flow);
      const failed = exchanges.findLast(({ rejection }) => rejection !== undefined)!;
      const { explanation } = failed.rejection!;
      const prefix = `  flow ${id}: `;
      return [
        ...formatExchange(failed, prefix).map(withoutErrorUri).filter((line) => line !== ""),
        ...explanation.rule === undefined
          ? []
          : [`${" ".repeat(prefix.length)}explain: ${program} explain ${explanation.rule}`],
      ].map(printable);
    }),
  ];
}

/** The last flow of each client whose code no token request has named. */
function lastUnexchanged(flows: readonly Flow[]): readonly Flow[] {
  const found = flows.filter((flow) => findUnexchangedCode(flow) !== undefined);
  return [...new Map(found.map((flow) => [flow.client, flow])).values()];
}

/** Flows whose code was not exchanged, as lines for a terminal. */
function formatUnexchanged(flows: readonly Flow[]): string[] {
  return [
    `${countFlows(flows)} whose code was not exchanged, the last of each client:`,
    ...flows.slice(-maxPrintedFlows).flatMap((flow) => {
      const redacted = redactFlow(flow);
      const prefix = `  flow ${flow.id}: `;
      const indent = " ".repeat(prefix.length);
      return [
        ...formatExchange(findUnexchangedCode(redacted)!, prefix),
        `${indent}fix  ${unexchangedCodeFix}`,
      ].map(printable);
    }),
  ];
}

const countFlows = ({ length }: readonly Flow[]) => length === 1 ? "1 flow" : `${length} flows`;

/**
 * Writes each flow as a file of its own, and `summary.md` for the summary of a job: the last rejections, and what had
 * no effect. Returns whether all of them could be written.
 */
async function writeReport(
  folder: string,
  { app, rejected, unexchanged, withoutEffect, explainProgram }: {
    readonly app: App;
    readonly rejected: readonly Flow[];
    readonly unexchanged: readonly Flow[];
    readonly withoutEffect: readonly string[];
    readonly explainProgram: string;
  },
): Promise<boolean> {
  // It has the packages that render pages.
  const { formatFlowDocument } = await import("../../devtools/requests/flow_document.ts");
  const documents = await Promise.all(
    [...rejected, ...unexchanged].map(async (flow) =>
      [`${folder}/flow-${flow.id}.html`, await formatFlowDocument(app, flow)] as const
    ),
  );
  const section = (
    heading: string,
    lines: readonly string[],
  ) => [`## Latchkey: ${heading}`, "", ...codeBlock(lines), ""];
  const [, ...lines] = formatFlows(rejected, explainProgram);
  const [, ...steps] = formatUnexchanged(unexchanged);
  const summary = [
    ...rejected.length === 0 ? [] : section(`${countFlows(rejected)} with a rejection`, lines),
    ...unexchanged.length === 0 ? [] : section(`${countFlows(unexchanged)} whose code was not exchanged`, steps),
    ...withoutEffect.length === 0 ? [] : section("without effect", withoutEffect),
  ].join("\n");
  try {
    await createFolder(folder);
    for (const [path, text] of [...documents, [`${folder}/summary.md`, summary] as const]) {
      await replaceTextFile(path, text);
    }
  } catch (error) {
    console.error(`The report cannot be written to ${printable(folder)}: ${printable((error as Error).message)}`);
    return false;
  }
  console.error(`The report is in ${printable(folder)}.`);
  return true;
}

/** A block of code in Markdown, whose fence is longer than any in the text. */
function codeBlock(lines: readonly string[]): string[] {
  const text = visibleText(lines.join("\n"));
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return [fence, text, fence];
}
