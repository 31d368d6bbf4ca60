/** Loads the values of the profiles, only where a profile is set. */

import type { MaybePromise } from "../maybe_promise.ts";

let loaded: typeof import("./profiles.ts") | undefined;

/** Loads the values of the profiles; synchronous if they are loaded. */
export function loadProfiles(): MaybePromise<void> {
  if (loaded === undefined) return import("./profiles.ts").then((module) => void (loaded = module));
}

/** The values of the profiles. {@link loadProfiles} must have loaded them. */
export function profileValues(): typeof import("./profiles.ts") {
  if (loaded === undefined) throw new TypeError("the profiles are not loaded: call loadProfiles first");
  return loaded;
}
