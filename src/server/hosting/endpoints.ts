/** The endpoints of the whole server. */

import type { Approver } from "../../core/approver.ts";
import { type ParameterDescription, parameters } from "../../core/params.ts";
import { type Endpoint, page } from "../../core/route.ts";
import { coreEndpoints, responseParametersOf } from "../../core/routes.ts";
import type { Server } from "../../core/server.ts";
import type { MetadataForm } from "../config/server_settings.ts";
import type { HostedServer } from "../hosted_server.ts";
import { withOwnMembers } from "../metadata_setting.ts";
import type { Pages } from "../pages.ts";
import type { EndpointOptions, Extension } from "./extension.ts";

/** The values that decide which endpoints a server has. */
interface HostedEndpointOptions {
  readonly server: HostedServer;
  /** The path of the issuer, without a slash at its end. */
  readonly base: string;
  /** The extensions, which add endpoints. */
  readonly extensions: readonly Extension[];
  /** Decides authorization requests: immediately, or on pages. */
  readonly approver: Approver;
  /** Whether users log in without a page. */
  readonly autoLogin: boolean;
  /** The login pages; absent if an approver decides. */
  readonly interaction?: typeof import("../login/mod.ts");
  /** Whether users without a password can log in on pages. */
  readonly openLogin: boolean;
  readonly pages: Pages;
}

const csrfParameter: ParameterDescription = { name: "form_token", secret: "form_token" };

/** The parameter that continues an authorization request on a page. */
const interactionParameter: ParameterDescription = { name: "interaction", secret: "interaction", linksFlow: true };

/** The parameters of an authorization response, and of the redirect to pages. */
function redirectParametersOf(server: Server): readonly ParameterDescription[] {
  return parameters(...responseParametersOf(server), interactionParameter);
}

/** The pages of the whole server that replace those of the minimal one, by the name of the endpoint. */
const hostedPages: Readonly<Record<string, Endpoint["load"]>> = {
  home: async () => (await import("./home.ts")).home,
  start: async () => (await import("./start.ts")).start,
  authorized: async () => (await import("./authorized.ts")).authorized,
};

/** The paths of the metadata, by the form of its URL. */
const metadataPaths: Readonly<Record<MetadataForm, (base: string) => string>> = {
  "oauth-inserted": (base) => `/.well-known/oauth-authorization-server${base}`,
  "openid-inserted": (base) => `/.well-known/openid-configuration${base}`,
  "openid-appended": (base) => `${base}/.well-known/openid-configuration`,
  "oauth-appended": (base) => `${base}/.well-known/oauth-authorization-server`,
};

/**
 * The endpoints of the minimal server at the paths that the settings select, with the handlers of the whole server,
 * to whose pages an authorization request may lead.
 */
export function protocolEndpoints(
  options: Parameters<typeof coreEndpoints>[0] & { readonly server: HostedServer },
): Endpoint[] {
  const { server, base } = options;
  const { defaultEndpoints, metadataForms } = server.settings;
  const endpoints = coreEndpoints(options);
  const metadata = endpoints.find(({ name }) => name === "discovery")!;
  const paths = new Set(metadataForms.map((form) => metadataPaths[form](base)));
  return endpoints.flatMap((endpoint) => {
    const { name, load, parameters = [] } = endpoint;
    switch (name) {
      case "discovery":
        return endpoint === metadata
          ? [...paths].map((path) => ({ ...endpoint, path, load: async () => withOwnMembers(await load()) }))
          : [];
      case "token":
        return { ...endpoint, aliases: defaultEndpoints ? ["/token"] : [] };
      case "authorize":
        return {
          ...endpoint,
          aliases: defaultEndpoints ? ["/authorize"] : [],
          parameters: [...parameters, interactionParameter],
          responseParameters: redirectParametersOf(server),
        };
      default:
        return { ...endpoint, load: hostedPages[name] ?? load };
    }
  });
}

/** Creates the other endpoints. Each one loads its handlers at its first request. */
export function hostedEndpoints(
  { server, base, extensions, approver, autoLogin, interaction, openLogin, pages }: HostedEndpointOptions,
): Endpoint[] {
  const { settings } = server;
  const redirectParameters = redirectParametersOf(server);
  const options: EndpointOptions = {
    base,
    approver,
    hasPages: interaction !== undefined,
    openLogin,
    pages,
    formParameters: parameters(csrfParameter),
    requestParameters: server.requestParts.parameters,
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
      load: async () => (await import("../login/logout.ts")).logoutHandlers(pages),
    },
    ...extensions.flatMap((extension) => extension.endpoints?.(settings, options) ?? []),
    ...interaction?.interactionEndpoints({
      ...{ base, openLogin, pages, csrfParameter, interactionParameter },
      responseParameters: redirectParameters,
    }) ?? [],
    ...autoLogin
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
          load: async () => (await import("../login/select_account.ts")).selectAccountHandlers(approver, pages.login),
        } satisfies Endpoint,
      ]
      : [],
    page(
      "static",
      `${base}/static/*`,
      "Static file",
      async () => (await import("./static_files.ts")).assets,
    ),
    page("favicon", "/favicon.ico", "Icon", async () => (await import("./static_files.ts")).favicon),
  ];
}
