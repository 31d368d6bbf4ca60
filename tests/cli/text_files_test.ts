/** Files and variables as editors, shells and other servers write them, wherever the program reads one. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { importRealm } from "../../src/cli/realm/import_realm.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { decodeText } from "../../src/platform/runtime/decode_text.ts";
import { ConfigurationError } from "../../src/core/rules/configuration_error.ts";
import { CommandLineError } from "../../src/cli/command_line_error.ts";
import { forEachCase } from "../kit.ts";

type Files = Readonly<Record<string, Uint8Array>>;

/** A text in UTF-16. */
function utf16(text: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let i = 0; i < text.length; i++) view.setUint16(i * 2, text.charCodeAt(i), littleEndian);
  return new Uint8Array(view.buffer);
}

const utf8 = (text: string) => new TextEncoder().encode(text);

const encodings: Readonly<Record<string, (text: string) => Uint8Array>> = {
  "UTF-8": utf8,
  "UTF-8 with a mark": (text) => utf8(`\ufeff${text}`),
  "UTF-16LE with a mark": (text) => utf16(`\ufeff${text}`, true),
  "UTF-16BE with a mark": (text) => utf16(`\ufeff${text}`, false),
  "UTF-16LE": (text) => utf16(text, true),
  "UTF-16BE": (text) => utf16(text, false),
  "lines of Windows": (text) => utf8(`${text.replaceAll("\n", "\r\n")}\r\n`),
};

async function read(args: readonly string[], env: Readonly<Record<string, string>>, files: Files = {}) {
  const readTextFile = (path: string) =>
    files[path] === undefined
      ? Promise.reject(Object.assign(new Error("none"), { code: "ENOENT" }))
      : new Promise<string>((resolve) => resolve(decodeText(files[path]!)));
  const config = await readConfiguration({ args, env, readTextFile });
  assert(config.kind === "run");
  return config;
}

const issuesOf = async (reading: () => Promise<unknown>) =>
  (await assertRejects(reading, ConfigurationError)).issues.map(({ path, expected, received, hint }) =>
    `${path}: expected ${expected}, found ${received}. ${hint}`
  );

const name = "Åsa €5";
const ascii = "carol-the-third-of-her-name";
const client = { client_id: "web", client_name: name, redirect_uris: ["https://web.example/cb"] };
const config = JSON.stringify({ clients: [client] }, null, 2);
const nameOf = async (reading: Promise<{ settings: { clients?: unknown } }>) =>
  (await reading).settings.clients as { client_name: string; client_secret: string }[];

/** Each place where a file is read: the value that arrives. */
const filePlaces: Readonly<Record<string, (encode: (text: string) => Uint8Array) => Promise<unknown>>> = {
  "--config": async (encode) =>
    (await nameOf(read(["--config", "x.json"], {}, { "x.json": encode(config) })))[0]!.client_name,
  LATCHKEY_CONFIG: async (encode) =>
    (await nameOf(read([], { LATCHKEY_CONFIG: "x.json" }, { "x.json": encode(config) })))[0]!.client_name,
  "a secret in a file": async (encode) => {
    const text = JSON.stringify({ clients: [{ ...client, client_secret: { file: "/run/secret" } }] });
    const files = { "x.json": utf8(text), "/run/secret": encode(ascii) };
    return (await nameOf(read(["--config", "x.json"], {}, files)))[0]!.client_secret;
  },
  "a variable that names a file": async (encode) =>
    (await read([], { LATCHKEY_USER_FILE: "/run/user" }, { "/run/user": encode(ascii) })).user,
  "--profile": async (encode) => {
    const text = JSON.stringify({ name: "mine", accessTokenClaims: [name] });
    const { settings } = await read(["--profile", "./p.json"], {}, { "p.json": encode(text) });
    return (settings.profile as unknown as { accessTokenClaims: string[] }[])[0]!.accessTokenClaims[0];
  },
  "--tls-cert": async (encode) => {
    const args = ["--tls-cert", "c.pem", "--tls-key", "k.pem"];
    const { tls } = await read(args, {}, { "c.pem": encode(name), "k.pem": encode(name) });
    return (tls as { cert: string }).cert.trimEnd();
  },
  "--scenario": async (encode) => {
    const text = JSON.stringify({ name: "mine", summary: name, steps: [{ after: 1, do: "rotateKeys" }] });
    const files = { "s.json": encode(text) };
    return await read(["--scenario", "s.json", "--control", "on"], {}, files).then(() => name, (error) => {
      assert(!/not JSON|�|\\ufeff/.test(error.message), error.message);
      return name;
    });
  },
  "latchkey init --from": async (encode) => {
    const text = JSON.stringify({ realm: "shop", users: [{ username: "alice", firstName: name, enabled: true }] });
    const { error } = console;
    let written = "";
    console.error = () => {};
    try {
      await importRealm(["--from", "r.json", "--output", "o.json"], {
        mainModule: "latchkey",
        env: {},
        readTextFile: () => Promise.resolve(decodeText(encode(text))),
      }, {
        createPrivateFile: (_, text) => Promise.resolve((written = text) !== ""),
        randomSecret: () => "unused",
      });
    } finally {
      Object.assign(console, { error });
    }
    return JSON.parse(written).users[0].given_name;
  },
};

test("a file in UTF-8 or UTF-16, with or without a mark, is the same file wherever it is read", async () => {
  const cases = Object.keys(filePlaces).flatMap((place) => Object.keys(encodings).map((encoding) => [place, encoding]));
  await forEachCase(cases as [string, string][], async ([place, encoding]) => {
    const found = await filePlaces[place]!(encodings[encoding]!);
    assertEquals(found, found === ascii ? ascii : name);
  });
});

test("bytes that are no text are named, and no replacement character is taken over", async () => {
  const bytes = Uint8Array.of(0x7b, 0xe5, 0x7d);
  const issues = await issuesOf(() => read(["--config", "x.json"], {}, { "x.json": bytes }));
  assertEquals(issues, [
    "x.json: expected a file that can be read, found bytes that are neither UTF-8 nor UTF-16. " +
    "Save the file as UTF-8, a key or certificate in DER as PEM (openssl pkey, openssl x509).",
  ]);
});

test("a mark before a variable and the end of a line after it do not count", async () => {
  const variants = ["%", "\ufeff%", "%\r", "%\r\n", "%\n"];
  await forEachCase(variants, async (variant) => {
    const filled = (value: string) => variant.replace("%", value);
    assertEquals((await read([], { LATCHKEY_USER: filled("alice") })).user, "alice");
    assertEquals((await read([], { LATCHKEY_PORT: filled("9100") })).port, 9100);
    assertEquals(
      (await read([], { LATCHKEY_ISSUER: filled("http://localhost:9000") })).settings.issuer,
      [
        ..."http://localhost:9000",
      ].join(""),
    );
    const [configured] = await nameOf(read([], { LATCHKEY_CONFIG_JSON: filled(config) }));
    assertEquals(configured!.client_name, name);
    const text = JSON.stringify({ clients: [{ ...client, client_secret: { env: "SECRET" } }] });
    const [secret] = await nameOf(
      read([], { LATCHKEY_CONFIG_JSON: text, SECRET: filled("a-long-secret-of-a-client") }),
    );
    assertEquals(secret!.client_secret, "a-long-secret-of-a-client");
  });
});

test("a message shows an invisible character", async () => {
  for (const [mark, shown] of [["\u200b", "\\u200b"], ["\u202e", "\\u202e"], ["\u00a0", "\\u00a0"]] as const) {
    const [issue] = await issuesOf(() => read([], { LATCHKEY_LOG: `text${mark}` }));
    assert(issue!.includes(shown) || issue!.includes("hidden"), issue);
    const text = JSON.stringify({ clients: [{ ...client, redirect_uris: [`https://web.example/${mark}`] }] });
    const [uri] = await issuesOf(() => read(["--config", "x.json"], {}, { "x.json": utf8(text) }));
    assert(uri!.includes(shown), uri);
  }
});

const dex = "issuer: http://127.0.0.1:5556/dex\nstorage:\n  type: memory\nstaticClients:\n- id: a\n";

/** Files of other servers, and files for another flag: what the message must say. */
const foreign: readonly (readonly [text: string, flag: "--config" | "--profile", ...expected: string[]])[] = [
  [dex, "--config", "Dex", "static/docs/dex-and-oidc-server-mock.md"],
  [`# a comment\n${dex}`, "--config", "Dex"],
  [dex, "--profile", "Dex"],
  ["services:\n  web:\n    image: x\n", "--config", "YAML", "npx -y js-yaml FILE.yaml > FILE.json"],
  [
    JSON.stringify([{ ClientId: "a", ClientSecrets: ["s"] }]),
    "--config",
    "oidc-server-mock",
    "static/docs/dex-and-oidc-server-mock.md",
  ],
  [JSON.stringify([{ SubjectId: "1", Username: "u" }]), "--config", "oidc-server-mock"],
  [JSON.stringify({ ClientId: "a" }), "--config", "oidc-server-mock"],
  [JSON.stringify([{ realm: "a" }, { realm: "b" }]), "--config", "several realms"],
  [JSON.stringify([{ realm: "a" }]), "--profile", "--config"],
  [JSON.stringify({ clientId: "a", redirectUris: [] }), "--profile", "--config"],
  [JSON.stringify({ realm: "a", clients: [] }), "--profile", "--config"],
  [JSON.stringify({ tokenCallbacks: [] }), "--profile", "--config"],
  [JSON.stringify({ clients: [] }), "--profile", "--config"],
  [
    JSON.stringify({ issuer: "https://a.example", token_endpoint: "https://a.example/t" }),
    "--config",
    "static/docs/providers.md",
  ],
  [
    JSON.stringify({ realm: "a", issuer: "https://a.example", token_endpoint: "https://a.example/t" }),
    "--config",
    "static/docs/providers.md",
  ],
];

test("a file of another server, or for another flag, is named with what helps, wherever it is read", async () => {
  await forEachCase(foreign, async ([text, flag, ...expected]) => {
    const files = { "x.json": utf8(text) };
    const messages = [await issuesOf(() => read([flag, "x.json"], {}, files))];
    if (flag === "--config") messages.push(await issuesOf(() => read([], { LATCHKEY_CONFIG_JSON: text })));
    for (const issues of messages) {
      assertEquals(issues.length, 1, issues.join("\n"));
      for (const words of expected) assert(issues[0]!.includes(words), issues[0]);
    }
  });
  for (
    const text of [
      dex,
      JSON.stringify([{ realm: "a" }, { realm: "b" }]),
      JSON.stringify({ clients: [] }),
      '{"tokenCallbacks":[]}',
    ]
  ) {
    const sources = { mainModule: "latchkey", env: {}, readTextFile: () => Promise.resolve(text) };
    const { issues } = await assertRejects(
      () => importRealm(["--from", "x.json"], sources, {} as never),
      CommandLineError,
    );
    assert(!/not JSON|an array|neither/.test(issues[0]!.received), issues[0]!.received);
  }
});

test("variables of other servers are named with the one that this server reads", async () => {
  const { warnings } = await read([], {
    ...{
      JSON_CONFIG: "{}",
      JSON_CONFIG_PATH: "/x",
      CLIENTS_CONFIGURATION_INLINE: "[]",
      USERS_CONFIGURATION_PATH: "/y",
    },
    API_SCOPES_INLINE: "- a",
  });
  const named = Object.fromEntries(warnings.map(({ path, message }) => [path, message]));
  assert(named.JSON_CONFIG!.includes("LATCHKEY_CONFIG_JSON") && named.JSON_CONFIG_PATH!.includes("LATCHKEY_CONFIG"));
  for (const variable of ["CLIENTS_CONFIGURATION_INLINE", "USERS_CONFIGURATION_PATH", "API_SCOPES_INLINE"]) {
    assert(named[variable]!.includes("oidc-server-mock"), variable);
  }
});
