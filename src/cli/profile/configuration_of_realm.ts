/** The configuration of a server in place of a realm of Keycloak, from the export of the realm. */

import { isObject } from "../../platform/json_value.ts";
import type { ProviderProfile } from "../../server/config/provider_profile.ts";
import type { ClientMetadata, User } from "../../server/oauth/clients/client.ts";
import { quote } from "../../server/config/config_issue.ts";
import type { Draft } from "./keep_valid.ts";

/** A configuration file. */
export interface RealmConfiguration {
  readonly profile: readonly (string | ProviderProfile)[];
  readonly clients: readonly ClientMetadata[];
  readonly users: readonly User[];
}

type Json = Readonly<Record<string, unknown>>;

/** Clients of Keycloak itself, which every realm has. */
const ownClients = ["account", "account-console", "admin-cli", "broker", "realm-management", "security-admin-console"];

/** The grant types of a client by the member, or the attribute, that switches them on. */
const grantTypes = {
  standardFlowEnabled: ["authorization_code", "refresh_token"],
  serviceAccountsEnabled: ["client_credentials"],
  "oauth2.device.authorization.grant.enabled": ["urn:ietf:params:oauth:grant-type:device_code"],
} as const;

/**
 * Drafts a configuration. Members of the wrong type count as absent.
 *
 * @param newSecret Creates the secret of a client whose secret the export hides.
 */
export function configurationOfRealm(realm: Json, newSecret: () => string): Draft<RealmConfiguration> {
  const notes: string[] = [];
  const clients = objects(realm.clients).flatMap((client) => clientOf(client, notes, newSecret));
  const roles = roleReader(realm);
  const users = objects(realm.users).flatMap((user) => userOf(user, roles, notes));
  const listed = objects(realm.clientScopes).filter(({ protocol }) => protocol === "openid-connect")
    .flatMap(({ name }) => text(name) ?? []).concat(clients.flatMap(({ scope }) => scope?.split(" ") ?? []));
  const scopes = listed.length > 0 ? [...new Set(["openid", ...listed])] : undefined;
  const name = text(realm.realm) ?? "";
  const seconds = (member: string) =>
    typeof realm[member] === "number" && realm[member] > 0 ? realm[member] : undefined;
  const lifetimes = defined({
    code: seconds("accessCodeLifespan"),
    device_code: seconds("oauth2DeviceCodeLifespan"),
    access_token: seconds("accessTokenLifespan"),
    id_token: seconds("accessTokenLifespan"),
    refresh_token: seconds("ssoSessionMaxLifespan"),
    refresh_token_idle: seconds("ssoSessionIdleTimeout"),
    session: seconds("ssoSessionMaxLifespan"),
  });
  const alg = text(realm.defaultSignatureAlgorithm);
  const own: Json = defined({
    name: name.replace(/[^\w.@-]/g, "-").slice(0, 60) || "realm",
    issuerPath: `/realms/${name}`,
    scopes,
    defaultScope: scopes && ["profile", "email"].filter((scope) => scopes.includes(scope)).join(" "),
    lifetimes: Object.keys(lifetimes).length > 0 ? lifetimes : undefined,
    alg,
  });
  return {
    value: { profile: ["keycloak", own as unknown as ProviderProfile], clients, users },
    notes: [
      ...notes,
      "mappers, groups and attributes: only roles, names and e-mail become claims; add the others to users and claims",
    ],
  };
}

function clientOf(client: Json, notes: string[], newSecret: () => string): ClientMetadata[] {
  const id = text(client.clientId);
  if (id === undefined || ownClients.includes(id)) return [];
  const skip = (reason: string) => (notes.push(`client ${quote(id)}: left out, because ${reason}`), []);
  if (client.enabled === false) return skip("it is disabled");
  if (client.bearerOnly === true) return skip("it only receives tokens");
  if (client.protocol !== undefined && client.protocol !== "openid-connect") return skip("it uses another protocol");
  const attributes = object(client.attributes);
  const isOn = (name: string) => (client[name] ?? attributes[name]) === true || attributes[name] === "true";
  const grant_types = Object.entries(grantTypes).flatMap(([name, types]) => isOn(name) ? types : []);
  if (grant_types.length === 0) return skip("it has no grant type of OAuth 2.1");
  for (const name of ["implicitFlowEnabled", "directAccessGrantsEnabled"]) {
    if (isOn(name)) notes.push(`client ${quote(id)}: without ${name}, which OAuth 2.1 does not have`);
  }
  const note = (sentence: string) => void notes.push(`client ${quote(id)}: ${sentence}`);
  const redirect_uris = redirectUrisOf(texts(client.redirectUris), text(client.rootUrl), note);
  const logoutUris = (text(attributes["post.logout.redirect.uris"]) ?? "").split("##").filter(Boolean);
  const post_logout_redirect_uris = logoutUris.includes("+")
    ? redirect_uris
    : redirectUrisOf(logoutUris, text(client.rootUrl), note);
  const requested = [...texts(client.defaultClientScopes), ...texts(client.optionalClientScopes)];
  const authentication = client.publicClient === true
    ? { token_endpoint_auth_method: "none" }
    : authenticationOf(client, attributes, newSecret, note);
  if (authentication === undefined) return skip("the server does not support its authentication method");
  return [
    defined({
      client_id: id,
      client_name: text(client.name),
      ...authentication,
      redirect_uris: redirect_uris.length > 0 ? redirect_uris : undefined,
      post_logout_redirect_uris: post_logout_redirect_uris.length > 0 ? post_logout_redirect_uris : undefined,
      grant_types,
      scope: requested.length > 0 ? [...new Set(["openid", ...requested])].join(" ") : undefined,
      require_pkce: attributes["pkce.code.challenge.method"] === "S256" ? true : undefined,
    }) as unknown as ClientMetadata,
  ];
}

/** The members by which a confidential client authenticates; `undefined` if the server lacks its method. */
function authenticationOf(
  { secret, clientAuthenticatorType = "client-secret" }: Json,
  attributes: Json,
  newSecret: () => string,
  note: (sentence: string) => void,
): object | undefined {
  if (clientAuthenticatorType === "client-jwt" && text(attributes["jwks.url"]) !== undefined) {
    return { token_endpoint_auth_method: "private_key_jwt", jwks_uri: attributes["jwks.url"] };
  }
  if (clientAuthenticatorType !== "client-secret") return undefined;
  const known = text(secret);
  const isHidden = known === undefined || /^\**$/.test(known);
  note(isHidden ? "a new client_secret, because the export hides its own" : "with its client_secret");
  return { client_secret: isHidden ? newSecret() : known };
}

/** Redirect URIs without wildcards, which stand for any path: the path before them is a first guess. */
function redirectUrisOf(
  uris: readonly string[],
  rootUrl: string | undefined,
  note: (sentence: string) => void,
): string[] {
  const exact = uris.flatMap((uri) => {
    const absolute = uri.startsWith("/") && rootUrl !== undefined ? rootUrl.replace(/\/$/, "") + uri : uri;
    if (!absolute.includes("*")) return absolute;
    const guess = absolute.replace(/\*.*$/s, "");
    note(`${quote(absolute)} has a wildcard; ${guess === "" ? "add its URIs" : `the file has ${quote(guess)}`}`);
    return guess === "" ? [] : guess;
  });
  return [...new Set(exact)];
}

/** The roles of a user, with those that they contain. */
type ReadRoles = (user: Json) => { readonly realm: readonly string[]; readonly clients: Json };

function roleReader(realm: Json): ReadRoles {
  const roles = object(realm.roles);
  const named = (list: unknown) => objects(list).flatMap((role) => typeof role.name === "string" ? [role] : []);
  const known = new Map<string, Json>();
  const keyOf = (client: string | undefined, name: string) => JSON.stringify([client, name]);
  for (const role of named(roles.realm)) known.set(keyOf(undefined, role.name as string), role);
  for (const [client, list] of Object.entries(object(roles.client))) {
    for (const role of named(list)) known.set(keyOf(client, role.name as string), role);
  }
  return (user) => {
    const found = new Map<string, readonly [client: string | undefined, name: string]>();
    const waiting: (readonly [client: string | undefined, name: string])[] = [];
    const add = (holder: Json, realmRoles: string, clientRoles: string) => {
      for (const name of texts(holder[realmRoles])) waiting.push([undefined, name]);
      for (const [client, names] of Object.entries(object(holder[clientRoles]))) {
        for (const name of texts(names)) waiting.push([client, name]);
      }
    };
    add(user, "realmRoles", "clientRoles");
    for (let role = waiting.pop(); role !== undefined; role = waiting.pop()) {
      const key = keyOf(...role);
      if (found.has(key)) continue;
      found.set(key, role);
      add(object(known.get(key)?.composites), "realm", "client");
    }
    const byClient = Map.groupBy([...found.values()], ([client]) => client);
    const names = (client: string | undefined) => (byClient.get(client) ?? []).map(([, name]) => name).sort();
    const clients = [...byClient.keys()].filter((client) => client !== undefined).sort();
    return {
      realm: names(undefined),
      clients: Object.fromEntries(clients.map((client) => [client, { roles: names(client) }])),
    };
  };
}

function userOf(user: Json, readRoles: ReadRoles, notes: string[]): User[] {
  const username = text(user.username);
  if (username === undefined || user.serviceAccountClientId !== undefined) return [];
  if (user.enabled === false) {
    notes.push(`user ${quote(username)}: left out, because it is disabled`);
    return [];
  }
  if (objects(user.credentials).length > 0) {
    notes.push(`user ${quote(username)}: without its password; latchkey hash-password creates a digest`);
  }
  const [given_name, family_name] = [text(user.firstName), text(user.lastName)];
  const { realm, clients } = readRoles(user);
  return [
    defined({
      sub: text(user.id) ?? username,
      preferred_username: username,
      name: [given_name, family_name].filter(Boolean).join(" ") || undefined,
      given_name,
      family_name,
      email: text(user.email),
      email_verified: typeof user.emailVerified === "boolean" ? user.emailVerified : undefined,
      realm_access: realm.length > 0 ? { roles: realm } : undefined,
      resource_access: Object.keys(clients).length > 0 ? clients : undefined,
    }) as unknown as User,
  ];
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

function object(value: unknown): Json {
  return isObject(value) ? value : {};
}

function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) as Json[] : [];
}

/** The members that are not `undefined`. */
function defined(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
