/** An endpoint whose code is loaded with the first request for it. */

import type { RouteHandler } from "../http/router.ts";
import type { Endpoint, Handlers } from "./endpoint.ts";

/** What is known of it before: enough for metadata documents, for 404, and for 405 with its Allow. */
interface EndpointDescription extends Pick<Endpoint, "name" | "path" | "cors"> {
  /** What it answers to. A HEAD that is not named is a GET without the body. */
  readonly methods: readonly ("GET" | "HEAD" | "POST")[];
}

/** Stands in the route list for what `load` gives, which answers by the same methods. */
export function lazyEndpoint(
  { methods, ...description }: EndpointDescription,
  load: () => Promise<Handlers>,
): Endpoint {
  let handlers: Handlers | undefined;
  let loading: Promise<Handlers> | undefined;
  const loaded = async (): Promise<Handlers> => {
    try {
      return handlers = await (loading ??= load());
    } catch (error) {
      // The next request tries again.
      loading = undefined;
      throw error;
    }
  };
  const handler = (method: EndpointDescription["methods"][number]): RouteHandler => (request, target) =>
    handlers === undefined
      ? loaded().then((handlers) => handlers[method]!(request, target))
      : handlers[method]!(request, target);
  return {
    ...description,
    ...Object.fromEntries(methods.map((method) => [method, handler(method)])),
    reject: async (error, target, request) => (await loaded()).reject(error, target, request),
  };
}
