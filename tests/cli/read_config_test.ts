/** The configuration: precedence of its sources, and all issues together, each with its path and a hint. */

import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { authority } from "../server/extensions/mutual_tls/certificates.ts";
import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import type { ResolvedSettings } from "../../src/server/config/resolve_settings.ts";
import { CommandLineError } from "../../src/cli/command_line_error.ts";
import { type Configuration, describeFoundFile, readConfiguration } from "../../src/cli/read_config.ts";
import type { ProcessEnvironment } from "../../src/platform/runtime/process_environment.ts";
import { checkHealth } from "../../src/cli/check_health.ts";
import { checkApplication } from "../../src/cli/check/check_application.ts";
import { execute } from "../../src/cli/exec/execute.ts";
import { serveTools } from "../../src/cli/mcp/serve_tools.ts";
import { forEachCase } from "../kit.ts";
import { commandEnvironment } from "./command_runs.ts";
import { exampleFile } from "./example_file.ts";
import { runProgram, startProgram } from "../platform/runtime/run_program.ts";
import { foundFileIssue } from "../../src/cli/found_file.ts";
import { variableName } from "../../src/cli/environment.ts";
import { flagName } from "../../src/cli/options.ts";
import {
  describedFields,
  type OptionName,
  optionNames,
  type ProgramField,
  programFields,
} from "../../src/cli/settings.ts";
import { type StoreKinds, storeKinds } from "../../src/cli/stores.ts";
import { type LatchkeyOptions, memoryStore } from "../../src/mod.ts";
import { optionsField } from "../../src/server/hosting/options_field.ts";
import { resolveOptions } from "../../src/server/hosting/extensions.ts";
import { type ConfigIssue, ConfigurationError } from "../../src/core/rules/configuration_error.ts";
import type { Field } from "../../src/core/policy/field.ts";
import { validate } from "../../src/server/config/config_issue.ts";
import { profileNames } from "../../src/server/config/strictness.ts";
import { providerNames } from "../../src/server/config/profile_field.ts";
import type { Settings } from "../../src/server/config/settings.ts";

/** Flags, environment, a file called `latchkey.json` when there is one, and others beside it. */
interface Given {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Text, or a value that becomes JSON. */
  readonly file?: unknown;
  /** The texts of other files, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly validate?: Validate;
}

/** Finds the issuer and the issues of settings that match their description. */
type Validate = (...given: Parameters<typeof resolveOptions>) => Validated | Promise<Validated>;

type Validated = Pick<ResolvedSettings, "issuer" | "issues">;

const content: Validate = (_, issuer) => ({ issuer, issues: [] });

const resolved = await resolveOptions({}, "http://localhost:9000");

function read({ args = [], env = {}, file, files = {}, validate = content }: Given): Promise<Configuration> {
  const text = typeof file === "string" ? file : JSON.stringify(file);
  const named = file === undefined ? env : { LATCHKEY_CONFIG: "latchkey.json", ...env };
  const readTextFile = (path: string) => {
    if (path === "latchkey.json" && file !== undefined) return Promise.resolve(text);
    if (files[path] !== undefined) return Promise.resolve(files[path]);
    return Promise.reject(Object.assign(new Error(`cannot open ${path}`), { code: "ENOENT" }));
  };
  const resolve = async (...settings: Parameters<Validate>) => {
    const { issuer, issues } = await validate(...settings);
    return { ...resolved, issuer, issues };
  };
  return readConfiguration({ args, env: named, readTextFile, resolve });
}

async function run(given: Given): Promise<Configuration & { kind: "run" }> {
  const configuration = await read(given);
  assert(configuration.kind === "run");
  return configuration;
}

async function faultsOf(given: Given): Promise<readonly ConfigIssue[]> {
  return (await assertRejects(() => read(given), ConfigurationError)).issues;
}

/** An issue in short: its path, and words that it must contain. */
type Short = readonly [place: string, ...words: string[]];

async function assertFaults(given: Given, expected: readonly Short[]): Promise<void> {
  const faults = await faultsOf(given);
  assertEquals(faults.map(({ path }) => path).sort(), expected.map(([place]) => place).sort());
  for (const [place, ...words] of expected) {
    const logged = faults.filter((fault) => fault.path === place).map(format).join("\n");
    for (const word of words) assertStringIncludes(logged, word);
  }
  for (const fault of faults) {
    assert(fault.expected !== "" && fault.received !== "" && /[.?]$/.test(fault.hint), format(fault));
  }
}

function format({ path, expected, received, hint }: ConfigIssue): string {
  return `${path}: expected ${expected}; found ${received}; ${hint}`;
}

const memory = { kind: "memory", location: "", displayLocation: "memory, lost when the server stops", options: {} };

function sqlite(location: string, durability = "process") {
  return { kind: "sqlite", location, displayLocation: location, options: { durability } };
}

/** The defaults. */
const untold: Run = {
  ...Object.fromEntries(
    Object.entries<Field>(programFields).flatMap(([name, { default: value }]) =>
      value === undefined ? [] : [[name, value]]
    ),
  ) as unknown as Run,
  kind: "run",
  settings: {},
  resolved,
  store: memory,
  isLogChosen: false,
  tls: undefined,
  warnings: [],
};

test("without flags, environment and file every setting has its default", async () => {
  assertEquals(await read({}), untold);
});

type Run = Configuration & { kind: "run" };

/** A setting of the walk: a value and another one as texts, what the configuration has, and wrong texts. */
interface Walked {
  readonly texts?: readonly [value: string, other: string];
  readonly get?: (config: Run) => unknown;
  readonly expected?: unknown;
  readonly wrong?: readonly string[];
}

/** What does not follow from the field. */
const walked: Partial<Readonly<Record<OptionName, Walked>>> = {
  host: { texts: ["fe80::1%eth0", "0.0.0.0"], wrong: ["localhost:9000", "http://localhost", "a b", "[::1]", "a/b"] },
  tls: { texts: ["self-signed", "self-signed"] },
  user: { texts: ["bob", "carol"], wrong: ["a b", "ü"] },
  issuerHosts: { texts: ["latchkey", "idp"], wrong: ["http://oidc:9000"] },
  profile: { texts: ["okta", "oidc"], wrong: ["oktaa"] },
  mcpServer: { texts: ["/mcp", "/tools"], wrong: ["mcp", "/a b"] },
  scenario: {
    texts: ["provider-down-30s", "user-removed:bob"],
    get: ({ scenarios }) => scenarios?.map(({ name }) => name),
    wrong: ["provider-dwn-30s"],
  },
  store: {
    texts: ["sqlite:C:\\a b.db?durability=power", "memory"],
    get: ({ store: { kind, location, options } }) => [kind, location, options],
    expected: ["sqlite", "C:\\a b.db", { durability: "power" }],
    wrong: [
      "redis",
      "sqlite",
      "sqlite:",
      "sqlite:?durability=power",
      "sqlite:x?durability=full",
      "sqlite:x?",
      "Memory",
    ],
  },
};

/** The settings that any text is a value of, alone or together with another one. */
const anyText: readonly OptionName[] = ["config", "tlsCert", "tlsKey", "issuer", "trustProxy"];

function textsOf({ type, min = 0, choices = [], examples, items }: Field): readonly [value: string, other: string] {
  if (type === "integer") return [String(min + 1), String(min + 2)];
  if (type === "boolean") return ["on", "off"];
  const [value = "", other = value] = items === undefined
    ? [...choices, ...examples] as string[]
    : examples[0] as string[];
  return [value, other];
}

function wrongTextsOf({ type, max = 0 }: Field): readonly string[] {
  if (type === "integer") {
    return ["-1", "1.5", "0x50", "abc", " 80", "1e3", String(max + 1), "99999999999999999999", "９０"];
  }
  return type === "boolean" ? ["true", "no", "x"] : ["nonsense", "A b"];
}

const walk = optionNames.map((name) => {
  const field: ProgramField = describedFields[name];
  const { texts = textsOf(field), wrong = wrongTextsOf(field), ...others } = walked[name] ?? {};
  return { name, field, flag: `--${flagName(name)}`, variable: variableName(name), texts, wrong, ...others };
});

/** The value of a text in a configuration file; the text, if it is none. */
function inFile({ type, items }: Field, text: string): unknown {
  if (type === "integer") return /^-?[\d.]+$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "on" || text !== "off" && text;
  return items === undefined ? text : text.split(",");
}

/** Scenarios need the control. */
const base = { control: true };

test("of every setting, a flag counts before the variable, the variable before the file, the file before the default", async () => {
  const cases = walk.filter(({ name }) => !["config", "tlsCert", "tlsKey", "signingKey", "control"].includes(name));
  await forEachCase(cases, async ({ name, field, flag, variable, texts: [text, other], ...given }) => {
    const { get = (config) => ({ ...config.settings, ...config })[name as keyof Run], expected = inFile(field, text) } =
      given;
    const file = { ...base, [name]: inFile(field, other) };
    const files = { "/run/value": `${text}\n` };
    const sources: readonly Given[] = [
      { args: [flag, text], env: { [variable]: other }, file },
      { args: [`${flag}=${text}`], file },
      { env: { [variable]: text }, file },
      ...field.flag === "FILE" ? [] : [{ env: { [`${variable}_FILE`]: "/run/value" }, file, files }],
      { env: { [variable]: "" }, file: { ...base, [name]: inFile(field, text) } },
    ];
    for (const source of sources) assertEquals(get(await run(source)), expected, JSON.stringify(source));
    assertEquals(get(await run({ file: base })), get(untold), "default");
  });
});

test("a wrong value of every setting is one error with its place, by flag, by variable and in the file", async () => {
  const cases = walk.filter(({ name }) => !anyText.includes(name))
    .flatMap(({ wrong, ...one }) => wrong.map((text) => ({ ...one, text })));
  await forEachCase(cases, async ({ name, field, flag, variable, text }) => {
    await assertFaults({ args: [flag, text], file: base }, [[flag]]);
    await assertFaults({ args: [`${flag}=${text}`], file: base }, [[flag]]);
    await assertFaults({ env: { [variable]: text }, file: base }, [[variable]]);
    const element = name === "issuerHosts" ? "[0]" : "";
    await assertFaults({ file: { ...base, [name]: inFile(field, text) } }, [[`latchkey.json: ${name}${element}`]]);
    const files = { "/run/value": `.${text}` };
    const filed = await faultsOf({ env: { [`${variable}_FILE`]: "/run/value" }, files, file: base });
    assertEquals(filed.map(({ path }) => path), [`${variable}_FILE`]);
  });
});

test("the misspelt name of every setting gets a suggestion, as do the words for it, whose values are valid", async () => {
  await forEachCase(walk.filter(({ name }) => name !== "config"), async ({ name, flag, variable, field }) => {
    const misspelt = name.replace(/(.)(.)$/, "$2$1");
    await assertFaults({ args: [`--${flagName(misspelt)}`, "x"] }, [[
      `--${flagName(misspelt)}`,
      `Did you mean ${flag}?`,
    ]]);
    await assertFaults({ file: { [misspelt]: "x" } }, [[`latchkey.json: ${misspelt}`, `Did you mean ${name}?`]]);
    const { warnings } = await run({ env: { [`LATCHKEY_${misspelt}`]: "x" } });
    assertStringIncludes(warnings[0]!.message, `Did you mean ${variable}?`);
    for (const [word, value] of Object.entries(field.words ?? {})) {
      const [{ hint } = { hint: "" }] = await faultsOf({ args: [`--${flagName(word)}`] });
      const [, text] = new RegExp(`^Did you mean ${flag}(?: (.+))?\\?$`).exec(hint)!;
      assertEquals(text === undefined, value === undefined);
      if (text !== undefined) await run({ args: [flag, text] });
    }
  });
});

test("--config overrides LATCHKEY_CONFIG, and the file is read once", async () => {
  const paths: string[] = [];
  const sources = {
    env: { LATCHKEY_CONFIG: "variable.json" },
    readTextFile: (path: string) => Promise.resolve(`{ "audience": ${JSON.stringify(paths.push(path) && path)} }`),
  };
  for (const [args, audience] of [[["--config", "flag.json"], "flag.json"], [[], "variable.json"]] as const) {
    const configuration = await readConfiguration({ ...sources, args });
    assert(configuration.kind === "run");
    assertEquals(configuration.settings.audience, audience);
  }
  assertEquals(paths, ["flag.json", "variable.json"]);
});

test("a leading -- is dropped, and an empty variable counts as absent", async () => {
  assertEquals((await run({ args: ["--", "--port", "0"] })).port, 0);
  assertEquals((await run({ args: ["--"] })).port, 9000);
  const empty = { LATCHKEY_PORT: "", LATCHKEY_HOTS: "", LATCHKEY_STORE: undefined, OTHER: "x", latchkey_port: "x" };
  assertEquals((await run({ env: empty })).port, 9000);
});

test("an error in an overridden source is reported too", async () => {
  await assertFaults({ args: ["--port", "1"], env: { LATCHKEY_PORT: "x" }, file: { port: "y" } }, [
    ["LATCHKEY_PORT", `"x"`],
    ["latchkey.json: port", `"y"`],
  ]);
});

const flagFaults: readonly [string, readonly string[], readonly Short[]][] = [
  ["an unknown flag", ["--verbose"], [["--verbose", "found --verbose", "Did you mean --log text?"]]],
  ["words for settings of the file", ["--cors", "--redirect-uri=x", "--users=x", "--lifetimes=x"], [
    ["--cors", 'write "allowedOrigins"'],
    ["--redirect-uri", 'write "clients"'],
    ["--users", "In the configuration file, write users."],
    ["--lifetimes", "In the configuration file, write lifetimes."],
  ]],
  ["a switch that is turned off", ["--no-inspector", "--control", "false", "--faults=no"], [
    ["--no-inspector", "Did you mean --inspector off?"],
    ["--control", "Write it like --control off."],
    ["--faults", "Write it like --faults off."],
  ]],
  ["a word without meaning", ["--wheel"], [["--wheel", "latchkey --help lists the flags."]]],
  ["a near miss, whose value is no second fault", ["--prot", "1"], [["--prot", "Did you mean --port?"]]],
  ["a switch without a value", ["--control"], [["--control", "Write it like --control on."]]],
  ["another letter case", ["--Issuer=x"], [["--Issuer", "Did you mean --issuer?"]]],
  ["a negation", ["--no-port"], [["--no-port", "found --no-port"]]],
  ["short flags", ["-p", "x", "-abc"], [["-abc", "found -abc"], ["--port", "a whole number"]]],
  ["prototype names", ["--constructor", "--__proto__=1", "--toString"], [
    ["--constructor"],
    ["--__proto__"],
    ["--toString"],
  ]],
  ["a lone dash", ["-"], [["command line", "argument 1"]]],
  ["positional arguments", ["nonsense", "--port", "1", "now"], [["command line", `"nonsense"`, "takes only flags"], [
    "command line",
    "argument 4",
  ]]],
  ["positional arguments after --", ["--port", "1", "--", "--help"], [["command line", "argument 4 (hidden)"]]],
  ["a misspelt command, whose words are no further faults", ["hash_pasword", "hunter2"], [
    ["command line", "Did you mean hash-password?"],
  ]],
  ["a misspelt command with a URL and a flag", ["chek", "http://a.test/login", "--only", "keys"], [
    ["command line", "Did you mean check?"],
  ]],
  ["no value at the end", ["--port"], [["--port", "no value", "--port 9000"]]],
  ["no value before a flag", ["--port", "--host", "a.test"], [["--port", "no value"]]],
  ["no value before --", ["--host", "--"], [["--host", "no value"]]],
  ["an empty value", ["--issuer=", "--store", ""], [["--issuer", "no value"], ["--store", "no value"]]],
  ["a flag given twice", ["--port", "1", "--port=1"], [["--port", "once", "2 times"]]],
  ["a flag given thrice, once wrongly", ["--port=1", "--port=x", "--port"], [["--port", "3 times"]]],
  ["a value for --help", ["--help=hunter2"], [["--help", "hidden", "alone"]]],
  ["several together", ["--prot", "1", "x", "--host", "a b", "--config"], [
    ["--prot"],
    ["command line"],
    ["--host"],
    ["--config", "no value"],
  ]],
  ["a name that a terminal would obey", ["--\u001b[31mred"], [["--…"]]],
  ["a secret in an unknown flag", ["--client-secret=hunter2", "--secret", "hunter2"], [
    ["--client-secret"],
    ["--secret"],
  ]],
  ["a secret in an argument", ["client_secret=hunter2"], [["command line", "(hidden)"]]],
  ["a secret in a flag of one letter", ["-phunter2", "-shunter2"], [["-p…"], ["-s…"]]],
  ["a secret behind a colon, or behind nothing", ["--store:postgres://as:hunter2@db", "--storepostgres://hunter2@db"], [
    ["--store…", "Did you mean --store?"],
    ["--storepostgres…"],
  ]],
  ["a password that the shell has cut in two", ["--store", "postgres://latchkey:pa", "hunter2@host/db"], [
    ["--store", '"postgres:…"', "Percent-encode"],
    ["command line", "quote the whole value"],
  ]],
];

for (const [title, args, faults] of flagFaults) {
  test(`command line: ${title}`, async () => {
    await assertFaults({ args }, faults);
    assert(!(await faultsOf({ args })).map(format).join().includes("hunter2"));
  });
}

const variableFaults: readonly [string, Readonly<Record<string, string>>, readonly Short[]][] = [
  ["a file that is not there", { LATCHKEY_STORE_FILE: "none" }, [
    ["LATCHKEY_STORE_FILE", "no file at this path", "that LATCHKEY_STORE_FILE names"],
  ]],
  ["a value and the file of one", { LATCHKEY_STORE: "memory", LATCHKEY_STORE_FILE: "none" }, [
    ["LATCHKEY_STORE_FILE", "LATCHKEY_STORE as well", "Unset one of them."],
  ]],
  ["the file of a path", { LATCHKEY_CONFIG_FILE: "a", LATCHKEY_TLS_KEY_FILE: "b" }, [
    ["LATCHKEY_CONFIG_FILE", "Call it LATCHKEY_CONFIG."],
    ["LATCHKEY_TLS_KEY_FILE", "Call it LATCHKEY_TLS_KEY."],
  ]],
];

for (const [title, env, faults] of variableFaults) {
  test(`environment: ${title}`, async () => {
    await assertFaults({ env }, faults);
    assert(!(await faultsOf({ env })).map(format).join().includes("hunter2"));
  });
}

const variableWarnings: readonly [string, Readonly<Record<string, string>>, readonly Short[]][] = [
  ["an unknown variable", { LATCHKEY_COLOUR: "x" }, [[
    "LATCHKEY_COLOUR",
    "unknown",
    "latchkey --help lists all variables",
  ]]],
  ["a flag that is no variable", { LATCHKEY_HELP: "1" }, [["LATCHKEY_HELP"]]],
  ["prototype names", { LATCHKEY_CONSTRUCTOR: "1", LATCHKEY___PROTO__: "1", LATCHKEY_: "1" }, [
    ["LATCHKEY___PROTO__", "unknown"],
    ["LATCHKEY_CONSTRUCTOR, LATCHKEY_", "Unset them: latchkey --help"],
  ]],
  ["a secret", { LATCHKEY_CLIENT_SECRET: "hunter2" }, [["LATCHKEY_CLIENT_SECRET"]]],
  ["the file of nothing that is known", { LATCHKEY_COLOUR_FILE: "a" }, [["LATCHKEY_COLOUR_FILE", "unknown"]]],
  ["a setting of the file", { LATCHKEY_LIFETIMES: "60" }, [["LATCHKEY_LIFETIMES", "Did you mean lifetimes in the"]]],
  ["a letter that is missing", { LATCHKEY_LOGN: "auto" }, [["LATCHKEY_LOGN", "Did you mean LATCHKEY_LOGIN?"]]],
  ["the misspelt file of a value", { LATCHKEY_STROE_FILE: "hunter2" }, [
    ["LATCHKEY_STROE_FILE", "Did you mean LATCHKEY_STORE_FILE?"],
  ]],
  ["the misspelt file of a path", { LATCHKEY_TLS_KYE_FILE: "a" }, [
    ["LATCHKEY_TLS_KYE_FILE", "Did you mean LATCHKEY_TLS_KEY?"],
  ]],
  ["what Kubernetes sets for a service", {
    LATCHKEY_PORT: "tcp://10.0.0.1:9000",
    LATCHKEY_SERVICE_HOST: "10.0.0.1",
    LATCHKEY_SERVICE_PORT_HTTP: "9000",
    LATCHKEY_PORT_9000_TCP_ADDR: "10.0.0.1",
    LATCHKEY_STORE_PORT_5432_TCP: "tcp://10.0.0.3:5432",
  }, [[
    "LATCHKEY_PORT, LATCHKEY_PORT_9000_TCP_ADDR, LATCHKEY_SERVICE_HOST, " +
    "LATCHKEY_SERVICE_PORT_HTTP, LATCHKEY_STORE_PORT_5432_TCP",
    "enableServiceLinks: false",
  ]]],
];

for (const [title, env, expected] of variableWarnings) {
  test(`[OP-07] environment: ${title} is ignored with a warning`, async () => {
    const { warnings, ...rest } = await run({ env });
    assertEquals({ ...rest, warnings: [] }, untold);
    assertEquals(warnings.map(({ path }) => path), expected.map(([path]) => path));
    for (const [i, [, ...words]] of expected.entries()) {
      for (const word of words) assertStringIncludes(warnings[i]!.message, word);
    }
    assert(!JSON.stringify(warnings).includes("hunter2"));
  });
}

test("[OP-07] the port that Kubernetes sets leaves that of the file in effect, and the file of one", async () => {
  const env = { LATCHKEY_PORT: "tcp://10.0.0.1:9000" };
  assertEquals((await run({ env, file: { port: 8080 } })).port, 8080);
  assertEquals((await run({ env: { ...env, LATCHKEY_PORT_FILE: "port" }, files: { port: "8081" } })).port, 8081);
});

test("[OP-07] errors that may follow from a misspelt variable are reported with its warning", async () => {
  const error = await assertRejects(
    () => read({ args: ["--port=x"], env: { LATCHKEY_LOGNI: "hunter2" } }),
    ConfigurationError,
  );
  assertStringIncludes(
    error.message,
    "LATCHKEY_LOGNI (warning)\n  Ignored: this variable is unknown. Did you mean LATCHKEY_LOGIN?",
  );
  assert(!error.message.includes("hunter2"));
});

test("the error of a variable whose file is empty, or whose database URL has a password, hides the value", async () => {
  const env = { LATCHKEY_STORE_FILE: "/run/store" };
  await assertFaults({ env, files: { "/run/store": "\n" } }, [["/run/store", "an empty file"]]);
  const url = "postgres://as:hunter2@db/latchkey?schema=as";
  const { store } = await run({ env, files: { "/run/store": `${url}\r\n` } });
  assert(store.kind === "postgres");
  assertEquals([store.location.includes("hunter2"), store.displayLocation], [true, "postgres://db/latchkey"]);
});

test("[OP-08] errors show only the scheme of a store and the length of a file's content", async () => {
  const stores = [
    ["postgres://latchkey:hunter2", `"postgres:…" (hidden)`],
    ["postgres://latchkey:pa hunter2@host/db", `"postgres:…" (hidden)`],
    ["redis://default:hunter2/with#hash", `"redis:…" (hidden)`],
    ["postgres://latchkey@host/db?password=hunter2", `"postgres:…" (hidden)`],
    [" postgres://as:hunter2@db/latchkey", "a string (hidden)"],
    ["postgres://as:hunter2@db/latchkey x", `"postgres:…" (hidden)`],
    ["hunter2", "a string (hidden)"],
    ["hunter2:x", "a string (hidden)"],
    ["mysql://hunter2@db", `"mysql:…" (hidden)`],
  ] as const;
  for (const [store, found] of stores) {
    const ways: readonly (readonly [Given, string, string])[] = [
      [{ args: ["--store", store] }, "--store", found],
      [{ env: { LATCHKEY_STORE: store } }, "LATCHKEY_STORE", found],
      [{ file: { store } }, "latchkey.json: store", found],
      [
        { env: { LATCHKEY_STORE_FILE: "/run/store" }, files: { "/run/store": store } },
        "LATCHKEY_STORE_FILE",
        `${store.length} characters (hidden)`,
      ],
    ];
    for (const [given, place, found] of ways) {
      await assertFaults(given, [[place, found]]);
      assert(!(await faultsOf(given)).map(format).join().includes("hunter2"), store);
    }
  }
  const env = { LATCHKEY_PORT_FILE: "/run/key", LATCHKEY_ISSUER_FILE: "/run/key" };
  const files = { "/run/key": "hunter2-the-password" };
  const given = { env: { LATCHKEY_PORT_FILE: "/run/key" }, files };
  await assertFaults(given, [["LATCHKEY_PORT_FILE", "20 characters (hidden)"]]);
  assert(!(await faultsOf({ env, files, validate: resolveOptions })).map(format).join().includes("hunter2"));
});

test("[OP-08] a secret instead of a name is not repeated: the path of a file, a variable, keys", async () => {
  const pem = "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----";
  const client = (client_secret: unknown) => ({ file: { clients: [{ client_id: "web", client_secret }] } });
  const cases: readonly Given[] = [
    { env: { LATCHKEY_STORE_FILE: "postgres://as:hunter2@db/latchkey" } },
    { env: { LATCHKEY_STORE_FILE: "hunter2" } },
    { env: { LATCHKEY_TLS_KEY: pem, LATCHKEY_TLS_CERT: pem } },
    { file: { tlsKey: pem, tlsCert: pem } },
    { args: ["--config", `{"clients":[{"client_secret":"hunter2"}]}`] },
    client({ file: "hunter2" }),
    client({ env: "hunter2" }),
    client({ env: "hunter2-and/more" }),
    { file: { clients: [{ client_id: "web", jwks: `{"keys":[{"d":"hunter2"}]}` }] } },
    {
      file: { clients: [{ client_id: "web", jwks: { keys: ["hunter2", { d: "hunter2" }] } }] },
      validate: resolveOptions,
    },
    { file: { issuer: "https://latchkey:hunter2@as.example" }, validate: resolveOptions },
    { file: { issuer: "https://as.example?client_secret=hunter2" }, validate: resolveOptions },
    { args: ["--issuer", "ftp://latchkey:hun hunter2@as.example"], validate: resolveOptions },
    {
      file: { clients: [{ client_id: "web", redirect_uris: ["ftp://as:hunter2@a.example/#"] }] },
      validate: resolveOptions,
    },
    { file: { users: [{ sub: "a", password: "$2b$12$hunter2" }] }, validate: resolveOptions },
    {
      file: { issuer: "https://as.widgets.com", users: [{ sub: "a", password: "hunter2" }] },
      validate: resolveOptions,
    },
    { file: { registration: { initialAccessTokens: ["hunter2"] } }, validate: resolveOptions },
    { file: { registration: { initialAccessTokens: [["hunter2"]] } } },
    { file: { registration: { initialAccessTokens: "hunter2" } } },
    { file: { registration: { initialAccessTokens: [{ env: "hunter2" }] } } },
  ];
  for (const given of cases) {
    const logged = (await faultsOf(given)).map(format).join("\n");
    assert(!/hunter2/.test(logged), logged);
  }
  assertStringIncludes((await faultsOf(client({ env: "WEB_SECRET" }))).map(format).join(), "WEB_SECRET");
  assertStringIncludes((await faultsOf(client({ file: "/run/secrets/web" }))).map(format).join(), "/run/secrets/web");
});

const confidential = { client_id: "web", redirect_uris: ["https://web.example/cb"] };
const digest = "$scrypt$ln=15,r=8,p=3$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo";

test("a secret of the configuration may be in a variable, or in its own file", async () => {
  const users = [{ sub: "a", password: { env: "A_PASSWORD" } }];
  const file = {
    clients: [
      { ...confidential, client_secret: { env: "WEB_SECRET" } },
      { ...confidential, client_id: "two", client_secret: { file: "/run/two" } },
    ],
    users,
    registration: { initialAccessTokens: ["a-long-token-of-the-file", { env: "TOKEN" }, { file: "/run/token" }] },
  };
  const env = { WEB_SECRET: "hunter2 ", A_PASSWORD: digest, TOKEN: "a-long-token-elsewhere" };
  const files = { "/run/two": "hunter3\n", "/run/token": "a-long-token-in-a-file\n" };
  const { settings } = await run({ file, env, files, validate: resolveOptions });
  const tokens = ["a-long-token-of-the-file", "a-long-token-elsewhere", "a-long-token-in-a-file"];
  assertEquals((settings as LatchkeyOptions).registration, { initialAccessTokens: tokens });
  const { clients } = settings;
  assertEquals(clients !== "any" && clients?.map((one) => one.client_secret), ["hunter2 ", "hunter3"]);
  assertEquals(settings.users, [{ sub: "a", password: digest }]);
});

test("the certificate of an authority may be in its own file", async () => {
  const file = { mutualTls: { authorities: [{ file: "ca.pem" }] } };
  const { settings } = await run({ file, files: { "ca.pem": `${authority}\n` }, validate: resolveOptions });
  assertEquals((settings as LatchkeyOptions).mutualTls, { authorities: [authority] });
});

test("a missing initial access token, or authority, is one error at its path", async () => {
  for (
    const [name, file] of [
      ["registration.initialAccessTokens[0]", { registration: { initialAccessTokens: [{ env: "MISSING" }] } }],
      ["mutualTls.authorities[0]", { mutualTls: { authorities: [{ env: "MISSING" }] } }],
    ] as const
  ) {
    await assertFaults({ file, validate: resolveOptions }, [[`latchkey.json: ${name}`, "no such variable"]]);
  }
});

test("a client of a missing authority is no second error, and another authority keeps its place", async () => {
  const client = {
    client_id: "api",
    token_endpoint_auth_method: "tls_client_auth",
    grant_types: ["client_credentials"],
  };
  const clients = [{ ...client, tls_client_auth_san_dns: "api.test" }];
  const given = (...authorities: unknown[]) => ({
    file: { clients, mutualTls: { authorities } },
    validate: resolveOptions,
  });
  const [first, second] = [0, 1].map((i) => `latchkey.json: mutualTls.authorities[${i}]`) as [string, string];
  await assertFaults(given({ file: "ca.pem" }), [[first, "ca.pem to contain a certificate", "no file at this path"]]);
  await assertFaults(given({ env: "CA" }), [[first, "the environment variable CA to contain a certificate"]]);
  await assertFaults(given({ file: "ca.pem" }, "?"), [[first, "no file"], [second, "the certificate of an authority"]]);
});

test("a missing secret is one error at its path, with a fix", async () => {
  const at = "latchkey.json: clients[0].client_secret";
  const given = (client_secret: unknown) => ({
    file: { clients: [{ ...confidential, client_secret, token_endpoint_auth_method: "client_secret_jwt" }] },
    env: { EMPTY: "" },
    files: { "/run/empty": "" },
    validate: resolveOptions,
  });
  await assertFaults(given({ env: "NONE" }), [[at, "the environment variable NONE", "no such variable"]]);
  await assertFaults(given({ env: "EMPTY" }), [[at, "an empty variable", "Set the variable"]]);
  // The environment of Node and Bun is an object with a prototype.
  for (const env of ["constructor", "toString", "__proto__"]) {
    await assertFaults(given({ env }), [[at, "no such variable"]]);
  }
  await assertFaults(given({ file: "/run/none" }), [[at, "/run/none to contain it", "no file at this path", "names"]]);
  await assertFaults(given({ file: "/run/empty" }), [[at, "an empty file"]]);
  for (const odd of [{ env: 1 }, { env: "A", file: "b" }, { value: "hunter2" }, {}, ["hunter2"]]) {
    await assertFaults(given(odd), [[at, `{ "env": NAME }`, "(hidden)"]]);
  }
  const password = { file: { users: [{ sub: "a", password: { env: "NONE" } }] }, validate: resolveOptions };
  await assertFaults(password, [["latchkey.json: users[0].password", "no such variable"]]);
});

test("a certificate and its key are read from their files, and each missing one is reported", async () => {
  const files = { "a.pem": "A", "b.pem": "B", "c.pem": "C" };
  const file = { tlsCert: "a.pem", tlsKey: "b.pem" };
  assertEquals((await run({ file, files })).tls, { cert: "A", key: "B" });
  assertEquals((await run({ file, files, env: { LATCHKEY_TLS_KEY: "c.pem" } })).tls, { cert: "A", key: "C" });
  assertEquals((await run({ file, files, args: ["--tls-cert", "c.pem"] })).tls, { cert: "C", key: "B" });
  await assertFaults({ args: ["--tls-cert", "a.pem"], files }, [[
    "--tls-cert",
    "the certificate alone",
    "private key",
  ]]);
  await assertFaults({ file: { tlsKey: "a.pem" }, files }, [["latchkey.json: tlsKey", "the key alone", "certificate"]]);
  await assertFaults({ args: ["--tls-cert=x.pem", "--tls-key=y.pem"], files }, [
    ["x.pem", "no file at this path", "that --tls-cert names"],
    ["y.pem", "no file at this path", "that --tls-key names"],
  ]);
});

test("with a certificate the issuer that follows the port is validated as https", async () => {
  const issuers: string[] = [];
  const validate: Validate = (_, issuer) => (issuers.push(issuer), { issuer, issues: [] });
  await run({ args: ["--tls-cert=a", "--tls-key=a", "--port=9443"], files: { a: "A" }, validate });
  assertEquals(issuers, ["https://localhost:9443"]);
});

test("[HT-17] the flag, the variable and the setting that the message about a host of one network names all work", async () => {
  const args = ["--issuer", "http://dex.auth.svc:5556"];
  const error = await assertRejects(() => run({ args, validate: resolveOptions }), ConfigurationError);
  assertEquals(error.issues.map(({ path }) => path), ["--issuer"]);
  const [, setting, flag, name, value] =
    /^If .*? setting issuerHosts: (\[.*?\]), as a flag (.*?), as a variable (\w+)=(.*?)\. /.exec(
      error.issues[0]!.hint,
    )!;
  const { settings } = await run({ args: [...args, ...flag!.split(" ")], validate: resolveOptions });
  assertEquals(settings.issuerHosts, ["dex.auth.svc"]);
  await run({ args, env: { [name!]: value }, validate: resolveOptions });
  await run({ args, file: { issuerHosts: JSON.parse(setting!) }, validate: resolveOptions });
});

test("[OP-07] a remote database without TLS is a warning, unless sslmode=disable confirms it", async () => {
  const warned = async (store: string) =>
    (await run({ args: ["--store", store] })).warnings.map(({ path, message }) => {
      assert(!message.includes("hunter2"));
      return [path, /are sent to (\S+) without TLS/.exec(message)?.[1]];
    });
  for (const base of ["postgres://u:hunter2@db.example/x", "postgresql://u:hunter2@10.0.0.7:5432/x?schema=a"]) {
    const mark = base.includes("?") ? "&" : "?";
    assertEquals(await warned(base), [["--store", new URL(base).hostname]]);
    for (const stated of ["sslmode=verify-full", "sslmode=require", "sslrootcert=/ca.pem", "sslmode=disable"]) {
      assertEquals(await warned(base + mark + stated), []);
    }
  }
  assertEquals(await warned("redis://u:hunter2@cache.example"), [["--store", "cache.example"]]);
  const near = ["localhost/x", "127.0.0.1:5432/x", "[::1]/x", "%2Fvar%2Frun/x"].map((rest) =>
    `postgres://u:hunter2@${rest}`
  );
  const quiet = [...near, "rediss://u:hunter2@cache.example", "redis://localhost", "sqlite:x.db", "memory"];
  for (const store of quiet) assertEquals(await warned(store), [], store);
  const [warning] = (await run({ file: { store: "redis://cache.example" } })).warnings;
  assertEquals(warning!.path, "store");
});

test("an invalid proxy address is reported with its source", async () => {
  const validate = resolveOptions;
  await assertFaults({ args: ["--trust-proxy", "10.0.0.1,proxy.test"], validate }, [["--trust-proxy", `"proxy.test"`]]);
  await assertFaults({ env: { LATCHKEY_TRUST_PROXY: "10.0.0.0/33" }, validate }, [["LATCHKEY_TRUST_PROXY", "/33"]]);
  await assertFaults({ file: { trustProxy: ["::1", "*"] }, validate }, [["latchkey.json: trustProxy[1]", `"*"`]]);
  await run({ args: ["--trust-proxy", "10.0.0.1, fd00::/8"], validate });
});

// Every setting, with values of the wrong type and what is expected instead.
const client = { client_id: "a", redirect_uris: ["https://a.example/cb"] };
const strings = [1, true, null, [], {}];
const flags = [1, "true", null, [], {}];
const lists = [1, "x", true, null, {}];
const objects = [1, "x", true, null, []];
const wholes = [0, -1, 1.5, 1e300, "300", "5m", true, null, [], {}];
const wrongTypes: readonly [string, readonly unknown[], string, (value: unknown) => unknown][] = [
  ["$schema", strings, "a string", ($schema) => ({ $schema })],
  ["issuer", strings, "a string", (issuer) => ({ issuer })],
  ["port", [-1, 65536, 1.5, "9000", true, null, [], {}], "a whole number from 0 to 65535", (port) => ({ port })],
  ["host", strings, "a host name or address", (host) => ({ host })],
  ["login", [...strings, "Auto", "Interactive"], `"auto" or "interactive"`, (login) => ({ login })],
  ["clients", lists, "an array of clients", (clients) => ({ clients })],
  ["clients[1]", objects, "an object", (it) => ({ clients: [client, it] })],
  ["users", lists, "an array of users", (users) => ({ users })],
  ["users[0]", objects, "an object", (it) => ({ users: [it] })],
  ["users[0].sub", strings, "a string", (sub) => ({ users: [{ sub }] })],
  ["users[1].name", strings, "a string", (name) => ({ users: [{ sub: "a" }, { sub: "b", name }] })],
  ["users[0].email", strings, "a string", (email) => ({ users: [{ sub: "a", email }] })],
  ["users[0].password", strings, "a password or its scrypt digest", (it) => ({ users: [{ sub: "a", password: it }] })],
  ["scopes", lists, "an array of strings", (scopes) => ({ scopes })],
  ["scopes[1]", strings, "a string", (it) => ({ scopes: ["a", it] })],
  ["defaultScope", strings, "a string of space-separated scope values", (defaultScope) => ({ defaultScope })],
  [
    "alg",
    [...strings, "rs256", "HS256", "none"],
    `"RS256", "ES256", "EdDSA", "Ed25519", "ML-DSA-44", "ML-DSA-65" or "ML-DSA-87"`,
    (alg) => ({ alg }),
  ],
  ["audience", strings, "a string", (audience) => ({ audience })],
  ["lifetimes", objects, "an object", (lifetimes) => ({ lifetimes })],
  ["lifetimes.code", wholes, "a whole number of seconds", (code) => ({ lifetimes: { code } })],
  ["lifetimes.access_token", wholes, "a whole number of seconds", (it) => ({ lifetimes: { access_token: it } })],
  ["lifetimes.id_token", wholes, "a whole number of seconds", (it) => ({ lifetimes: { id_token: it } })],
  ["pkce", objects, "an object", (pkce) => ({ pkce })],
  ["pkce.requireMethod", flags, "true or false", (requireMethod) => ({ pkce: { requireMethod } })],
  ["pkce.requireForConfidential", flags, "true or false", (it) => ({ pkce: { requireForConfidential: it } })],
  ["throttle", flags, "true or false", (throttle) => ({ throttle })],
  ["trustProxy", lists, "an array of strings", (trustProxy) => ({ trustProxy })],
  ["proxyHeader", [...strings, "Forwarded"], `"x-forwarded-for" or "forwarded"`, (it) => ({ proxyHeader: it })],
  ["log", [...strings, "Text"], `"text", "json" or "off"`, (log) => ({ log })],
  ["tlsCert", strings, "a string", (tlsCert) => ({ tlsCert })],
  ["tlsKey", strings, "a string", (tlsKey) => ({ tlsKey })],
  [
    "mcpServer",
    [...strings, "mcp", "/", "/a/", "/*", "/a?b"],
    "a path of letters and digits",
    (it) => ({ mcpServer: it }),
  ],
  ["maxInFlight", [0, 1.5, 1e7, "1", null, []], "a whole number from 1 to 1000000", (it) => ({ maxInFlight: it })],
  ["user", [...strings, "", "a b"], "the sub of a user", (user) => ({ user })],
  ["drain", [-1, 1.5, 3601, "10s", null, {}], "whole seconds from 0 to 3600", (drain) => ({ drain })],
  ["insecure", [true, "auto-login", null, {}], "an array", (insecure) => ({ insecure })],
  ["insecure[0]", [...strings, "autologin"], `"http-issuer", "http-redirect-uris"`, (it) => ({ insecure: [it] })],
  ["store", strings, `"memory"`, (store) => ({ store })],
];
const clientTypes: readonly [string, readonly unknown[], string][] = [
  ["client_id", strings, "a string"],
  ["client_secret", strings, "a string"],
  ["client_secret_expires_at", [-1, 1.5, "0", true, null, [], {}], "a whole number of seconds since 1970"],
  ["client_name", strings, "a string"],
  ["redirect_uris", lists, "an array of strings"],
  ["token_endpoint_auth_method", [...strings, "certificate"], `"client_secret_basic", "client_secret_post", `],
  ["grant_types", lists, "an array of strings"],
  ["response_types", lists, "an array of strings"],
  ["scope", [...strings, ["openid"]], "a string of space-separated scope values"],
  [
    "id_token_signed_response_alg",
    [...strings, "none"],
    `"RS256", "ES256", "EdDSA", "Ed25519", "ML-DSA-44", "ML-DSA-65" or "ML-DSA-87"`,
  ],
  ["require_pkce", flags, "true or false"],
  ["default_max_age", [-1, 1.5, "0", true, null, [], {}], "a whole number of seconds, at least 0"],
  ["require_auth_time", flags, "true or false"],
  ["application_type", [...strings, "mobile"], `"web" or "native"`],
  ["client_uri", strings, "a string"],
  ["logo_uri", strings, "a string"],
  ["policy_uri", strings, "a string"],
  ["tos_uri", strings, "a string"],
  ["contacts", lists, "an array of strings"],
];

test("a value of the wrong type is one error at its path, for every key at every level", async () => {
  for (const [place, values, expected, wrap] of wrongTypes) {
    for (const value of values) {
      await assertFaults({ file: wrap(value) }, [[`latchkey.json: ${place}`, `expected ${expected}`, "Write it like"]]);
    }
  }
  for (const [key, values, expected] of clientTypes) {
    for (const value of values) {
      const place = `latchkey.json: clients[1].${key}`;
      await assertFaults({ file: { clients: [client, { ...client, [key]: value }] } }, [[place, expected]]);
    }
    if (!expected.startsWith("an array")) continue;
    const place = `latchkey.json: clients[0].${key}[1]`;
    await assertFaults({ file: { clients: [{ ...client, [key]: ["a", 2] }] } }, [[place, "a string", "found 2"]]);
  }
});

test("a list of users in user, and keys of other products, get the name of the key that they stand for", async () => {
  await assertFaults({ file: { user: [{ sub: "a" }] } }, [["latchkey.json: user", "Or did you mean users?"]]);
  await assertFaults({ file: { requirePKCE: true } }, [["latchkey.json: requirePKCE", 'Write "pkce": {']]);
});

test("a missing required key is reported with an example", async () => {
  await assertFaults({ file: { clients: [{}], users: [{ sub: "a" }, { name: "B" }] } }, [
    ["latchkey.json: clients[0].client_id", "found nothing", `Add it, like "client_id": "web".`],
    ["latchkey.json: users[1].sub", "found nothing", `Add it, like "sub": "alice".`],
  ]);
});

const unknownKeys: readonly [string, unknown, readonly Short[]][] = [
  [
    "all together",
    { a1: 1, b2: 2, lifetimes: { c3: 3, d4: 4 }, pkce: { e5: 5 }, clients: [{ ...client, f6: 6 }] },
    [
      ["latchkey.json: a1", `found "a1"`, "Remove it; no key here has a similar name: there are "],
      ["latchkey.json: b2"],
      ["latchkey.json: lifetimes.c3", "known keys here are code, device_code, access_token, id_token"],
      ["latchkey.json: lifetimes.d4"],
      ["latchkey.json: pkce.e5"],
      ["latchkey.json: clients[0].f6"],
    ],
  ],
  ["near misses", {
    ports: 1,
    default_scope: "read",
    lifetimes: { accessToken: 1 },
    pkce: { "require-method": true },
    clients: [{ ...client, redirect_uri: "x", clientName: "x", client_secert: "hunter2" }],
  }, [
    ["latchkey.json: ports", "Did you mean port?"],
    ["latchkey.json: default_scope", "Did you mean defaultScope?"],
    ["latchkey.json: lifetimes.accessToken", "Did you mean access_token?"],
    ["latchkey.json: pkce.require-method", "Did you mean requireMethod?"],
    ["latchkey.json: clients[0].redirect_uri", "Did you mean redirect_uris?"],
    ["latchkey.json: clients[0].clientName", "Did you mean client_name?"],
    ["latchkey.json: clients[0].client_secert", "Did you mean client_secret?"],
  ]],
  ["no suggestion where nothing is near", { aud: 1, x: 1, "": 1, ["p".repeat(5000)]: 1 }, [
    ["latchkey.json: aud", "Remove it"],
    ["latchkey.json: x", "Remove it"],
    [`latchkey.json: [""]`, "Remove it"],
    [`latchkey.json: ["${"p".repeat(100)}…"]`, "Remove it"],
  ]],
  [
    "names that every object inherits",
    `{ "__proto__": {}, "constructor": 1, "prototype": 1, "toString": 1, "hasOwnProperty": 1,
       "lifetimes": { "__proto__": 1, "constructor": 1 }, "clients": [{ "client_id": "a", "valueOf": 1 }] }`,
    [
      ["latchkey.json: __proto__"],
      ["latchkey.json: constructor"],
      ["latchkey.json: prototype"],
      ["latchkey.json: toString"],
      ["latchkey.json: hasOwnProperty"],
      ["latchkey.json: lifetimes.__proto__"],
      ["latchkey.json: lifetimes.constructor"],
      ["latchkey.json: clients[0].valueOf"],
    ],
  ],
  ["names that a terminal would obey", { "a\u001b[31m\u202e": 1 }, [[`latchkey.json: ["a\\u001b[31m\\u202e"]`]]],
  ["what belongs to the command line", { config: "x", help: true }, [["latchkey.json: config"], [
    "latchkey.json: help",
  ]]],
  ["__proto__ as a claim", `{ "users": [{ "sub": "a", "__proto__": {} }] }`, [
    ["latchkey.json: users[0].__proto__", "Choose another name."],
  ]],
];

for (const [title, file, faults] of unknownKeys) {
  test(`unknown keys: ${title}`, async () => {
    await assertFaults({ file }, faults);
    assert(!(await faultsOf({ file, validate: resolveOptions })).map(format).join().includes("hunter2"));
  });
}

test("a user accepts any claim, of any name and type", async () => {
  const users = [{ sub: "a", constructor: 1, prototype: "x", toString: null, nmae: "x", address: { country: "NZ" } }];
  assertEquals((await run({ file: { users } })).settings, { users });
});

test("received values are quoted and shortened, and secrets never shown", async () => {
  const file = {
    alg: "x".repeat(1000),
    host: "a\nb\u001b[2J\u00a0c",
    clients: [
      { client_id: 1, client_secret: 123456, redirect_uris: [{ deep: "hunter2" }] },
      { client_id: "b", client_secret: ["hunter2"] },
      { client_id: "c", client_secret: { value: "hunter2" }, "my secret": "hunter2" },
      ["hunter2"],
    ],
  };
  const faults = await faultsOf({ file });
  const found = Object.fromEntries(faults.map((fault) => [fault.path.slice("latchkey.json: ".length), fault.received]));
  assertEquals(found, {
    "alg": "a string (hidden)",
    "host": `"a\\nb\\u001b[2J\\u00a0c"`,
    "clients[0].client_id": "1",
    "clients[0].client_secret": "a number (hidden)",
    "clients[0].redirect_uris[0]": "an object",
    "clients[1].client_secret": "an array (hidden)",
    "clients[2].client_secret": "an object (hidden)",
    [`clients[2]["my secret"]`]: `"my secret"`,
    "clients[3]": "an array",
  });
  const { message } = new ConfigurationError(faults);
  assert(!/hunter2|123456/.test(message));
});

/** All fields of a description, each with its path; of an array and a record the field of one element. */
function fieldsOf(field: Field, path = "", depth = 0): (readonly [path: string, field: Field])[] {
  const inner = [
    ...Object.entries(field.members ?? {}),
    ...field.items ? [["0", field.items] as const] : [],
    ...field.others ? [["other", field.others] as const] : [],
  ];
  return [
    [path, field],
    ...depth > 6 ? [] : inner.flatMap(([name, one]) => fieldsOf(one, `${path}/${name}`, depth + 1)),
  ];
}

test("a secret at a place where another type or one of a few words belongs is in no message", async () => {
  const secrets = ["S3cr3t-of-the-web-app", "web:SECRET", "SECRET", "correcthorsebatterystaple", 48151623421234];
  const all = fieldsOf(optionsField());
  assert(all.length > 200);
  let rejected = 0;
  for (const [path, field] of all) {
    const isText = (one: Field): boolean =>
      one.type === "string" && one.choices === undefined ||
      one.type === "array" && one.items !== undefined && isText(one.items);
    if (isText(field) || field.type === "any") continue;
    for (const secret of secrets) {
      for (const issue of validate(field, secret)) {
        if (field.type === "integer" && typeof secret === "number") continue;
        rejected++;
        assert(!JSON.stringify(issue).includes(String(secret)), `${path}: ${JSON.stringify(issue)}`);
      }
    }
  }
  assert(rejected > 400, String(rejected));
  // As the program prints them, by each source.
  for (const secret of ["web:SECRET", "S3cr3t-of-the-web-app"]) {
    const sources = [
      { file: { control: secret, clients: [secret], users: [secret], port: secret, login: secret, resources: secret } },
      { args: ["--control", secret, "--port", secret, "--login", secret, "--log", secret, "--max-in-flight", secret] },
      { env: { LATCHKEY_CONTROL: secret, LATCHKEY_PORT: secret, LATCHKEY_LOGIN: secret, LATCHKEY_LOG: secret } },
    ];
    for (const source of sources) {
      const faults = await faultsOf(source);
      assert(faults.length >= 4, JSON.stringify(source));
      assert(!new ConfigurationError(faults).message.includes(secret), new ConfigurationError(faults).message);
    }
  }
});

const brokenJson: readonly [string, string, ...string[]][] = [
  ["", "line 1, column 1", "the end of the text"],
  ["{", "line 1, column 2", "Close the object"],
  ["[1", "line 1, column 3", "Close the array"],
  [`{\n  "port": 1,\n}`, "line 3, column 1", `found "}"`, "Remove the comma before it."],
  [`{ "scopes": ["a",] }`, "line 1, column 18", "Remove the comma before it."],
  [`{\r\n  "port": 1\r\n  "host": "a"\r\n}`, "line 3, column 3", "Put a comma"],
  [`{\r"port" 1}`, "line 2, column 8", "colon"],
  [`{ port: 1 }`, "line 1, column 3", "double quotes"],
  [`{ 'port': 1 }`, "line 1, column 3", "double quotes"],
  [`{ "port": }`, "line 1, column 11", "Write the value"],
  [`// the port\n{ "port": 1 }`, "line 1, column 1", "Remove the comment."],
  [`{ "port": 1 /* the port */ }`, "line 1, column 13", "Remove the comment."],
  [`{ "port": 01 }`, "line 1, column 12", "a number"],
  [`{ "port": 1. }`, "line 1, column 11", "digits"],
  [`{ "throttle": True }`, "line 1, column 15", "small letters"],
  [`{ "host": "a\nb" }`, "line 1, column 11", "Close the string"],
  [`{ "host": "a\tb" }`, "line 1, column 11", "control characters"],
  [`{ "store": "sqlite:C:\\x.db" }`, "line 1, column 12", "backslash"],
  [`{ "host": "\\u12" }`, "line 1, column 11", "hexadecimal"],
  [`{ "port": 1 } }`, "line 1, column 15", "Remove the text after"],
  [`{\u00a0"port": 1 }`, "line 1, column 2", `"\\u00a0"`],
  [`\ufeff{ "port" }`, "line 1, column 10", "colon"],
  [`{ "client_secret": hunter2 }`, "line 1, column 20", "text without quotes"],
];

test("a JSON syntax error is reported with line and column, and without the content", async () => {
  for (const [file, place, ...words] of brokenJson) {
    await assertFaults({ file }, [[`latchkey.json: ${place}`, ...words]]);
    assert(!(await faultsOf({ file, validate: resolveOptions })).map(format).join().includes("hunter2"));
  }
  await assertFaults({ file: "[".repeat(200_000) }, [["latchkey.json", "Check it with a JSON editor"]]);
});

test("a key that an object of a file repeats is reported at both places", async () => {
  const file = `{\n  "clients": [{ "client_id": "a", "scope": "b" }, { "client_id": "c:\\":\\"" }],
  "port": 1,\n  "lifetimes": { "code": 1, "code": 2 },\n  "port": 2\n}`;
  await assertFaults({ file }, [
    ["latchkey.json: line 4, column 29", "each key once", '"code" again, as at line 4, column 18'],
    ["latchkey.json: line 5, column 3", '"port" again, as at line 3, column 3'],
  ]);
  const files = { "okta.json": `{ "name": "okta", "name": "other" }` };
  await assertFaults({ file: { profile: "okta.json" }, files }, [["okta.json: line 1, column 19", '"name" again']]);
  // Too deep for the parser that knows the places, before the key and after it.
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  await assertFaults({ file: `{ "x": ${deep}, "port": 1, "port": 2 }` }, [[
    "latchkey.json",
    "each key once",
    "a repeated key, in a text that is nested too deeply",
  ]]);
  await assertFaults({ file: `{ "port": 1, "port": 2, "x": ${deep} }` }, [[
    "latchkey.json: line 1, column 14",
    '"port" again',
  ]]);
});

test("a file that is JSON but no object is rejected, without its content", async () => {
  for (const [file, found] of [["[]", "an array"], [`"hunter2"`, "a string"], ["1", "a number"], ["null", "null"]]) {
    await assertFaults({ file }, [["latchkey.json", "a JSON object", `found ${found}`]]);
  }
});

test("a byte order mark is tolerated", async () => {
  assertEquals((await run({ file: `\ufeff{ "port": 1 }` })).port, 1);
});

test("a file of more than 10 MiB is rejected", async () => {
  const file = (size: number) => `{ "audience": "${"a".repeat(size)}" }`;
  await assertFaults({ file: file(10 * 1024 * 1024) }, [["latchkey.json", "at most 10 MiB", "LATCHKEY_CONFIG"]]);
  assertEquals((await run({ file: file(10 * 1024 * 1024 - 100) })).kind, "run");
});

const readErrors: readonly [unknown, ...string[]][] = [
  [Object.assign(new Error("x"), { code: "ENOENT" }), "no file at this path", "the path that --config names"],
  [Object.assign(new Error("x"), { code: "EISDIR" }), "a directory", "--config"],
  [Object.assign(new Error("x"), { code: "EACCES" }), "may not read"],
  [Object.assign(new Error("x"), { name: "NotCapable" }), "--allow-read"],
  [new Error("the disk \u001b[31mis on fire"), "the disk \\u001b[31mis on fire", "--config"],
  ["thrown text", "thrown text"],
];

test("an unreadable file is reported with the reason and the option that names it", async () => {
  for (const [error, ...words] of readErrors) {
    const readTextFile = () => Promise.reject(error);
    const reading = () => readConfiguration({ args: ["--config=my file.json"], env: {}, readTextFile });
    const { issues } = await assertRejects(reading, ConfigurationError);
    assertEquals(issues.map(({ path }) => path), ["my file.json"]);
    for (const word of words) assertStringIncludes(issues.map(format).join(), word);
  }
  await assertFaults({ env: { LATCHKEY_CONFIG: "other.json" } }, [["other.json", "that LATCHKEY_CONFIG names"]]);
});

test("a real file is read, and a missing one gives the same error on every runtime", async () => {
  const readTextFile = (path: string) => readFile(path, "utf8");
  const env = { LATCHKEY_CONFIG: "tests/config/none.json" };
  const reading = () => readConfiguration({ args: [], env, readTextFile });
  const { issues } = await assertRejects(reading, ConfigurationError);
  assertEquals(issues.map(({ path, received }) => [path, received]), [[
    "tests/config/none.json",
    "no file at this path",
  ]]);
});

test("errors of flags, environment, file and semantics are all reported together, in this order, those of the file in its order", async () => {
  const validate: Validate = (_, issuer) => ({
    issuer,
    issues: [{ path: "audience", expected: "a", received: "b", hint: "Do c." }],
  });
  const given = {
    args: ["--prot=1"],
    env: { LATCHKEY_PORT: "a" },
    file: { ports: 1, alg: "none", clients: [{}], audience: "x" },
    validate,
  };
  assertEquals((await faultsOf(given)).map(({ path }) => path), [
    "--prot",
    "LATCHKEY_PORT",
    "latchkey.json: ports",
    "latchkey.json: alg",
    "latchkey.json: clients[0].client_id",
    "latchkey.json: audience",
  ]);
});

test("a misspelt choice gets a suggestion", async () => {
  for (const login of ["Interactive", "interactve"]) {
    await assertFaults({ file: { login } }, [["latchkey.json: login", `Write it like "login": "interactive".`]]);
  }
  await assertFaults({ file: { idTokenClaims: "like userinfo" } }, [
    ["latchkey.json: idTokenClaims", `found "like userinfo"`, `Write it like "idTokenClaims": "like-userinfo".`],
  ]);
  const misspelt = { ...client, client_secret: "a secret", token_endpoint_auth_method: "client_secret_psot" };
  await assertFaults({ file: { clients: [misspelt] } }, [
    [
      "latchkey.json: clients[0].token_endpoint_auth_method",
      `Write it like "token_endpoint_auth_method": "client_secret_post".`,
    ],
  ]);
  await assertFaults({ file: { login: "password" } }, [[
    "latchkey.json: login",
    `Write it like "login": "interactive".`,
  ]]);
});

test("a misspelt scheme of a store gets the list of known ones, without the rest of the URL", async () => {
  const mistyped = [
    "postgre://u:hidden@h/d",
    "postgres//u:hidden@h/d",
    "postgres:/u:hidden@h/d",
    "Redis://h",
    "pg://h",
    "mysql://u:hidden@h/d",
  ];
  for (const store of mistyped) {
    const fix = "Begin it with postgres:// or redis://.";
    for (const from of [{ args: ["--store", store] }, { env: { LATCHKEY_STORE: store } }, { file: { store } }]) {
      const { message } = await assertRejects(() => read(from), ConfigurationError);
      assert(message.includes(fix), message);
      assert(!message.includes("hidden@"), message);
    }
  }
});

test("a store of another scheme needs one entry in the table of stores", async () => {
  const kept = memoryStore();
  const stores: StoreKinds = {
    ...storeKinds,
    test: {
      pattern: /test:\w+/,
      forms: ["test:NAME"],
      parse: (setting) => ({ location: setting.slice(5), displayLocation: setting, options: {} }),
      open: ({ location }) => Promise.resolve(location === "kept" ? kept : undefined),
    },
  };
  const readTextFile = () => Promise.resolve(`{ "store": "test:kept" }`);
  const env = { LATCHKEY_CONFIG: "latchkey.json" };
  const configuration = await readConfiguration({ args: [], env, readTextFile, stores });
  assert(configuration.kind === "run");
  const { store } = configuration;
  assertEquals([store.kind, store.displayLocation], ["test", "test:kept"]);
  assert(await stores[store.kind]!.open(store, () => {}) === kept);
  const wrong = () => readConfiguration({ args: ["--store", "test:"], env: {}, readTextFile, stores });
  assertStringIncludes((await assertRejects(wrong, ConfigurationError)).message, `"test:NAME"`);
  await assertFaults({ args: ["--store", "test:kept"] }, [["--store"]]);
});

test("the error shows every issue as a paragraph", async () => {
  const error = await assertRejects(() => read({ args: ["--port=x", "y"] }), ConfigurationError);
  assertEquals(error.name, "ConfigurationError");
  assertEquals(
    error.message,
    `The configuration has 2 issues.

command line
  Expected only flags, found a word without a flag: argument 2 (hidden).
  Remove it, put its flag in front of it, or quote the whole value.

--port
  Expected a whole number from 0 to 65535, found "x".
  Write it like --port 9000.`,
  );
  const single = await assertRejects(() => read({ args: ["y"] }), ConfigurationError);
  assert(single.message.startsWith("The configuration has 1 issue.\n\ncommand line\n"));
});

const issuerFault: Validate = (_, issuer) => ({
  issuer,
  issues: [{ path: "issuer", expected: "a", received: "b", hint: "Do c." }],
});

test("a semantic error of the issuer is reported at the source of the issuer", async () => {
  const validate: Validate = issuerFault;
  const [flag, variable, file] = ["x:flag", "x:variable", { issuer: "x:file" }];
  const env = { LATCHKEY_ISSUER: variable };
  await assertFaults({ validate, args: ["--issuer", flag], env, file }, [["--issuer"]]);
  await assertFaults({ validate, env, file }, [["LATCHKEY_ISSUER"]]);
  await assertFaults({ validate, file }, [["latchkey.json: issuer"]]);
  await assertFaults({ validate, args: ["--issuer", flag], file: { issuer: 1 } }, [["--issuer"], [
    "latchkey.json: issuer",
  ]]);
  await assertFaults({ validate, file: { issuer: 1 } }, [["latchkey.json: issuer", "a string"]]);
});

test("semantics are validated with the merged settings and the origin of the port", async () => {
  const validated: unknown[] = [];
  const validate: Validate = (settings, issuer) => (validated.push([settings, issuer]), { issuer, issues: [] });
  await run({ validate });
  await run({ validate, args: ["--port=1"] });
  await run({ validate, file: { $schema: "x", port: 2, host: "a", store: "memory", alg: "ES256" } });
  await run({ validate, args: ["--issuer=http://a.test"], file: { issuer: "http://b.test", throttle: true } });
  assertEquals(validated, [
    [{}, "http://localhost:9000"],
    [{}, "http://localhost:1"],
    [{ alg: "ES256" }, "http://localhost:2"],
    [{ issuer: "http://a.test", throttle: true }, "http://localhost:9000"],
  ]);
});

test("if one client or user has a schema error, the others are still validated", async () => {
  const http = { redirect_uris: ["http://app.real-host.net/cb"] };
  const file = {
    issuer: "https://auth.real-host.net",
    insecure: ["auto-login"],
    clients: [{ ...http, client_id: "a" }, { client_id: "b", redirect_uris: "x" }, { ...http, client_id: "b" }, 7],
    users: [{ sub: "a" }, { sub: "b", name: 1 }, { sub: "b" }, { sub: "a" }],
  };
  await assertFaults({ file, validate: resolveOptions }, [
    ["latchkey.json: clients[0].redirect_uris[0]", "https"],
    ["latchkey.json: clients[1].redirect_uris", "an array of strings"],
    ["latchkey.json: clients[2].client_id", "no other client"],
    ["latchkey.json: clients[2].redirect_uris[0]", "https"],
    ["latchkey.json: clients[3]", "an object"],
    ["latchkey.json: users[1].name", "a string"],
    ["latchkey.json: users[2].sub", "no other user"],
    ["latchkey.json: users[3].sub", "no other user"],
  ]);
});

test("if one key of a client, user or group has a schema error, its other keys are still validated", async () => {
  const file = {
    clients: [
      { client_id: "a", redirect_uri: "x", grant_types: ["implicit"], scope: "nope" },
      { client_id: "b", client_secret: 1, redirect_uris: ["https://b.example/#x"], colour: "red" },
      { client_id: "c", grant_types: "authorization_code", token_endpoint_auth_method: "none ", client_secret: "c" },
      { client_id: "d", redirect_uris: ["https://d.example/"], jwks: 1, token_endpoint_auth_method: "private_key_jwt" },
    ],
    users: [{ sub: "a", email: 1, password: "$2b$hunter2" }],
    lifetimes: { codes: 1, code: 9999, access_token: "x" },
  };
  await assertFaults({ file, validate: resolveOptions }, [
    ["latchkey.json: clients[0].redirect_uri", "Did you mean redirect_uris?"],
    ["latchkey.json: clients[0].grant_types[0]", "OAuth 2.1 has no such grant"],
    ["latchkey.json: clients[0].scope", "nope"],
    ["latchkey.json: clients[1].client_secret", "hidden"],
    ["latchkey.json: clients[1].colour", "a known key"],
    ["latchkey.json: clients[1].redirect_uris[0]", "fragment"],
    ["latchkey.json: clients[2].grant_types", "an array"],
    ["latchkey.json: clients[2].token_endpoint_auth_method", "none"],
    ["latchkey.json: clients[3].jwks", "a JWK Set"],
    ["latchkey.json: users[0].email", "a string"],
    ["latchkey.json: users[0].password", "digest"],
    ["latchkey.json: lifetimes.codes", "Did you mean code?"],
    ["latchkey.json: lifetimes.code", "600"],
    ["latchkey.json: lifetimes.access_token", "whole"],
  ]);
});

// Invalid settings whose default would cause an issue of another, valid setting.
const knockOns: readonly [string, Settings | Record<string, unknown>, readonly Short[]][] = [
  ["clients of the wrong type are not the demo clients", {
    issuer: "https://auth.real-host.net",
    insecure: ["auto-login"],
    clients: {},
  }, [["latchkey.json: clients"]]],
  ["a misspelt key is not a missing one", {
    issuer: "https://auth.real-host.net",
    insecure: ["auto-login"],
    clinets: [client],
  }, [["latchkey.json: clinets", "Did you mean clients?"]]],
  ["an invalid list is not empty", {
    issuer: "http://auth.real-host.net",
    clients: [{ client_id: "a", redirect_uris: ["http://app.real-host.net/"] }],
    insecure: ["auto-login", "http-redirect-uri"],
  }, [["latchkey.json: insecure[1]", "http-redirect-uris"]]],
  ["scope values are not compared with invalid scopes", {
    scopes: ["a", 1],
    defaultScope: "b",
    clients: [{ ...client, scope: "c" }],
  }, [["latchkey.json: scopes[1]"]]],
  ["a misspelt key beside the right one hides nothing", { alg: "RS256", algs: 1, defaultScope: "nope" }, [
    ["latchkey.json: algs", "Did you mean alg?"],
    ["latchkey.json: defaultScope"],
  ]],
];

for (const [title, file, faults] of knockOns) {
  test(`no error is reported twice: ${title}`, async () => {
    await assertFaults({ file, validate: resolveOptions }, faults);
  });
}

test("an issuer without its scheme is one issue, and not that of a real host", async () => {
  for (const issuer of ["localhost:9000", "localhost", "auth.example.com"]) {
    await assertFaults({ args: ["--issuer", issuer], validate: resolveOptions }, [[
      "--issuer",
      "http://localhost:9000",
    ]]);
  }
  await assertFaults({ args: ["--issuer", "http://example.com"], validate: resolveOptions }, [
    ...[["--issuer", "https"], ["clients"], ["login"]] as const,
  ]);
});

test("an issuer that is no URL is an issue also with the URL of a proxy", async () => {
  const file = { issuer: "https://a b", frontChannelUrl: "https://login.example.com" };
  await assertFaults({ file, validate: resolveOptions }, [["latchkey.json: issuer", "an absolute https URL"]]);
});

test("if the file cannot be read, only the other sources are validated", async () => {
  const issuer = "http://auth.real-host.net/?";
  for (const file of ["{", "[]"]) {
    const faults = await faultsOf({ file, args: ["--issuer", issuer], validate: resolveOptions });
    assertEquals(faults.map(({ path }) => path.replace(/: line.*/, "")), ["latchkey.json", "--issuer"]);
    assert(!faults.map(format).join().includes("to insecure"));
  }
  await assertFaults({ args: ["--config"], env: { LATCHKEY_CONFIG: "none.json" }, validate: resolveOptions }, [[
    "--config",
  ]]);
});

test("a complete file is read unchanged", async () => {
  const settings = {
    issuer: "http://localhost:9000",
    login: "auto",
    clients: [{
      client_id: "web",
      client_secret: "s",
      client_name: "Web",
      redirect_uris: ["http://localhost:3000/cb"],
      token_endpoint_auth_method: "client_secret_basic",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      scope: "openid read",
    }],
    users: [{ sub: "alice", name: "Alice", email: "a@example.com" }],
    scopes: ["openid", "read"],
    alg: "RS256",
    lifetimes: { code: 300, access_token: 3600 },
  };
  const file = { $schema: "./config.schema.json", ...settings, store: "memory" };
  assertEquals<unknown>(await read({ file, validate: resolveOptions }), {
    ...untold,
    settings,
    configSource: { name: "latchkey.json", isFound: false },
    file: { path: "latchkey.json", text: JSON.stringify(file) },
  });
});

test("--help, --version, --licenses and --schema take precedence, and read no file", async () => {
  for (
    const args of [["--help"], ["--prot", "--help", "--port"], ["--config", "none.json", "--help"], ["--", "--help"]]
  ) {
    assertEquals((await read({ args, env: { LATCHKEY_HOTS: "x" } })).kind, "help");
  }
  assertEquals(await read({ args: ["x", "--version", "--help"], env: { LATCHKEY_CONFIG: "none.json" } }), {
    kind: "version",
  });
  assertEquals(await read({ args: ["--licenses", "--prot"], env: { LATCHKEY_CONFIG: "none.json" } }), {
    kind: "licenses",
  });
  assertEquals(await read({ args: ["--schema", "--port", "x"], env: { LATCHKEY_CONFIG: "none.json" } }), {
    kind: "schema",
  });
  await assertFaults({ args: ["--schema=x"] }, [["--schema", "no value", "Write --schema alone."]]);
});

test("latchkey.json in the working directory is read if nothing else is named, with the paths in it", async () => {
  const folder = {
    "latchkey.json": JSON.stringify({ port: 9100, control: true, scenario: ["./gone.json"] }),
    "gone.json": JSON.stringify({ name: "gone", does: "Nothing is left.", steps: [{ verb: "keys.rotate" }] }),
    "other.json": JSON.stringify({ port: 9200 }),
  };
  const found = await run({ files: folder });
  assertEquals([found.port, found.scenarios?.length], [9100, 1]);
  assertEquals(found.configSource, { name: "latchkey.json", isFound: true });
  const cases: readonly (readonly [Pick<Given, "args" | "env">, port: number, source?: string])[] = [
    [{ args: ["--config", "none"] }, 9000],
    [{ env: { LATCHKEY_CONFIG: "none" } }, 9000],
    [{ args: ["--config", "none"], env: { LATCHKEY_CONFIG_JSON: '{"port":9300}' } }, 9000],
    [{ args: ["--config", "none"], env: { LATCHKEY_CONFIG: "other.json" } }, 9000],
    [{ args: ["--config", "other.json"] }, 9200, "other.json"],
    [{ env: { LATCHKEY_CONFIG: "other.json" } }, 9200, "other.json"],
    [{ env: { LATCHKEY_CONFIG_JSON: '{"port":9300}' } }, 9300, "LATCHKEY_CONFIG_JSON"],
    [{ args: ["--config", "latchkey.json"] }, 9100, "latchkey.json"],
  ];
  for (const [given, port, name] of cases) {
    const { configSource, ...others } = await run({ files: folder, ...given });
    assertEquals([others.port, configSource], [port, name === undefined ? undefined : { name, isFound: false }]);
  }
  assertEquals((await run({ files: folder, args: ["--port", "9400"] })).port, 9400);
});

test("a latchkey.json that stops the start is named with its fix, and with a start without it", async () => {
  const readable = (text: string) => () => Promise.resolve(text);
  const unreadable = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
  for (
    const [readTextFile, message] of [
      [readable("{ broken"), /^latchkey\.json/m],
      [readable("[]"), /^latchkey\.json\n {2}Expected a JSON object/m],
      [readable('{ "prot": 9100 }'), /^latchkey\.json: prot[^]*Did you mean port\?/m],
      [readable('{ "clients": [{ "client_id": 7 }] }'), /^latchkey\.json: clients\[0\]\.client_id/m],
      [unreadable("EACCES"), /^latchkey\.json\n.*a file that this user may not read/m],
      [unreadable("EISDIR"), /^latchkey\.json\n.*found a directory\.\n {2}Let --config name the file in it\./m],
    ] as const
  ) {
    const error = await assertRejects(() => readConfiguration({ args: [], env: {}, readTextFile }), ConfigurationError);
    assertMatch(error.message, message);
    assertMatch(error.message, /it is read; --config none starts without it\.$/);
    const without = await readConfiguration({ args: ["--config", "none"], env: {}, readTextFile });
    assertEquals(without.kind, "run");
  }
  // Deno may not look for it.
  const denied = Object.assign(new Error("Requires read access"), { name: "NotCapable" });
  const started = await readConfiguration({ args: [], env: {}, readTextFile: () => Promise.reject(denied) });
  assert(started.kind === "run");
  assertEquals(started.configSource, undefined);
});

test("a latchkey.json that nobody named is a regular file that no other user may write, of at most 5 MB", async () => {
  const write = (file: string, content = '{ "port": 9100 }', mode = 0o600) => {
    writeFileSync(file, content);
    chmodSync(file, mode);
  };
  const isRoot = process.getuid!() === 0;
  /** What makes the file, and what is found if it is not read. */
  const cases: readonly (readonly [name: string, make: (file: string) => void, found?: string])[] = [
    ["private", (file) => write(file)],
    ["readable by all", (file) => write(file, undefined, 0o644)],
    ["a link to a private file", (file) => (write(`${file}.own`), symlinkSync("latchkey.json.own", file))],
    ["of this size", (file) => write(file, '{ "port": 9100 }'.padEnd(5 * 1024 * 1024))],
    ["writable by the group", (file) => write(file, undefined, 0o620), "one that others may write"],
    ["too large", (file) => write(file, '{ "port": 9100 }'.padEnd(6 * 1024 * 1024)), "6.0 MB"],
    ["a pipe", (file) => execFileSync("mkfifo", [file]), "a named pipe"],
    ["a device", (file) => symlinkSync("/dev/zero", file), "a device or socket"],
    ["a directory", (file) => mkdirSync(file), "a directory"],
    ...isRoot
      ? [[
        "of another user",
        (file: string) => (write(file), chownSync(file, 65_534, 0)),
        "a file of the user 65534",
      ]] as const
      : [],
    ["writable by all", (file) => write(file, undefined, 0o602), "one that others may write"],
  ];
  const folder = await mkdtemp(join(tmpdir(), "latchkey-"));
  const file = join(folder, "latchkey.json");
  await forEachCase(cases, ([, make, found]) => {
    rmSync(file, { recursive: true, force: true });
    make(file);
    assertEquals(foundFileIssue(file)?.received, found);
  });
  // The program reads the last one only if it is named.
  const start = { cwd: folder, env: {}, readsFolder: true };
  const { code, stderr } = await runProgram(start);
  assertEquals(code, 1);
  assertMatch(stderr, /found one that others may write/);
  const { signal, exited } = await startProgram({ ...start, args: ["--config", "latchkey.json", "--port", "0"] });
  signal("SIGTERM");
  await exited;
  await rm(folder, { recursive: true });
});

test("placeholders of a realm are replaced if the file is named; if it is found, the start says that they stay", async () => {
  const clients = [{ clientId: "shop", redirectUris: ["http://localhost:3000/${DEPLOY_TOKEN}"] }];
  const realm = JSON.stringify({ realm: "shop", clients });
  const given = { files: { "latchkey.json": realm }, env: { DEPLOY_TOKEN: "hunter2" }, validate: resolveOptions };
  const found = await run(given);
  assert(!JSON.stringify([found.settings, found.warnings]).includes("hunter2"));
  assertMatch(describeFoundFile(found.configSource)!, /without variables for its placeholders/);
  const named = await run({ ...given, args: ["--config", "latchkey.json"] });
  assertStringIncludes(JSON.stringify(named.settings), "hunter2");
  const plain = await run({ ...given, files: { "latchkey.json": '{ "port": 9100 }' } });
  assert(!describeFoundFile(plain.configSource)!.includes("placeholders"));
});

test("each command with a server reads latchkey.json of the working directory", async () => {
  const commands: Readonly<Record<string, (args: readonly string[], environment: ProcessEnvironment) => unknown>> = {
    check: (args, environment) =>
      checkApplication(["http://localhost:1/login", ...args], environment, () => Promise.resolve("")),
    exec: (args, environment) => execute([...args, "--", "true"], environment, () => Promise.resolve("")),
    health: (args, environment) => checkHealth({ ...environment, args }, () => Promise.reject(new Error("none"))),
    mcp: (args, environment) => serveTools(args, environment, () => Promise.resolve("")),
  };
  const { env: { LATCHKEY_CONFIG_JSON: _, ...env }, ...environment } = commandEnvironment([]);
  const readTextFile = () => Promise.resolve('{ "prot": 9100 }');
  for (const [name, command] of Object.entries(commands)) {
    const { message } = await assertRejects(
      async () => void await command([], { ...environment, env, readTextFile }),
      ConfigurationError,
    );
    assertStringIncludes(message, "latchkey.json: prot", name);
  }
});

test("LATCHKEY_CONFIG_JSON is the content of a file, which a flag for a file overrides", async () => {
  const LATCHKEY_CONFIG_JSON = JSON.stringify({ audience: "https://api.example", port: 9100 });
  const { settings, port, warnings } = await run({ env: { LATCHKEY_CONFIG_JSON } });
  assertEquals([settings.audience, port, warnings], ["https://api.example", 9100, []]);
  assertEquals((await run({ env: { LATCHKEY_CONFIG_JSON, LATCHKEY_PORT: "9200" } })).port, 9200);
  const byFile = { files: { "other.json": "{}" }, args: ["--config", "other.json"] };
  assertEquals((await run({ env: { LATCHKEY_CONFIG_JSON }, ...byFile })).port, 9000);
  await assertFaults({ env: { LATCHKEY_CONFIG_JSON, LATCHKEY_CONFIG: "other.json" }, ...byFile, args: [] }, [
    ["LATCHKEY_CONFIG_JSON", "one of the two", "LATCHKEY_CONFIG as well"],
  ]);
  await assertFaults({ env: { LATCHKEY_CONFIG_JSON: `{"port": "x", "prot": 1}` } }, [
    ["LATCHKEY_CONFIG_JSON: port", "a whole number"],
    ["LATCHKEY_CONFIG_JSON: prot", "port"],
  ]);
  await assertFaults({ env: { LATCHKEY_CONFIG_JSON: "{" } }, [["LATCHKEY_CONFIG_JSON: line 1, column 2", "JSON"]]);
});

test("a digest in the file must be one of scrypt, and any other one is rejected without being repeated", async () => {
  await run({ file: { users: [{ sub: "a", password: digest }] }, validate: resolveOptions });
  const dear = ["ln=15,r=8,p=17", "ln=17,r=9,p=1", "ln=31,r=8,p=1", "ln=9,r=8,p=1", "ln=15,r=0,p=1", "ln=15,r=8,p=0"];
  const wrong = [
    "$2b$12$hunter2",
    "",
    "scrypt:hunter2",
    `${digest}=`,
    `${digest}\n`,
    digest.slice(1),
    "$scrypt$ln=15,r=8,p=3$AAAA$AAAA",
  ];
  for (const password of [...wrong, ...dear.map((cost) => digest.replace("ln=15,r=8,p=3", cost))]) {
    const given = { file: { users: [{ sub: "a", password }] }, validate: resolveOptions };
    await assertFaults(given, [["latchkey.json: users[0].password", "scrypt digest", "latchkey hash-password"]]);
    const logged = (await faultsOf(given)).map(format).join();
    assert(password === "" || !logged.includes(password), logged);
  }
});

test("login by flag or variable overrides the file, and its error names the source", async () => {
  const file = { login: "auto", issuer: "https://auth.corp.com", clients: [], users: [{ sub: "a" }] };
  assertEquals((await run({ file, args: ["--login", "interactive"] })).settings.login, "interactive");
  await assertFaults({ file, env: { LATCHKEY_LOGIN: "auto" }, validate: resolveOptions }, [[
    "LATCHKEY_LOGIN",
    "interactive",
  ]]);
  await assertFaults({ file, args: ["--login=interactive"], validate: resolveOptions }, [
    ["latchkey.json: users[0].password", "open-login"],
  ]);
});

test("the help names every flag and variable, once, and fits 60 lines of 80 columns", async () => {
  const help = await read({ args: ["--help"] });
  assert(help.kind === "help");
  for (const { flag, variable } of walk) assertMatch(help.text, new RegExp(`^ {2}${flag} .* ${variable} `, "m"));
  for (const name of [...profileNames, ...providerNames]) assertStringIncludes(help.text, name);
  for (const line of help.text.split("\n")) assert(line.length <= 80 && line === line.trimEnd(), line);
  assert(help.text.endsWith("\n") && !help.text.endsWith("\n\n"));
  assert(help.text.split("\n").length <= 61, help.text);
  assertEquals(help.text.match(/^ {2}--[a-z-]+ \S+ +LATCHKEY_/gm)?.length, optionNames.length);
});

test("a file with the usual members is valid", async () => {
  const configuration = await run({ file: exampleFile, validate: resolveOptions });
  assertEquals(configuration.store, sqlite("latchkey.db"));
});

test("profiles are names and files, in a list, and a file is relative to the file that names it", async () => {
  const own = { name: "ours", issuerPath: "/ours" };
  const files = {
    "conf/latchkey.json": JSON.stringify({ profile: ["okta", "./ours.json"] }),
    "conf/ours.json": JSON.stringify(own),
    "ours.json": JSON.stringify({ ...own, name: "other" }),
  };
  const config = ["--config", "conf/latchkey.json"];
  assertEquals((await run({ args: config, files, validate: resolveOptions })).settings.profile, ["okta", own]);
  const flag = await run({ args: [...config, "--profile", "oidc,./ours.json"], files });
  assertEquals(flag.settings.profile, ["oidc", { ...own, name: "other" }]);
  const variable = await run({ env: { LATCHKEY_PROFILE: "keycloak" }, validate: resolveOptions });
  assertEquals(variable.settings.profile, "keycloak");
});

test("an unknown profile and an invalid file of a profile stop the start", async () => {
  const files = { "a.json": "{", "b.json": "[]", "c.json": `{ "name": "c", "issuerPath": "/c//", "clients": [] }` };
  await assertFaults({ args: ["--profile=oktaa"], files }, [["--profile", "Did you mean okta?"]]);
  await assertFaults({ args: ["--profile=oidc,oktaa"], files }, [["--profile", 'found "oktaa"', "Did you mean okta?"]]);
  await assertFaults({ args: ["--profile", "hunter2-hunter2-hunter2"], files }, [["--profile", "(hidden)"]]);
  await assertFaults({ file: { profile: ["oidc", "oktaa"] } }, [["latchkey.json: profile[1]", `"okta"`]]);
  await assertFaults({ args: ["--profile=none.json"], files }, [["none.json", "no file at this path"]]);
  await assertFaults({ args: ["--profile=a.json"], files }, [["a.json: line 1, column 2"]]);
  await assertFaults({ file: { profile: ["./b.json", "c.json"] }, files, validate: resolveOptions }, [
    ["b.json", "a JSON object"],
    ["c.json: clients", "a known key"],
    ["c.json: issuerPath", "a path such as"],
  ]);
  await assertFaults({ file: { profile: ["okta", "okta"] }, validate: resolveOptions }, [
    ["latchkey.json: profile[1]", "each profile once"],
  ]);
});

test("the configuration is read without any package but jose, which the core needs", async () => {
  const seen = new Set<string>();
  const visit = async (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    const source = await readFile(path, "utf8");
    for (const [, specifier = ""] of source.matchAll(/^(?:import|export)\s(?!type\b)[^;]*?from "([^"]+)";$/gm)) {
      if (specifier.startsWith("jose/")) continue;
      assert(specifier.startsWith("."), `${path} imports ${specifier}`);
      await visit(new URL(specifier, `file:///${path}`).pathname.slice(1));
    }
  };
  await visit("src/cli/read_config.ts");
  assert(seen.has("src/server/config/config_issue.ts"));
});

test("[CL-01, CL-05] the claims settings come from the file, and their errors name the path in it", async () => {
  const settings = {
    claims: { groups: ["groups"], "urn:x:y": ["dept"] },
    unmappedClaims: "none",
    idTokenClaims: "like-userinfo",
    accessTokenClaims: ["roles"],
    resources: [{ uri: "https://api.example", access_token_claims: ["dept"] }],
    defaultScope: "openid groups",
  };
  assertEquals((await run({ file: settings, validate: resolveOptions })).settings, settings as Settings);
  await assertFaults({
    file: {
      claims: { groups: "groups", profile: [7], email: [[]], "a b": ["x"] },
      unmappedClaims: "all",
      idTokenClaims: true,
      accessTokenClaims: { roles: true },
      defaultScope: "groups",
      resources: [{ uri: "https://api.example", access_token_claims: "x" }],
    },
    validate: resolveOptions,
  }, [
    [
      "latchkey.json: claims.groups",
      "expected an array of strings",
      'found "groups"',
      `Write it like "groups": ["groups"].`,
    ],
    ["latchkey.json: claims.profile[0]", "expected a string", "found 7"],
    ["latchkey.json: claims.email[0]", "expected a string", "found an array"],
    [`latchkey.json: claims["a b"]`, "a scope value"],
    ["latchkey.json: unmappedClaims", `expected "openid" or "none"`],
    ["latchkey.json: idTokenClaims", `expected "minimal" or "like-userinfo"`],
    ["latchkey.json: accessTokenClaims", "expected an array of strings"],
    ["latchkey.json: resources[0].access_token_claims", "expected an array of strings"],
  ]);
  for (const claims of [[], "groups", 1, null]) {
    await assertFaults({ file: { claims } }, [["latchkey.json: claims", "expected an object of arrays of strings"]]);
  }
  await assertFaults({ file: `{"claims":{"__proto__":["x"]}}` }, [["latchkey.json: claims.__proto__", "another name"]]);
  await assertFaults({ file: { claims: { profile: ["x", "aud"], "a b": [] } }, validate: resolveOptions }, [
    ["latchkey.json: claims.profile[1]", `found "aud"`, "Reserved: iss, sub, aud"],
    [`latchkey.json: claims["a b"]`, "a scope value"],
  ]);
});

test("[OP-05] --tls self-signed needs no files; if both are named, the first start writes them", async () => {
  const { tls, settings } = await run({ args: ["--tls", "self-signed"] });
  assertEquals([tls, settings.issuer], ["self-signed", undefined]);
  const folder = await Deno.makeTempDir();
  const paths = { tlsCert: `${folder}/cert.pem`, tlsKey: `${folder}/key.pem` };
  const args = ["--tls", "self-signed", "--tls-cert", paths.tlsCert, "--tls-key", paths.tlsKey];
  const { tls: make } = await run({ args });
  assert(typeof make === "function");
  const pair = await make(["idp.test"]);
  const files = { [paths.tlsCert]: pair.cert, [paths.tlsKey]: pair.key };
  for (const [path, text] of Object.entries(files)) assertEquals(await Deno.readTextFile(path), text);
  assertEquals((await run({ args, files })).tls, pair);
  // Neither file is replaced.
  await assertRejects(() => make([]), CommandLineError);
  await assertFaults({ args, files: { [paths.tlsCert]: pair.cert } }, [[paths.tlsKey, "no file at this path"]]);
  await assertFaults({ args: args.slice(0, 4) }, [["--tls-cert", "the certificate alone"]]);
  await Deno.remove(folder, { recursive: true });
});

test("an issue of the file shows its lines with a caret, and no value that its message does not have", async () => {
  const lines = [
    "{",
    `  "prot": 9000,`,
    `  "clients": [{ "client_id": "web", "client_secrt": "hunter2",`,
    `\t"redirect_uris": ["https://a.example/cb", "/cb"] }] // hunter2`,
    "}",
  ];
  const excerpts = async (file: string) =>
    (await faultsOf({ file, validate: resolveOptions })).map(({ excerpt }) => excerpt?.split("\n"));
  const withoutComment = lines.join("\r\n").replace(" // hunter2", "");
  assertEquals(await excerpts(withoutComment), [
    [
      "latchkey.json:2:3",
      "  1 | {",
      `> 2 |   "prot": …,`,
      "    |   ^",
      `  3 |   "clients": [{ "client_id": "…", "client_secrt": "…",`,
    ],
    [
      "latchkey.json:3:37",
      `  2 |   "prot": …,`,
      `> 3 |   "clients": [{ "client_id": "…", "client_secrt": "…",`,
      "    |                                   ^",
      `  4 |  "redirect_uris": ["…", "/cb"] }]`,
    ],
    [
      "latchkey.json:4:44",
      `  3 |   "clients": [{ "client_id": "…", "client_secrt": "…",`,
      `> 4 |  "redirect_uris": ["…", "/cb"] }]`,
      "    |                         ^",
      "  5 | }",
    ],
  ]);
  assertEquals(await excerpts(lines.join("\n")), [[
    "latchkey.json:4:54",
    `  3 |   "clients": [{ "client_id": "…", "…": "…",`,
    `> 4 |  "redirect_uris": ["…", "…"] }] …`,
    "    |                                 ^",
    "  5 | }",
  ]]);
  const mixed = `{ "port": 9000, "login": "auto", "alg": 7, "controlSecret": 12345678, "audience": "hunter2",
"prot": 1 }`;
  assertEquals(
    (await excerpts(mixed)).at(-1)![1],
    `  1 | { "port": 9000, "login": "auto", "alg": 7, "controlSecret": …, "audience": "…",`,
  );
  const [flagIssue] = await faultsOf({ file: "{}", args: ["--port", "x"] });
  assertEquals(flagIssue!.excerpt, undefined);
});

test("an issuer of this machine with another port than the listener is a warning, unless a proxy is trusted", async () => {
  const warned = async (file: object) => (await run({ file })).warnings.map(({ path }) => path);
  const issuer = "http://localhost:9000";
  assertEquals(await warned({ issuer, port: 9100 }), ["latchkey.json: issuer"]);
  for (const file of [{ issuer }, { issuer, port: 0 }, { issuer, port: 9100, trustProxy: ["127.0.0.1"] }]) {
    assertEquals(await warned(file), []);
  }
  assertEquals(await warned({ issuer: "https://as.example", port: 9100 }), []);
});
