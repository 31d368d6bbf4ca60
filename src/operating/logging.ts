/** The log: every request gets a name, and what happened while it was answered is told under that name. */

import type { Layer } from "../app/plugin.ts";
import type { Incoming } from "../http/message.ts";
import { withHeaders } from "../http/message.ts";
import type { RegisteredSecrets } from "../oauth/clients/registered_secrets.ts";
import { veil, veiled } from "../oauth/trace.ts";
import type { Trace, TraceEvent } from "../oauth/trace.ts";
import { endpointName } from "../recorder/endpoint_name.ts";
import { narrate } from "./format_event.ts";

/** Where the log goes, and how it reads. */
export interface LoggingOptions {
  /** Takes a line, without a newline at its end. */
  readonly write: (line: string) => void;
  /** `text` is for people, `json` one object a line for programs, with a line for every request. */
  readonly format: "text" | "json";
  /** In text, also what went well. Default: only what went wrong. */
  readonly everything?: boolean;
}

/** A log as a layer, and for what happens outside of any request. */
export interface Logging extends Layer {
  /** Give it as the server's `trace` too: it tells what happens outside of any request, and the rest not twice. */
  readonly trace: Trace;
  /** Tells what the program around the server does: an event with its facts, where the log is for programs. */
  announce(event: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** Names that a proxy may give. */
const idSyntax = /^[\w.:-]{1,64}$/;

/**
 * Writes a log. Every answer says its request's name in `X-Request-Id`: the one that a trusted proxy gave it, or one of
 * its own. Never a secret, and paths without their query.
 *
 * @example
 * ```ts ignore
 * const log = logging({ write: console.error, format: "json" });
 * const as = await latchkey({ layers: [log], trace: log.trace });
 * ```
 */
export function logging({ write, format, everything = false }: LoggingOptions): Logging {
  const ids = new WeakMap<Incoming, string>();
  let base = "";
  let registered: RegisteredSecrets | undefined;
  let draw = () => "";
  let now = () => 0;
  /** Whether what the server hears has been told already, under a request's name. */
  let told = false;

  const tell = (event: TraceEvent, id?: string) => {
    const fit = veiled(event, registered);
    if (format === "json") return write(JSON.stringify({ ...record(fit), request: id }));
    const line = narrate(fit, everything);
    if (line !== undefined) write(id === undefined ? line : `${line} (request ${id})`);
  };

  return {
    trace(event) {
      if (!told) tell(event);
    },
    announce(event, facts) {
      if (format === "json") {
        write(JSON.stringify({ time: new Date(now()).toISOString(), level: "info", event, ...facts }));
      }
    },
    open({ server, site }) {
      base = site.base;
      now = server.now;
      registered = server.registeredSecrets;
      draw = () => Array.from(server.random(8), (byte) => byte.toString(16).padStart(2, "0")).join("");
    },
    around: (next) => async (request, peer) => {
      const given = request.headers.get("x-request-id");
      const id = given !== null && peer?.proxy !== undefined && idSyntax.test(given) ? given : draw();
      ids.set(request, id);
      const began = performance.now();
      // Before the answer is given: afterwards the other end may be gone.
      const from = format === "json" ? { address: peer?.address, proxy: peer?.proxy, named: peer?.named } : {};
      const answer = await next(request, peer);
      if (format === "json") {
        const path = /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)/i.exec(request.url)?.[1] ?? "";
        write(JSON.stringify({
          time: new Date(now()).toISOString(),
          level: answer.status >= 500 ? "error" : "info",
          event: "request",
          method: request.method.slice(0, 16),
          path: veil(path.slice(0, 200), answer.status < 400 ? undefined : registered),
          endpoint: endpointName(base, path),
          status: answer.status,
          milliseconds: Math.round((performance.now() - began) * 100) / 100,
          ...from,
          request: id,
        }));
      }
      return withHeaders(answer, { "x-request-id": id });
    },
    during(server, request) {
      const id = ids.get(request);
      return {
        ...server,
        trace(event) {
          tell(event, id);
          told = true;
          try {
            server.trace(event);
          } finally {
            told = false;
          }
        },
      };
    },
  };
}

/** Level of each event that is above `info`. */
const levels: Readonly<Partial<Record<TraceEvent["type"], string>>> = {
  bug: "error",
  refused: "warn",
  warning: "warn",
  configuration_warning: "warn",
};

/** An event as an object for programs. */
function record(event: TraceEvent): Record<string, unknown> {
  const { type, at, ...rest } = event;
  const level = levels[type] ?? "info";
  const head = { time: new Date(at).toISOString(), level, event: type };
  if ("why" in rest) {
    const { why, ...further } = rest;
    return { ...head, ...further, ...why };
  }
  if ("cause" in rest) {
    const { cause, ...further } = rest;
    return { ...head, ...further, cause: cause instanceof Error ? cause.stack ?? cause.message : String(cause) };
  }
  return { ...head, ...rest };
}
