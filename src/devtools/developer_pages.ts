/** The plugin with the home page for developers, the pages of clients and users, and the steps of `/authorized`. */

import type { Plugin } from "../server/assembly/plugin.ts";
import type { Endpoint } from "../server/assembly/route.ts";
import type { App } from "../server/assembly/context.ts";
import type { Method } from "../platform/http/router.ts";
import { boundedCache } from "../server/oauth/bounded_cache.ts";
import { type ParameterDescription, parameters } from "../server/oauth/params.ts";
import type { DirectoryOptions } from "./connect/admin_endpoint.ts";

/** Maximum number of client secrets that the pages keep. */
const maxGeneratedSecrets = 1000;

const getAndPost: readonly Method[] = ["GET", "POST"];

const formParameters = parameters({ name: "form_token", secret: "form_token" });

/**
 * Creates the plugin. Visitors may see and change clients and users as the setting `directory` says: on a test host by
 * default, elsewhere not. Its home page replaces that of the server.
 */
export function developerPages(): Plugin {
  return {
    links: ({ directory }) => [
      { label: "Connect", path: "/", isMain: true },
      ...directory === "off" ? [] : [{ label: "Clients", path: "/clients" }, { label: "Users", path: "/users" }],
    ],
    demoSteps: async () => (await import("./authorized/demo_steps.ts")).demoSteps,
    routes,
  };
}

function routes({ server: { settings }, site: { base }, endpoints }: App): Endpoint[] {
  const directory: DirectoryOptions | undefined = settings.directory === "off" ? undefined : {
    edit: settings.directory === "edit",
    autoLogin: endpoints.some(({ name }) => name === "select_account"),
    generatedSecrets: boundedCache(maxGeneratedSecrets),
  };
  return [
    page("home", `${base}/`, "Home page", async () => (await import("./connect/home.ts")).homePage(directory)),
    page(
      "step",
      `${base}/authorized/try`,
      "Step after a login",
      async () => (await import("./authorized/step_endpoint.ts")).stepEndpoint,
      getAndPost,
      [
        ...formParameters,
        ...parameters(
          { name: "code", secret: "code", linksFlow: true },
          { name: "access_token", secret: "access_token", linksFlow: true },
          { name: "refresh_token", secret: "refresh_token", linksFlow: true },
        ),
      ],
    ),
    ...directory === undefined ? [] : directoryEndpoints(base, directory),
  ];
}

function directoryEndpoints(base: string, options: DirectoryOptions): Endpoint[] {
  const methods: readonly Method[] = options.edit ? getAndPost : ["GET"];
  const clients = () => import("./connect/clients.ts");
  const users = () => import("./connect/users.ts");
  return [
    page(
      "clients",
      `${base}/clients`,
      "Clients",
      async () => (await clients()).clientListPage(options),
      methods,
      [...formParameters, { name: "client_secret", secret: "client_secret" }],
    ),
    page(
      "client",
      `${base}/clients/*`,
      "Client",
      async () => (await clients()).clientPage(options),
      methods,
      formParameters,
    ),
    page("users", `${base}/users`, "Users", async () => (await users()).userListPage(options), methods, formParameters),
    page("user", `${base}/users/*`, "User", async () => (await users()).userPage(options), methods, formParameters),
  ];
}

function page(
  name: string,
  path: string,
  title: string,
  load: Endpoint["load"],
  methods: readonly Method[] = ["GET"],
  parameters: readonly ParameterDescription[] = [],
): Endpoint {
  return { name, path, title, load, methods, parameters, caller: "browser", errors: "page" };
}
