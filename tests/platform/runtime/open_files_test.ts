/** The limit of open files: the program responds again once connections were closed. */

import { assert, assertEquals } from "@std/assert";
import { spawnSync } from "node:child_process";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { connect, type Socket } from "node:net";
import process from "node:process";
import { test } from "node:test";
import { until } from "../../until.ts";
import { startProgram } from "./run_program.ts";

/** Opens connections that send nothing; waits until each is open or failed. */
async function openIdle(port: number, count: number): Promise<readonly Socket[]> {
  const opened = Array.from({ length: count }, () =>
    new Promise<Socket>((resolve) => {
      const socket: Socket = connect(port, "127.0.0.1", () => resolve(socket));
      socket.on("error", () => resolve(socket));
    }));
  return await Promise.all(opened);
}

/** The status of the metadata; `undefined` without a response within ten seconds: a slow machine needs some. */
function ask(scheme: "http" | "https", port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const options = { rejectUnauthorized: false, agent: false, timeout: 10_000 };
    const send = scheme === "http" ? requestHttp : requestHttps;
    const outgoing = send(
      `${scheme}://127.0.0.1:${port}/.well-known/oauth-authorization-server`,
      options,
      (incoming) => {
        incoming.resume();
        resolve(incoming.statusCode);
      },
    );
    outgoing.on("timeout", () => outgoing.destroy());
    outgoing.on("error", () => resolve(undefined)).end();
  });
}

for (const scheme of ["http", "https"] as const) {
  test(`idle connections that use up the limit of open files stop ${scheme} only while they are open`, async (t) => {
    if (spawnSync("prlimit", ["--version"]).status !== 0) return t.skip("needs prlimit");
    const args = ["--port", "0", ...scheme === "https" ? ["--tls", "self-signed"] : []];
    const program = await startProgram({ args, openFiles: 64 });
    try {
      for (let round = 0; round < 2; round++) {
        const sockets = await openIdle(program.port, 150);
        if (round === 0 && "Deno" in globalThis) await program.waitForOutput(/The limit of open files is used up/);
        for (const socket of sockets) socket.destroy();
        let status: number | undefined;
        await until(async () => (status = await ask(scheme, program.port)) !== undefined);
        assertEquals(status, 200);
      }
    } finally {
      program.signal("SIGTERM");
    }
    const { code } = await program.exited;
    assert(code === 0 || process.platform === "win32");
  });
}
