/** The endpoints of the whole server. */

import type { Approver } from "../../core/authorize/approver.ts";
import { acceptedSigningAlgorithms } from "../../core/keys/signing_algorithm.ts";
import { immediate } from "../../core/immediate.ts";
import { type ParameterDescription, parameters } from "../../core/http/params.ts";
import { type Endpoint, page } from "../endpoint.ts";
import { decideRequest } from "../../core/authorize/authorize.ts";
import type { RuleId } from "../../core/rules/mod.ts";
import { parametersOf } from "../../core/authorize/checks.ts";
import { coreEndpoints } from "../../core/routes.ts";
import type { Server } from "../../core/server.ts";
import type { MetadataForm } from "../config/server_settings.ts";
import type { HostedServer } from "../hosted_server.ts";
import { autoApprover } from "../login/auto_approver.ts";
import { interactionEndpoints } from "../login/endpoints.ts";
import type { ProviderPage } from "../login/provider_pages/provider_page.ts";
import { withOwnMembers } from "../config/metadata_setting.ts";
import { lifetimeMetadata } from "../token/refresh_lifetimes.ts";
import type { GrantType } from "../config/standing.ts";
import { keepsRequests } from "../stored/stored_requests.ts";
import { atConfiguredPaths } from "./configured_paths.ts";
import type { EndpointOptions, Extension } from "../config/extension.ts";
import type { LatchkeyOptions } from "./options.ts";
import { withHostWarning } from "./other_host.ts";
import { fromPlugin } from "./plugin_call.ts";

/** The values that decide which endpoints a server has, besides the options. */
export interface EndpointParts {
  /** The path of the issuer, without a slash at its end. */
  readonly base: string;
  /** The extensions, which add endpoints. */
  readonly extensions: readonly Extension[];
  /** The login pages, perhaps that of a provider; absent if an approver decides. */
  readonly interaction?: { readonly page?: ProviderPage };
}

/** Loads the code of the pages. */
const load = () => import("./page_handlers.ts");
const loadLogin = () => import("../login/mod.ts");

const csrfParameter: ParameterDescription = { name: "form_token", secret: "form_token" };

/** The parameter that continues an authorization request on a page. */
const interactionParameter: ParameterDescription = { name: "interaction", secret: "interaction", linksFlow: true };

/** The parameters of an authorization response, and of the redirect to pages. */
function redirectParametersOf(server: Server): readonly ParameterDescription[] {
  return parameters(...server.responseParameters, interactionParameter);
}

/** What the whole server adds to an endpoint of the minimal one, or replaces. */
type Described = Partial<Endpoint> & Required<Pick<Endpoint, "title" | "role">>;

/** The paths of the metadata, by the form of its URL. */
const metadataPaths: Readonly<Record<MetadataForm, (base: string) => string>> = {
  "oauth-inserted": (base) => `/.well-known/oauth-authorization-server${base}`,
  "openid-inserted": (base) => `/.well-known/openid-configuration${base}`,
  "openid-appended": (base) => `${base}/.well-known/openid-configuration`,
  "oauth-appended": (base) => `${base}/.well-known/oauth-authorization-server`,
};

/** The rules that `findDestination` traces when they pass. */
const destinationRules: readonly RuleId[] = ["AZ-02", "RU-01"];

/** The endpoints of the minimal server, by their names. */
function describedEndpoints(server: Server): Readonly<Record<string, Described>> {
  const { requestChecks } = server;
  const grantTypes: readonly GrantType[] = server.grantTypes;
  return {
    authorize: {
      title: "Authorization request",
      role: "step",
      parameters: [...parametersOf(requestChecks), interactionParameter],
      checks: [
        ...destinationRules,
        ...requestChecks.flatMap(({ rule, passes }) => passes && rule !== undefined ? rule : []),
      ],
      responseParameters: redirectParametersOf(server),
    },
    token: {
      title: "Token request",
      grantTitles: Object.fromEntries(grantTypes.map(({ type, title = "Token request" }) => [type, title])),
      role: "step",
      exampleParameters: ["grant_type", "code", "redirect_uri", "code_verifier", "client_id"],
      responseParameters: ["access_token", "refresh_token", "id_token"].map((name) => ({
        name,
        secret: name,
        linksFlow: true,
      })),
    },
    jwks: { title: "Keys", role: "document" },
    userinfo: { title: "Userinfo", doneLabel: "claims returned", role: "step" },
    revoke: {
      title: "Revocation",
      doneLabel: "revoked",
      role: "step",
      exampleParameters: ["token", "client_id"],
    },
    introspect: { title: "Introspection", role: "step", exampleParameters: ["token", "client_id"] },
    discovery: { title: "Metadata", role: "document" },
    home: { title: "Home page", role: "page", load: async () => (await load()).home },
    root: { title: "Home page", role: "page" },
    start: { title: "Start of a demo login", role: "page", load: async () => (await load()).start },
    authorized: {
      title: "Response of a demo login",
      role: "page",
      load: async () => (await load()).authorized,
    },
  };
}

/**
 * The endpoints of the minimal server at the paths that the settings select, with what the whole server adds to them.
 * An authorization request may lead to its pages.
 */
function protocolEndpoints(
  options: Parameters<typeof coreEndpoints>[0] & Pick<EndpointParts, "interaction"> & { readonly server: HostedServer },
): Endpoint[] {
  const { server, base, interaction } = options;
  const { defaultEndpoints, metadataForms } = server.policy;
  const described = describedEndpoints(server);
  const endpoints = coreEndpoints(options).map((endpoint) => ({ ...endpoint, ...described[endpoint.name]! }));
  const metadata = endpoints.find(({ name }) => name === "discovery")!;
  const paths = new Set(metadataForms.map((form) => metadataPaths[form](base)));
  const loadMetadata = async () => {
    return withHostWarning(withOwnMembers(await metadata.load()));
  };
  return endpoints.flatMap((endpoint) => {
    switch (endpoint.name) {
      case "discovery":
        return endpoint === metadata ? [...paths].map((path) => ({ ...endpoint, path, load: loadMetadata })) : [];
      case "token":
        return { ...endpoint, aliases: defaultEndpoints ? ["/token"] : [] };
      case "authorize":
        return {
          ...endpoint,
          aliases: defaultEndpoints ? ["/authorize"] : [],
          ...interaction !== undefined && server.policy.loginPage === "mock-oauth2-server" && {
            load: async () => (await loadLogin()).withPostedForms(await endpoint.load()),
          },
        };
      default:
        return endpoint;
    }
  });
}

/** All endpoints of a server, at their configured paths. */
export function ownEndpoints(server: HostedServer, options: LatchkeyOptions, parts: EndpointParts): Endpoint[] {
  const { base, extensions, interaction } = parts;
  const approver = appApprover(options, interaction);
  const protocol = protocolEndpoints({
    ...{ server, base, interaction },
    extensions: [hostedMetadata, ...extensions],
    decide: async (context, pending) =>
      interaction && await (await loadLogin()).repeatWithCookies(context, pending) ||
      await decideRequest(context, pending, approver),
  });
  return atConfiguredPaths(
    [...protocol, ...hostedEndpoints(server, approver, options, parts)],
    base,
    server.policy.paths,
  );
}

/** The approver, as plugins wrap it. @param interaction The login pages; absent without `login: "interactive"`. */
function appApprover(
  { approver, plugins = [] }: Pick<LatchkeyOptions, "approver" | "plugins">,
  interaction: EndpointParts["interaction"],
): Approver {
  return keepsRequests(plugins.reduceRight(
    (inner, plugin) => fromPlugin(plugin, "approve", plugin.approve?.(inner, interaction !== undefined)) ?? inner,
    approver ?? (interaction === undefined ? automaticLogin : interactiveLogin),
  ));
}

const interactiveLogin: Approver = async (...request) => await (await loadLogin()).pagesApprover(...request);

/** The approver of `login: "auto"`. */
const automaticLogin: Approver = async (request, situation) =>
  request.loginRequirements.prompt.includes("select_account")
    ? await (await load()).approveOrAsk(request, situation)
    : await autoApprover(request, situation);

/** What metadata has besides that of the core and of extensions; hosted resources: RFC 9728 §4. */
const hostedMetadata: Pick<Extension, "name" | "metadata"> = {
  name: "of the whole server",
  metadata: (server) => ({
    subject_types_supported: server.policy.subjectTypes,
    userinfo_signing_alg_values_supported: acceptedSigningAlgorithms(server.policy),
    protected_resources: server.resources.hosted.map(({ identifier }) => identifier),
    ...lifetimeMetadata(server),
  }),
};

/** Creates the other endpoints. Each one loads its handlers at its first request. */
function hostedEndpoints(
  server: HostedServer,
  approver: Approver,
  { approver: ownApprover, pages = {} }: LatchkeyOptions,
  { base, extensions, interaction }: EndpointParts,
): Endpoint[] {
  const { policy } = server;
  const openLogin = policy.loginMethods.includes("open");
  const redirectParameters = redirectParametersOf(server);
  const options: EndpointOptions = {
    base,
    approver,
    hasPages: interaction !== undefined,
    openLogin,
    pages,
    formParameters: parameters(csrfParameter),
    requestChecks: server.requestChecks,
    redirectParameters,
  };
  return [
    {
      name: "logout",
      metadataName: "end_session_endpoint",
      path: `${base}/oauth2/logout`,
      methods: ["GET", "HEAD", "POST"],
      caller: "browser",
      title: "Logout",
      doneLabel: "logged out",
      errors: "page",
      role: "step",
      parameters: parameters(
        { name: "id_token_hint", secret: "id_token", linksFlow: true },
        { name: "confirm", secret: "form_token" },
        ...["client_id", "post_logout_redirect_uri", "state", "logout_hint", "ui_locales"],
      ),
      load: async () => (await load()).logoutHandlers(pages),
    },
    ...extensions.flatMap((extension) =>
      immediate(`endpoints of the extension ${extension.name}`, extension.endpoints?.(policy, options)) ?? []
    ),
    ...interaction === undefined ? [] : interactionEndpoints({
      ...{ base, approver, openLogin, pages, csrfParameter, interactionParameter, page: interaction.page },
      responseParameters: redirectParameters,
    }),
    ...policy.login === "auto" && ownApprover === undefined
      ? [
        {
          name: "select_account",
          path: `${base}/oauth2/select_account`,
          methods: ["GET", "HEAD", "POST"],
          caller: "browser",
          title: "Account selection",
          doneLabel: "account selected",
          errors: "redirect",
          role: "step",
          parameters: parameters(interactionParameter, csrfParameter),
          responseParameters: redirectParameters,
          load: async () => (await load()).selectAccountHandlers(approver, pages.login),
        } satisfies Endpoint,
      ]
      : [],
    page(
      "static",
      `${base}/static/*`,
      "Static file",
      async () => (await load()).assets,
    ),
    page("favicon", "/favicon.ico", "Icon", async () => (await load()).favicon),
  ];
}
