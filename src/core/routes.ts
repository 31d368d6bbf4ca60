/** The list of the server's endpoints. Every other part reads these descriptions. */

import type { Approver } from "./approver.ts";
import type { EndpointOptions, Extension } from "./extension.ts";
import { type Endpoint, page } from "./route.ts";
import { authorizeHandlers } from "./authorize.ts";
import { jwks } from "./jwks.ts";
import { token } from "./token.ts";
import type { Method } from "./router.ts";
import { clientAuthParameters } from "./client_auth.ts";
import type { Pages } from "../server/pages.ts";
import type { Policy } from "./policy.ts";
import type { MetadataForm } from "../server/config/policy_settings.ts";
import { type ParameterDescription, parameters } from "./params.ts";
import type { GrantType, RequestParts, Server } from "./server.ts";

/** The options that decide which endpoints a server has. */
interface RouteOptions {
  /** The path of the issuer, without a slash at its end. */
  readonly base: string;
  /** The settings in effect. */
  readonly settings: Policy;
  /** The extensions, which add endpoints and members of metadata. */
  readonly extensions: readonly Extension[];
  /** The grant types of the token endpoint, which declare its parameters. */
  readonly grantTypes: readonly GrantType[];
  /** The parts of requests, which declare parameters. */
  readonly requestParts: RequestParts;
  /** The response modes, which declare parameters. */
  readonly responseModes: Server["responseModes"];
  /** The response types, which declare parameters. */
  readonly responseTypes: Server["responseTypes"];
  /** Decides authorization requests: immediately, or on pages. */
  readonly approver: Approver;
  /** Whether users log in without a page. */
  readonly autoLogin: boolean;
  /** The login pages; absent if an approver decides. */
  readonly interaction?: typeof import("../server/login/mod.ts");
  /** Whether users without a password can log in on pages. */
  readonly openLogin: boolean;
  readonly pages: Pages;
}

const getAndPost: readonly Method[] = ["GET", "POST"];

const interactionParameter: ParameterDescription = { name: "interaction", secret: "interaction", linksFlow: true };
const codeParameter: ParameterDescription = { name: "code", secret: "code", linksFlow: true };
const accessToken: ParameterDescription = { name: "access_token", secret: "access_token", linksFlow: true };
const refreshToken: ParameterDescription = { name: "refresh_token", secret: "refresh_token", linksFlow: true };
const csrfParameter: ParameterDescription = { name: "form_token", secret: "form_token" };
const tokenParameters = [
  ...clientAuthParameters,
  ...parameters({ name: "token", secret: "token", linksFlow: true }, "token_type_hint"),
];
const formParameters = parameters(csrfParameter);

/** Creates the list. Endpoints that a first login does not use load their handlers at their first request. */
export function endpoints(
  {
    base,
    settings,
    extensions,
    grantTypes,
    requestParts,
    responseModes,
    responseTypes,
    approver,
    autoLogin,
    interaction,
    openLogin,
    pages,
  }: RouteOptions,
): Endpoint[] {
  const hasPages = interaction !== undefined;
  const responseParameters = [
    codeParameter,
    ...new Set([...responseModes.values(), ...responseTypes.values()].flatMap(({ parameters = [] }) => parameters)),
  ];
  // The parameters of the authorization response, and of the redirect to the login pages.
  const authorizationResponseParameters = parameters(...responseParameters, interactionParameter);
  const options: EndpointOptions = {
    ...{ base, approver, hasPages, openLogin, pages, formParameters },
    requestParameters: requestParts.parameters,
    redirectParameters: authorizationResponseParameters,
  };
  const defaultPaths = (path: string): readonly string[] => settings.defaultEndpoints ? [path] : [];
  return [
    {
      name: "authorize",
      metadataName: "authorization_endpoint",
      path: `${base}/oauth2/authorize`,
      aliases: defaultPaths("/authorize"),
      methods: ["GET", "HEAD", "POST"],
      caller: "browser",
      title: "Authorization request",
      errors: "redirect",
      role: "step",
      parameters: [...requestParts.parameters.authorize, interactionParameter],
      checks: ["AZ-02", "RU-01", ...requestParts.at.authorize.checks],
      responseParameters: authorizationResponseParameters,
      load: () => authorizeHandlers(approver, interaction?.repeatWithCookies),
    },
    {
      name: "token",
      metadataName: "token_endpoint",
      path: `${base}/oauth2/token`,
      aliases: defaultPaths("/token"),
      methods: ["POST"],
      caller: "client",
      cors: true,
      title: "Token request",
      grantTitles: Object.fromEntries(grantTypes.map(({ type, title = "Token request" }) => [type, title])),
      errors: "json",
      role: "step",
      parameters: [
        ...clientAuthParameters,
        ...parameters("grant_type", "scope", { name: "resource", repeatable: true }, "username"),
        // A parameter of the password grant. The server rejects the grant, but must redact the password.
        { name: "password", secret: "password" },
        ...grantTypes.flatMap((grantType) => grantType.parameters),
        ...requestParts.parameters.token,
      ],
      exampleParameters: ["grant_type", "code", "redirect_uri", "code_verifier", "client_id"],
      responseParameters: parameters(accessToken, refreshToken, {
        name: "id_token",
        secret: "id_token",
        linksFlow: true,
      }),
      load: () => token,
    },
    {
      name: "jwks",
      metadataName: "jwks_uri",
      path: `${base}/oauth2/jwks`,
      methods: ["GET"],
      caller: "any",
      cors: true,
      title: "Keys",
      errors: "json",
      role: "document",
      load: () => jwks,
    },
    {
      name: "userinfo",
      metadataName: "userinfo_endpoint",
      path: `${base}/oauth2/userinfo`,
      methods: getAndPost,
      caller: "resource client",
      cors: true,
      title: "Userinfo",
      doneLabel: "claims returned",
      errors: "resource",
      role: "step",
      parameters: parameters(accessToken),
      load: async () => (await import("./userinfo.ts")).userinfo,
    },
    {
      name: "revoke",
      metadataName: "revocation_endpoint",
      path: `${base}/oauth2/revoke`,
      methods: ["POST"],
      caller: "client",
      cors: true,
      title: "Revocation",
      doneLabel: "revoked",
      errors: "json",
      role: "step",
      parameters: tokenParameters,
      exampleParameters: ["token", "client_id"],
      load: async () => (await import("./revoke.ts")).revoke,
    },
    {
      name: "introspect",
      metadataName: "introspection_endpoint",
      path: `${base}/oauth2/introspect`,
      methods: ["POST"],
      caller: "client",
      title: "Introspection",
      errors: "json",
      role: "step",
      parameters: tokenParameters,
      exampleParameters: ["token", "client_id"],
      load: async () => (await import("./introspect.ts")).introspection,
    },
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
      load: async () => (await import("../server/login/logout.ts")).logoutHandlers(pages),
    },
    ...extensions.flatMap((extension) => extension.endpoints?.(settings, options) ?? []),
    ...wellKnownPaths(base, settings.metadataForms).map((path): Endpoint => ({
      name: "discovery",
      path,
      methods: ["GET"],
      caller: "any",
      cors: true,
      title: "Metadata",
      errors: "json",
      role: "document",
      load: async () => (await import("./discovery.ts")).discoveryHandlers(extensions),
    })),
    ...interaction?.interactionEndpoints({
      ...{ base, openLogin, pages, csrfParameter, interactionParameter },
      responseParameters: authorizationResponseParameters,
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
          responseParameters: authorizationResponseParameters,
          load: async () =>
            (await import("../server/login/select_account.ts")).selectAccountHandlers(approver, pages.login),
        } satisfies Endpoint,
      ]
      : [],
    page("home", `${base}/`, "Home page", async () => (await import("./home.ts")).home),
    // Outside the issuer, for those who open the address without its path.
    ...base === "" ? [] : [page("root", "/", "Home page", async () => (await import("./home.ts")).root)],
    page(
      "start",
      `${base}/start`,
      "Start of a demo login",
      async () => (await import("./start.ts")).start,
    ),
    page(
      "authorized",
      `${base}/authorized`,
      "Response of a demo login",
      async () => (await import("./authorized.ts")).authorized,
      getAndPost,
      responseParameters,
    ),
    page(
      "static",
      `${base}/static/*`,
      "Static file",
      async () => (await import("../server/hosting/static_files.ts")).assets,
    ),
    page("favicon", "/favicon.ico", "Icon", async () => (await import("../server/hosting/static_files.ts")).favicon),
  ];
}

/**
 * The paths of the metadata: both well-known names before the issuer's path (RFC 8414 §3.1, §5) and after it (OpenID
 * Connect Discovery §4; some clients append RFC 8414's name too).
 */
function wellKnownPaths(base: string, forms: readonly MetadataForm[]): string[] {
  return [...new Set(forms.map((form) => paths[form](base)))];
}

const paths: Readonly<Record<MetadataForm, (base: string) => string>> = {
  "oauth-inserted": (base) => `/.well-known/oauth-authorization-server${base}`,
  "openid-inserted": (base) => `/.well-known/openid-configuration${base}`,
  "openid-appended": (base) => `${base}/.well-known/openid-configuration`,
  "oauth-appended": (base) => `${base}/.well-known/oauth-authorization-server`,
};
