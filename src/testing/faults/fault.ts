/** The type of a fault: a failure of one exchange, as a function around a seam of the server. */

import type { App } from "../../server/app.ts";
import type { EndpointDescription } from "../../server/endpoint.ts";
import type { RequestHandler } from "../../core/http/router.ts";
import type { Server } from "../../core/server.ts";
import type { HostedServer } from "../../server/hosted_server.ts";

/**
 * @internal The view of a request that fault rules match, before the server handles it. The server can still read the
 * form.
 */
export interface RequestView {
  /** The name of the endpoint that receives the request; `unknown` where no route matches. */
  readonly endpoint: string;
  /** The description of that endpoint; absent where no route matches. */
  readonly description?: EndpointDescription;
  /** In capitals. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /**
   * The fields of the form, or else of the query; the first value of a repeated one. Empty if they cannot be decoded.
   */
  readonly params: Readonly<Record<string, string>>;
  /**
   * The client that the request names, not authenticated: by `client_id`, client authentication or a JWT access token.
   * At login and consent the client of {@link RequestView.authorizationRequest}. Absent if the request names none.
   */
  readonly client?: string;
  /** At login and consent: the authorization request that the page belongs to, if it is known. */
  readonly authorizationRequest?: RequestView;
  /** The value of a header; `null` if it was not sent. */
  header(name: string): string | null;
}

/** @internal The exchange that a fault takes part in. */
export interface FaultContext {
  readonly request: RequestView;
  /** The server, without the extensions that plugins make for this request. */
  readonly app: App;
  /** Aborted when the server closes or the rules are cleared: a fault that waits must end then. */
  readonly signal: AbortSignal;
  /** Waits that many milliseconds of real time, or until {@link FaultContext.signal}. */
  wait(milliseconds: number): Promise<void>;
  /**
   * For faults with {@link Fault.waitsFor}: uses up one firing of the rule, when the fault can take effect. True if the
   * fault may take effect, for the rest of the exchange; false if the rule has no firing left.
   */
  consume(): boolean;
}

/**
 * A failure of one exchange. It wraps the handling of the request (`handle`) or the server that the protocol rules
 * receive (`extend`), and returns the same type, so that faults can be nested.
 *
 * @example A fault of your own: the token endpoint forgets its headers
 * ```ts ignore
 * const bare: Fault = {
 *   name: "no headers",
 *   handle: (next) => async (request, peer) => ({ ...await next(request, peer) as HttpResponse, headers: {} }),
 * };
 * ```
 */
export interface Fault {
  /** What reports call the fault, a few words: `invalid_grant`, `wrong nonce`. */
  readonly name: string;
  /** The id of the definition that the fault was created from. Default: none. */
  readonly id?: string;
  /** The values of the definition's parameters, with the defaults filled in. Default: none. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The only endpoints where the fault has an effect; a rule for another one is rejected. Default: all. */
  readonly endpoints?: readonly string[];
  /**
   * For a fault that takes effect only in some of the matching requests: the condition, which reports put after "but
   * none": `signed an ID token`. Such a fault calls {@link FaultContext.consume} itself; a request that does not meet
   * the condition uses up no firing. Default: the fault fires when a request reaches it.
   */
  readonly waitsFor?: string;
  /**
   * Whether the fault changes the authorization response. If the user logs in on a page, that response comes from the
   * login or consent endpoint, so a rule for `authorize` also matches the request there. Default: false.
   */
  readonly followsLogin?: boolean;
  /** Called when a rule with the fault is added. */
  onRuleAdded?(app: App): void;
  /** Wraps the way from request to response. It must pass on the request object that it receives. */
  handle?(next: RequestHandler, context: FaultContext): RequestHandler;
  /** Wraps what the protocol rules receive: store, clock, keys, signing, grant types, token issuers. */
  extend?(server: HostedServer, context: FaultContext): Server;
  /** Never present. Every function has it, so that the type rejects `faults.drop` instead of `faults.drop()`. */
  readonly apply?: never;
}
