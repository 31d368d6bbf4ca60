/** The options of every mock server. */

import type { LatchkeyOptions } from "../server/hosting/options.ts";
import { testKeys } from "./keys.ts";

interface MockKeys {
  /** Whether the server signs with the built-in test keys. */
  readonly useTestKeys: boolean;
  /** Whether keys are deterministic. */
  readonly isSeeded: boolean;
}

/** The settings of a mock with the defaults of mocks. */
export function mockOptions<Options extends LatchkeyOptions>(
  options: Options,
  { useTestKeys, isSeeded }: MockKeys,
) {
  return {
    clients: [],
    // Looked up at each call, so that a fetch that a test installs applies.
    outbound: ((url, init) => globalThis.fetch(url, init)) as NonNullable<LatchkeyOptions["outbound"]>,
    ...useTestKeys && { keySource: testKeys(isSeeded) },
    ...options,
  };
}
