/** Runs a module in workerd, the runtime of Cloudflare Workers, without any module of Node. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandError } from "./command.ts";
import { npx } from "./run.ts";
import type { TestResult } from "./workerd_test_list.ts";

/** The package with its version. */
const workerdPackage = "workerd@1.20261117.1";

/** The date that decides what the runtime does, and how long it may take to respond, in milliseconds. */
const compatibilityDate = "2026-01-01";
const timeoutMs = 300_000;

/**
 * Serves a bundled module, and returns what it responds to one request: the results of its tests.
 *
 * @throws {CommandError} When workerd cannot be installed, or does not respond.
 */
export async function runInWorkerd(code: string): Promise<TestResult[]> {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-workerd-"));
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "main", esModule = embed "main.js")],
  compatibilityDate = "${compatibilityDate}",
);
`;
  await writeFile(join(folder, "config.capnp"), config);
  await writeFile(join(folder, "main.js"), code);
  const child = new Deno.Command(npx, {
    args: ["-y", workerdPackage, "serve", "--control-fd=1", "config.capnp"],
    cwd: folder,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  const errors = new Response(child.stderr).text();
  try {
    const port = await readPort(child.stdout);
    if (port === undefined) throw new CommandError(`workerd does not listen:\n${await errors}`);
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(timeoutMs) });
    if (response.status !== 200) {
      throw new CommandError(`workerd responded ${response.status}: ${await response.text()}`);
    }
    return await response.json();
  } finally {
    try {
      Deno.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
    await child.status;
    await rm(folder, { recursive: true });
  }
}

/** The port that workerd announces; `undefined` if it ends before. */
async function readPort(stdout: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<number | undefined> {
  let text = "";
  for await (const part of stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    const [, port] = /"event":\s*"listen".*?"port":\s*(\d+)/.exec(text) ?? [];
    if (port !== undefined) return Number(port);
  }
}
