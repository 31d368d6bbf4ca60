/** The example of a server for a team: what its files say is what the program understands. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { readFileSync } from "node:fs";
import { join } from "node:path/posix";
import { test } from "node:test";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { noFiles } from "./command_runs.ts";

const folder = "static/team/";
const read = (name: string) => readFileSync(folder + name, "utf8");
const digest = "$scrypt$ln=15,r=8,p=3$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo";

/** The secrets, as the comment in the compose file has them made. */
const secrets: Readonly<Record<string, string>> = {
  "/run/secrets/store": "postgres://latchkey:hunter2@database/latchkey\n",
  "/run/secrets/web": "0123456789abcdef0123456789abcdef\n",
  "/run/secrets/alice": `${digest}\n`,
};

test("the compose file, configuration and proxy of the example match the program and each other", async () => {
  const compose = read("compose.yml");
  const inImage = [...read("Containerfile").matchAll(/^ENV (LATCHKEY_\w+)=(.+)$/gm)];
  const env = Object.fromEntries(
    [...inImage, ...compose.matchAll(/^ {4}(LATCHKEY_\w+): (.+)$/gm)].map(([, name, value]) => [name!, value!]),
  );
  const wanted = await readConfiguration({
    args: [],
    env,
    readTextFile(path) {
      const text = path === "/etc/latchkey/latchkey.json" ? read("latchkey.json") : secrets[path];
      return text === undefined ? Promise.reject(new Error(path)) : Promise.resolve(text);
    },
  });
  assert(wanted.kind === "run");
  assertEquals([wanted.store.kind, wanted.log, wanted.host], ["postgres", "json", "0.0.0.0"]);
  const { users } = wanted.settings;
  assertEquals(users !== "any" && users?.[0]?.password, digest);
  for (const path of Object.keys(secrets)) {
    assertMatch(compose, new RegExp(`secrets: \\[[^\\]]*\\b${path.slice(13)}\\b`));
  }

  const caddy = read("Caddyfile");
  assert(caddy.includes(`${new URL(wanted.settings.issuer!).host} {`));
  for (const [address] of caddy.matchAll(/latchkey-\d+(?=:)/g)) assertMatch(compose, new RegExp(`^  ${address}:`, "m"));
  assert(caddy.includes(`latchkey-1:${wanted.port} latchkey-2:${wanted.port} {`));
  // Caddy notices before the time is up, and the containers wait for as long as it takes.
  const seconds = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1]);
  const noticed = seconds(caddy, /health_interval (\d+)s/) + seconds(caddy, /health_timeout (\d+)s/);
  assert(noticed < wanted.drain);
  assert(wanted.drain + 15 < seconds(compose, /stop_grace_period: (\d+)s/));
  // Caddy is the only trusted proxy. It forwards one header unchecked, so that header is removed.
  assert(compose.includes(`ipv4_address: ${wanted.settings.trustProxy?.join()}\n`));
  assertEquals(wanted.settings.proxyHeader, "x-forwarded-for");
  assertMatch(caddy, /^\trequest_header -Forwarded$/m);
});

test("the image runs only the program, as a non-root user, at the ports of the example", async () => {
  const containerfile = read("Containerfile");
  const stated = (word: string) =>
    [...containerfile.matchAll(new RegExp(`^${word} (.+)$`, "gm"))].map(([, rest]) => rest!);
  const [[entry], [user], [copied], [ports]] = ["ENTRYPOINT", "USER", "COPY", "EXPOSE"].map(stated);
  assertEquals(JSON.parse(entry!), [copied!.split(" ").at(-1)]);
  assertMatch(user!, /^[1-9]\d*:[1-9]\d*$/);
  assertEquals([stated("RUN"), stated("ADD"), stated("FROM")], [[], [], ["${BASE}"]]);
  const wanted = await readConfiguration({ args: [], env: {}, readTextFile: noFiles });
  assert(wanted.kind === "run");
  assertEquals(ports, String(wanted.port));

  // The build finds the file, and the file finds the program where the comment of each has it made.
  const [, context] = /context: (\S+)/.exec(read("compose.yml"))!;
  const [, dockerfile] = /dockerfile: (\S+)/.exec(read("compose.yml"))!;
  assertEquals(join(folder, context!), "dist/image");
  assertEquals(join(folder, context!, dockerfile!), `${folder}Containerfile`);
  for (const name of ["Containerfile", "compose.yml"]) {
    assert(read(name).includes("deno task compile --with bun --target linux-x64 --output dist/image/amd64/latchkey"));
  }
});
