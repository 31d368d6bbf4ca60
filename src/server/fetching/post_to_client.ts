/** Posts to the URLs that clients register: logout tokens, security events and notifications. */

import { readLimited } from "./outbound.ts";
import type { FetchingServer } from "./fetching.ts";
import type { Client } from "../../core/clients/clients.ts";
import { unlessAborted } from "../../platform/http/unless_aborted.ts";

interface ClientPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  body(): string | Promise<string>;
  /** The JSON members that describe the error in a response of status 400. Default: the body is not read. */
  readonly errorMembers?: readonly string[];
  readonly signal: AbortSignal;
  /** Seconds after which the signal aborts, for the operator. */
  readonly timeoutSeconds: number;
}

export interface PostResult {
  /** The status; absent if no response was received in time. */
  readonly status?: number;
  /** The response, or the error of the connection, for the operator. */
  readonly received: string;
  /** Whether a later post may succeed. */
  readonly isTemporary: boolean;
}

/** Maximum size of an error response that is read, in bytes. */
const maxErrorBytes = 1024;

/** Posts, and follows no redirect (SSRF). */
export async function postToClient(
  server: FetchingServer,
  client: Client,
  { url, headers, body, errorMembers = [], signal, timeoutSeconds }: ClientPost,
): Promise<PostResult> {
  const send = async (): Promise<PostResult> => {
    const init = { method: "POST", headers, body: await body(), redirect: "manual", signal } as const;
    const { fetching } = server;
    // The operator did not choose the URL of another client. It counts as in use, because something was issued.
    const response =
      await (client.standing === "configured"
        ? fetching.send(url, init)
        : fetching.limiter.run(url, { isInUse: true }, () => fetching.send(url, init)));
    const { status } = response;
    const received = `status ${status}${await describeError(response, errorMembers)}`;
    return { status, received, isTemporary: status >= 500 };
  };
  try {
    // A fetch may ignore its signal.
    return await unlessAborted(send(), signal);
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

/** The error in the response of a client that rejects the post; empty without one. */
async function describeError(response: Response, members: readonly string[]): Promise<string> {
  if (response.status !== 400 || members.length === 0) {
    response.body?.cancel().catch(() => {});
    return "";
  }
  try {
    const error = JSON.parse(await readLimited(response, maxErrorBytes));
    return ` (${members.map((name) => error[name]).filter((text) => typeof text === "string").join(": ")})`;
  } catch {
    return "";
  }
}
