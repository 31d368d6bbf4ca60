/**
 * The control over HTTP: a plugin with endpoints below `/_control`, so that a test suite in any language can do what a
 * JavaScript test does in process.
 *
 * 1. `verbs/` has one value for each verb: name, summary, function, and the schemas of its input and its result.
 * 2. {@link controlEndpoints} makes an endpoint of each (`endpoint.ts`), behind `authorize_request.ts`.
 * 3. A verb calls the functions that a program calls: those of the mock (`testing/control.ts`) and of the repositories.
 * 4. Rejections are problem details (RFC 9457).
 */

import type { App } from "../../server/app.ts";
import type { Plugin } from "../../server/hosting/options.ts";
import { problemResponse } from "../../server/errors/problem_response.ts";
import type { Handler } from "../../core/route.ts";
import type { Endpoint } from "../../server/endpoint.ts";
import { json } from "../../core/http/message.ts";
import { suggest } from "../../core/policy/suggest.ts";
import { quote } from "../../server/config/config_issue.ts";
import { ConfigurationError } from "../../core/rules/configuration_error.ts";
import type { ControlOptions, ServerControl } from "../test_control.ts";
import { authorizeRequest } from "./authorize_request.ts";
import { ControlError } from "./control_error.ts";
import { commonDescription, controlPaths, verbEndpoint } from "./endpoint.ts";
import { controlPath, verbPath } from "./verb.ts";
import { verbs } from "./verbs/mod.ts";

/**
 * Creates the plugin with the endpoints. It must stand after the plugin of the control. Its `setup` throws a
 * {@link ConfigurationError} without a secret if the issuer is not on a test host.
 */
export function controlEndpoints(control: ServerControl, { secret }: ControlOptions = {}): Plugin {
  const closing = new AbortController();
  const endpoints = (tenant: ServerControl) => controlEndpoints(tenant, { secret });
  return {
    setup({ server: { issuer, policy } }) {
      if (secret === undefined && !policy.allows.openTools) throw missingSecret(issuer);
    },
    routes: (app) => [
      documentEndpoint(app, secret),
      ...verbs.map((verb) => verbEndpoint(verb, { app, control, endpoints, closed: closing.signal }, secret)),
      unknownVerbEndpoint(app, secret),
    ],
    close: () => closing.abort(new ControlError(409, "The server is closing.")),
  };
}

/** GET /_control/openapi.json. */
function documentEndpoint(app: App, secret: string | undefined): Endpoint {
  return {
    ...commonDescription,
    name: "control.openapi",
    ...controlPaths(app, "/openapi.json"),
    methods: ["GET"],
    load: () => ({
      async GET(context) {
        await authorizeRequest(context, secret);
        const { default: document } = await import("../../../static/control.openapi.json", { with: { type: "json" } });
        const { origin } = new URL(context.server.issuer);
        return json(200, { ...document, servers: [{ url: origin + app.site.base + controlPath }] });
      },
    }),
  };
}

/** Handles every other path of the control: the response names the verb that the request probably means. */
function unknownVerbEndpoint(app: App, secret: string | undefined): Endpoint {
  const paths = verbs.map((verb) => verbPath(verb));
  const [below, exact] = [controlPaths(app, "/**"), controlPaths(app, "")];
  const reject: Handler = async (context) => {
    await authorizeRequest(context, secret);
    const { path } = context.target;
    const received = path.slice(path.indexOf(controlPath) + controlPath.length);
    return problemResponse({
      status: 404,
      detail: "The control has no verb at this path.",
      errors: [{
        place: "path",
        expected: "the path of a verb, such as /clock/advance",
        received: quote(received),
        fix: suggestPath(received, paths),
      }],
    });
  };
  return {
    ...commonDescription,
    name: "control.unknown",
    path: below.path,
    aliases: [...below.aliases, exact.path, ...exact.aliases],
    methods: ["GET", "POST", "PUT", "DELETE"],
    load: () => ({ GET: reject, POST: reject, PUT: reject, DELETE: reject }),
  };
}

/**
 * How to fix the path. In a group of verbs only the last part is compared, because the name of the group would make
 * another verb similar: then the response lists the verbs of the group.
 */
function suggestPath(received: string, paths: readonly string[]): string {
  const [group, verb] = /^(\/[^/]+\/)([^/]+)$/.exec(received)?.slice(1) ?? [];
  const siblings = group === undefined ? [] : paths.filter((path) => path.startsWith(group));
  const exceeded = paths.find((path) => received.startsWith(`${path}/`));
  if (siblings.length > 0 && exceeded === undefined) {
    const nearest = suggest(verb!, siblings.map((path) => path.slice(group!.length)));
    return nearest === undefined ? `Choose one of ${siblings.join(", ")}.` : `Did you mean ${group}${nearest}?`;
  }
  const nearest = exceeded ?? suggest(received, paths);
  return nearest === undefined ? "Choose a path of /_control/openapi.json." : `Did you mean ${nearest}?`;
}

function missingSecret(issuer: string): ConfigurationError {
  return new ConfigurationError([{
    path: "control",
    expected: "controlSecret as well, because the issuer is not on a test host",
    received: `control for ${quote(issuer)} without a secret`,
    hint: "Set controlSecret in the configuration file, remove control, or use an issuer on a test host.",
  }]);
}
