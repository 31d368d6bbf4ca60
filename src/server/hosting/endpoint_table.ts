/** The endpoints of an app: those of its server, of its plugins, and of the resources that it hosts. */

import { credentialParametersOf } from "../../core/http/endpoint.ts";
import { type EndpointRoute, endpointRoute, endpointRoutes } from "../../core/route.ts";
import { routeFinder } from "../../core/http/router.ts";
import type { Context } from "../../core/http/context.ts";
import type { App } from "../app.ts";
import type { Endpoint, EndpointDescription, NavigationLink } from "../endpoint.ts";
import type { AddedSecrets } from "../redaction/registered_secrets.ts";
import type { Plugin } from "./options.ts";
import { fromPlugin } from "./plugin_call.ts";

/** Throws to reject a request before the handler of its endpoint. */
type Admit = (context: Context) => void;

/** The endpoints by their paths. Its lists grow when endpoints are added. */
export interface EndpointTable {
  readonly endpoints: readonly EndpointDescription[];
  /** The links in the header of every page. */
  readonly links: readonly NavigationLink[];
  /** The secret parameters of endpoints for clients. */
  readonly credentialParameters: ReadonlySet<string>;
  find(path: string): EndpointRoute | undefined;
  /** Adds the endpoints of plugins, once. They replace those of the server at the same paths, such as the home page. */
  addOfPlugins(endpoints: readonly Endpoint[]): void;
  /** Adds the endpoints of a hosted resource. An endpoint replaces the one at the same path. */
  addOfResource(endpoints: readonly Endpoint[]): void;
}

/**
 * Creates the table.
 *
 * @param own The endpoints of the server.
 * @param secrets Receives the parameters of each endpoint, secret and public ones.
 */
export function endpointTable(
  own: readonly Endpoint[],
  secrets: Pick<AddedSecrets, "addNames">,
  admit?: Admit,
): EndpointTable {
  const endpoints: EndpointDescription[] = [...own];
  const links: NavigationLink[] = [];
  const credentialParameters = new Set<string>();
  const admitted = (route: EndpointRoute): EndpointRoute =>
    admit === undefined ? route : {
      ...route,
      async handle(method, context) {
        admit(context);
        return await route.handle(method, context);
      },
    };
  let routes: EndpointRoute[] = [];
  let find = routeFinder(routes);
  const declare = (described: readonly EndpointDescription[]) => {
    for (const { parameters = [], responseParameters = [] } of described) {
      secrets.addNames([...parameters, ...responseParameters]);
    }
  };
  return {
    endpoints,
    links,
    credentialParameters,
    find: (path) => find(path),
    addOfPlugins(added) {
      for (const endpoint of added) replaceByPath(endpoints, endpoint);
      links.push(...[...added, ...own].flatMap(({ link }) => link ?? []));
      declare(endpoints);
      for (const name of credentialParametersOf(endpoints)) credentialParameters.add(name);
      routes = endpointRoutes([...own, ...added]).map(admitted);
      find = routeFinder(routes);
    },
    addOfResource(added) {
      declare(added);
      for (const endpoint of added) {
        replaceByPath(endpoints, endpoint);
        replaceByPath(routes, admitted(endpointRoute(endpoint)));
      }
      find = routeFinder(routes);
    },
  };
}

/** The endpoints of plugins. Of two at one path, the last one counts. */
export function pluginEndpoints(app: App, plugins: readonly Plugin[]): Endpoint[] {
  const endpoints: Endpoint[] = [];
  for (const endpoint of plugins.flatMap((plugin) => fromPlugin(plugin, "routes", plugin.routes?.(app)) ?? [])) {
    replaceByPath(endpoints, endpoint);
  }
  return endpoints;
}

/** Replaces the item with the same path, or adds the item. */
function replaceByPath<T extends { readonly path: string }>(list: T[], item: T): void {
  const index = list.findIndex(({ path }) => path === item.path);
  list.splice(index < 0 ? list.length : index, 1, item);
}
