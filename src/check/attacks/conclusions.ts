/** Conclusions of attacks. Each text is one sentence without a full stop. */

import { type Assessment, type Conclusion, exchangesOf, type Observation } from "../attack.ts";
import type { Seen } from "../effects.ts";

/** Passes the client if `isCorrect`; else returns `undefined`, and the level of the attack decides. */
export function passIf(isCorrect: boolean, because: string): Assessment | undefined {
  return isCorrect ? { passed: true, because } : undefined;
}

/** Fails the client if `isWrong`; else returns `undefined`, and the level of the attack decides. */
export function failIf(isWrong: boolean, because: string, seen?: Seen): Assessment | undefined {
  return isWrong ? { passed: false, because, seen } : undefined;
}

/** Fails a client that sends more requests to an endpoint than a correct one; else the level of the attack decides. */
export function atMost(limit: number, endpoint: string, because: (requests: number) => string) {
  return (observation: Observation): Assessment | undefined => {
    const requests = exchangesOf(observation, endpoint).length;
    return failIf(requests > limit, because(requests), "repeated");
  };
}

/**
 * The conclusion of an attack on what a client accepts.
 *
 * @param failure What the client did wrong; `undefined`: nothing.
 * @param otherwise What it did instead.
 * @param seen What was seen, if the client failed. Default: {@link Assessment.seen}.
 * @param harm What the failure gave to an attacker. Default: nothing that was seen.
 */
export function conclude(failure: string | undefined, otherwise: string, seen?: Seen, harm?: string): Conclusion {
  if (failure === undefined) return { outcome: "rejected", passed: true, because: otherwise };
  return { outcome: "accepted", passed: false, because: failure, seen, ...harm !== undefined && { harm } };
}

/** Whether a client of several issuers has requested no metadata of this one: it is configured with endpoints. */
export function readsNoMetadata({ capabilities, countRequests }: Observation): boolean {
  return capabilities.has("severalIssuers") && countRequests("discovery") === 0;
}

/** The conclusion of an attack that shows nothing about the client. */
export function unclear(because: string): Conclusion {
  return { outcome: "rejected", passed: false, isUnclear: true, because };
}

/** The conclusion of an attack that does not apply to the client. */
export function notApplicable(because: string): Conclusion {
  return { outcome: "rejected", passed: false, doesNotApply: true, because };
}
