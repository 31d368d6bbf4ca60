/** `latchkey init`: its questions, its flags, and the settings for each library. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { libraries } from "../../src/devtools/connect/client_snippets/libraries.ts";
import { clientSnippets } from "../../src/devtools/connect/client_snippets/mod.ts";
import { type InitActions, initialize } from "../../src/cli/init.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { importRealm } from "../../src/cli/realm/import_realm.ts";
import { CommandLineError } from "../../src/cli/command_line_error.ts";
import type { ClientMetadata } from "../../src/mod.ts";
import { hostileTexts } from "../devtools/connect/client_snippets.ts";
import { basic } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";

/** What a run asked, printed and wrote. */
interface Outcome {
  readonly code: number;
  readonly questions: readonly string[];
  readonly output: string;
  /** The file, if it was written. */
  readonly file?: string;
}

const describeClient: InitActions["describeClient"] = async (settings, clientId, secret = "") => {
  await using as = await latchkey(settings);
  const urls = {
    issuer: as.issuer,
    authorize: `${as.issuer}/authorize`,
    token: `${as.issuer}/token`,
    userinfo: `${as.issuer}/userinfo`,
  };
  return clientSnippets(urls, as.clients.known().get(clientId)!, { secret });
};

/** Runs the command. Without inputs there is no terminal; after the last input the input ends. */
async function init(args: readonly string[], inputs?: readonly string[], existing?: string): Promise<Outcome> {
  const questions: string[] = [];
  const lines: string[] = [];
  let file = existing;
  const log = console.log;
  const error = console.error;
  console.log = console.error = (line) => void lines.push(line);
  try {
    const environment = {
      env: {},
      mainModule: "/usr/bin/latchkey",
      readTextFile: () => file === undefined ? Promise.reject(new Error("no such file")) : Promise.resolve(file),
    };
    const code = await initialize(args, environment, {
      ...inputs !== undefined && {
        ask: (question) => Promise.resolve(inputs[questions.push(question) - 1]),
      },
      createPrivateFile(path, text) {
        assertEquals(path, args.includes("--output") ? args[args.indexOf("--output") + 1] : "latchkey.json");
        file = text;
        return Promise.resolve(true);
      },
      randomSecret: () => "the-new-secret",
      describeClient,
    });
    return { code, questions, output: lines.join("\n"), file };
  } finally {
    console.log = log;
    console.error = error;
  }
}

/** The message of the rejection; the command writes nothing. */
async function rejection(args: readonly string[], inputs?: readonly string[], existing?: string): Promise<string> {
  return (await assertRejects(() => init(args, inputs, existing), CommandLineError)).message;
}

test("it asks three questions, with the defaults of the library, and says what it expects after wrong input", async () => {
  const { code, questions, output, file } = await init([], ["sprung boot", "Spring", "", "secret", "pub"]);
  assertEquals(code, 0);
  assertEquals(questions.map((question) => /^\w+/.exec(question)![0]), [
    "Library",
    "Library",
    "Redirect",
    "Client",
    "Client",
  ]);
  assertStringIncludes(output, "Expected one of openid-client, oauth4webapi, Auth.js");
  assertStringIncludes(output, 'received "sprung boot". Did you mean Spring Boot?');
  assertStringIncludes(output, 'Expected confidential or public, received "secret".');
  assertEquals(questions[2], "Redirect URI [http://localhost:8080/login/oauth2/code/latchkey]: ");
  assertStringIncludes(output, "A server that starts in this folder reads it:\n\n  latchkey\n");
  assertStringIncludes(output, `issuer-uri: "\${OIDC_ISSUER:http://localhost:9000}"`);
  assertEquals(output.includes("client_secret"), false);
  assertEquals(JSON.parse(file!).clients, [{
    client_id: "app",
    redirect_uris: ["http://localhost:8080/login/oauth2/code/latchkey"],
    grant_types: ["authorization_code", "refresh_token"],
  }]);
});

test("--output names another file, and the command that reads it", async () => {
  const { output } = await init(["--output", "my app.json"]);
  assertStringIncludes(output, "This starts a server with it:\n\n  latchkey --config 'my app.json'\n");
});

test("a library has the names of the pages and of frameworks, and its usual callbacks are all registered", async () => {
  for (const name of ["Auth.js", "auth.js", "authjs", "next-auth", "nextjs"]) {
    const { file } = await init(["--library", name]);
    const { redirect_uris } = JSON.parse(file!).clients[0];
    assertEquals(redirect_uris.map((uri: string) => new URL(uri).pathname), [
      "/api/auth/callback/latchkey",
      "/auth/callback/latchkey",
      "/auth/callback/latchkey",
    ]);
  }
  for (const { library, name, aliases = [] } of libraries) {
    for (const written of [library, name, ...aliases]) {
      assertStringIncludes((await init(["--library", written])).output, `${library} (`);
    }
  }
});

test("it says what an invalid redirect URI lacks, and asks again", async () => {
  const { code, questions, output, file } = await init([], ["go", "localhost", "http://localhost:8080/cb", ""]);
  assertEquals([code, questions.length], [0, 4]);
  assertEquals(questions[1], questions[2]);
  assertStringIncludes(output, 'Expected an absolute URI, received "localhost". Begin it with https://');
  assertEquals(JSON.parse(file!).clients[0].redirect_uris, ["http://localhost:8080/cb"]);
});

test("a flag replaces its question; without a terminal the library decides the rest", async () => {
  const { questions } = await init(["--library=go", "--public"], [""]);
  assertEquals(questions, ["Redirect URI [http://localhost:8080/callback]: "]);
  const chosen = await init(["--library", "go", "--redirect-uri", "http://localhost:1234/back"]);
  assertEquals(chosen.output.includes("redirect_uri   http://localhost:1234/back"), true);
  const own = await init(["--library", "go", "--client-id", "shop", "--client-secret", "the-old-secret"]);
  const [{ client_id, client_secret }] = JSON.parse(own.file!).clients;
  assertEquals([client_id, client_secret], ["shop", "the-old-secret"]);
  for (const value of [client_id, client_secret]) assertStringIncludes(own.output.split("Settings")[1]!, value);
});

test("the file has a secret of any printable characters unchanged", async () => {
  for (const secret of [...hostileTexts, "s"]) {
    const { file } = await init(["--library", "curl", `--client-secret=${secret}`]);
    const config = await readConfiguration(
      { args: ["--config", "latchkey.json"], env: {}, readTextFile: () => Promise.resolve(file!) },
    );
    assert(config.kind === "run");
    const [client] = config.settings.clients as readonly ClientMetadata[];
    assertEquals(client!.client_secret, secret);
  }
});

test("without a terminal and without flags it takes the defaults, and says so", async () => {
  const { code, output, file } = await init([]);
  assertEquals(code, 0);
  assertStringIncludes(output, "openid-client is assumed, and --library NAME names another.");
  assertEquals(JSON.parse(file!).clients.length, 1);
  assertEquals((await init(["--library", "go"])).output.includes("assumed"), false);
});

test("if the input ends, it writes nothing", async () => {
  const { code, output, file } = await init([], ["go"]);
  assertEquals([code, file], [1, undefined]);
  assertStringIncludes(output, "Nothing was written.");
});

test("an existing file is rejected before the first question, and so is one that appears meanwhile", async () => {
  assertStringIncludes(await rejection([], [], "{}"), "this command never overwrites a file");
  const actions = {
    createPrivateFile: () => Promise.resolve(false),
    randomSecret: () => "secret",
    describeClient,
  };
  const environment = { env: {}, mainModule: "", readTextFile: () => Promise.reject(new Error("none")) };
  await assertRejects(
    () => initialize(["--library", "go"], environment, actions),
    CommandLineError,
    "never overwrites",
  );
});

test("a file that may not be written is named with the fix, with and without --from", async () => {
  const denied = "EACCES: permission denied, open 'latchkey.json'";
  const clone = { env: { npm_command: "exec" }, mainModule: "/home/me/latchkey/src/main.ts" };
  const cases = [
    [
      denied,
      `Expected a folder in which this command may create a file, found ${denied}.\n  Run the command in a folder of your own`,
    ],
    [
      `Requires write access to "latchkey.json", run again with the --allow-write flag`,
      "Expected a process that may write this file, found one that may not.\n" +
      "  Run npx -y deno run -A src/main.ts init with the same arguments instead.",
    ],
  ] as const;
  for (const [message, expected] of cases) {
    const actions = {
      createPrivateFile: () => Promise.reject(new Error(message)),
      randomSecret: () => "secret",
      describeClient,
    };
    const written = () => initialize([], { ...clone, readTextFile: () => Promise.reject(new Error("none")) }, actions);
    const realm = JSON.stringify({ realm: "shop", clients: [], users: [] });
    const imported = () =>
      importRealm(["--from", "realm.json"], { ...clone, readTextFile: () => Promise.resolve(realm) }, actions);
    for (const run of [written, imported]) {
      await assertRejects(run, CommandLineError, `latchkey.json\n  ${expected}`);
    }
  }
});

test("invalid words, values and clients are rejected with the fix", async () => {
  const cases: readonly (readonly [args: readonly string[], expected: string])[] = [
    [["--libary", "go"], "Did you mean --library?"],
    [["--library", "sprng boot"], "Did you mean Spring Boot?"],
    ...libraries.flatMap(({ name, library, aliases = [] }) =>
      [name, library, ...aliases].filter((known) => known.length > 4).map((known) =>
        [["--library", `${known}xx`], "Did you mean "] as const
      )
    ),
    [["--library", "--public"], "found no value"],
    [["--public=1"], "found --public=…"],
    [["--library", "go", "--public", "--confidential"], "Keep one of the flags."],
    [["--library", "go", "--library", "curl"], "Keep one of the flags."],
    [["--library", "go", "--redirect-uri", "http://shop.example.com/cb#part"], "--redirect-uri"],
    [["--library", "oidc-client-ts", "--confidential"], "cannot keep a secret"],
    [["--library", "jquery"], "Expected one of openid-client"],
    [["--public", "--client-secret", "the-old-secret"], "Leave out --client-secret"],
    [["--library", "spring", "--client-secret", "a${x}b"], "between braces, and client_secret of this client"],
    [["--library", ".env", "--client-secret", "a$b"], "and client_secret of this client contains such text"],
  ];
  for (const [args, expected] of cases) assertStringIncludes(await rejection(args), expected);
});

for (const { library: title, redirectUris, isPublic = false } of libraries) {
  test(`the defaults of ${title} are a valid file, and settings of its library with the same values`, async () => {
    const { code, output, file } = await init(["--library", title]);
    assertEquals(code, 0);
    const settings = output.slice(output.indexOf(`${title} (`));
    assertMatch(settings, /"app"|client_id=app\b|'app\b/);
    assertEquals(settings.includes("the-new-secret"), !isPublic);
    for (const uri of redirectUris) assertStringIncludes(output, `   ${uri}`);
    const config = await readConfiguration(
      { args: ["--config", "latchkey.json"], env: {}, readTextFile: () => Promise.resolve(file!) },
    );
    assert(config.kind === "run");
    assertEquals([config.port, config.warnings], [9000, []]);
  });
}

test("a confidential client acts without a user once the file has client_credentials, as the help says", async () => {
  const { output } = await init(["--help"]);
  assertStringIncludes(output, '"client_credentials" among\nits grant_types in the file');
  const { clients: [client], users } = JSON.parse((await init(["--library", "curl", "--confidential"])).file!);
  const grant_types = [...client.grant_types, "client_credentials"];
  await using as = await latchkey({ clients: [{ ...client, grant_types }], users });
  const headers = basic("app", client.client_secret);
  const body = new URLSearchParams({ grant_type: "client_credentials" });
  const response = await as.fetch(new Request(`${as.issuer}/oauth2/token`, { method: "POST", headers, body }));
  assertEquals(response.status, 200, await response.text());
});

test("--help has lines of at most 80 columns, and every library", async () => {
  const { output } = await init(["--help"]);
  for (const line of output.split("\n")) assert(line.length <= 80, line);
  for (const { library } of libraries) assertStringIncludes(output.replace(/\s+/g, " "), library);
});
