/** Limits of values that are stored with a code or a device authorization. */

import { OAuthError } from "../errors.ts";
import type { PartRequest } from "../server.ts";

/** Maximum lengths of values that are stored with a code, in characters. They bound the size of the store. */
const maxStoredLengths = [["nonce", 1024], ["claims", 4096]] as const;

/** Rejects values that are too long to be stored. */
export function rejectLongValues({ params }: PartRequest): void {
  for (const [name, limit] of maxStoredLengths) {
    if ((params.get(name)?.length ?? 0) <= limit) continue;
    throw new OAuthError("invalid_request", `${name} is longer than ${limit} characters`, {
      rule: "AZ-13",
      expected: `at most ${limit} characters`,
      received: String(params.get(name)!.length),
    });
  }
}
