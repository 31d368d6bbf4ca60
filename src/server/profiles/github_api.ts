/**
 * What GitHub's clients call besides the OAuth endpoints: the user with e-mail addresses, organizations and teams, and
 * the state of a token. https://docs.github.com/rest/users/users, /rest/users/emails, /rest/orgs/orgs,
 * /rest/teams/teams and /rest/apps/oauth-applications; of GraphQL, the user alone.
 */

import type { Context } from "../../core/http/context.ts";
import type { Handler } from "../../core/route.ts";
import type { Endpoint } from "../endpoint.ts";
import { readJsonObject } from "../../platform/http/json_body.ts";
import { type HttpResponse, json, withHeaders } from "../../core/http/message.ts";
import { authenticateClient } from "../../core/token/client_auth.ts";
import type { User } from "../../core/clients/client.ts";
import { metadataOf } from "../config/client_metadata.ts";
import type { Client } from "../../core/clients/clients.ts";
import { OAuthError } from "../../core/rules/errors.ts";
import { revokeGrant } from "../../core/store/grant.ts";
import { paramsFromFields, scopeToken } from "../../core/http/params.ts";
import { revokeConsent } from "../login/stored_consent.ts";
import { type AccessToken, grantOfAccessToken } from "../../core/token/tokens/access_token.ts";
import { readAccessToken } from "../../core/token/tokens/read_access_token.ts";
import { revokeIssuedToken } from "../../core/token/revoke.ts";
import { requireUser } from "./shared/require_user.ts";
import { numberOf } from "./shared/derived_values.ts";
import { asText } from "./shared/members.ts";
import { unserved, unservedUrls } from "./shared/unserved_urls.ts";
import type { HostedServer } from "../hosted_server.ts";

/** The API at the root, as `api.github.com`, and below `/api/v3`, as a GitHub Enterprise Server. */
export function githubApi(): readonly Endpoint[] {
  return [
    endpoint("/user", "User", ["GET"], { GET: showUser }),
    endpoint("/user/emails", "E-mail addresses", ["GET"], { GET: showEmails }),
    endpoint("/user/orgs", "Organizations", ["GET"], { GET: showOrganizations }),
    endpoint("/user/teams", "Teams", ["GET"], { GET: showTeams }),
    endpoint("/applications/**", "Token of an application", ["POST", "DELETE"], {
      POST: checkToken,
      DELETE: deleteToken,
    }),
    {
      ...endpoint("/graphql", "GraphQL", ["POST"], {}),
      aliases: ["/api/graphql"],
      cors: true,
      load: () => ({ POST: runQuery }),
    },
    ...unservedUrls("github_api", "/user/**", "/orgs/**", "/repos/**", "/api/v3/**"),
  ];
}

function endpoint(
  path: string,
  title: string,
  methods: Endpoint["methods"],
  handlers: Record<string, Handler>,
): Endpoint {
  return {
    name: "github_api",
    path,
    aliases: [`/api/v3${path}`],
    methods,
    caller: path.startsWith("/applications") ? "client" : "resource client",
    cors: path.startsWith("/user"),
    title,
    errors: "json",
    role: "step",
    load: () => handlers,
  };
}

const showUser: Handler = async (context) => {
  const { token, user } = await requireUser(context, "token");
  return withScopes(json(200, userMembers(user)), token);
};

const showEmails: Handler = async (context) => {
  const { token, user } = await requireUser(context, "token");
  // A GitHub App has permissions, and its tokens have no scope: this one has "Email addresses".
  if (!await isOfApp(context, token)) requireScope(token, "user:email", "user");
  const { email, email_verified: verified = false } = user;
  const emails = email === undefined ? [] : [{ email, primary: true, verified, visibility: "private" }];
  return withScopes(json(200, emails), token);
};

/** The organizations of the member `orgs` of the user: their names. */
const showOrganizations: Handler = async (context) => {
  const { token, user } = await requireUser(context, "token");
  requireScope(token, "read:org", "write:org", "admin:org", "user");
  return withScopes(json(200, textsOf(user.orgs).map((login) => organizationMembers(login))), token);
};

/** The teams among the groups of the user: `ORGANIZATION/TEAM`. */
const showTeams: Handler = async (context) => {
  const { token, user } = await requireUser(context, "token");
  requireScope(token, "read:org", "write:org", "admin:org", "user", "repo");
  const teams = textsOf(user.groups).filter((group) => group.includes("/")).map((group) => {
    const [organization = "", name = ""] = group.split("/");
    return {
      ...{ id: numberOf(group), name, slug: name },
      organization: organizationMembers(organization),
    };
  });
  return withScopes(json(200, teams), token);
};

/** A query of the user: the one that ends the login of GitHub's command line, cli/cli api/queries_user.go. */
const viewerQuery = /^\s*(?:query(?:\s+\w+)?\s*)?\{\s*viewer\s*\{([\w\s,]+)\}\s*\}\s*$/;

/** https://docs.github.com/graphql/reference/queries#user */
const runQuery: Handler<HostedServer> = async (context) => {
  const { token, user } = await requireUser(context, "token");
  const { query } = await readJsonObject(context.request, "TK-02");
  const [, selected = ""] = viewerQuery.exec(String(query)) ?? [];
  const { login, id, node_id, avatar_url, html_url, name, blog } = userMembers(user);
  const members: Readonly<Record<string, unknown>> = {
    ...{ __typename: "User", login, id: node_id, databaseId: id, name, email: "", avatarUrl: avatar_url },
    ...{ url: html_url, websiteUrl: blog },
  };
  const names = selected.split(/[\s,]+/).filter((one) => one !== "");
  if (names.length === 0 || !names.every((one) => Object.hasOwn(members, one))) {
    throw unserved(context, typeof query === "string" ? `the query ${query.slice(0, 200)}` : "no query");
  }
  const viewer = Object.fromEntries(names.map((one) => [one, members[one]]));
  return withScopes(json(200, { data: { viewer } }), token);
};

function organizationMembers(login: string): Readonly<Record<string, unknown>> {
  const id = numberOf(login);
  return { login, id, node_id: `O_${id}`, url: `https://api.github.com/orgs/${encodeURIComponent(login)}` };
}

/** Whether a token without scope belongs to a GitHub App. */
async function isOfApp({ server }: Context, token: AccessToken): Promise<boolean> {
  const client = scopesOf(token).length > 0 ? undefined : await server.clients.find(token.claims.client_id);
  return client !== undefined && isApp(client);
}

/** Whether a client is a GitHub App, whose tokens are refreshed; those of OAuth apps are not. */
export function isApp({ grantTypes }: Client): boolean {
  return grantTypes.includes("refresh_token");
}

function textsOf(member: unknown): readonly string[] {
  return Array.isArray(member) ? member.map((value) => asText(value).toWellFormed()) : [];
}

/** @throws {OAuthError} Unless the token has one of the scope values. */
function requireScope(token: AccessToken, ...accepted: readonly string[]): void {
  if (scopesOf(token).some((scope) => accepted.includes(scope))) return;
  throw new OAuthError("insufficient_scope", "the access token lacks the required scope", {
    rule: "BR-02",
    status: 404,
    scope: accepted.join(" or "),
    expected: accepted.join(" or "),
    received: token.claims.scope ?? "no scope",
  });
}

const checkToken: Handler = async (context) => {
  const { client, token, accessToken } = await requireOwnToken(context, "token");
  const user = accessToken.user === undefined ? undefined : await context.server.users.find(accessToken.user);
  return json(200, {
    id: 1,
    url: `${context.server.issuer}/authorizations/1`,
    app: { name: client.name ?? client.id, client_id: client.id, url: metadataOf(client).client_uri ?? "" },
    token,
    scopes: scopesOf(accessToken),
    user: user && userMembers(user),
  });
};

const deleteToken: Handler = async (context) => {
  const { server, target: { path } } = context;
  const { client, token, accessToken } = await requireOwnToken(context, path.endsWith("/grant") ? "grant" : "token");
  if (path.endsWith("/grant")) {
    const { jti, exp } = accessToken.claims;
    const end = Math.max(exp, Math.floor(server.now() / 1000) + server.policy.lifetimes.refresh_token) * 1000;
    await revokeGrant(server, grantOfAccessToken(jti), "the client deleted the authorization", end);
    const user = accessToken.user === undefined ? undefined : await server.users.find(accessToken.user);
    if (user !== undefined) await revokeConsent(server, user, client.id);
  } else await revokeIssuedToken(server, token, "the client deleted its token", client.id);
  return { status: 204, headers: { "cache-control": "no-store" }, body: null };
};

/** The token in a request of a client about its own token; a token of another client does not exist for it. */
async function requireOwnToken(
  { server, request, target }: Context,
  last: "token" | "grant",
): Promise<{ readonly client: Client; readonly token: string; readonly accessToken: AccessToken }> {
  const [, id = "", name] = /\/applications\/([^/]+)\/([^/]+)$/.exec(target.path) ?? [];
  const client = await authenticateClient(server, {
    authorization: request.headers.get("authorization"),
    params: paramsFromFields([["client_id", id]]),
    connection: target.clientAddress,
    header: (name) => request.headers.get(name),
  });
  const { access_token: token } = await readJsonObject(request, "TK-02");
  const accessToken = typeof token === "string" ? await readAccessToken(server, token) : undefined;
  if (name === last && typeof token === "string" && accessToken?.claims.client_id === client.id) {
    return { client, token, accessToken };
  }
  throw new OAuthError("invalid_request", "the client has no such token", {
    rule: "IN-02",
    status: 404,
    expected: "a valid access token of this client",
    received: "another value",
  });
}

/**
 * The members of a user: those that the user has under GitHub's names, and others for the rest. GitHub names a public
 * e-mail address only, which most users do not have.
 */
function userMembers(user: User): Readonly<Record<string, unknown>> {
  const { sub, preferred_username = sub, login = preferred_username, picture = "", website = "" } = user;
  const { id = numberOf(sub) } = user;
  const path = encodeURIComponent(asText(login).toWellFormed());
  const members: Readonly<Record<string, unknown>> = {
    login,
    id,
    node_id: `U_${asText(id)}`,
    avatar_url: picture,
    url: `https://api.github.com/users/${path}`,
    html_url: `https://github.com/${path}`,
    type: "User",
    site_admin: false,
    name: null,
    company: null,
    blog: website,
    location: null,
    bio: null,
  };
  const own = Object.keys(members).filter((name) => Object.hasOwn(user, name)).map((name) => [name, user[name]]);
  return { ...members, ...Object.fromEntries(own), email: null };
}

function scopesOf({ claims: { scope = "" } }: AccessToken): readonly string[] {
  return scope.split(" ").filter((value) => scopeToken.test(value) && value !== "no_scope");
}

function withScopes(response: HttpResponse, token: AccessToken): HttpResponse {
  return withHeaders(response, { "x-oauth-scopes": scopesOf(token).join(", ") }) as HttpResponse;
}
