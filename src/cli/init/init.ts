/** `latchkey init`: writes a configuration file for one application, and prints the settings of the application. */

import { validateRedirectUri } from "../../oauth/clients/redirect_uri.ts";
import { ConfigurationError } from "../../oauth/config/config_issue.ts";
import type { Settings } from "../../oauth/config/settings.ts";
import type { ProcessEnvironment } from "../../runtime/process_environment.ts";
import { programCommand } from "../about.ts";
import { libraries, libraryNames } from "./libraries.ts";
import { type InitFlags, initHelpText, readInitFlags } from "./init_flags.ts";

/** The file that the command writes, in the working directory. */
const fileName = "latchkey.json";
const port = 9000;
const clientId = "app";

/** The functions by which the command interacts with its environment. */
export interface InitActions {
  /** Asks a question on the terminal; `undefined` if the input ends. Absent: there is no terminal. */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** Writes a file that does not exist, with mode 0600; resolves with `false` if it exists. */
  createPrivateFile(path: string, text: string): Promise<boolean>;
  /** A new client secret. */
  randomSecret(): string;
  /**
   * The settings of a client for each library, at a server with these settings.
   *
   * @throws {ConfigurationError} If the settings are invalid.
   */
  describeClient(settings: Settings, clientId: string, secret?: string): Promise<readonly LibrarySettings[]>;
}

/** The settings for one library; without `text`, `notes` explains why the library does not support the client. */
interface LibrarySettings {
  readonly library: string;
  readonly placement: string;
  readonly text?: string;
  readonly notes: readonly string[];
}

/** The values that the three questions ask for. */
type InitValues = Required<Omit<InitFlags, "yes">>;

/**
 * Runs the command.
 *
 * @param args The words after `init`.
 * @returns The exit code.
 * @throws {ConfigurationError} If the command line or a value is invalid, or the file exists.
 */
export async function initialize(
  args: readonly string[],
  environment: Pick<ProcessEnvironment, "env" | "mainModule" | "readTextFile">,
  actions: InitActions,
): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    console.log(initHelpText.trimEnd());
    return 0;
  }
  const flags = readInitFlags(args);
  // The file is checked before the questions, because it must not exist.
  if (await environment.readTextFile(fileName).then(() => true, () => false)) throw fileExists();
  const values = await findValues(flags, actions.ask);
  if (values === undefined) {
    console.error("\nThe input ended before the last question. Nothing was written.");
    return 1;
  }
  const { title, authMethod = "client_secret_basic" } = libraries[values.library]!;
  const secret = values.isConfidential ? actions.randomSecret() : undefined;
  const content = {
    port,
    clients: [{
      client_id: clientId,
      ...secret !== undefined && { client_secret: secret, token_endpoint_auth_method: authMethod },
      redirect_uris: [values.redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
    }],
    users: [
      { sub: "alice", name: "Alice Adams", email: "alice@example.com" },
      { sub: "bob", name: "Bob Brown", email: "bob@example.com" },
    ],
  } as const;
  const { port: _, ...settings } = content;
  const issuer = `http://localhost:${port}`;
  const all = await actions.describeClient({ ...settings, issuer }, clientId, secret);
  const librarySettings = all.find((one) => one.library === title)!;
  if (librarySettings.text === undefined) throw unsupported(values, librarySettings.notes);
  if (!await actions.createPrivateFile(fileName, `${JSON.stringify(content, null, 2)}\n`)) throw fileExists();
  console.log([
    ...secret === undefined ? [] : [
      `${fileName} contains a secret: only you can read it (mode 0600). Keep it out of version control.`,
    ],
    `${fileName} has the client ${clientId} and the users alice and bob. Start the server with it:`,
    "",
    `  ${programCommand(environment)} --config ${fileName}`,
    "",
    "Settings of the application:",
    "",
    `  issuer         ${issuer}`,
    `  client_id      ${clientId}`,
    ...secret === undefined ? [] : [`  client_secret  ${secret}`],
    `  redirect_uri   ${values.redirectUri}`,
    "",
    `${title} (${librarySettings.placement}):`,
    "",
    librarySettings.text,
    ...librarySettings.notes.flatMap((note) => ["", note]),
  ].join("\n"));
  return 0;
}

/** The values of the flags, then of the user or of the defaults; `undefined` if the input ends. */
async function findValues(flags: InitFlags, ask: InitActions["ask"]): Promise<InitValues | undefined> {
  const { yes } = flags;
  if (!yes && ask === undefined) assertComplete(flags);
  const question = yes ? undefined : ask;
  const library = flags.library ??
    await choose(question, `Library (${libraryNames.join(", ")})`, libraryNames, libraryNames[0]!);
  if (library === undefined) return undefined;
  const defaults = libraries[library]!;
  const redirectUri = flags.redirectUri ?? await chooseRedirectUri(question, defaults.redirectUri);
  if (redirectUri === undefined) return undefined;
  const kinds = ["confidential", "public"];
  const kind = flags.isConfidential === undefined
    ? await choose(question, "Client (confidential, public)", kinds, kinds[defaults.isConfidential === false ? 1 : 0]!)
    : kinds[flags.isConfidential ? 0 : 1];
  return kind === undefined ? undefined : { library, redirectUri, isConfidential: kind === kinds[0] };
}

/** Asks until the input is a valid redirect URI, and explains why an input is invalid. */
async function chooseRedirectUri(ask: InitActions["ask"], defaultUri: string): Promise<string | undefined> {
  for (;;) {
    const uri = await choose(ask, "Redirect URI", undefined, defaultUri);
    const issue = uri === undefined ? undefined : validateRedirectUri(uri, false, true);
    if (issue === undefined) return uri;
    console.error(`Expected ${issue.expected}. ${issue.hint}`);
  }
}

/** Asks until the input is one of the choices. Empty input selects the default, and so does the lack of a terminal. */
async function choose(
  ask: InitActions["ask"],
  question: string,
  choices: readonly string[] | undefined,
  defaultInput: string,
): Promise<string | undefined> {
  if (ask === undefined) return defaultInput;
  for (;;) {
    const input = (await ask(`${question} [${defaultInput}]: `))?.trim();
    if (input === undefined) return undefined;
    if (input === "") return defaultInput;
    if (choices === undefined) return input;
    const matches = choices.filter((choice) => choice.startsWith(input.toLowerCase()));
    const exact = matches.find((choice) => choice === input.toLowerCase());
    if (exact !== undefined || matches.length === 1) return exact ?? matches[0];
  }
}

/** @throws {ConfigurationError} If a value is missing. */
function assertComplete({ library, redirectUri, isConfidential }: InitFlags): void {
  const missing = [
    ...library === undefined ? ["--library"] : [],
    ...redirectUri === undefined ? ["--redirect-uri"] : [],
    ...isConfidential === undefined ? ["--confidential or --public"] : [],
  ];
  if (missing.length === 0) return;
  throw new ConfigurationError([{
    path: "latchkey init",
    expected: "all values as flags, because the input is not a terminal",
    received: `no ${missing.join(", no ")}`,
    hint: "Add them, or --yes for the defaults of the library.",
  }]);
}

function fileExists(): ConfigurationError {
  return new ConfigurationError([{
    path: fileName,
    expected: "no file of this name, because this command never overwrites a file",
    received: "an existing file",
    hint: "Rename or remove it, or run the command in another folder.",
  }]);
}

function unsupported({ library, isConfidential }: InitValues, notes: readonly string[]): ConfigurationError {
  return new ConfigurationError([{
    path: "latchkey init",
    expected: `a client that ${library} supports`,
    received: `a ${isConfidential ? "confidential" : "public"} client with these values`,
    hint: notes.join(" "),
  }]);
}
