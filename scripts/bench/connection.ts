/**
 * One keep-alive HTTP/1.1 connection on a raw socket: the cheapest client there is, so that servers are what is
 * measured.
 */

import { connect, type Socket } from "node:net";

/** A response. Headers and body as sent. */
export interface RawResponse {
  readonly status: number;
  /** Status line and header lines. */
  readonly head: string;
  /** Latin-1. */
  readonly body: string;
}

/** An open connection: one request at a time. Rejects if it ends before the response. */
export interface Connection {
  get(path: string): Promise<RawResponse>;
  /** Posts a form. */
  post(path: string, form: string): Promise<RawResponse>;
  close(): void;
}

interface PendingRequest {
  resolve(result: RawResponse): void;
  reject(error: Error): void;
}

/** Timeout of a response, in milliseconds. */
const responseTimeoutMs = 20_000;

/** Opens a connection to a port of 127.0.0.1. */
export async function openConnection(port: number): Promise<Connection> {
  const socket = await connectSocket(port);
  let received = "";
  let pending: PendingRequest | undefined;

  const finish = (outcome: (pending: PendingRequest) => void): void => {
    const finished = pending;
    pending = undefined;
    if (finished !== undefined) outcome(finished);
  };
  const failWith = (reason: string): void => finish(({ reject }) => reject(new Error(reason)));

  socket.setEncoding("latin1");
  socket.setTimeout(responseTimeoutMs, () => {
    failWith(`No response within ${responseTimeoutMs / 1000} s.`);
    socket.destroy();
  });
  socket.on("error", (error) => failWith(`The connection failed: ${error.message}`));
  socket.on("close", () => failWith("The server closed the connection before the response."));
  socket.on("data", (text: string) => {
    received += text;
    let response: RawResponse | undefined;
    try {
      response = parseResponse(received);
    } catch (error) {
      return failWith((error as Error).message);
    }
    if (response === undefined) return;
    received = "";
    finish(({ resolve }) => resolve(response));
  });

  const send = (line: string, rest: string): Promise<RawResponse> =>
    new Promise((resolve, reject) => {
      pending = { resolve, reject };
      socket.write(`${line} HTTP/1.1\r\nHost: localhost:${port}\r\nAccept: */*\r\n${rest}`, "latin1");
    });
  return {
    get: (path) => send(`GET ${path}`, "\r\n"),
    post: (path, form) =>
      send(
        `POST ${path}`,
        `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
      ),
    close: () => socket.destroy(),
  };
}

function connectSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

/** The complete response. Requires Content-Length, which every server here sends. */
function parseResponse(text: string): RawResponse | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const length = getHeader(head, "content-length");
  if (length === undefined) throw new Error(`Expected Content-Length, found:\n${head}`);
  const body = text.slice(end + 4);
  if (body.length < Number(length)) return undefined;
  if (body.length > Number(length)) throw new Error(`Expected ${length} bytes of body, found ${body.length}.`);
  return { status: Number(head.slice(9, 12)), head, body };
}

/** Value of the first header with that lower-case name. */
export function getHeader(head: string, name: string): string | undefined {
  for (let start = head.indexOf("\r\n"); start >= 0;) {
    const next = head.indexOf("\r\n", start + 2);
    const colon = start + 2 + name.length;
    if (head[colon] === ":" && head.slice(start + 2, colon).toLowerCase() === name) {
      return head.slice(colon + 1, next < 0 ? head.length : next).trim();
    }
    start = next;
  }
  return undefined;
}
