/**
 * The inspector: pages that show every login as it happened on the wire, checks and reasons included, while it happens.
 *
 * It wraps a server from outside, and is absent from servers that are made without it.
 *
 * @example
 * ```ts
 * import { latchkey } from "@latchkey/latchkey";
 * import { inspector } from "@latchkey/latchkey/inspector";
 *
 * await using as = await latchkey({ layers: [inspector()] });
 * const { url } = await as.listen({ port: 0 }); // and open `${url}/flows` in a browser
 * ```
 *
 * @module
 */

import { asPage } from "../app/error_response.ts";
import type { Desk, Endpoint } from "../app/endpoint.ts";
import { refuseForeignHost } from "../app/host_check.ts";
import type { Layer } from "../app/plugin.ts";
import type { Fields } from "../http/form.ts";
import type { Answer, Incoming } from "../http/message.ts";
import type { Target } from "../http/router.ts";
import { quote } from "../oauth/config/config_issue.ts";
import { hasTestHost } from "../oauth/config/settings.ts";
import { ConfigurationError } from "../oauth/config/configuration_error.ts";
import type { Exchange } from "../recorder/exchange.ts";
import { recorder } from "../recorder/recorder.ts";
import type { Recorder } from "../recorder/recorder.ts";
import { announcer } from "./notifier.ts";
import type { Announcer } from "./notifier.ts";

export type { Fields } from "../http/form.ts";
export type { EndpointName } from "../recorder/endpoint_name.ts";
export type * from "../recorder/exchange.ts";
export type { Recorder, RecorderOptions } from "../recorder/recorder.ts";

/** How an inspector works. */
export interface InspectorOptions {
  /** Shows what this recorder remembers, which is a layer of its own. Default: the inspector records by itself. */
  readonly recorder?: Recorder;
  /** How many exchanges the inspector's own recorder remembers. Default: 1,000. */
  readonly limit?: number;
  /** Show all logins to any visitor although the issuer is not a test host. */
  readonly insecureAllow?: boolean;
}

/** A layer with pages that show what a recorder remembers; it belongs outermost, where it sees what clients see. */
export interface Inspector extends Layer {
  /** What the pages show. */
  readonly recorder: Recorder;
}

/**
 * Makes an inspector for one server: the pages `/flows` and `/flows/{id}`, live, with exports.
 *
 * Its `open` throws a {@link ConfigurationError} where the issuer is not a test host, unless `insecureAllow` is set; and
 * with it, secrets can still be seen on test hosts alone.
 */
export function inspector(options: InspectorOptions = {}): Inspector {
  const { insecureAllow = false } = options;
  const shown = options.recorder ?? recorder({ limit: options.limit });
  const own = options.recorder === undefined ? shown : undefined;
  const stream = announcer();
  shown.listen(({ flow }) => {
    if (flow !== undefined) stream.announce(flow);
  });
  return {
    recorder: shown,
    links: [{ label: "Flows", path: "/flows" }],
    around: (next) => own?.around?.(next) ?? next,
    during: (server, request) => own?.during?.(server, request) ?? server,
    open(desk) {
      if (!insecureAllow && !hasTestHost(desk.server.issuer)) throw refusal(desk.server.issuer);
      own?.open?.(desk);
    },
    endpoints: (desk) => endpointsOf(desk, shown, stream),
    trail(request) {
      const exchange = shown.exchangeOf(request);
      return exchange === undefined ? undefined : `/flows/of/${exchange.number}`;
    },
    trailTo(response) {
      const step = lastStep(shown, response);
      return step === undefined ? undefined : `/flows/of/${step.number}`;
    },
    close() {
      stream.close();
      own?.close?.();
    },
  };
}

/** The newest step of the flow that an authorization response is part of: by its code, or by its state without one. */
function lastStep(shown: Recorder, response: Fields): Exchange | undefined {
  const [name, value] = ["code", "state"].flatMap((name) => response.filter(([known]) => known === name))[0] ?? [];
  if (name === undefined) return undefined;
  const sent = shown.exchanges().findLast(({ answer }) =>
    answer?.handover?.params.some((param) => param[0] === name && param[1] === value)
  );
  return sent?.flow === undefined ? undefined : shown.flow(sent.flow)?.exchanges.at(-1);
}

function refusal(issuer: string): ConfigurationError {
  return new ConfigurationError([{
    place: "inspector",
    expected: "no inspector, because the issuer is a real host and its pages show everybody's logins",
    found: `an inspector for ${quote(issuer)}`,
    mend: "Leave it out, or set insecureAllowInspector in the configuration file to show them to whoever comes.",
  }]);
}

/** Everything but the routes is loaded when somebody comes to look. */
function endpointsOf(desk: Desk, shown: Recorder, stream: Announcer): Endpoint[] {
  const path = `${desk.site.base}/flows`;
  const { origin } = new URL(desk.server.issuer);
  type Answers = typeof import("./handlers.ts");
  const refuse: Endpoint["refuse"] = (fault, target, request) => asPage(desk.during(request), target, fault);
  const by =
    (answer: (answers: Answers, here: Desk, request: Incoming, target: Target) => Promise<Answer> | Answer) =>
    async (request: Incoming, target: Target): Promise<Answer> => {
      const here = desk.during(request);
      try {
        refuseForeignHost(here.server.issuer, request, "FL-05");
        return await answer(await import("./handlers.ts"), here, request, target);
      } catch (thrown) {
        return await asPage(here, target, thrown);
      }
    };
  const last = ({ path }: Target) => path.slice(path.lastIndexOf("/") + 1);
  return [
    {
      path,
      GET: by(({ showList }, here, request, { query }) => showList(here, request, shown, query)),
      POST: by(({ changeAll }, here, request) => changeAll(here, request, shown)),
      refuse,
    },
    {
      path: `${path}/events`,
      GET: by((_, __, request) => stream.listen(request, origin)),
      // A stream has no end that a question about its headers could wait for.
      HEAD: by((_, __, request) => stream.describe(request, origin)),
      refuse,
    },
    {
      path: `${path}/of/*`,
      GET: by(({ findStep }, here, _, target) => findStep(here, shown, last(target))),
      refuse,
    },
    {
      path: `${path}/*`,
      GET: by(({ showOne }, here, request, target) => showOne(here, request, shown, last(target), target.query)),
      POST: by(({ changeOne }, here, request, target) => changeOne(here, request, shown, last(target))),
      refuse,
    },
  ];
}
