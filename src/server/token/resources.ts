/** The resources that a request names, a grant is for, or an access token is for (RFC 8707). */

import { slot, type WithExtensions } from "../../core/slot.ts";

/** The name under which grants store them. */
export const resourceIndicatorsName = "resource_indicators";

const granted = slot<readonly string[]>(resourceIndicatorsName);

/** The resources of a request, a grant or the result of a grant type; empty: the default audience of the server. */
export function resourcesOf(holder: WithExtensions): readonly string[] {
  return granted.of(holder) ?? [];
}

/** A copy of a request, a grant or the result of a grant type for these resources. */
export function withResources<Copied extends object>(
  holder: Copied & WithExtensions,
  resources: readonly string[],
): Copied & WithExtensions {
  return granted.put(holder, resources.length === 0 ? undefined : resources);
}
