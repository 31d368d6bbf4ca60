/**
 * The pages of recorded requests and of tokens, a part of the inspector. The recorder itself is in `src/recorder/`, the
 * components are in `pages/`.
 *
 * 1. {@link requestPages} creates a recorder, or uses a given one, and subscribes to it.
 * 2. `handlers.ts` serves `/flows`, `/flows/{id}` and the exports, `/flows.json` among them.
 * 3. `list.ts` and `flow.ts` compute the props of the pages from redacted exchanges.
 * 4. `notifier.ts` notifies open pages of changed flows by server-sent events.
 */

import type { Context } from "../../core/http/context.ts";
import type { App } from "../../server/app.ts";
import type { Plugin } from "../../server/hosting/options.ts";
import type { Handlers } from "../../core/route.ts";
import { type Endpoint, onTrustedHost } from "../../server/endpoint.ts";
import type { Fields } from "../../core/http/form.ts";
import type { HttpRequest } from "../../core/http/message.ts";
import type { Method } from "../../core/http/router.ts";
import { quote } from "../../server/config/config_issue.ts";
import { ConfigurationError } from "../../core/rules/configuration_error.ts";
import { parameters } from "../../core/http/params.ts";
import type { Exchange } from "../../recorder/exchange.ts";
import { type Recorder, recorder } from "../../recorder/recorder.ts";
import { type Notifier, notifier } from "./notifier.ts";
import type { FindRecentFlows } from "./pages/props.ts";
import type { HostedServer } from "../../server/hosted_server.ts";

/** Loads the code of the pages. */
const load = () => import("../handlers.ts");

/** @internal The options of the pages. */
export interface RequestPagesOptions {
  /** The recorder to show, which must be a plugin of the server itself. Default: the inspector's own recorder. */
  readonly recorder?: Recorder;
  /** Maximum number of exchanges in the inspector's own recorder. Default: 1,000. */
  readonly limit?: number;
  /**
   * Maximum number of new flows that the inspector's own recorder records per second
   * ({@link RecorderOptions.maxFlowsPerSecond}). Default: 100.
   */
  readonly maxFlowsPerSecond?: number;
}

/** The pages, the hooks of the plugin that records requests, and what other pages show of the record. */
export interface RequestPages
  extends Required<Pick<Plugin, "name" | "handle" | "onPassed" | "onEvent" | "setup" | "close">> {
  readonly recorder: Recorder;
  routes(app: App): Endpoint[];
  readonly recentFlows: FindRecentFlows;
}

/**
 * Creates the pages of one server. `setup` throws a {@link ConfigurationError} if the issuer is not a test host, unless
 * the setting `insecure` has `inspector`.
 */
export function requestPages(options: RequestPagesOptions): RequestPages {
  const activeRecorder = options.recorder ??
    recorder({ limit: options.limit, maxFlowsPerSecond: options.maxFlowsPerSecond ?? 100 });
  const ownRecorder = options.recorder === undefined ? activeRecorder : undefined;
  const changes = notifier((notify) =>
    activeRecorder.subscribe((flow) => {
      if (flow !== undefined) notify(flow);
    })
  );

  function flowLink(request: HttpRequest): string | undefined {
    const number = activeRecorder.findNumber(request);
    return number === undefined ? undefined : `/flows/of/${number}`;
  }

  function flowLinkFor(response: Fields): string | undefined {
    const step = lastStep(activeRecorder, response);
    return step && `/flows/of/${step.number}`;
  }

  return {
    recorder: activeRecorder,
    name: "recorder",
    handle: (next) => ownRecorder?.handle?.(next) ?? next,
    onPassed: (rule, value, context) => ownRecorder?.onPassed?.(rule, value, context),
    onEvent: (event, context) => ownRecorder?.onEvent?.(event, context),
    setup(app, changes) {
      const { issuer, policy: { allows, insecure } } = app.server;
      if (!insecure.includes("inspector") && !allows.openTools) throw inspectorNotAllowed(issuer);
      if (insecure.includes("show-secrets") && !allows.openTools) throw exportNotAllowed(issuer);
      app.developerPages.flowLink = flowLink;
      app.developerPages.flowLinkFor = flowLinkFor;
      ownRecorder?.setup?.(app, changes);
    },
    routes: (app) => [
      ...flowRoutes(app.site.base, activeRecorder, changes),
      ...app.server.policy.allows.openTools ? [tokensRoute(app.site.base, activeRecorder)] : [],
    ],
    recentFlows: async (clientId) => (await load()).recentFlows(activeRecorder, clientId),
    close() {
      changes.close();
      ownRecorder?.close?.();
    },
  };
}

/** The newest step of the flow of an authorization response, found by its code or else by its state. */
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
    hint:
      'Remove the inspector, or add "inspector" to insecure in the configuration file to show the logins to every visitor.',
  }]);
}

function exportNotAllowed(issuer: string): ConfigurationError {
  return new ConfigurationError([{
    path: "insecure",
    expected: "no show-secrets, because the issuer is not a test host",
    received: `show-secrets for ${quote(issuer)}`,
    hint: "Remove show-secrets, or use an issuer on a test host.",
  }]);
}

/**
 * The page for tokens. The recorder does not record pages, and the names of the secret fields redact them elsewhere.
 */
function tokensRoute(base: string, activeRecorder: Recorder): Endpoint {
  const handler = onTrustedHost("TP-04", load);
  return {
    name: "tokens",
    path: `${base}/tokens`,
    methods: ["GET", "POST"],
    caller: "browser",
    title: "Tokens",
    errors: "page",
    parameters: parameters({ name: "form_token", secret: "form_token" }, { name: "key_set", secret: "key_set" }, {
      name: "token",
      secret: "token",
    }),
    load: () => ({
      GET: handler(({ showTokenForm }, context: Context<HostedServer>) => showTokenForm(context, activeRecorder)),
      POST: handler(({ showTokens }, context: Context<HostedServer>) => showTokens(context, activeRecorder)),
    }),
  };
}

/** The routes of the pages. The first request loads the handlers. */
function flowRoutes(
  base: string,
  activeRecorder: Recorder,
  changes: Notifier,
): Endpoint[] {
  const withHostCheck = onTrustedHost("FL-05", load);
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
  const origin = ({ server }: Context) => server.names.frontChannel;
  const lastSegment = ({ target: { path } }: Context) => path.slice(path.lastIndexOf("/") + 1);
  return [
    {
      ...endpoint("flows", "/flows", "Flows", {
        GET: withHostCheck(({ showList }, context) => showList(context, activeRecorder)),
        POST: withHostCheck(({ changeRecording }, context) => changeRecording(context, activeRecorder)),
      }),
      link: { label: "Requests", path: "/flows", isMain: true },
    },
    endpoint("flow_list", "/flows.json", "Flows as JSON", {
      GET: withHostCheck(({ exportList }, context) => exportList(context, activeRecorder)),
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
