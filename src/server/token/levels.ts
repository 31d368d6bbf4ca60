/** Levels of authentication (`acr`, OpenID Connect Core §2): what a request demands, and what a login has reached. */

import { type Slot, slot } from "../../core/slot.ts";
import type { LoginMethod } from "../../core/policy/policy.ts";

export interface Authentication {
  /** The level that the login reached; absent without one. */
  readonly acr?: string;
  /** The value of `amr`: the methods that were used (RFC 8176); absent if they are not known. */
  readonly amr?: readonly string[];
}

/** The level of the login of a session, a grant and its tokens. */
export const loginLevel: Slot<Authentication> = slot("step_up");

/** The level that claims of a token, or options, state; `undefined` if they state none. */
export function levelOf({ acr, amr }: Readonly<Record<string, unknown>> | Authentication): Authentication | undefined {
  return acr === undefined && amr === undefined ? undefined : { acr, amr } as Authentication;
}

/** The acceptable values of `acr` in the login requirements of a request, in the order of preference. */
export const demandedLevels: Slot<readonly string[]> = slot("step_up");

/** The levels of a server. Without them, no login reaches a level. */
export interface AuthenticationLevels<Server> {
  /** Each level: its value of `acr`, and the `amr` of a login that reaches it. */
  readonly all: readonly { readonly value: string; readonly amr?: readonly string[] }[];
  reached(
    server: Server,
    method: LoginMethod,
    demanded?: readonly string[],
  ): Authentication | Promise<Authentication>;
}
