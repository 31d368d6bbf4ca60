/** What stands in, on this server, for the administration API of a provider. */

import type { Context } from "../endpoint.ts";
import { controlUrl } from "../explain/control.ts";

/** The administration API of a provider. */
interface AdminApi {
  readonly provider: string;
  /** Its paths. Default: none. */
  readonly path?: RegExp;
  /** The header of its requests, if it has one URL for all of them; its value names the deed. Default: none. */
  readonly header?: string;
}

/** By provider, with the reference of its API. */
const adminApis: readonly AdminApi[] = [
  // https://www.keycloak.org/docs-api/latest/rest-api/index.html; its tokens are those of the realm master.
  { provider: "Keycloak", path: /^(?:\/auth)?\/admin(\/(?:realms|serverinfo).*)/ },
  { provider: "Keycloak", path: /\/realms\/master\/protocol\/openid-connect(\/token)$/ },
  // https://auth0.com/docs/api/management/v2
  { provider: "Auth0", path: /^\/api\/v2(\/.*)/ },
  // https://auth0.com/docs/api/authentication#database-ad-ldap-passive-
  { provider: "Auth0", path: /^\/dbconnections(\/.*)/ },
  // https://developer.okta.com/docs/api/openapi/okta-management/guides/overview/
  { provider: "Okta", path: /^\/api\/v1(\/.*)/ },
  // https://learn.microsoft.com/graph/api/overview
  { provider: "Microsoft Graph", path: /^\/(?:v1\.0|beta)(\/(?!me\b).*)/ },
  // https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/
  { provider: "Cognito", header: "x-amz-target" },
  // https://developers.google.com/workspace/admin/directory/reference/rest/v1
  { provider: "Google", path: /^\/admin\/directory\/v1(\/.*)/ },
  // https://api.goauthentik.io/; GitHub Enterprise Server has others below /api/v3.
  { provider: "authentik", path: /^\/api\/v3(\/(?:core|providers|rbac)\/.*)/ },
  // https://www.rfc-editor.org/rfc/rfc7644#section-3.2
  { provider: "SCIM", path: /\/scim\/v2(\/.*)/ },
];

/** What a request is about: the last word of it that names a kind of thing. And what stands in for that here. */
const subjects: readonly {
  readonly named: RegExp;
  readonly instead: string;
  /** The verb of the control that changes it, and the members of its input. */
  readonly change: readonly [verb: string, members: string];
  /** The verb that lists it. Default: none. */
  readonly list?: string;
  /** The verb that removes it, and the members of its input. Default: `change`. */
  readonly remove?: readonly [verb: string, members: string];
}[] = [
  {
    named: /users?|signup|password/gi,
    instead: "Users are in the configuration",
    ...{ change: ["users/set", "sub, name, email and password"], list: "users/all", remove: ["users/delete", "sub"] },
  },
  {
    named: /clients?(?!-scopes)|app(?:lication)?s|serviceprincipals|providers/gi,
    instead: "Clients are in the configuration",
    ...{ change: ["clients/set", "client_id and redirect_uris"], list: "clients/all" },
    remove: ["clients/delete", "client_id"],
  },
  {
    named: /groups?|roles?|memberof|permissions/gi,
    ...{ instead: "Groups and roles are claims of a user", change: ["users/set", "sub, groups and roles"] },
  },
  {
    named: /logout|sign-?out|sessions?|revo(?:ke|cation)\w*|refresh-?tokens|grants/gi,
    ...{ instead: "Sessions and tokens end with their lifetimes", change: ["revoke", "sub"] },
  },
  {
    named: /\/token$|auth$|challenge$/gi,
    ...{ instead: "No call here needs a token of an administrator", change: ["mint/accessToken", "sub"] },
  },
];

/**
 * What a request to the administration API of a provider is here, on a server that may have tools for tests;
 * `undefined` for any other request.
 *
 * @param isServed Whether the server serves the path with another method.
 */
export function suggestControl(
  { server, endpoint, target, request }: Context,
  isServed: boolean,
): { readonly message: string; readonly fix: string } | undefined {
  if (!server.policy.allows.openTools) return undefined;
  for (const { provider, path, header } of adminApis) {
    const rest = header === undefined
      ? isServed ? undefined : path?.exec(target.path)?.[1]
      : request.headers.get(header)?.split(".").at(-1);
    if (rest === undefined) continue;
    const [subject] = subjects.map((one) => ({ ...one, at: [...rest.matchAll(one.named)].at(-1)?.index ?? -1 }))
      .filter(({ at }) => at >= 0).sort((a, b) => b.at - a.at);
    const message = `This is the administration API of ${provider}, which this server does not have`;
    if (subject === undefined) {
      // For any other call, the profile itself says that it does not serve it.
      if (endpoint !== undefined) return undefined;
      return { message, fix: "The configuration file has what administrators change: --config latchkey.json." };
    }
    const { instead, change, list, remove = change } = subject;
    const reads = list !== undefined && (request.method === "GET" || /^(?:Admin)?(?:Get|List)[A-Z]/.test(rest));
    const [verb, members] = request.method === "DELETE" || /^(?:Admin)?Delete[A-Z]/.test(rest) ? remove : change;
    const call = reads ? `GET ${controlUrl(server, list)}` : `POST ${controlUrl(server, verb)} with ${members} as JSON`;
    return { message, fix: `${instead}. A server with --control on, such as that of latchkey exec, takes ${call}.` };
  }
  return undefined;
}
