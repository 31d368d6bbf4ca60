/** The type of a variation: a response that a specification allows, and that servers seldom send. */

import type { App } from "../../server/app.ts";
import type {
  AuthenticatedRequest,
  Authorization,
  TokenResponse,
} from "../../core/token/grants/authenticated_request.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import type { Fault, FaultContext } from "../faults/fault.ts";
import type { Roll } from "./roll.ts";

/** @internal What a variation is, as text. */
export interface VariationText {
  /** The name, in profiles and reports: `expires-in-absent`. */
  readonly id: string;
  /** What a client relies on that fails with it, after "your client needs": `expires_in in token responses`. */
  readonly needs: string;
  /** What the specification says, one sentence. */
  readonly allowed: string;
  /** The section: `RFC 6749 §5.1`. */
  readonly source: string;
}

/** The draws for the request of a fault. */
export type RollOf = (context: FaultContext) => Roll;

/** A variation: of single responses by a fault, or of the server for as long as it runs. */
export interface Variation extends VariationText {
  /** Whether this server may do it, for example because its profile demands nothing else. Default: any server. */
  isLegal?(server: HostedServer): boolean;
  /** The fault that makes the variation; each response is drawn on its own. */
  fault?(rollOf: RollOf): Fault;
  /** Changes the server for every response, for what clients keep, such as metadata. */
  server?(roll: Roll): (server: HostedServer, app: App) => HostedServer;
}

/** The endpoints that respond with JSON. */
export const jsonEndpoints: readonly string[] = [
  ...["discovery", "jwks", "token", "userinfo", "introspect", "par", "register"],
  ...["device_authorization", "backchannel_authentication"],
];

/** A token response, before it is sent. */
interface IssuedTokens {
  readonly issued: Partial<TokenResponse>;
  readonly authorization: Authorization;
  readonly request: AuthenticatedRequest;
}

/**
 * A fault that changes members of token responses.
 *
 * @param edit Returns the members to replace, where `undefined` removes one; `undefined`: the response stays as it is.
 */
export function editTokens(
  waitsFor: string,
  edit: (tokens: IssuedTokens, context: FaultContext) => Readonly<Record<string, unknown>> | undefined,
): Fault {
  return {
    name: "edited tokens",
    endpoints: ["token"],
    waitsFor,
    extend: (server, context) => ({
      ...server,
      tokenIssuers: [...server.tokenIssuers, (_server, authorization, _now, issued, request) => {
        const members = edit({ issued, authorization, request }, context);
        return members !== undefined && context.consume() ? members as Partial<TokenResponse> : {};
      }],
    }),
  };
}

/** Whether a profile of the server decides one of the settings. */
export function isDecided({ policy: { profile } }: HostedServer, ...settings: readonly string[]): boolean {
  return settings.some((name) => profile?.values.has(name));
}
