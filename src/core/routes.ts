/** The endpoints of the minimal server. Every other part reads these descriptions. */

import type { Approver } from "./approver.ts";
import { authorizeHandlers } from "./authorize.ts";
import { clientAuthParameters } from "./client_auth.ts";
import type { CoreExtension } from "./extension.ts";
import { jwks } from "./jwks.ts";
import { type ParameterDescription, parameters } from "./params.ts";
import { type Endpoint, page } from "./route.ts";
import type { Method } from "./router.ts";
import type { Server } from "./server.ts";
import { token } from "./token.ts";

interface RouteOptions {
  readonly server: Server;
  /** The path of the issuer, without a slash at its end. */
  readonly base: string;
  readonly extensions: readonly Pick<CoreExtension, "metadata">[];
  /** Decides authorization requests: immediately, or on pages. */
  readonly approver: Approver;
  readonly repeatWithCookies?: Parameters<typeof authorizeHandlers>[1];
}

const getAndPost: readonly Method[] = ["GET", "POST"];

const codeParameter: ParameterDescription = { name: "code", secret: "code", linksFlow: true };
const accessToken: ParameterDescription = { name: "access_token", secret: "access_token", linksFlow: true };
const refreshToken: ParameterDescription = { name: "refresh_token", secret: "refresh_token", linksFlow: true };
const tokenParameters = [
  ...clientAuthParameters,
  ...parameters({ name: "token", secret: "token", linksFlow: true }, "token_type_hint"),
];

/** The parameters of an authorization response. */
export function responseParametersOf({ responseModes, responseTypes }: Server): readonly ParameterDescription[] {
  return [
    codeParameter,
    ...new Set([...responseModes.values(), ...responseTypes.values()].flatMap(({ parameters = [] }) => parameters)),
  ];
}

/** Creates the list. Endpoints that a first login does not use load their handlers at their first request. */
export function coreEndpoints(
  { server, base, extensions, approver, repeatWithCookies }: RouteOptions,
): Endpoint[] {
  const { grantTypes, requestParts } = server;
  return [
    {
      name: "authorize",
      metadataName: "authorization_endpoint",
      path: `${base}/oauth2/authorize`,
      methods: ["GET", "HEAD", "POST"],
      caller: "browser",
      title: "Authorization request",
      errors: "redirect",
      role: "step",
      parameters: requestParts.parameters.authorize,
      checks: ["AZ-02", "RU-01", ...requestParts.at.authorize.checks],
      responseParameters: responseParametersOf(server),
      load: () => authorizeHandlers(approver, repeatWithCookies),
    },
    {
      name: "token",
      metadataName: "token_endpoint",
      path: `${base}/oauth2/token`,
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
    ...wellKnownPaths(base).map((path): Endpoint => ({
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
    page("home", `${base}/`, "Home page", async () => (await import("./home.ts")).home),
    // Outside the issuer, for those who open the address without its path.
    ...base === "" ? [] : [page("root", "/", "Home page", async () => (await import("./home.ts")).root)],
    page(
      "start",
      `${base}/start`,
      "Start of a demo login",
      async () => (await import("./demo_flow.ts")).startHandlers(),
    ),
    page(
      "authorized",
      `${base}/authorized`,
      "Response of a demo login",
      async () => (await import("./authorized.ts")).authorized,
      getAndPost,
      responseParametersOf(server),
    ),
  ];
}

/**
 * The paths of the metadata: both well-known names before the issuer's path (RFC 8414 §3.1, §5) and after it (OpenID
 * Connect Discovery §4; some clients append RFC 8414's name too).
 */
function wellKnownPaths(base: string): string[] {
  const oauth = "/.well-known/oauth-authorization-server";
  const openid = "/.well-known/openid-configuration";
  return [...new Set([oauth + base, openid + base, base + openid, base + oauth])];
}
