/** The plugin with the pages for developers. */

import type { Plugin } from "../server/hosting/options.ts";
import { type Endpoint, page } from "../server/endpoint.ts";
import { staticEndpoint } from "../server/hosting/static_files.ts";
import type { App, DisabledPage } from "../server/app.ts";
import type { Method } from "../core/http/router.ts";
import { boundedCache } from "../platform/bounded_cache.ts";
import { parameters } from "../core/http/params.ts";
import type { Recorder } from "../recorder/recorder.ts";
import type { DirectoryOptions } from "./connect/admin_endpoint.ts";
import { type RequestPages, requestPages, type RequestPagesOptions } from "./requests/request_pages.ts";
import type { ReadRules } from "./rules/rules_file.ts";

/** Where the pages of rules are, below the base. */
const rulesPath = "/docs/rules";

/** Maximum number of client secrets that the pages keep. */
const maxGeneratedSecrets = 1000;

/** Loads the code of the pages. */
const load = () => import("./handlers.ts");

const getAndPost: readonly Method[] = ["GET", "POST"];

const formParameters = parameters({ name: "form_token", secret: "form_token" });

/** @internal The options of an inspector. */
export interface InspectorOptions extends RequestPagesOptions {
  /**
   * Whether the server records requests, and has the pages of flows and tokens. Without them, an inspector is allowed
   * on every host. Default: true.
   */
  readonly requests?: boolean;
  /** Reads the text of the rules, `tests/rules.md` of the source, for a page of each rule. Default: no such pages. */
  readonly readRules?: ReadRules;
}

/** The plugin with the pages for developers. Further plugins should be inside it: it records what clients receive. */
export interface Inspector extends Plugin {
  /** The recorder that the pages show. */
  readonly recorder: Recorder;
}

/**
 * Creates the pages for developers of one server: the home page, which replaces that of the server, the pages of
 * clients and users, the steps of `/authorized`, the live pages of recorded requests with exports, and `/tokens`.
 *
 * - Its `setup` throws a {@link ConfigurationError} if the issuer is not a test host, unless the setting `insecure`
 *   has `inspector`, or `requests` is false. Only on test hosts the pages can show secrets.
 * - Visitors may see and change clients and users as the setting `directory` says: on a test host by default, elsewhere
 *   not.
 */
export function inspector(options: InspectorOptions & { readonly requests: false }): Plugin;
/** Creates them with the pages of recorded requests. */
export function inspector(options?: InspectorOptions): Inspector;
export function inspector({ requests: hasRequests = true, readRules, ...options }: InspectorOptions = {}): Plugin {
  const requests = hasRequests ? requestPages(options) : undefined;
  const { recentFlows: _, routes, setup, ...hooks } = requests ?? {};
  return {
    ...hooks,
    setup(app, changes) {
      setup?.(app, changes);
      const { developerPages, server: { policy } } = app;
      Object.assign(app.disabledPages, disabledPages);
      developerPages.demoSteps = async () => (await load()).demoSteps;
      if (policy.directory !== "off") developerPages.clientLink = clientLink;
      if (readRules !== undefined) developerPages.rulesPath = rulesPath;
    },
    routes: (app) => [
      staticEndpoint(app.site, "devtools", load),
      ...connectRoutes(app, requests),
      ...routes?.(app) ?? [],
      ...readRules === undefined ? [] : [ruleRoute(app, readRules)],
    ],
  };
}

function clientLink(id?: string, query?: URLSearchParams): string {
  if (id === undefined) return `/${query === undefined ? "" : `?${query}`}#connect`;
  return `/clients/${encodeURIComponent(id)}${query === undefined ? "" : `?edit&${query}`}`;
}

/** The home page, the pages of clients and users, and the steps after a login. */
function connectRoutes({ server: { policy }, site: { base }, endpoints }: App, requests?: RequestPages): Endpoint[] {
  const directory: DirectoryOptions | undefined = policy.directory === "off" ? undefined : {
    edit: policy.directory === "edit",
    autoLogin: endpoints.some(({ name }) => name === "select_account"),
    generatedSecrets: boundedCache(maxGeneratedSecrets),
    recentFlows: requests?.recentFlows,
  };
  return [
    {
      ...page(
        "home",
        `${base}/`,
        "Home page",
        async () => (await load()).homePage(directory, requests?.recentFlows),
      ),
      link: { label: "Connect", path: "/", isMain: true },
    },
    page(
      "step",
      `${base}/authorized/try`,
      "Step after a login",
      async () => (await load()).stepEndpoint,
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

/** The pages of rules. They are the same for each visitor and contain no data of the server. */
function ruleRoute({ site: { base } }: App, readRules: ReadRules): Endpoint {
  return page("rule", `${base}${rulesPath}/*`, "Rule", () => ({
    GET: async (context) => await (await load()).showRule(context, readRules),
  }));
}

function directoryEndpoints(base: string, options: DirectoryOptions): Endpoint[] {
  const methods: readonly Method[] = options.edit ? getAndPost : ["GET"];
  const form = [methods, formParameters] as const;
  return [
    {
      ...page(
        "clients",
        `${base}/clients`,
        "Clients",
        async () => (await load()).clientListPage(options),
        methods,
        [...formParameters, { name: "client_secret", secret: "client_secret" }],
      ),
      link: { label: "Clients", path: "/clients" },
    },
    page("client", `${base}/clients/*`, "Client", async () => (await load()).clientPage(options), ...form),
    {
      ...page("users", `${base}/users`, "Users", async () => (await load()).userListPage(options), ...form),
      link: { label: "Users", path: "/users" },
    },
    page("user", `${base}/users/*`, "User", async () => (await load()).userPage(options), ...form),
  ];
}

const directory = (of: string): DisabledPage => ({
  message: `The list of ${of} is off`,
  fix: 'Set directory to "edit" or "read" in the configuration file, or in the options of latchkey().',
});

const requests = (message: string): DisabledPage => ({
  message,
  fix:
    "Start the server with --inspector on, or set inspector to true in the configuration file. In a program, add inspector() to the plugins of latchkey() or testLatchkey().",
  command: "npx -y deno task start --inspector on",
});

/** By the first segment of the path. */
export const disabledPages: Readonly<Record<string, DisabledPage>> = {
  clients: directory("clients"),
  docs: {
    message: "The pages of rules are not part of this server",
    fix:
      "Run latchkey explain with the ID of the rule: it prints the same. The program serves the page of each rule on test hosts.",
    command: "npx -y deno task start explain PK-09",
  },
  flows: requests("Flows are off"),
  tokens: requests("The page that decodes tokens is off"),
  users: directory("users"),
};
