/** Posts to the URLs that clients register: logout tokens, security events and notifications. */

import { limiterOf } from "../fetch_limiter.ts";
import type { Server } from "../server.ts";
import type { Client } from "./repository.ts";

/** A post. */
interface ClientPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Creates the body. */
  body(): string | Promise<string>;
  /** Ends the post. */
  readonly signal: AbortSignal;
  /** Seconds after which the signal aborts, for the operator. */
  readonly timeoutSeconds: number;
}

/** Why there is no response. */
export interface MissingResponse {
  /** The error of the connection, for the operator. */
  readonly received: string;
  /** Whether a later post may succeed. */
  readonly isTemporary: boolean;
}

/** Posts, and follows no redirect (SSRF). `read` reads the response; it must not read more than it needs. */
export async function postToClient<T extends object>(
  server: Server,
  client: Client,
  { url, headers, body, signal, timeoutSeconds }: ClientPost,
  read: (response: Response) => T | Promise<T>,
): Promise<T | MissingResponse> {
  const send = async () => {
    // The operator did not choose the URL of such a client. The client counts as in use, because something was issued.
    if (client.standing !== "configured") limiterOf(server).count(url, { isInUse: true });
    const init = { method: "POST", headers, body: await body(), redirect: "manual", signal } as const;
    return await read(await server.outbound(url, init));
  };
  try {
    return await Promise.race([send(), abortOf(signal)]);
  } catch (cause) {
    return {
      received: signal.aborted
        ? `no response within ${timeoutSeconds} seconds`
        : `no response (${cause instanceof Error ? cause.message : cause})`,
      // Nothing was sent to a host that the server must not contact.
      isTemporary: !(cause instanceof Error && cause.name === "BlockedHostError"),
    };
  }
}

/** Rejects when a signal aborts, even if a request ignores the signal. */
function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
}
