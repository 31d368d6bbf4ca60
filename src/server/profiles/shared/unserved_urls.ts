/** URLs of a provider's API that applications call after a login, and that its profile does not emulate. */

import type { Context } from "../../../core/http/context.ts";
import type { Handler } from "../../../core/route.ts";
import type { Endpoint } from "../../endpoint.ts";
import { OAuthError } from "../../../core/rules/errors.ts";
import type { HostedServer } from "../../hosted_server.ts";

/**
 * Endpoints that respond with the provider's own 404; the log says why.
 *
 * @param name The name of the endpoints, by which the profile gives their errors the provider's form.
 */
export function unservedUrls(name: string, ...paths: readonly string[]): readonly Endpoint[] {
  return paths.map((path) => ({
    ...{
      name,
      path,
      caller: "resource client",
      cors: true,
      title: "API of the provider",
      errors: "json",
      role: "step",
    },
    methods: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    load: () => ({ GET: reject, POST: reject, PUT: reject, PATCH: reject, DELETE: reject }),
  }));
}

const reject: Handler<HostedServer> = (context) => {
  throw unserved(context);
};

/**
 * The provider's 404 for a request that its profile does not emulate.
 *
 * @param received What the request asks for. Default: its method and path.
 */
export function unserved(
  { server, request, target }: Context<HostedServer>,
  received = `${request.method} ${target.path}`,
): OAuthError {
  return new OAuthError("invalid_request", "Not Found", {
    rule: "HT-01",
    status: 404,
    reason: `the profile ${server.policy.providers.join(", ")} does not emulate this API`,
    expected: "a request that the profile serves",
    received,
    fix: "Let the test respond to this request, such as with MSW.",
  });
}
