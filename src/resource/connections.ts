/** Accounts at other services that users of a hosted MCP server connected, and pending requests to connect one. */

/** A request that asks a user to connect an account, and the user's decision. */
export interface AccountConnection {
  /** Unguessable: the `requestState` of the client, and a parameter of the page. */
  readonly id: string;
  readonly tool: string;
  readonly clientId: string;
  /** The subject as the access token has it. */
  readonly sub: string;
  readonly state: "pending" | "connected" | "declined";
  /** Milliseconds since the epoch; a connected account does not expire. */
  readonly expiresAt: number;
}

export type ConnectionCall = Pick<AccountConnection, "tool" | "clientId" | "sub">;

/** Milliseconds in which the user must decide. */
const lifetimeMs = 10 * 60_000;

/** Maximum number of connections; a further one replaces the oldest that is not connected, or else the oldest. */
const maxConnections = 1000;

/** The connections of one resource, in the memory of this process. */
export interface ConnectionList {
  /** The current connection of a call; `undefined` if there is none. */
  find(call: ConnectionCall, now: number): AccountConnection | undefined;
  findById(id: string, now: number): AccountConnection | undefined;
  /** Begins a request, which replaces an earlier one of the same call. */
  request(call: ConnectionCall, id: string, now: number): AccountConnection;
  /** Records the decision of the user about the current connection with this id; `undefined` if there is none. */
  decide(id: string, state: "connected" | "declined", now: number): AccountConnection | undefined;
  clear(): void;
}

/** Creates an empty list. */
export function connectionList(): ConnectionList {
  const byCall = new Map<string, AccountConnection>();
  const keyOf = ({ tool, clientId, sub }: ConnectionCall) => JSON.stringify([tool, clientId, sub]);
  const ifCurrent = (found: AccountConnection | undefined, now: number) =>
    found !== undefined && found.expiresAt > now ? found : undefined;
  const findById = (id: string, now: number) =>
    ifCurrent([...byCall.values()].find((connection) => connection.id === id), now);
  return {
    find: (call, now) => ifCurrent(byCall.get(keyOf(call)), now),
    findById,
    request(call, id, now) {
      const { tool, clientId, sub } = call;
      const connection: AccountConnection = { id, tool, clientId, sub, state: "pending", expiresAt: now + lifetimeMs };
      byCall.delete(keyOf(call));
      if (byCall.size >= maxConnections) {
        const all = [...byCall.values()];
        byCall.delete(keyOf(all.find(({ state }) => state !== "connected") ?? all[0]!));
      }
      byCall.set(keyOf(call), connection);
      return connection;
    },
    decide(id, state, now) {
      const current = findById(id, now);
      if (current === undefined) return undefined;
      const decided = { ...current, state, expiresAt: state === "connected" ? Infinity : current.expiresAt };
      byCall.set(keyOf(current), decided);
      return decided;
    },
    clear: () => byCall.clear(),
  };
}
