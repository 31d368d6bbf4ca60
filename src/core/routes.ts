/** The endpoints of the minimal server. */

import { parametersOf, resourceParameter } from "./authorize/checks.ts";
import { authorizeHandlers, type Decide } from "./authorize/authorize.ts";
import { clientAuthParameters } from "./token/client_auth.ts";
import type { CoreExtension } from "./extension.ts";
import { jwks } from "./keys/jwks.ts";
import { type ParameterDescription, parameters } from "./http/params.ts";
import type { Endpoint } from "./route.ts";
import type { Method } from "./http/router.ts";
import type { Server } from "./server.ts";
import { token } from "./token/token.ts";

interface RouteOptions {
  readonly server: Server;
  /** The path of the issuer, without a slash at its end. */
  readonly base: string;
  readonly extensions: readonly Pick<CoreExtension, "metadata" | "name">[];
  /** Decides authorization requests: immediately, or on pages. */
  readonly decide: Decide;
}

const getAndPost: readonly Method[] = ["GET", "POST"];

const accessToken: ParameterDescription = { name: "access_token", secret: "access_token", linksFlow: true };
const tokenParameters = [
  ...clientAuthParameters,
  ...parameters({ name: "token", secret: "token", linksFlow: true }, "token_type_hint"),
];

/** Creates the list. Endpoints that a first login does not use load their handlers at their first request. */
export function coreEndpoints(
  { server, base, extensions, decide }: RouteOptions,
): Endpoint[] {
  const { grantTypes, requestChecks } = server;
  return [
    {
      name: "authorize",
      metadataName: "authorization_endpoint",
      path: `${base}/oauth2/authorize`,
      methods: ["GET", "HEAD", "POST"],
      caller: "browser",
      errors: "redirect",
      parameters: parametersOf(requestChecks),
      load: () => authorizeHandlers(decide),
    },
    {
      name: "token",
      metadataName: "token_endpoint",
      path: `${base}/oauth2/token`,
      methods: ["POST"],
      caller: "client",
      cors: true,
      errors: "json",
      parameters: [
        ...clientAuthParameters,
        ...parameters("grant_type", "scope", resourceParameter, "username"),
        // Of the password grant, which the server rejects: a password must not be in a URL or a log.
        { name: "password", secret: "password" },
        ...grantTypes.flatMap((grantType) => grantType.parameters),
      ],
      load: () => token,
    },
    {
      name: "jwks",
      metadataName: "jwks_uri",
      path: `${base}/oauth2/jwks`,
      methods: ["GET"],
      caller: "any",
      cors: true,
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
      errors: "resource",
      parameters: parameters(accessToken),
      load: async () => (await import("./token/userinfo.ts")).userinfo,
    },
    {
      name: "revoke",
      metadataName: "revocation_endpoint",
      path: `${base}/oauth2/revoke`,
      methods: ["POST"],
      caller: "client",
      cors: true,
      errors: "json",
      parameters: tokenParameters,
      load: async () => (await import("./token/revoke.ts")).revoke,
    },
    {
      name: "introspect",
      metadataName: "introspection_endpoint",
      path: `${base}/oauth2/introspect`,
      methods: ["POST"],
      caller: "client",
      errors: "json",
      parameters: tokenParameters,
      load: async () => (await import("./token/introspect.ts")).introspection,
    },
    ...wellKnownPaths(base).map((path): Endpoint => ({
      name: "discovery",
      path,
      methods: ["GET"],
      caller: "any",
      cors: true,
      errors: "json",
      role: "document",
      load: async () => (await import("./discovery.ts")).discoveryHandlers(extensions),
    })),
    page("home", `${base}/`, async () => (await import("./pages/home.ts")).homeHandlers()),
    // Outside the issuer, for those who open the address without its path.
    ...base === "" ? [] : [page("root", "/", async () => (await import("./pages/home.ts")).root)],
    page("start", `${base}/start`, async () => (await import("./demo/demo_flow.ts")).startHandlers()),
    {
      ...page(
        "authorized",
        `${base}/authorized`,
        async () => (await import("./demo/authorized.ts")).authorizedHandlers(),
      ),
      methods: getAndPost,
      parameters: server.responseParameters,
    },
  ];
}

/** An HTML page outside of the protocol. */
function page(name: string, path: string, load: Endpoint["load"]): Endpoint {
  return { name, path, load, methods: ["GET"], caller: "browser", errors: "page" };
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
