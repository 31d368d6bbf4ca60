/** The options of every mock server. */

import type { ConfigurableOptions } from "../app/plugin.ts";
import type { ExtensionSettings } from "../extensions/settings.ts";
import type { KeySource } from "../oauth/keys/keys.ts";
import { extensions as allExtensions } from "../server/extensions.ts";
import type { LatchkeyOptions } from "../server/options.ts";
import { testKeys } from "./keys.ts";

const tenYearsSeconds = 10 * 365 * 24 * 3600;

/** How the keys of a mock are created. */
interface MockKeys {
  /** Whether the server signs with the built-in test keys. */
  readonly useTestKeys: boolean;
  /** Whether keys and signatures are deterministic. */
  readonly isSeeded: boolean;
}

/** The settings of a mock with the defaults of mocks. */
export function mockOptions<Options extends ConfigurableOptions & Pick<LatchkeyOptions, "extensions">>(
  options: Options & ExtensionSettings & { readonly keySource?: KeySource },
  { useTestKeys, isSeeded }: MockKeys,
) {
  const extensions = options.extensions ?? allExtensions;
  return {
    clients: [],
    // Looked up at each call, so that a fetch that a test installs applies.
    outbound: ((url, init) => globalThis.fetch(url, init)) as NonNullable<LatchkeyOptions["outbound"]>,
    ...useTestKeys && { keySource: testKeys(isSeeded) },
    ...options,
    // A test may move the clock by months, and its clients are gone when it ends.
    ...extensions.some(({ name }) => name === "registration") &&
      { registration: { unusedLifetime: tenYearsSeconds, ...options.registration } },
  };
}
