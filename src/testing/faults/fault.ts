/** The Fault seam: something that goes wrong, as a function around a seam of the server that gives back the same seam. */

import type { App } from "../../app/endpoint.ts";
import type { RequestHandler } from "../../http/router.ts";
import type { Server } from "../../oauth/server.ts";
import type { EndpointName } from "../../recorder/endpoint_name.ts";

/** A request as rules see it before anything answers it. Reading a form here takes nothing away from the server. */
export interface RequestView {
  /** The endpoint it goes to. */
  readonly endpoint: EndpointName;
  /** In capitals. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The fields of its form, or else of its query; of a repeated one the first. Empty where they cannot be decoded. */
  readonly params: Readonly<Record<string, string>>;
  /**
   * The client it names or claims to come from, not proved: by `client_id`, client authentication, or a JWT access
   * token. At login and consent the client of {@link RequestView.authorizationRequest}. Absent where none of these can be read.
   */
  readonly client?: string;
  /** At login and consent: the authorization request that they go on with, where it was seen. */
  readonly authorizationRequest?: RequestView;
  /** The value of a header; `null` when it was not sent. */
  header(name: string): string | null;
}

/** What a fault is told of the exchange that it has a hand in. */
export interface FaultContext {
  /** The request. */
  readonly request: RequestView;
  /** The server, without what layers make of it for this request. */
  readonly app: App;
  /** Aborted when the server closes or the rules are cleared: whatever waits must end then. */
  readonly signal: AbortSignal;
  /** Waits that many milliseconds of real time, or until `stop`. */
  wait(milliseconds: number): Promise<void>;
  /**
   * For faults with {@link Fault.waitsFor}: claims one firing of the rule, at the moment there is something to spoil. True
   * when the fault may go ahead, and from then on for the whole exchange; false when the rule has fired often enough.
   */
  consume(): boolean;
}

/**
 * Something that goes wrong in one exchange. It wraps one of two seams and gives back the same seam, so that several
 * can lie around one another: the way from request to answer, or the server that the rules are handed.
 *
 * @example A fault of one's own: the token endpoint forgets its headers
 * ```ts ignore
 * const bare: Fault = {
 *   name: "no headers",
 *   handle: (next) => async (request, peer) => ({ ...await next(request, peer) as Reply, headers: {} }),
 * };
 * ```
 */
export interface Fault {
  /** What a report calls it, a few words: `invalid_grant`, `wrong nonce`. */
  readonly name: string;
  /** The only endpoints where it means something; a rule for another one is refused. Default: all. */
  readonly endpoints?: readonly EndpointName[];
  /**
   * Set where not every matching request gives it something to spoil: what it waits for, to go on after "but none": `signed
   * an id token`. Such a fault calls {@link FaultContext.consume} itself, and a request that lacks it uses nothing up. Any
   * other fault fires when a request reaches it.
   */
  readonly waitsFor?: string;
  /**
   * The authorization response is what it spoils. That one leaves from the login or the consent page where somebody is
   * asked, so a rule for `authorize` follows the request there.
   */
  readonly followsLogin?: boolean;
  /** Is told when a rule with it is written. */
  onRuleAdded?(desk: App): void;
  /** Wraps the way from request to answer. What it passes on is the very request it got. */
  handle?(next: RequestHandler, at: FaultContext): RequestHandler;
  /** Wraps what the rules are handed: store, clock, keys, signing, grants, issuers. */
  extend?(server: Server, at: FaultContext): Server;
  /** Never there. Every function has it, and one that makes faults is itself none: `faults.drop()`, not `faults.drop`. */
  readonly apply?: never;
}
