/** The profile `vary:SEED`: each response is drawn from what the specifications allow. */

import type { App } from "../../server/app.ts";
import type { Plugin } from "../../server/hosting/options.ts";
import { suggest } from "../../core/policy/suggest.ts";
import { quote } from "../../server/config/config_issue.ts";
import { ConfigurationError } from "../../core/rules/configuration_error.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { faultInjector } from "../faults/fault_injector.ts";
import type { FaultContext, RequestView } from "../faults/fault.ts";
import { minimizeVariations } from "./minimize.ts";
import { createRoll, type Roll } from "./roll.ts";
import type { Variation, VariationText } from "./variation.ts";
import { variations } from "./variations.ts";
import type { VaryAdvice, VaryReport } from "./vary_report.ts";

/** The variations of a server with the profile `vary:SEED`. */
export interface Vary {
  /** The seed; `undefined` without the profile. */
  readonly seed: string | undefined;
  /** The variations that responses had since the last reset, in the order of their first response. */
  readonly applied: readonly VariationText[];
  /**
   * Runs a test, and if it fails, searches for the smallest set of variations with which it fails. Before each run the
   * server is reset, so the test registers its clients and begins a new login.
   *
   * @throws {TypeError} If the server does not have the profile.
   *
   * @example
   * ```ts ignore
   * await using as = await testLatchkey({ profile: "vary:7" });
   * const report = await as.vary.minimize(() => myTest(as));
   * assert(report.passed, String(report)); // your client needs expires_in in token responses …
   * ```
   */
  minimize(test: () => unknown): Promise<VaryReport>;
}

const advice: VaryAdvice = {
  withoutVariation: "Each run resets the server: does the test register its client, and begin a new login?",
  repeat: (profile) => `testLatchkey({ profile: "${profile}" })`,
};

/** The variations of one server, for its control. */
export interface VaryControl {
  readonly handle: Vary;
  readonly plugin: Plugin;
  /** The server with the variations that last as long as it runs. */
  extend(server: HostedServer): HostedServer;
  /** Begins the draws again. */
  reset(): void;
}

/**
 * Creates the variations of one server: none without the profile.
 *
 * @param resetServer Resets the server, and with it the draws, before each run of {@link Vary.minimize}. Default:
 *   nothing else.
 */
export function varyControl(resetServer: () => Promise<void> = () => Promise.resolve()): VaryControl {
  let seed: string | undefined;
  let enabled: ReadonlySet<Variation> = new Set();
  let app: App | undefined;
  const applied = new Set<Variation>();
  const counts = new Map<string, number>();
  const serverChanges = new Map<Variation, ReturnType<NonNullable<Variation["server"]>>>();
  const byName = new Map(variations.map((variation) => [`variation ${variation.id}`, variation]));
  const injector = faultInjector({ onFault: (_, name) => void applied.add(byName.get(name)!) });

  /** Draws whether a response has the variation, and how. */
  function draw(variation: Variation, rolls: WeakMap<RequestView, Roll>, request: RequestView): boolean {
    if (!enabled.has(variation) || variation.isLegal?.(app!.server) === false) return false;
    const name = `${variation.id} ${request.endpoint}`;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    const roll = createRoll(`${seed} ${name} ${count}`);
    rolls.set(request, roll);
    return roll.whole(2) === 0;
  }

  function start(profile: string): void {
    const [, name, ids] = profile.split(":");
    seed = name!;
    enabled = new Set(ids === undefined ? variations : ids.split("+").map(findVariation));
    for (const variation of variations) {
      if (variation.fault !== undefined) {
        const rolls = new WeakMap<RequestView, Roll>();
        const fault = variation.fault(({ request }: FaultContext) => rolls.get(request)!);
        injector.on("any", (request) => draw(variation, rolls, request))
          .always({ ...fault, name: `variation ${variation.id}` });
      }
      if (variation.server !== undefined) {
        const roll = createRoll(`${seed} ${variation.id}`);
        if (roll.whole(2) === 0) serverChanges.set(variation, variation.server(roll));
      }
    }
  }

  function reset(): void {
    applied.clear();
    counts.clear();
  }

  function extend(server: HostedServer): HostedServer {
    let changed = server;
    for (const [variation, change] of serverChanges) {
      if (app === undefined || !enabled.has(variation) || variation.isLegal?.(server) === false) continue;
      applied.add(variation);
      changed = change(changed, app);
    }
    return changed;
  }

  async function minimize(test: () => unknown): Promise<VaryReport> {
    if (seed === undefined) {
      throw new TypeError('minimize: expected a server with the profile "vary:SEED", received one without it');
    }
    const all = enabled;
    try {
      return await minimizeVariations(seed, async (only) => {
        enabled = only === undefined ? all : new Set(only as readonly Variation[]);
        reset();
        await resetServer();
        try {
          await test();
        } catch (error) {
          return { error, applied: [...applied] };
        }
      }, advice);
    } finally {
      enabled = all;
    }
  }

  return {
    handle: {
      get seed() {
        return seed;
      },
      get applied() {
        return [...applied];
      },
      minimize,
    },
    extend,
    reset,
    plugin: {
      profiles: ["vary"],
      setup(openedApp, changes) {
        app = openedApp;
        const { pluginProfiles } = openedApp.server.policy;
        for (const profile of pluginProfiles) if (profile.startsWith("vary:")) start(profile);
        if (seed !== undefined) injector.plugin.setup!(openedApp, changes);
      },
      handle: (next) => seed === undefined ? next : injector.plugin.handle!(next),
      forRequest(server, context) {
        if (serverChanges.size > 0) Object.assign(server, extend({ ...server }));
        if (seed !== undefined) injector.plugin.forRequest!(server, context);
      },
    },
  };
}

/** @throws {ConfigurationError} If no variation has the name. */
function findVariation(id: string): Variation {
  const variation = variations.find((candidate) => candidate.id === id);
  if (variation !== undefined) return variation;
  const ids = variations.map((candidate) => candidate.id);
  const closest = suggest(id, ids);
  throw new ConfigurationError([{
    path: "profile",
    expected: "the names of variations after the seed",
    received: quote(id),
    hint: closest === undefined ? `The names: ${ids.join(", ")}.` : `Did you mean ${closest}?`,
  }]);
}
