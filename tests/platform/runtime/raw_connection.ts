/** HTTP/1.1 as bytes on a socket, for requests that no client library would send. */

import { connect, type Socket } from "node:net";

/** Milliseconds after which a silent server is given up, so that a fault does not look like a hang. */
const responseTimeoutMs = 120_000;

/** The lines of a request's head, with the empty line behind them. */
export function requestHead(...lines: readonly string[]): string {
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** A POST of a form; its body follows, or not. */
export function formRequestHead(path: string, ...more: readonly string[]): string {
  return requestHead(
    `POST ${path} HTTP/1.1`,
    "Host: any.test",
    "Content-Type: application/x-www-form-urlencoded",
    ...more,
  );
}

/** One open connection. */
export interface RawConnection {
  /** Sends bytes; what can no longer be sent is dropped. */
  send(text: string): void;
  /** Waits until what was received matches, and gives all of it; rejects when the connection ends before. */
  until(pattern: RegExp): Promise<string>;
  /** Waits until the server closes the connection, and gives all that was received. */
  readonly closed: Promise<string>;
  /** Hangs up. */
  close(): void;
}

/** Pattern of a complete response with Content-Length, or of an interim 100. */
export const responsePattern = /^HTTP\/1\.1 [2-5]\d\d [^]*?\r\n\r\n/;
/** The server has begun to read the body, so the request is under way. */
export const continuePattern = /^HTTP\/1\.1 100 /;

/** Opens a connection; a paused one never reads. */
export async function openRawConnection(
  port: number,
  host = "127.0.0.1",
  kind: "reading" | "paused" = "reading",
): Promise<RawConnection> {
  const socket: Socket = connect({ port, host });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  let received = "";
  let failure: Error | undefined;
  let checkReceived = () => {};
  socket.setTimeout(responseTimeoutMs, () => socket.destroy(new Error("the server was silent for too long")));
  if (kind === "paused") socket.pause();
  else {
    socket.on("data", (bytes: Uint8Array) => {
      received += new TextDecoder("latin1").decode(bytes);
      checkReceived();
    });
  }
  // A reset after a response is a valid way to close a connection.
  socket.on("error", (error: Error) => failure = error);
  const closed = new Promise<string>((resolve, reject) => {
    socket.on("close", () => {
      if (received === "" && failure !== undefined) reject(failure);
      else resolve(received);
    });
  });
  closed.catch(() => {});
  return {
    send: (text) => void (socket.writable && socket.write(text)),
    until(pattern) {
      return new Promise((resolve, reject) => {
        checkReceived = () => pattern.test(received) && resolve(received);
        checkReceived();
        const ended = () => reject(new Error(`the connection ended after ${JSON.stringify(received)}`));
        closed.then(ended, reject);
      });
    },
    closed,
    close: () => void socket.destroy(),
  };
}

/** Sends a whole request and waits until the server closes the connection, as it was asked to. */
export async function sendRaw(port: number, request: string): Promise<string> {
  const connection = await openRawConnection(port);
  connection.send(request);
  return await connection.closed;
}

/** Status codes of all received responses. */
export function getStatuses(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));
}

/** The values of one header, in the order of its lines. */
export function getHeaderValues(received: string, name: string): string[] {
  const [lines] = received.split("\r\n\r\n", 1);
  return lines!.split("\r\n").slice(1).filter((line) => line.toLowerCase().startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).trim());
}

/** Text after the head of the first response. */
export function getBody(received: string): string {
  return received.slice(received.indexOf("\r\n\r\n") + 4);
}
