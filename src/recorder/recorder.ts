/** The recorder: a layer that remembers every exchange, bounded, and sorts them into flows. */

import type { Desk } from "../app/endpoint.ts";
import type { Layer } from "../app/plugin.ts";
import { isDropped, isResponse } from "../http/message.ts";
import type { Answer, Incoming } from "../http/message.ts";
import { readTarget } from "../http/router.ts";
import type { Handle, Peer } from "../http/router.ts";
import type { RegisteredSecrets } from "../oauth/clients/registered_secrets.ts";
import type { Server } from "../oauth/server.ts";
import { endpointName } from "./endpoint_name.ts";
import type { EndpointName } from "./endpoint_name.ts";
import { exchangeIn } from "./exchange_draft.ts";
import type { Entry } from "./exchange_draft.ts";
import type { Exchange, Flow } from "./exchange.ts";
import { ledger } from "./flow_index.ts";
import { ear, overheardRequest, overheardResponse } from "./body_tap.ts";
import { isText, readAnswer, withAnswerBody } from "./read_response.ts";
import { readRequest, withBody } from "./read_request.ts";

/** Remembers what a server is asked and what it answers. As a layer it belongs outermost, where it sees what clients see. */
export interface Recorder extends Layer {
  /** Oldest first. Each is a value of its own: what becomes of an exchange later shows in a new value. */
  exchanges(): readonly Exchange[];
  /** Oldest first. */
  flows(): readonly Flow[];
  /** `undefined` when there is none, or no longer. */
  flow(id: string): Flow | undefined;
  /** The exchange that a request is part of, by the very value that came, or that was passed on to the layers further in. */
  exchangeOf(request: Incoming): Exchange | undefined;
  /** Is told that a fault has a hand in the answer to that request. */
  blame(request: Incoming, fault: string): void;
  /**
   * Is told of every exchange when it begins, again when it ends, and once more when a body that was streamed has come to
   * its end; gives back how to stop listening. What the listener throws is dropped.
   */
  listen(listener: (exchange: Exchange) => void): () => void;
  /** Forgets everything, or one flow. */
  clear(flow?: string): void;
  /** Whether it remembers what comes from now on; what it knows it keeps either way. */
  recording: boolean;
}

/** How much is remembered. */
export interface RecorderOptions {
  /**
   * Exchanges. Those of the flow that was quiet for longest are forgotten first, whole flows at a time. At least 1.
   * Default: 1,000.
   */
  readonly limit?: number;
  /** Whether static files and other plain pages are remembered as well. Default: false. */
  readonly pages?: boolean;
}

/**
 * Makes a recorder for one server. What it is not asked to remember it passes on untouched.
 *
 * @example
 * ```ts ignore
 * const record = recorder();
 * await using as = await latchkey({ layers: [record] });
 * await as.fetch(new Request(`${as.issuer}/oauth2/jwks`));
 * record.exchanges()[0]?.endpoint; // "jwks"
 * ```
 */
export function recorder({ limit = 1000, pages = false }: RecorderOptions = {}): Recorder {
  const book = ledger(Math.max(1, limit));
  const known = new WeakMap<Incoming, Entry>();
  const listeners = new Set<(exchange: Exchange) => void>();
  let now: Server["now"] = () => 0;
  let base = "";
  let serves: Desk["serves"] = () => true;
  let registered: RegisteredSecrets | undefined;
  let soFar = 0;

  function tell(entry: Entry): void {
    if (listeners.size === 0) return;
    const exchange = exchangeIn(entry);
    for (const listener of [...listeners]) {
      try {
        listener(exchange);
      } catch {
        // Who listens must not be able to break what is listened to.
      }
    }
  }

  function isWorthIt(endpoint: EndpointName, method: string, path: string): boolean {
    // A preflight asks the browser's question, not the client's.
    if (method === "OPTIONS") return false;
    // Beside the endpoints there may be a client that has their addresses wrong.
    return pages || endpoint !== "page" || path.startsWith(`${base}/oauth2/`) || !serves(path);
  }

  async function record(next: Handle, request: Incoming, peer: Peer | undefined): Promise<Answer> {
    const target = readTarget(request.url, peer ?? {});
    const endpoint = endpointName(base, target.path);
    if (!isWorthIt(endpoint, request.method, target.path)) return await next(request, peer);
    const entry: Entry = {
      number: ++soFar,
      at: now(),
      endpoint,
      registered,
      request: readRequest(request, target),
      lost: false,
      held: [],
      events: [],
      faults: [],
      links: [],
    };
    const asked = ear(() => {
      entry.request = withBody(entry.request, asked.heard());
      entry.seen = undefined;
      book.settle(entry);
    });
    const passedOn = overheardRequest(request, asked);
    for (const one of [request, passedOn]) known.set(one, entry);
    book.enter(entry);
    if (request.method !== "POST") book.settle(entry);
    tell(entry);
    try {
      const answer = await next(passedOn, peer);
      entry.lost = isDropped(answer);
      if (entry.lost) return answer;
      entry.answer = readAnswer(endpoint, answer);
      return isResponse(answer) && isText(answer) ? overhear(entry, answer) : answer;
    } catch (error) {
      entry.lost = true;
      throw error;
    } finally {
      entry.answeredAt = now();
      entry.seen = undefined;
      if (entry.request.body === undefined) entry.request = withBody(entry.request, asked.heard());
      book.settle(entry);
      book.learn(entry);
      tell(entry);
    }
  }

  /** The answer of somebody else's program, whose body passes by when the client reads it. */
  function overhear(entry: Entry, response: Response): Response {
    const answered = ear((how) => {
      entry.answer = withAnswerBody(entry.endpoint, entry.answer!, answered.heard());
      entry.lost = how === "broken";
      entry.seen = undefined;
      book.learn(entry);
      tell(entry);
    });
    return overheardResponse(response, answered);
  }

  const self: Recorder = {
    recording: true,
    open(desk) {
      now = desk.server.now;
      base = desk.site.base;
      serves = desk.serves;
      registered = desk.server.registeredSecrets;
    },
    around: (next) => (request, peer) => self.recording ? record(next, request, peer) : next(request, peer),
    during(server, request) {
      const entry = known.get(request);
      if (entry === undefined) return server;
      return {
        ...server,
        trace(event) {
          entry.events.push(event);
          entry.seen = undefined;
          server.trace(event);
        },
        held(rule, value) {
          entry.held.push({ rule, ...value !== undefined && { value } });
          entry.seen = undefined;
          server.held?.(rule, value);
        },
      };
    },
    exchangeOf(request) {
      const entry = known.get(request);
      return entry && exchangeIn(entry);
    },
    blame(request, fault) {
      const entry = known.get(request);
      if (entry === undefined) return;
      entry.faults.push(fault);
      entry.seen = undefined;
    },
    exchanges: book.exchanges,
    flows: book.flows,
    flow: book.flow,
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    clear: book.clear,
  };
  return self;
}
