/** The connections of a PostgreSQL store: how many there are, who gets which, and when one is given up. */

import postgres from "postgres";
import { timeoutError, withTimeout } from "../with_timeout.ts";
import { isReadOnly, postgresError } from "./postgres_errors.ts";
import { socketFactory } from "./postgres_sockets.ts";
import type { PostgresTls } from "./postgres_sockets.ts";

/** How many connections, and how long anything may take. */
interface PoolOptions {
  /** The database as a person may be told of it. */
  readonly location: string;
  /** Connections at the most. */
  readonly maxConnections: number;
  /** Milliseconds. */
  readonly timeoutMs: number;
}

/** What queries are written with. */
export type Sql = ReturnType<typeof createClient>;

/** A database that is asked over several connections. */
interface Pool {
  /**
   * Runs a query; rejects with a StoreError, at the latest when `patience` has passed. Nothing is sent twice.
   *
   * @param patience Milliseconds. Default: the timeout.
   */
  query<T>(query: (sql: Sql) => PromiseLike<T>, patience?: number): Promise<T>;
  /** Lets queries under way end, within the timeout. */
  close(): Promise<void>;
}

/** One connection, and how many queries it is busy with: they travel one behind the other. */
interface PooledConnection {
  readonly sql: Sql;
  pendingQueries: number;
}

/**
 * Opens connections as they are needed. One that is silent past the timeout is given up with all that is under way on
 * it: behind a paused server or a cut cable it would be silent for a quarter of an hour. While there is none to be had,
 * queries fail at once, and one attempt after the other is made in the background, at most a second apart.
 */
export function openPool(server: PostgresTls, { location, maxConnections, timeoutMs }: PoolOptions): Pool {
  const pool: PooledConnection[] = [];
  let openingConnection: Promise<void> | undefined;
  /** Why there is no connection at all. */
  let openError: unknown;
  let reconnecting: Promise<void> | undefined;
  /** A server that has no connection left is not asked for another one before then. */
  let retryOpenAt = 0;
  let closed: Promise<void> | undefined;

  async function openConnection(): Promise<void> {
    const connection: PooledConnection = {
      sql: createClient(server, timeoutMs, () => removeConnection(connection)),
      pendingQueries: 0,
    };
    try {
      await withTimeout(timeoutMs, Promise.resolve(connection.sql`SELECT 1`), () => timeoutError(location, timeoutMs));
    } catch (error) {
      discardConnection(connection);
      // A server that has no connection left still has those that it gave before.
      if (pool.length === 0) {
        openError = error;
        reconnecting ??= reconnect().finally(() => reconnecting = undefined);
      }
      throw error;
    }
    if (closed !== undefined) return discardConnection(connection);
    openError = undefined;
    pool.push(connection);
  }

  /** One attempt at a time, however many wait for it. */
  function openOnce(): Promise<void> {
    return openingConnection ??= openConnection().finally(() => openingConnection = undefined);
  }

  async function reconnect(): Promise<void> {
    for (let attempts = 0; pool.length === 0 && closed === undefined; attempts++) {
      await delay(Math.min(50 * 2 ** attempts, 1000));
      await openOnce().catch(() => {});
    }
  }

  function removeConnection(connection: PooledConnection): void {
    const i = pool.indexOf(connection);
    if (i >= 0) pool.splice(i, 1);
  }

  function discardConnection(connection: PooledConnection): void {
    removeConnection(connection);
    connection.sql.end({ timeout: 0 }).catch(() => {});
  }

  async function pickConnection(): Promise<PooledConnection> {
    if (pool.length === 0) {
      if (openError !== undefined) throw openError;
      await openOnce();
    }
    const [first, ...others] = pool;
    if (first === undefined) throw Object.assign(new Error("closed at once"), { code: "CONNECTION_CLOSED" });
    const leastBusy = others.reduce((a, b) => b.pendingQueries < a.pendingQueries ? b : a, first);
    if (leastBusy.pendingQueries > 0 && pool.length < maxConnections && retryOpenAt <= performance.now()) {
      // For those who come next.
      openOnce().catch(() => retryOpenAt = performance.now() + 2000);
    }
    return leastBusy;
  }

  return {
    async query(query, queryTimeoutMs = timeoutMs) {
      let connection: PooledConnection | undefined;
      let isTimedOut = false;
      const run = async () => {
        const pickedConnection = await pickConnection();
        // Nobody waits for it any more, so it must not happen.
        if (isTimedOut) throw timeoutError(location, queryTimeoutMs);
        connection = pickedConnection;
        connection.pendingQueries++;
        try {
          return await query(connection.sql);
        } catch (error) {
          if (isReadOnly(error)) discardConnection(connection);
          throw error;
        } finally {
          connection.pendingQueries--;
        }
      };
      try {
        return await withTimeout(queryTimeoutMs, run(), () => {
          isTimedOut = true;
          if (connection !== undefined) discardConnection(connection);
          return timeoutError(location, queryTimeoutMs);
        });
      } catch (error) {
        throw postgresError(location, error);
      }
    },
    close() {
      return closed ??= Promise.all(pool.map(({ sql }) => sql.end({ timeout: timeoutMs / 1000 }))).then(() => {});
    },
  };
}

function createClient({ url, ssl }: PostgresTls, timeoutMs: number, onclose: () => void) {
  const socket = socketFactory(ssl, timeoutMs);
  return postgres(url, {
    max: 1,
    // The driver supports this option; its types do not list it.
    ...{ socket },
    // The socket already uses TLS if configured; otherwise the driver would start TLS again if PGSSL is set.
    ssl: false,
    connect_timeout: timeoutMs / 1000,
    idle_timeout: 60,
    // All that is read are texts and doubles, so nothing need be learned of the server's types.
    fetch_types: false,
    onnotice() {},
    onclose,
    // The server gives up on a statement before the store gives up on the server.
    connection: { application_name: "latchkey", statement_timeout: Math.ceil(timeoutMs * 0.8) },
  });
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
