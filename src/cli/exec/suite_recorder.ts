/** What reached the server of `latchkey exec` and its tenants. A reset, which a suite calls after each test, keeps it. */

import type { Flow } from "../../recorder/exchange.ts";
import { recorder as createRecorder } from "../../recorder/recorder.ts";
import type { Plugin } from "../../server/hosting/options.ts";

/** Maximum number of recorded exchanges of one issuer: a suite may send many after the one that explains its failure. */
const limit = 10_000;

/**
 * Creates the recorder of a whole suite; its plugin is the outermost.
 *
 * @param isKept Whether to keep a flow of a removed tenant.
 */
export function suiteRecorder(isKept: (flow: Flow) => boolean) {
  const main = createRecorder({ limit });
  /** Functions that return the flows of each tenant. */
  const tenants: (() => readonly Flow[])[] = [];
  let hasTenantRequests = false;

  function forAddedApp(): Plugin {
    const recorder = createRecorder({ limit });
    const index = tenants.length;
    tenants.push(() => recorder.flows().map((flow) => ({ ...flow, id: `${index + 2}-${flow.id}` })));
    const stop = recorder.subscribe(() => {
      hasTenantRequests = true;
      stop();
    });
    return {
      ...recorder,
      // Without the recorder, the memory of a tenant can be freed.
      close() {
        const kept = tenants[index]!().filter(isKept);
        tenants[index] = () => kept;
      },
    };
  }

  return {
    plugin: { ...main, forAddedApp } satisfies Plugin,
    /** The recorded flows, oldest first; then those of tenants. */
    flows: (): readonly Flow[] => [main.flows(), ...tenants.map((flows) => flows())].flat(),
    /** Whether any request was recorded. */
    hasRequests: () => hasTenantRequests || main.exchanges().length > 0,
  };
}
