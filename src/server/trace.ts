/** Events of the whole server for the operator: one closed union. `redaction/redact.ts` redacts them. */

import type { CoreEvent, CoreTrace } from "../core/trace.ts";
import type { Explanation } from "../core/rules/errors.ts";

/**
 * @internal An event. `at` is in milliseconds since the epoch, by the server's clock.
 *
 * Text that a client sent may contain a secret, such as one in the wrong parameter. Plugins receive events unchanged;
 * the option `trace` and the log receive them redacted (`redactEvent` of `redaction/redact.ts`).
 */
export type TraceEvent =
  | CoreEvent
  /** A valid setting that probably does not work as intended: traced at start, or once by a request that shows it. */
  | { readonly type: "configuration_warning"; readonly at: number; readonly path: string; readonly message: string }
  | {
    /**
     * A browser opened a URL without a page: unknown, switched off, or for programs only. It is not an error of a
     * client.
     */
    readonly type: "page_missing";
    readonly at: number;
    readonly endpoint: string;
    /** The status of the response: 404 or 405. */
    readonly status: number;
    readonly reason: string;
  }
  /** A request to a protected resource had no access token; the challenge names these scope values. */
  | { readonly type: "challenged"; readonly at: number; readonly endpoint: string; readonly scope: readonly string[] }
  /** On test hosts: an effect of a valid request that its client may not expect. */
  | { readonly type: "note"; readonly at: number; readonly client: string; readonly explanation: Explanation }
  | {
    /**
     * The `backchannel_logout_uri` of a client was called. Status 200 or 204 is success; a warning describes a failure.
     */
    readonly type: "back_channel_logout";
    readonly at: number;
    readonly client: string;
    readonly sid: string;
    /** How often the client was called for this session, with this call. */
    readonly attempt: number;
    /** The status of the response; absent without one. */
    readonly status?: number;
    /** When the call is repeated; absent if it is not. */
    readonly retryAt?: number;
  }
  | {
    /** A security event was posted to a client. Status 202 is success; a warning describes a failure. */
    readonly type: "security_event_delivery";
    readonly at: number;
    readonly client: string;
    /** The `jti` of its token. */
    readonly jti: string;
    /** How often it was posted, with this time. */
    readonly attempt: number;
    /** The status of the response; absent without one. */
    readonly status?: number;
    /** When it is posted again; absent if it is not. */
    readonly retryAt?: number;
  }
  | {
    /** A client registered itself (RFC 7591), or its registration was changed or deleted (RFC 7592). */
    readonly type: "client_registered" | "client_updated" | "client_deleted";
    readonly at: number;
    readonly client: string;
    /** Why it was deleted. */
    readonly reason?: string;
  }
  | {
    /** A metadata document was fetched, successfully or not. */
    readonly type: "metadata_document_fetched";
    readonly at: number;
    /** The URL, which is the client id. */
    readonly client: string;
    /** The result, such as `valid for 300 seconds`; for the operator only. */
    readonly outcome: string;
  }
  | {
    /** At start: the clients or users that were added at run time and are in the store. */
    readonly type: "stored_entries";
    readonly at: number;
    readonly of: "clients" | "users";
    /** The first 20 ids. */
    readonly ids: readonly string[];
    /** The number of further ids; absent if there are none. */
    readonly more?: number;
  }
  | {
    /** A recorder has reached its limit of new flows, and leaves out others until the second is over. */
    readonly type: "flow_limit_reached";
    readonly at: number;
    /** The number of new flows that it records per second. */
    readonly maxFlowsPerSecond: number;
  }
  | {
    /** A fault applies to a request, by a test or by the page `/faults`: it changes or replaces the response. */
    readonly type: "fault_applied";
    readonly at: number;
    /** The path of the request, such as `/oauth2/token`. */
    readonly endpoint: string;
    /** The client that the request names, not authenticated. Absent if it names none. */
    readonly client?: string;
    /** The name of the fault, such as `invalid_grant`. */
    readonly fault: string;
  }
  | {
    /** A visitor changed the server: clients, users, or for a test the clock, keys, faults, or token validity. */
    readonly type: "changed_by_hand";
    readonly at: number;
    /** What changed, in a sentence without its full stop. */
    readonly change: string;
  };

/** Receives every event, synchronously. Its errors are ignored. */
export type Trace = (event: TraceEvent) => void;

/** Warns the operator about a request that was accepted, or about a failure without a request. */
export function warn(
  server: { readonly now: () => number; readonly trace: CoreTrace },
  client: string | undefined,
  explanation: Explanation & { readonly fix: string },
): void {
  server.trace({ type: "warning", at: server.now(), ...client !== undefined && { client }, explanation });
}
