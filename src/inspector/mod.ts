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
 * await using as = await latchkey({ plugins: [inspector()] });
 * const { url } = await as.listen({ port: 0 }); // and open `${url}/flows` in a browser
 * ```
 *
 * @module
 */

import { errorPage } from "../app/error_response.ts";
import type { App, Endpoint } from "../app/endpoint.ts";
import { rejectForeignHost } from "../app/host_check.ts";
import type { Plugin } from "../app/plugin.ts";
import type { Fields } from "../http/form.ts";
import type { RequestLike, ResponseLike } from "../http/message.ts";
import type { RequestTarget } from "../http/router.ts";
import { quote } from "../oauth/config/config_issue.ts";
import { hasTestHost } from "../oauth/config/settings.ts";
import { ConfigurationError } from "../oauth/config/configuration_error.ts";
import type { Exchange } from "../recorder/exchange.ts";
import { recorder } from "../recorder/recorder.ts";
import type { Recorder } from "../recorder/recorder.ts";
import { notifier } from "./notifier.ts";
import type { Notifier } from "./notifier.ts";

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
export interface Inspector extends Plugin {
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
  const activeRecorder = options.recorder ?? recorder({ limit: options.limit });
  const ownRecorder = options.recorder === undefined ? activeRecorder : undefined;
  const changes = notifier();
  activeRecorder.subscribe(({ flow }) => {
    if (flow !== undefined) changes.notify(flow);
  });
  return {
    recorder: activeRecorder,
    links: [{ label: "Flows", path: "/flows" }],
    handle: (next) => ownRecorder?.handle?.(next) ?? next,
    extend: (server, request) => ownRecorder?.extend?.(server, request) ?? server,
    setup(app) {
      if (!insecureAllow && !hasTestHost(app.server.issuer)) throw inspectorNotAllowed(app.server.issuer);
      ownRecorder?.setup?.(app);
    },
    routes: (app) => inspectorRoutes(app, activeRecorder, changes),
    flowLink(request) {
      const exchange = activeRecorder.findExchange(request);
      return exchange === undefined ? undefined : `/flows/of/${exchange.number}`;
    },
    flowLinkFor(response) {
      const step = lastStep(activeRecorder, response);
      return step === undefined ? undefined : `/flows/of/${step.number}`;
    },
    close() {
      changes.close();
      ownRecorder?.close?.();
    },
  };
}

/** The newest step of the flow that an authorization response is part of: by its code, or by its state without one. */
function lastStep(activeRecorder: Recorder, response: Fields): Exchange | undefined {
  const [name, value] = ["code", "state"].flatMap((name) => response.filter(([parameter]) => parameter === name))[0] ??
    [];
  if (name === undefined) return undefined;
  const exchange = activeRecorder.exchanges().findLast(({ response }) =>
    response?.authorizationResponse?.params.some((param) => param[0] === name && param[1] === value)
  );
  return exchange?.flow === undefined ? undefined : activeRecorder.flow(exchange.flow)?.exchanges.at(-1);
}

function inspectorNotAllowed(issuer: string): ConfigurationError {
  return new ConfigurationError([{
    path: "inspector",
    expected: "no inspector, because the issuer is not a test host and the pages show the logins of all users",
    received: `an inspector for ${quote(issuer)}`,
    hint: "Leave it out, or set insecureAllowInspector in the configuration file to show the logins to every visitor.",
  }]);
}

/** Everything but the routes is loaded when somebody comes to look. */
function inspectorRoutes(app: App, activeRecorder: Recorder, changes: Notifier): Endpoint[] {
  const path = `${app.site.base}/flows`;
  const { origin } = new URL(app.server.issuer);
  type HandlersModule = typeof import("./handlers.ts");
  const reject: Endpoint["reject"] = (error, target, request) => errorPage(app.contextFor(request), target, error);
  const withHostCheck = (
    handle: (
      handlers: HandlersModule,
      context: App,
      request: RequestLike,
      target: RequestTarget,
    ) => Promise<ResponseLike> | ResponseLike,
  ) =>
  async (request: RequestLike, target: RequestTarget): Promise<ResponseLike> => {
    const context = app.contextFor(request);
    try {
      rejectForeignHost(context.server.issuer, request, "FL-05");
      return await handle(await import("./handlers.ts"), context, request, target);
    } catch (thrown) {
      return await errorPage(context, target, thrown);
    }
  };
  const lastSegment = ({ path }: RequestTarget) => path.slice(path.lastIndexOf("/") + 1);
  return [
    {
      path,
      GET: withHostCheck(({ showList }, context, request, { query }) =>
        showList(context, request, activeRecorder, query)
      ),
      POST: withHostCheck(({ changeRecording }, context, request) => changeRecording(context, request, activeRecorder)),
      reject,
    },
    {
      path: `${path}/events`,
      GET: withHostCheck((_, __, request) => changes.openStream(request, origin)),
      // A stream has no end that a question about its headers could wait for.
      HEAD: withHostCheck((_, __, request) => changes.headResponse(request, origin)),
      reject,
    },
    {
      path: `${path}/of/*`,
      GET: withHostCheck(({ redirectToStep }, context, _, target) =>
        redirectToStep(context, activeRecorder, lastSegment(target))
      ),
      reject,
    },
    {
      path: `${path}/*`,
      GET: withHostCheck(({ showOne }, context, request, target) =>
        showOne(context, request, activeRecorder, lastSegment(target), target.query)
      ),
      POST: withHostCheck(({ deleteFlow }, context, request, target) =>
        deleteFlow(context, request, activeRecorder, lastSegment(target))
      ),
      reject,
    },
  ];
}
