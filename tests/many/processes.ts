/** Database servers and instances as processes of their own, which a test may stop, pause and kill as it likes. */

import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";

/** Everything started here, ended with the tests whatever becomes of them. */
const running = new Set<ChildProcess>();
const folders = new Set<string>();
const mounts = new Set<() => Promise<void>>();

/** Ends what is left of everything, and removes its files. */
export async function killAll(): Promise<void> {
  const left = [...running];
  for (const { pid } of left) for (const one of processTree(pid!)) signal(one, "SIGKILL");
  await Promise.all(left.map((child) => child.exitCode ?? child.signalCode ?? once(child, "exit")));
  for (const remove of mounts) await remove();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** Waits so many milliseconds. */
export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Asks again and again until it is so; throws after so many milliseconds. */
export async function waitUntil(what: string, isSo: () => Promise<boolean>, timeoutMs = 120_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!await isSo().catch(() => false)) {
    if (performance.now() > end) throw new Error(`waited ${timeoutMs} ms in vain until ${what}`);
    await delay(25);
  }
}

/** Each file of tests has a range of its own, for two may run at the same time. */
let nextPort = Number(process.env.MANY_PORTS ?? 15_001);

/** A free odd port below 20000. */
export async function freePort(): Promise<number> {
  while (true) {
    const port = nextPort += 2;
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (free) return port;
  }
}

/** A new folder, removed in the end. */
export function newFolder(owner?: number): string {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-many-"));
  folders.add(folder);
  if (owner !== undefined) chownSync(folder, owner, owner);
  chmodSync(folder, 0o700);
  return folder;
}

/** A started process, with its output. */
export interface StartedProcess {
  readonly pid: number;
  /** Both streams, newest last. */
  output(): string;
  /** A signal to the process and everything it has started. */
  signal(name: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void;
  /** A signal to the process alone; resolves when it is gone. */
  end(name?: "SIGTERM" | "SIGINT" | "SIGKILL"): Promise<void>;
  readonly exited: Promise<void>;
}

/** Starts a command. */
export function startProcess(command: string, args: readonly string[], options: SpawnOptions = {}): StartedProcess {
  const child = spawn(command, [...args], { ...options, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let output = "";
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding("utf8").on("data", (text: string) => output = (output + text).slice(-20_000));
  }
  const exited = once(child, "exit").then(() => void running.delete(child));
  return {
    pid: child.pid!,
    output: () => output,
    signal(name) {
      for (const one of processTree(child.pid!)) signal(one, name);
    },
    async end(name = "SIGTERM") {
      if (running.has(child)) signal(child.pid!, name);
      await exited;
    },
    exited,
  };
}

function signal(pid: number, name: string): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}

/** A process and its children; the parent first, so that a paused one starts no more. */
function processTree(pid: number): number[] {
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number).filter((one) => {
    try {
      return readFileSync(`/proc/${one}/stat`, "utf8").split(") ").at(-1)!.split(" ")[1] === String(pid);
    } catch {
      return false;
    }
  });
  return [pid, ...children];
}

/** A program's path: where the shell finds it, or where Debian keeps it. */
function findProgram(program: string): string {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort().map((name) => join(debian, name, "bin")) : [];
  const places = [...(process.env.PATH ?? "").split(delimiter), ...versions.reverse()];
  const found = places.map((place) => join(place, program)).find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error(`These tests need ${program}. Debian: apt-get install postgresql redis-server`);
  }
  return found;
}

/** A database server. */
export interface Database {
  readonly port: number;
  readonly url: string;
  /** Starts it with its data; resolves when it responds. */
  start(): Promise<void>;
  /** Ends it in order, or as `kill -9` does. */
  stop(how?: "gracefully" | "immediately"): Promise<void>;
  /** Stops the clock for all its processes. */
  pause(): void;
  resume(): void;
}

/** PostgreSQL never runs as root. */
function postgresUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync("/etc/passwd", "utf8").split("\n").find((line) => line.startsWith("postgres:"));
  if (line === undefined) throw new Error("PostgreSQL does not run as root, and there is no user postgres.");
  const [, , uid, gid] = line.split(":");
  return { uid: Number(uid), gid: Number(gid) };
}

const createRoleScript =
  `printf 'CREATE ROLE latchkey LOGIN\\nCREATE DATABASE latchkey OWNER latchkey\\n' | "$0" --single -D "$1" postgres`;

/** A dedicated cluster with this many connections, three of them for the superuser. */
export async function postgresServer(maxConnections = 60): Promise<Database> {
  const user = postgresUser();
  const folder = newFolder(user?.uid);
  const port = await freePort();
  const options: SpawnOptions = { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: "C" } };
  const made = startProcess(
    findProgram("initdb"),
    ["-D", folder + "/data", "-U", "postgres", "-A", "trust", "-N"],
    options,
  );
  await made.exited;
  let server: StartedProcess;
  const self: Database = {
    port,
    url: `postgres://latchkey@127.0.0.1:${port}/latchkey`,
    async start() {
      const settings = {
        port,
        listen_addresses: "127.0.0.1",
        unix_socket_directories: folder,
        max_connections: maxConnections,
        shared_buffers: "16MB",
        // The machine itself does not crash here, so what the system has been given is safe.
        fsync: "off",
      };
      const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
      await waitUntil("PostgreSQL responds", async () => {
        // Right after a kill, its former self may still hold the memory they share.
        if (server === undefined || await Promise.race([server.exited.then(() => true), delay(50).then(() => false)])) {
          server = startProcess(findProgram("postgres"), ["-D", folder + "/data", ...args], options);
        }
        return (await query({ port }, "SELECT 1")).length === 1;
      });
    },
    async stop(how = "gracefully") {
      if (how === "gracefully") return await server.end("SIGINT");
      server.signal("SIGKILL");
      await server.exited;
    },
    pause: () => server.signal("SIGSTOP"),
    resume: () => server.signal("SIGCONT"),
  };
  // Before it listens, a server for one user alone makes the database and its owner.
  const alone = startProcess("sh", ["-c", createRoleScript, findProgram("postgres"), folder + "/data"], options);
  await alone.exited;
  await self.start();
  return self;
}

/** A name for a schema of PostgreSQL, or for a prefix of Redis. */
export function freshName(): string {
  return `many_${randomBytes(6).toString("hex")}`;
}

/** Asks PostgreSQL something, as its superuser. */
export async function query({ port }: { readonly port: number }, statement: string): Promise<readonly unknown[]> {
  const { default: postgres } = await import("postgres");
  const sql = postgres(`postgres://postgres@127.0.0.1:${port}/latchkey`, { max: 1, connect_timeout: 2, onnotice() {} });
  try {
    return await sql.unsafe(statement);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** A Redis server. */
export interface RedisServer extends Database {
  /** Sends a command. */
  command(...words: string[]): Promise<unknown>;
  /** Becomes a replica of another one; resolves when it has all that it has. */
  follow(primary: { readonly port: number }): Promise<void>;
  /** Waits until a replica follows and has acknowledged. */
  isFollowed(): Promise<void>;
  /** Becomes a primary. */
  promote(): Promise<void>;
}

/** A Redis server of its own, which writes down what it does. */
export async function redisServer(): Promise<RedisServer> {
  const folder = newFolder();
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server: StartedProcess;
  const self: RedisServer = {
    port,
    url,
    async command(...words) {
      const { Redis } = await import("ioredis");
      const redis = new Redis(url, { lazyConnect: true, retryStrategy: null, connectTimeout: 2000 });
      redis.on("error", () => {});
      try {
        await redis.connect();
        return await redis.call(words[0]!, ...words.slice(1));
      } finally {
        redis.disconnect();
      }
    },
    async start() {
      const settings = {
        port: String(port),
        bind: "127.0.0.1",
        dir: folder,
        save: "",
        appendonly: "yes",
        // Redis writes before each response, and what is written survives a kill. With `everysec`, a slow disk delays
        // the write.
        appendfsync: "no",
        "repl-diskless-sync-delay": "0",
      };
      server = startProcess(
        findProgram("redis-server"),
        Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
      );
      await waitUntil("Redis responds", async () => await self.command("PING") === "PONG");
    },
    async stop(mode = "gracefully") {
      await server.end(mode === "gracefully" ? "SIGTERM" : "SIGKILL");
    },
    pause: () => server.signal("SIGSTOP"),
    resume: () => server.signal("SIGCONT"),
    async follow(primary) {
      await self.command("REPLICAOF", "127.0.0.1", String(primary.port));
      await waitUntil(
        "the replica is in step",
        async () => /master_link_status:up/.test(String(await self.command("INFO", "replication"))),
      );
    },
    async isFollowed() {
      // A replica that is online has not acknowledged yet: its first acknowledgement may take a second.
      await self.command("SET", "followed", "");
      await waitUntil("the primary has a replica", async () => {
        const info = String(await self.command("INFO", "replication"));
        const acknowledged = /^slave0:.*state=online,offset=(\d+)/m.exec(info)?.[1];
        return acknowledged !== undefined &&
          Number(acknowledged) >= Number(/^master_repl_offset:(\d+)/m.exec(info)?.[1]);
      });
    },
    async promote() {
      await self.command("REPLICAOF", "NO", "ONE");
    },
  };
  await self.start();
  return self;
}

/** A disk of eight megabytes. */
export interface SmallDisk {
  readonly folder: string;
  /** Fills the remaining space with a file. */
  fill(): void;
  /** Removes it. */
  reserveSpace(): void;
  remove(): Promise<void>;
}

/** Mounts one, which takes root: without it, by sudo. */
export async function smallDisk(): Promise<SmallDisk> {
  const folder = newFolder();
  const runAsRoot = async (...words: string[]) => {
    const [command, ...args] = process.getuid?.() === 0 ? words : ["sudo", "-n", ...words];
    const mountProcess = startProcess(command!, args);
    await mountProcess.exited;
    return mountProcess.output();
  };
  const problem = await runAsRoot(
    "mount",
    "-t",
    "tmpfs",
    "-o",
    `size=8m,mode=700,uid=${process.getuid?.()}`,
    "none",
    folder,
  );
  if (problem !== "") throw new Error(`a small disk could not be mounted: ${problem}`);
  const fillerPath = join(folder, "ballast");
  const remove = async () => void await runAsRoot("umount", "--lazy", folder);
  mounts.add(remove);
  return {
    folder,
    fill() {
      const file = openSync(fillerPath, "w");
      try {
        for (const piece of [65536, 1024, 1]) {
          // Until not even a small piece fits.
          while (tryWrite(file, piece));
        }
      } finally {
        closeSync(file);
      }
    },
    reserveSpace: () => rmSync(fillerPath),
    async remove() {
      mounts.delete(remove);
      await remove();
    },
  };
}

function tryWrite(file: number, bytes: number): boolean {
  try {
    return writeSync(file, new Uint8Array(bytes)) === bytes;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOSPC") return false;
    throw error;
  }
}
