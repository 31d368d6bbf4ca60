/** What was seen of the client in one journey. */

import type { Exchange } from "../recorder/exchange.ts";
import { findParam } from "../recorder/record_request.ts";
import type { ClientSession } from "./driver.ts";
import type { Effect } from "./effect.ts";
import type { Trap } from "./trap.ts";

/** How the journey ended for the client. */
export type JourneyOutcome =
  /** The client completed it. */
  | "accepted"
  /** The client reported an error. */
  | "rejected"
  /** The client threw an error that no code caught. */
  | "crashed"
  /** The client did not end within the time limit of the check. */
  | "hung";

/** What was seen of the client in one journey: what a verdict rests on. */
export interface JourneyEvidence {
  /** How the journey ended; absent if there was none. */
  readonly outcome?: JourneyOutcome;
  /** The error of the client, if the outcome is `rejected` or `crashed`. */
  readonly error?: unknown;
  /** The exchanges of the journey, under an attack since it began; secrets included, oldest first. */
  readonly exchanges: readonly Exchange[];
}

/** What the attack shows about the client. */
export interface Assessment {
  /** Whether the client behaves as a correct one. */
  readonly passed: boolean;
  /** What the client did, one sentence without a full stop. */
  readonly because: string;
  /** Whether a correct client can do the same, so that the attack shows nothing. Default: false. */
  readonly isInconclusive?: boolean;
  /** Whether the behaviour is safe: then it is only a warning, whatever the level of the attack. Default: false. */
  readonly isWarning?: boolean;
  /** The effect of the behaviour, if it differs from the effect of the attack. Default: the effect of the attack. */
  readonly effect?: Effect;
}

/** What an attack concludes itself. */
export interface Conclusion extends Assessment {
  /** How the client responded. */
  readonly outcome: "accepted" | "rejected";
}

/** A wait of a client on a device. */
export interface Wait {
  /** The number of the exchange before it. */
  readonly after: number;
  /** How long it would have taken, in milliseconds. */
  readonly milliseconds: number;
}

/** What was seen while the attack was active, and what the attack can still find out. */
export interface Observation extends JourneyEvidence {
  /** How the journey ended. */
  readonly outcome: JourneyOutcome;
  /** The session, if the outcome is `accepted` and the attack has no conclusion of its own. */
  readonly session?: ClientSession;
  /** What the attack concludes itself. */
  readonly conclusion?: Conclusion;
  /** The user who is logged in after the same journey without an attack. */
  readonly expectedSub: string;
  /** The claims that the application uses after a login without an attack, if the driver knows them. */
  readonly usualClaims?: Readonly<Record<string, unknown>>;
  /** The session of the login before the attack, if the journey has one. */
  readonly earlier?: ClientSession;
  /** The URLs that a client on a device opened, oldest first. */
  readonly opened: readonly string[];
  /** How long a client on a device waited without an advance of the clock, oldest first. */
  readonly waits: readonly Wait[];
  /** The trap. */
  readonly trap: Trap;
  /** Whether the same client completes a login while the attack continues. */
  readonly logInAgain: () => Promise<boolean>;
  /** Ends the attack. Whether the same client then completes a login. */
  readonly recovers: () => Promise<boolean>;
  /** Ends the attack. Whether the session, which the journey had before it, then refreshes without a new login. */
  readonly refreshAgain: () => Promise<boolean>;
}

/** The number of authorization requests with different values of state; the pages of one login repeat its request. */
export function countLogins(exchanges: readonly Exchange[]): number {
  const requests = exchanges.filter(({ endpoint }) => endpoint === "authorize");
  const states = requests.map(({ number, request }) =>
    findParam(request, "state") ?? findParam(request, "request_uri") ?? number
  );
  return new Set(states).size;
}

/**
 * The exchanges before a new login: an authorization request that follows as many as one login has.
 *
 * @param usual The authorization requests of one login.
 */
export function exchangesOfOneLogin(exchanges: readonly Exchange[], usual: number): readonly Exchange[] {
  const end = exchanges.findIndex((_, index) => countLogins(exchanges.slice(0, index + 1)) > usual);
  return end < 0 ? exchanges : exchanges.slice(0, end);
}

/** The exchanges of one endpoint. */
export function exchangesOf({ exchanges }: Observation, endpoint: string): readonly Exchange[] {
  return exchanges.filter((exchange) => exchange.endpoint === endpoint);
}
