/** Programs and runtimes that cannot connect: http and https, certificates, ports. */

import { assert } from "@std/assert";
import { spawn, spawnSync } from "node:child_process";
import { test } from "node:test";
import process from "node:process";
import { findFreePort } from "../../platform/runtime/free_port.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { assertKnown, testMessages } from "./provoke.ts";

const as = await testLatchkey();
const { url } = await as.listen({ port: 0 });
const secure = await testLatchkey();
const { url: secureUrl } = await secure.listen({ port: 0, tls: "self-signed" });
const https = url.replace("http:", "https:");
/** A port of this machine where nothing listens. */
const nowhere = `http://localhost:${await findFreePort()}/`;

/** What a command prints. Synchronously it would stop the servers, which run here. */
function print(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    const parts: string[] = [];
    child.stdout.on("data", (part) => parts.push(String(part)));
    child.stderr.on("data", (part) => parts.push(String(part)));
    child.on("close", () => resolve(parts.join("")));
  });
}

function isInstalled(command: string): boolean {
  return spawnSync(command, ["--version"]).status === 0;
}

/** The same, skipped without the command. */
function testCommand(library: string, command: string, rows: readonly (readonly [string, readonly string[]])[]): void {
  test(`${library}: ${rows.length} messages of the table are those of the program`, {
    skip: !isInstalled(command) && `${command} is missing`,
  }, async () => {
    for (const [text, args] of rows) assertKnown(library, text, await print(command, args));
  });
}

testCommand("curl", "curl", [
  ["wrong version number", ["-sS", https]],
  ["SSL certificate problem: self-signed certificate", ["-sS", secureUrl]],
  ["Failed to connect to * port *: Couldn't connect to server", ["-sS", nowhere]],
]);

const node = process.env.LATCHKEY_TEST_NODE ?? "node";
const request = (target: string) => ["-e", `fetch("${target}")`];
testCommand("Node", node, [
  ["wrong version number", request(https)],
  ["self-signed certificate", request(secureUrl)],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", ["-e", `fetch("${secureUrl}").catch((error) => console.log(error.cause.code))`]],
  ["ECONNREFUSED", request(nowhere)],
  ["fetch failed", ["-e", `fetch("${nowhere}").catch((error) => console.log(error.message))`]],
]);

const connect = "tests/languages/java-clients/Connect.java";
testCommand("Java", "java", [
  ["Unsupported or unrecognized SSL message", [connect, https]],
  ["PKIX path building failed", [connect, secureUrl]],
  ["java.net.ConnectException", [connect, nowhere]],
]);

const open = (target: string) => ["-c", `import urllib.request; urllib.request.urlopen("${target}")`];
testCommand("Python", "python3", [
  ["CERTIFICATE_VERIFY_FAILED", open(secureUrl)],
  ["[Errno 111] Connection refused", open(nowhere)],
]);

testCommand("Ruby", "ruby", [
  ["Errno::ECONNREFUSED", ["-rnet/http", "-e", `Net::HTTP.get(URI("${nowhere}"))`]],
]);

if ("Deno" in globalThis) {
  testMessages("Deno", [["received corrupt message of type InvalidContentType", () => fetch(https)]]);
}

test("the servers of these tests respond", async () => {
  assert((await as.fetch(as.issuer)).ok && (await secure.fetch(secure.issuer)).ok);
});
