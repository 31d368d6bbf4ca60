/**
 * What data cannot say about Microsoft Entra: the tenants `common` and `organizations`, whose metadata has a templated
 * issuer, the overage of groups, `client_info` for MSAL, and the user of Microsoft Graph.
 */

import type { App, Context } from "../../assembly/context.ts";
import { isForm, peekForm } from "../../../platform/http/form.ts";
import { decodeJwtPart } from "../../../platform/http/jwt_part.ts";
import { getHeader, isResponse, json, parseJsonObject, withHeaders } from "../../../platform/http/message.ts";
import type { ResponseLike } from "../../../platform/http/message.ts";
import { encodeBase64url } from "../../../platform/runtime/crypto.ts";
import { parseTarget } from "../../../platform/http/router.ts";
import type { OverrideClaims } from "../../oauth/tokens/override_claims.ts";
import { atPath } from "./at_path.ts";
import type { Endpoint, Handler } from "../../assembly/route.ts";
import type { ProviderPlugin } from "./provider_plugin.ts";
import { requireUser } from "./require_user.ts";
import { findDerived } from "./shapes/fill_members.ts";
import { unservedUrls } from "./unserved_urls.ts";

/** https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc: other names of a tenant, and its domain. */
const tenantPath =
  /^\/(common|organizations|consumers|[a-z\d-]+(?:\.[a-z\d-]+)+)(\/(?:oauth2|discovery)?\/?v2\.0\/.*)$/;

/** The user of a token at Microsoft Graph. */
const userPath = "/v1.0/me";

/** The number of groups from which a JWT has a reference in their place. */
const maxGroups = 200;

export function entraTenants(): ProviderPlugin {
  let app: App | undefined;
  // The issuer of a tenant of a mock has more segments before this one.
  const ownTenant = () => new URL(app!.server.issuer).pathname.split("/").at(-2)!;
  return {
    setup: (assembled) => void (app = assembled),
    routes: () => [
      graphEndpoint(userPath, "User of Microsoft Graph", showUser),
      graphEndpoint(`${userPath}/memberOf`, "Groups of Microsoft Graph", showGroups),
      graphEndpoint(`${userPath}/transitiveMemberOf`, "Groups of Microsoft Graph", showGroups),
      ...unservedUrls("graph_me", "/v1.0/**", "/beta/**"),
    ],
    claims: (_server, kind, claims) =>
      kind === "id_token" || kind === "access_token" ? { ...withGroupReference(claims), tid: ownTenant() } : claims,
    handle: (next) => async (request, peer) => {
      const { path } = parseTarget(request.url, {});
      const [, alias, rest = ""] = tenantPath.exec(path) ?? [];
      // passport-microsoft lib/strategy.js has a slash at the end of the user's URL.
      const ownPath = alias !== undefined ? `/${ownTenant()}${rest}` : path === `${userPath}/` ? userPath : path;
      const inner = ownPath === path ? request : atPath(request, path, ownPath);
      const endpoint = app?.findEndpoint(ownPath)?.name;
      const asksForInfo = endpoint === "token" && isForm(request) &&
        (await peekForm(request).catch(() => [])).some(([name, value]) => name === "client_info" && value === "1");
      const response = withCookiePath(await next(inner, peer), ownTenant());
      if (asksForInfo) return editJson(response, withClientInfo);
      if (endpoint === "jwks") return editJson(response, (members) => withIssuer(members, templatedIssuer()));
      return endpoint === "discovery" && alias !== undefined
        ? editJson(response, (metadata) => ofTenant(metadata, alias))
        : response;
    },
  };

  function templatedIssuer(): string {
    return app!.server.issuer.replace(`/${ownTenant()}/`, "/{tenantid}/");
  }

  /** The metadata of another name of the tenant. The issuer of `common` and `organizations` is a template. */
  function ofTenant(metadata: Members, alias: string): Members {
    const entries = Object.entries(metadata).map(([name, value]) => [
      name,
      typeof value === "string" && name !== "issuer" ? value.replace(`/${ownTenant()}/`, `/${alias}/`) : value,
    ]);
    const isTemplated = alias === "common" || alias === "organizations";
    return { ...Object.fromEntries(entries), ...isTemplated && { issuer: templatedIssuer() } };
  }
}

type Members = Readonly<Record<string, unknown>>;

/** The successful JSON response with other members. */
function editJson(response: ResponseLike, edit: (members: Members) => Members): ResponseLike {
  if (isResponse(response) || response.status !== 200) return response;
  const members = parseJsonObject(response.body ?? "");
  return members === undefined ? response : { ...response, body: JSON.stringify(edit(members)) };
}

/** The response with cookies for all names of the tenant. */
function withCookiePath(response: ResponseLike, tenant: string): ResponseLike {
  const cookies = getHeader(response, "set-cookie");
  return cookies === undefined
    ? response
    : withHeaders(response, { "set-cookie": cookies.replaceAll(`Path=/${tenant}/`, "Path=/") });
}

/** MSAL reads the account from this member: msal-common src/account/ClientInfo.ts. */
function withClientInfo(members: Members): Members {
  if (typeof members.id_token !== "string") return members;
  const { oid, sub, tid } = decodeJwtPart(members.id_token, 1);
  const info = JSON.stringify({ uid: oid ?? sub, utid: tid });
  return { ...members, client_info: encodeBase64url(new TextEncoder().encode(info)) };
}

function withIssuer({ keys, ...others }: Members, issuer: string): Members {
  return { ...others, keys: Array.isArray(keys) ? keys.map((key) => ({ ...key, issuer })) : keys };
}

/** https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference: groups overage claim */
function withGroupReference(claims: Parameters<OverrideClaims>[1]): Members {
  const { groups, ...others } = claims;
  if (!Array.isArray(groups) || groups.length <= maxGroups) return claims;
  const endpoint = `https://graph.microsoft.com/v1.0/users/${claims.oid ?? claims.sub}/getMemberObjects`;
  return { ...others, _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint } } };
}

function graphEndpoint(path: string, title: string, show: Handler): Endpoint {
  return {
    ...{ name: "graph_me", path, methods: ["GET"], caller: "resource client", cors: true, title },
    ...{ errors: "json", role: "step", load: () => ({ GET: show }) },
  };
}

/** The groups of the user: https://learn.microsoft.com/graph/api/user-list-memberof */
async function showGroups(context: Context): Promise<ResponseLike> {
  const { user: { groups } } = await requireUser(context);
  const names = Array.isArray(groups) ? groups.map(String) : [];
  return json(200, {
    "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#directoryObjects",
    value: names.map((name) => ({
      "@odata.type": "#microsoft.graph.group",
      id: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(name) ? name : findDerived("$guid", context.server, name),
      displayName: name,
    })),
  });
}

/** https://learn.microsoft.com/graph/api/user-get */
async function showUser(context: Context): Promise<ResponseLike> {
  const { user } = await requireUser(context);
  const { name, given_name, family_name, email, preferred_username = email } = user;
  return json(200, {
    "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#users/$entity",
    id: user.oid ?? findDerived("$guid", context.server, user.sub),
    displayName: name ?? null,
    givenName: given_name ?? null,
    surname: family_name ?? null,
    mail: email ?? null,
    userPrincipalName: preferred_username ?? null,
  });
}
