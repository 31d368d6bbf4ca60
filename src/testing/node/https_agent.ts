/** An agent of `node:https` whose connections to the origins of a mock end in this process. */

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { Agent, type RequestOptions } from "node:https";
import { isIPv6 } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { Connection } from "./connection.ts";
import { timers } from "../../core/http/timers.ts";

/** @internal A server that an agent connects to, such as `TestLatchkey`. */
export interface AgentServer {
  /** The origins that the agent connects to the server, at this moment. */
  origins(): readonly string[];
  /** Handles a request. */
  fetch(request: Request): Promise<Response>;
}

/**
 * Creates an agent for clients that use `node:https`: a connection to an origin of a server that begins with `https:`
 * reaches the server in this process, without a port and without TLS; other connections use the network. Axios takes
 * the agent as `httpsAgent`, got as `agent.https`, `node:https` and google-auth-library as `agent`. For clients without
 * such an option, assign the agent to `https.globalAgent`; on Bun this has no effect. For undici:
 * `new Agent({ connect: httpsAgent(as).createConnection })`.
 *
 * @param servers Mocks. Their origins may change later, as with `installFetch({ origins: "real" })`.
 */
export function httpsAgent(...servers: readonly AgentServer[]): Agent {
  const agent = new Agent();
  const connectOutside = agent.createConnection.bind(agent);
  agent.createConnection = (options: RequestOptions, callback) => {
    // undici: `host` has the port, and unknown options are null or empty.
    const host = options.hostname ?? options.host ?? "localhost";
    const port = options.port || 443;
    const { origin } = new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`);
    const server = servers.find((one) => one.origins().includes(origin));
    const outside: RequestOptions = { ...options, host, port, servername: options.servername ?? host };
    const connection = server === undefined ? connectOutside(outside, callback) : connectTo(server, origin);
    // Later, because undici expects no call before this function has returned. Node uses the returned connection.
    if (callback !== undefined && connection) timers.setImmediate(callback, null, connection);
    return connection;
  };
  return agent;
}

function connectTo(server: AgentServer, origin: string): Connection {
  const [clientEnd, serverEnd] = Connection.pair();
  createServer(handler(server, origin)).emit("connection", serverEnd.unref());
  return clientEnd;
}

/** Passes requests of `node:http` to the fetch of a server. */
function handler(server: AgentServer, origin: string): RequestListener {
  return (incoming, outgoing) => {
    // As over a network, a connection that a fault drops ends without a response.
    handle(server, origin, incoming, outgoing).catch(() => incoming.socket.destroy());
  };
}

async function handle(
  server: AgentServer,
  origin: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = "GET", url = "", rawHeaders } = incoming;
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
  const body = method === "GET" || method === "HEAD" ? undefined : new Uint8Array(await buffer(incoming));
  // The path begins with a slash, so that the request stays at this origin.
  const target = `${origin}/${url.replace(/^\//, "")}`;
  const response = await server.fetch(new Request(target, { method, headers, body, redirect: "manual" }));
  outgoing.writeHead(response.status, [...response.headers].flat());
  await pipeline(Readable.from(response.body ?? []), outgoing);
}
