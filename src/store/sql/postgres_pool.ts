/** The connections of a PostgreSQL store: how many there are, who gets which, and when one is given up. */

import postgres from "postgres";
import { notAnswering, within } from "../timeout.ts";
import { isReadOnly, postgresError } from "./postgres_errors.ts";
import { dialler } from "./postgres_sockets.ts";
import type { PostgresTls } from "./postgres_sockets.ts";

/** How many connections, and how long anything may take. */
export interface LineOptions {
  /** The database as a person may be told of it. */
  readonly place: string;
  /** Connections at the most. */
  readonly connections: number;
  /** Milliseconds. */
  readonly timeout: number;
}

/** What queries are written with. */
export type Sql = ReturnType<typeof connect>;

/** A database that is asked over several connections. */
export interface Lines {
  /**
   * Runs a query; rejects with a StoreError, at the latest when `patience` has passed. Nothing is sent twice.
   *
   * @param patience Milliseconds. Default: the timeout.
   */
  ask<T>(query: (sql: Sql) => PromiseLike<T>, patience?: number): Promise<T>;
  /** Lets queries under way end, within the timeout. */
  close(): Promise<void>;
}

/** One connection, and how many queries it is busy with: they travel one behind the other. */
interface Line {
  readonly sql: Sql;
  busy: number;
}

/**
 * Opens connections as they are needed. One that is silent past the timeout is given up with all that is under way on
 * it: behind a paused server or a cut cable it would be silent for a quarter of an hour. While there is none to be had,
 * queries fail at once, and one attempt after the other is made in the background, at most a second apart.
 */
export function openLines(server: PostgresTls, { place, connections, timeout }: LineOptions): Lines {
  const lines: Line[] = [];
  let opening: Promise<void> | undefined;
  /** Why there is no connection at all. */
  let failure: unknown;
  let looking: Promise<void> | undefined;
  /** A server that has no connection left is not asked for another one before then. */
  let full = 0;
  let closed: Promise<void> | undefined;

  async function open(): Promise<void> {
    const line: Line = { sql: connect(server, timeout, () => forget(line)), busy: 0 };
    try {
      await within(timeout, Promise.resolve(line.sql`SELECT 1`), () => notAnswering(place, timeout));
    } catch (error) {
      giveUp(line);
      // A server that has no connection left still has those that it gave before.
      if (lines.length === 0) {
        failure = error;
        looking ??= look().finally(() => looking = undefined);
      }
      throw error;
    }
    if (closed !== undefined) return giveUp(line);
    failure = undefined;
    lines.push(line);
  }

  /** One attempt at a time, however many wait for it. */
  function oneMore(): Promise<void> {
    return opening ??= open().finally(() => opening = undefined);
  }

  async function look(): Promise<void> {
    for (let tries = 0; lines.length === 0 && closed === undefined; tries++) {
      await pause(Math.min(50 * 2 ** tries, 1000));
      await oneMore().catch(() => {});
    }
  }

  function forget(line: Line): void {
    const i = lines.indexOf(line);
    if (i >= 0) lines.splice(i, 1);
  }

  function giveUp(line: Line): void {
    forget(line);
    line.sql.end({ timeout: 0 }).catch(() => {});
  }

  async function pick(): Promise<Line> {
    if (lines.length === 0) {
      if (failure !== undefined) throw failure;
      await oneMore();
    }
    const [first, ...others] = lines;
    if (first === undefined) throw Object.assign(new Error("closed at once"), { code: "CONNECTION_CLOSED" });
    const idlest = others.reduce((one, other) => other.busy < one.busy ? other : one, first);
    if (idlest.busy > 0 && lines.length < connections && full <= performance.now()) {
      // For those who come next.
      oneMore().catch(() => full = performance.now() + 2000);
    }
    return idlest;
  }

  return {
    async ask(query, patience = timeout) {
      let line: Line | undefined;
      let isLate = false;
      const run = async () => {
        const picked = await pick();
        // Nobody waits for it any more, so it must not happen.
        if (isLate) throw notAnswering(place, patience);
        line = picked;
        line.busy++;
        try {
          return await query(line.sql);
        } catch (error) {
          if (isReadOnly(error)) giveUp(line);
          throw error;
        } finally {
          line.busy--;
        }
      };
      try {
        return await within(patience, run(), () => {
          isLate = true;
          if (line !== undefined) giveUp(line);
          return notAnswering(place, patience);
        });
      } catch (error) {
        throw postgresError(place, error);
      }
    },
    close() {
      return closed ??= Promise.all(lines.map(({ sql }) => sql.end({ timeout: timeout / 1000 }))).then(() => {});
    },
  };
}

function connect({ url, ssl }: PostgresTls, timeout: number, onclose: () => void) {
  const socket = dialler(ssl, timeout);
  return postgres(url, {
    max: 1,
    // The driver supports this option; its types do not list it.
    ...{ socket },
    // The socket already uses TLS if configured; otherwise the driver would start TLS again if PGSSL is set.
    ssl: false,
    connect_timeout: timeout / 1000,
    idle_timeout: 60,
    // All that is read are texts and doubles, so nothing need be learned of the server's types.
    fetch_types: false,
    onnotice() {},
    onclose,
    // The server gives up on a statement before the store gives up on the server.
    connection: { application_name: "latchkey", statement_timeout: Math.ceil(timeout * 0.8) },
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
