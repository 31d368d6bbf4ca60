/** The APIs of the guide to access tokens, as they are written there: `latchkey check` finds no failure in any. */

import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { attacks } from "../../src/check/attacks/mod.ts";
import { resourceApplication } from "../../src/check/resource_application.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import { sample } from "../sample.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { checkClient } from "./patient_check.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-guide-apis-"));
after(() => rmSync(folder, { recursive: true }));
const guide = readFileSync("static/docs/verify-tokens.md", "utf8");
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"))].map(([, block]) => block!);

/** The attacks on APIs, without the one that waits until the API may fetch keys again. */
const onTokens = attacks.filter(({ by, id }) => by === "acceptToken" && id !== "resource/key-rotated").map(({ id }) =>
  id
);

/**
 * Checks the API of a block of the guide by a third of the attacks.
 *
 * @param open Starts it, and returns what responds to its requests.
 * @param place The place of the third.
 */
async function checkBlock(
  block: string,
  open: (file: string) => Promise<{ fetch?: Fetch; url?: string; close?(): void }>,
  place: number,
): Promise<void> {
  await using as = await testLatchkey({ alg: "RS256" });
  await as.listen({ port: 0 });
  assert(block.includes("http://localhost:9000"), block);
  const file = join(folder, `api${new URL(as.issuer).port}.ts`);
  writeFileSync(file, block.replaceAll("http://localhost:9000", as.issuer));
  const { fetch, url = "http://api.test/orders", close } = await open(file);
  try {
    const report = await checkClient(resourceApplication(url, { fetch }), {
      ...{ as, inProcess: false, only: sample(onTokens, 3, place) },
    });
    const text = String(report);
    assert(report.passed, text);
    assertEquals(report.causes.filter(({ verdict }) => verdict === "failed"), [], text);
    assert(report.counts.passed > 0, text);
    assertMatch(text, /^\S+: \d+ attacks \(\d+ requests, /);
    assertNotMatch(text, /logins|the client carried on|best practices/);
  } finally {
    close?.();
  }
}

// The other runtimes do not resolve the names of the packages for a file elsewhere.
const skip = !("Deno" in globalThis);

test("the API with requireToken() passes the check", { skip }, async () => {
  const [block] = blocks("ts").filter((text) => text.includes("requireToken"));
  await checkBlock(block!.replace(`scope: ["read"]`, "scope: []"), async (file) => {
    const { handle } = await import(pathToFileURL(file).href);
    return { fetch: async (url, init) => await handle(new Request(url, init as RequestInit)) };
  }, 2);
});

test("the API with jose passes the check", { skip }, async () => {
  const [block] = blocks("ts").filter((text) => text.includes("jwtVerify"));
  await checkBlock(block!, async (file) => {
    const { claimsOf } = await import(pathToFileURL(file).href);
    return {
      async fetch(url, init) {
        const token = new Request(url, init as RequestInit).headers.get("authorization")!.replace(/^Bearer /, "");
        return await claimsOf(token).then(Response.json, () => new Response(null, { status: 401 }));
      },
    };
  }, 0);
});

const python = "/usr/bin/python3";
const hasPyJwt = spawnSync(python, ["-c", "import jwt, cryptography"]).status === 0;

/** A server around `claims_of()`; it prints its URL. */
const pythonServer = `
import http.server, json
class Api(http.server.BaseHTTPRequestHandler):
    def log_message(self, *parts):
        pass
    def do_GET(self):
        try:
            status, body = 200, claims_of(self.headers["Authorization"].removeprefix("Bearer "))
        except jwt.PyJWTError as error:
            status, body = 401, {"error": str(error)}
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())
api = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
print(f"http://127.0.0.1:{api.server_port}/orders", flush=True)
api.serve_forever()
`;

test("the API with PyJWT passes the check", { skip: !hasPyJwt }, async () => {
  const [block] = blocks("python");
  await checkBlock(block! + pythonServer, async (file) => {
    const child = spawn(python, [file], { stdio: ["ignore", "pipe", "inherit"], env: process.env });
    const url = await new Promise<string>((resolve) =>
      child.stdout.once("data", (line) => resolve(String(line).trim()))
    );
    return { url, close: () => child.kill() };
  }, 1);
});
