/** The connection pool of a PostgreSQL store. */

import postgres from "postgres";
import { sleep, timers } from "../../../core/http/timers.ts";
import { timeoutError, withTimeout } from "../with_timeout.ts";
import { isReadOnly, postgresError } from "./postgres_errors.ts";
import { type PostgresTls, socketFactory } from "./postgres_sockets.ts";

interface PoolOptions {
  /** The URL of the database without the password, for messages. */
  readonly location: string;
  readonly maxConnections: number;
  /** Timeout of a query, in milliseconds. */
  readonly timeoutMs: number;
}

/** The query function of the driver. */
export type Sql = ReturnType<typeof createClient>;

/** A connection, and its number of pending queries, which are pipelined. */
interface PooledConnection {
  readonly sql: Sql;
  pendingQueries: number;
}

/**
 * Creates a pool. It opens connections when they are needed. A connection that exceeds the timeout is closed, and its
 * pending queries fail, because TCP alone would take minutes to detect a dead peer. Without a connection, queries fail
 * immediately, while the pool reconnects in the background, at least once a second.
 */
export function openPool(server: PostgresTls, { location, maxConnections, timeoutMs }: PoolOptions) {
  const pool: PooledConnection[] = [];
  let openingConnection: Promise<void> | undefined;
  /** The error of the last attempt to connect; absent while the pool has a connection. */
  let openError: unknown;
  let reconnecting: Promise<void> | undefined;
  /** No further connection is opened before this time, because the last attempt failed. */
  let retryOpenAt = 0;
  let closed: Promise<void> | undefined;

  async function openConnection(): Promise<void> {
    const connection: PooledConnection = {
      sql: createClient(server, timeoutMs, () => removeConnection(connection)),
      pendingQueries: 0,
    };
    try {
      await withTimeout(location, timeoutMs, Promise.resolve(connection.sql`SELECT 1`));
    } catch (error) {
      discardConnection(connection);
      // If the server allows no further connection, the existing ones remain usable.
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

  /** Opens one connection at a time; concurrent calls share the attempt. */
  function openOnce(): Promise<void> {
    return openingConnection ??= openConnection().finally(() => openingConnection = undefined);
  }

  async function reconnect(): Promise<void> {
    for (let attempts = 0; pool.length === 0 && closed === undefined; attempts++) {
      await sleep(Math.min(50 * 2 ** attempts, 1000));
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
    if (first === undefined) throw Object.assign(new Error("closed immediately"), { code: "CONNECTION_CLOSED" });
    const leastBusy = others.reduce((a, b) => b.pendingQueries < a.pendingQueries ? b : a, first);
    if (leastBusy.pendingQueries > 0 && pool.length < maxConnections && retryOpenAt <= timers.elapsed()) {
      // This attempt is for later queries.
      openOnce().catch(() => retryOpenAt = timers.elapsed() + 2000);
    }
    return leastBusy;
  }

  return {
    /**
     * Runs a query, once.
     *
     * @param queryTimeoutMs Timeout in milliseconds. Default: that of the pool.
     * @throws {StoreError} If it fails, or the timeout has passed.
     */
    async query<T>(query: (sql: Sql) => PromiseLike<T>, queryTimeoutMs: number = timeoutMs): Promise<T> {
      let connection: PooledConnection | undefined;
      let isTimedOut = false;
      const run = async () => {
        const pickedConnection = await pickConnection();
        // The caller has given up, so the query must not run.
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
        return await withTimeout(location, queryTimeoutMs, run(), () => {
          isTimedOut = true;
          if (connection !== undefined) discardConnection(connection);
        });
      } catch (error) {
        throw postgresError(location, error);
      }
    },
    /** Closes the pool when its pending queries have ended, or after the timeout. */
    close(): Promise<void> {
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
    // The store reads only texts and doubles, so the driver need not load the server's types.
    fetch_types: false,
    onnotice() {},
    onclose,
    // Shorter than the timeout of the query: the server cancels the statement first.
    connection: { application_name: "latchkey", statement_timeout: Math.ceil(timeoutMs * 0.8) },
  });
}
