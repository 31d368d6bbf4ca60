/**
 * A plugin with the page that breaks logins of a server on a test host: faults for the next request of a client, the
 * clock, revoked tokens and rotated keys.
 *
 * 1. {@link faultPages} adds a fault injector and a clock to the server, and the page `/faults`.
 * 2. `handlers.ts` serves the page, whose forms have the fields of verbs of the control, and runs these verbs; it is
 *    loaded at the first visit.
 * 3. The recorder marks each exchange that a fault changed, so that `/flows` shows it.
 */

import type { Context } from "../../core/http/context.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { onTrustedHost } from "../../server/endpoint.ts";
import type { App } from "../../server/app.ts";
import type { Plugin } from "../../server/hosting/options.ts";
import { staticEndpoint } from "../../server/hosting/static_files.ts";
import { quote } from "../../server/config/config_issue.ts";
import { ConfigurationError } from "../../core/rules/configuration_error.ts";
import { parameters } from "../../core/http/params.ts";
import { systemClock, type TestClock, testClock } from "../clock.ts";
import { faultInjector } from "../faults/fault_injector.ts";
import { issuedGrants } from "../issued_grants.ts";
import type { PageControl } from "./confirm_change.ts";

/** Loads the code of the page. */
const load = () => import("./handlers.ts");

/** What the page controls, and what its server needs for it. */
interface ControlledServer {
  /** Loads the faults with it. */
  readonly loadControl: () => Promise<PageControl> | PageControl;
  readonly plugin: Plugin;
  readonly clock: TestClock;
  /** The clock of the machine, in milliseconds since the epoch. */
  readonly machineTime: () => number;
}

/**
 * Creates the plugin for one server; it must be inside the recorder, so that the recorder sees what clients receive.
 * Its `setup` throws a {@link ConfigurationError} if the issuer is not a test host.
 *
 * @param options `control` is the one of a server that has a fault injector and a clock already, default: the plugin
 *   adds them.
 */
export function faultPages({ control }: { readonly control?: PageControl } = {}): Plugin {
  const { loadControl, plugin, clock, machineTime } = control === undefined
    ? controlledServer()
    : { loadControl: () => control, plugin: {}, clock: control.clock, machineTime: systemClock };
  const handler = onTrustedHost("DI-04", load);
  return {
    ...plugin,
    setup(app, changes) {
      if (!app.server.policy.allows.openTools) throw notAllowed(app.server.issuer);
      plugin.setup?.(app, changes);
    },
    routes: ({ site }) => [staticEndpoint(site, "testing", load), {
      name: "faults",
      path: `${site.base}/faults`,
      methods: ["GET", "POST"],
      caller: "browser",
      title: "Break",
      link: {
        label: "Break",
        path: "/faults",
        isMain: true,
        get clockOffset() {
          return Math.round((clock.now() - machineTime()) / 1000);
        },
      },
      errors: "page",
      role: "control",
      parameters: parameters({ name: "form_token", secret: "form_token" }),
      load: () => ({
        GET: handler(async ({ showFaults }, context) => await showFaults(context, await loadControl())),
        POST: handler(async ({ changeFaults }, context: Context<HostedServer>) =>
          await changeFaults(context, await loadControl())
        ),
      }),
    }],
  };
}

/** A fault injector and a clock for a server that has none. */
function controlledServer(): ControlledServer {
  const injector = faultInjector();
  let timeSource = systemClock;
  let control: Promise<PageControl> | undefined;
  let app: App | undefined;
  const grants = issuedGrants();
  const clock = testClock({ timeSource: () => timeSource() });
  return {
    clock,
    machineTime: () => timeSource(),
    loadControl: () =>
      control ??= load().then(({ faultList }) => ({
        clock,
        faults: faultList(injector.on),
        revoke: (grantsOf) => grants.revoke(app!.server, grantsOf),
      })),
    plugin: {
      ...injector.plugin,
      setup(assembled, changes) {
        app = assembled;
        injector.plugin.setup?.(assembled, changes);
      },
      onEvent: grants.onEvent,
      configure({ now = systemClock }) {
        timeSource = now;
        return { now: clock.now };
      },
    },
  };
}

function notAllowed(issuer: string): ConfigurationError {
  return new ConfigurationError([{
    path: "faults",
    expected: "no pages for faults, because the issuer is not a test host and every visitor could break its logins",
    received: `faults for ${quote(issuer)}`,
    hint: "Remove --faults, or use an issuer on a test host.",
  }]);
}
