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

import type { Context } from "../app/context.ts";
import { rejectForeignHost } from "../app/host_check.ts";
import type { Plugin } from "../app/plugin.ts";
import type { Endpoint, Handler, Handlers } from "../app/route.ts";
import type { Fields } from "../http/form.ts";
import type { ResponseLike } from "../http/message.ts";
import type { Method } from "../http/router.ts";
import { quote } from "../oauth/config/config_issue.ts";
import { hasTestHost } from "../oauth/config/settings.ts";
import { parameters } from "../oauth/parameter.ts";
import { ConfigurationError } from "../oauth/config/configuration_error.ts";
import type { Exchange } from "../recorder/exchange.ts";
import { recorder } from "../recorder/recorder.ts";
import type { Recorder } from "../recorder/recorder.ts";
import { notifier } from "./notifier.ts";
import type { Notifier } from "./notifier.ts";

export type { Fields } from "../http/form.ts";
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
    extend: (server, context) => ownRecorder?.extend?.(server, context) ?? server,
    onEvent: (event, context) => ownRecorder?.onEvent?.(event, context),
    setup(app) {
      if (!insecureAllow && !hasTestHost(app.server.issuer)) throw inspectorNotAllowed(app.server.issuer);
      ownRecorder?.setup?.(app);
    },
    routes: (app) => inspectorRoutes(app.site.base, activeRecorder, changes),
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

/** The handlers are loaded with the first request for a page. */
function inspectorRoutes(base: string, activeRecorder: Recorder, changes: Notifier): Endpoint[] {
  type HandlersModule = typeof import("./handlers.ts");
  const withHostCheck =
    (handle: (handlers: HandlersModule, context: Context) => Promise<ResponseLike> | ResponseLike): Handler =>
    async (context) => {
      rejectForeignHost(context.server.issuer, context.request, "FL-05");
      return await handle(await import("./handlers.ts"), context);
    };
  const endpoint = (name: string, path: string, title: string, handlers: Handlers): Endpoint => ({
    name,
    path: `${base}${path}`,
    methods: Object.keys(handlers) as Method[],
    caller: "browser",
    title,
    errors: "page",
    parameters: parameters({ name: "form_token", secret: "form_token" }),
    load: () => handlers,
  });
  const origin = ({ server }: Context) => new URL(server.issuer).origin;
  const lastSegment = ({ target: { path } }: Context) => path.slice(path.lastIndexOf("/") + 1);
  return [
    endpoint("flows", "/flows", "Flows", {
      GET: withHostCheck(({ showList }, context) => showList(context, activeRecorder)),
      POST: withHostCheck(({ changeRecording }, context) => changeRecording(context, activeRecorder)),
    }),
    endpoint("flow_events", "/flows/events", "Changes of flows", {
      GET: withHostCheck((_, context) => changes.openStream(context.request, origin(context))),
      // A stream never ends, so HEAD cannot wait for the response to GET.
      HEAD: withHostCheck((_, context) => changes.headResponse(context.request, origin(context))),
    }),
    endpoint("flow_step", "/flows/of/*", "Step of a flow", {
      GET: withHostCheck(({ redirectToStep }, context) =>
        redirectToStep(context, activeRecorder, lastSegment(context))
      ),
    }),
    endpoint("flow", "/flows/*", "Flow", {
      GET: withHostCheck(({ showOne }, context) => showOne(context, activeRecorder, lastSegment(context))),
      POST: withHostCheck(({ deleteFlow }, context) => deleteFlow(context, activeRecorder, lastSegment(context))),
    }),
  ];
}
