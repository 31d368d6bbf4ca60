/** TLS to PostgreSQL: verified or not spoken at all; and what a server that hangs up is spared. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { postgresStore, StoreError } from "../../../src/platform/store/sql/postgres.ts";
import { forEachCase } from "../../kit.ts";
import { certificate, privateKey } from "../runtime/certificate.ts";
import { dropPostgresSchemas, postgresUrl, uniqueName } from "./servers.ts";

const skip = postgresUrl === undefined;
const url = postgresUrl ?? "";
const names: string[] = [];
const folder = mkdtempSync(join(tmpdir(), "latchkey-"));
const authority = join(folder, "authority.pem");
writeFileSync(authority, certificate);
after(async () => {
  rmSync(folder, { recursive: true });
  if (!skip) await dropPostgresSchemas(url, names);
});

async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

/** A server that speaks TLS like PostgreSQL, with the test's certificate; `take` receives what it reads. */
async function speakTls(take: (socket: Socket) => void): Promise<{ readonly port: number; close(): void }> {
  const inner = createTlsServer({ cert: certificate, key: privateKey }, take);
  inner.on("tlsClientError", () => {});
  const innerPort = await listen(inner);
  const outer = createServer((near) => {
    near.on("error", () => {});
    // The first message asks for TLS, and is all that is sent in the open.
    near.once("data", () => {
      near.write("S");
      const far = connect(innerPort, "127.0.0.1");
      far.on("error", () => near.destroy());
      for (const [one, other] of [[near, far], [far, near]] as const) {
        one.on("data", (bytes) => other.write(bytes));
        one.on("close", () => other.destroy());
      }
    });
  });
  const port = await listen(outer, "0.0.0.0");
  return {
    port,
    close() {
      outer.close();
      inner.close();
    },
  };
}

test("nothing is sent to a server whose certificate fails verification, in every TLS mode of sslmode", async () => {
  let logged = "";
  const impostor = await speakTls((socket) => socket.on("data", (bytes) => logged += bytes));
  try {
    const queries = ["sslmode=require", "sslmode=verify-ca", "sslmode=verify-full", "sslrootcert=system"];
    await forEachCase(queries, async (query) => {
      const address = `postgres://latchkey:the-password@localhost:${impostor.port}/db?${query}`;
      const error = await assertRejects(() => postgresStore(address, { timeout: 3000 }), StoreError);
      assertMatch(error.message, /localhost.*expected a certificate for that host.*sslrootcert=PATH/);
      assert(!error.message.includes("the-password"));
    });
    // The driver knows lists of hosts with ports, no URL parser does.
    const several = `localhost:${impostor.port},127.0.0.1:${impostor.port}`;
    const list = `postgres://latchkey:the-password@${several}/db?sslmode=verify-full`;
    const unread = await assertRejects(() => postgresStore(list, { timeout: 3000 }), StoreError);
    assertMatch(unread.message, /expected a URL like postgres:.*hidden/);
    // By an authority that is known, but for another address.
    const elsewhere = `postgres://latchkey:the-password@127.0.0.2:${impostor.port}/db?sslrootcert=${authority}`;
    const error = await assertRejects(() => postgresStore(elsewhere, { timeout: 3000 }), StoreError);
    assertMatch(error.message, /expected a certificate for that host/);
    assertEquals(logged, "");
  } finally {
    impostor.close();
  }
});

test("with the authority that sslrootcert names the store works over TLS", { skip }, async () => {
  const { hostname, port, pathname, username, password } = new URL(url);
  const server = await speakTls((near) => {
    const far = connect(Number(port || 5432), hostname);
    for (const [one, other] of [[near, far], [far, near]] as const) {
      one.on("error", () => other.destroy());
      one.on("data", (bytes) => other.write(bytes));
      one.on("close", () => other.destroy());
    }
  });
  try {
    for (const host of ["localhost", "127.0.0.1"]) {
      const address = `postgres://${username}:${password}@${host}:${server.port}${pathname}`;
      const schema = names[names.push(uniqueName()) - 1]!;
      const store = await postgresStore(`${address}?sslmode=verify-full&sslrootcert=${authority}`, { schema });
      assertEquals(await store.add("used_identifier", "one", {}, { expiresAt: Infinity }), true);
      await store.close();
    }
  } finally {
    server.close();
  }
});

test("each invalid TLS parameter in the URL is reported in one sentence", async () => {
  const base = "postgres://latchkey:the-password@127.0.0.1:1/db";
  await forEachCase<[string, RegExp]>([
    ["sslmode=prefer", /expected sslmode=verify-full.*found sslmode=prefer/],
    ["sslmode=no-verify", /found sslmode=no-verify/],
    ["sslmode=constructor", /found sslmode=constructor/],
    ["ssl=require", /expected sslmode=verify-full.*found ssl=require/],
    ["sslmode=disable&sslrootcert=x", /expected sslrootcert with sslmode=verify-full/],
    [`sslrootcert=${join(folder, "none.pem")}`, /file with PEM certificates.*none at/],
    [`sslrootcert=${folder}`, /file with PEM certificates/],
    [`sslrootcert=${join(folder, "key.pem")}`, /found a file without PEM certificates at/],
  ], async ([query, sentence]) => {
    writeFileSync(join(folder, "key.pem"), privateKey);
    const error = await assertRejects(() => postgresStore(`${base}?${query}`, { timeout: 300 }), StoreError);
    assertMatch(error.message, sentence);
    assert(!error.message.includes("the-password"));
  });
});

test("a server without TLS receives only the TLS request", { skip }, async () => {
  const address = new URL(url);
  address.searchParams.set("sslmode", "verify-full");
  const error = await assertRejects(() => postgresStore(address.href, { timeout: 3000 }), StoreError);
  assertMatch(error.message, /expected a server that supports TLS/);
});

test("a server that closes the connection immediately is retried after a pause", async () => {
  let asked = 0;
  const server = createServer((socket) => {
    asked++;
    socket.on("error", () => {});
    socket.once("data", () => socket.destroy());
  });
  const port = await listen(server);
  try {
    const opened = postgresStore(`postgres://latchkey@127.0.0.1:${port}/db`, { timeout: 1200 });
    await assertRejects(() => opened, StoreError);
    assert(asked <= 4, `${asked} connections`);
  } finally {
    server.close();
  }
});

test("a schema name that PostgreSQL would fold is rejected in a sentence", async () => {
  await forEachCase(["sec.dot", "", "a".repeat(64), "ж".repeat(32), "a\0b"], async (schema) => {
    const error = await assertRejects(() => postgresStore("postgres://127.0.0.1:1/db", { schema }), StoreError);
    assertMatch(error.message, /expected a schema whose name has 1 to 63 bytes and no dot/);
  });
});
