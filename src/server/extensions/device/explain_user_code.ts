/**
 * Explains why a user code is rejected. The page shows the reason on test hosts only; elsewhere the reason would help
 * an attacker to guess codes.
 */

import { findUserCode, formatUserCode } from "./device_authorization.ts";
import type { Server } from "../../../core/server.ts";

/** Why a user code is rejected. */
interface UserCodeProblem {
  /** For the trace. */
  readonly reason: string;
  /** For the trace. */
  readonly received: string;
  /** The text for the user: the problem, and how to proceed. */
  readonly text: string;
}

/** Explains the rejection of a typed code that `findDevice` does not find. */
export async function explainUserCode(server: Server, typed: string): Promise<UserCodeProblem> {
  const problem = await findProblem(server, formatUserCode(typed));
  return problem.isPublic || server.policy.allows.explanations
    ? problem
    : { ...problem, text: "This code is wrong, was used or has expired. Check it, or start again on the device." };
}

async function findProblem(
  server: Server,
  userCode: string | undefined,
): Promise<UserCodeProblem & { readonly isPublic?: boolean }> {
  if (userCode === undefined) {
    return {
      reason: "the text is not a user code",
      received: "text of another form",
      text: "A code has eight letters, such as BCDF-GHJK: no vowels and no digits.",
      isPublic: true,
    };
  }
  const { request: device, decision } = await findUserCode(server, userCode);
  if (device === undefined) {
    return {
      reason: "the user code is unknown",
      received: "an unknown code",
      text: "This server does not know the code. Compare each letter with the device, or start again on the device. " +
        "A code is also unknown if it is from another server, or expired more than ten minutes ago.",
    };
  }
  if (decision !== undefined) {
    const decided = decision.grant === undefined ? "denied" : "allowed";
    return {
      reason: `the user code was used: a user ${decided} the device`,
      received: "a code with a decision",
      text: `This code was used: the device was ${decided}. Each code works once: start again on the device.`,
    };
  }
  if (server.now() >= device.validUntil) {
    const time = new Date(device.validUntil).toISOString();
    return {
      reason: "the user code has expired",
      received: `a code that expired at ${time}`,
      text: `This code expired at ${time.slice(11, 19)} UTC. Start again on the device: it shows a new code.`,
    };
  }
  return {
    reason: "the client of the user code may no longer use the device grant",
    received: "a code of a client without the device grant",
    text: "The client on the device was removed or may no longer use the device grant. Register it for that grant, " +
      "and start again on the device.",
  };
}
