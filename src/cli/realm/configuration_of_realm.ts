/** The configuration of a server that replaces a realm of Keycloak. */

import type { ProviderProfile } from "../../server/config/provider_profile.ts";
import type { User } from "../../core/clients/client.ts";
import { cibaGrant } from "../../server/extensions/ciba/settings.ts";
import { tokenExchangeType } from "../../server/extensions/token_exchange/settings.ts";
import type { ClientMetadata } from "../../server/config/client_metadata.ts";
import { validateRedirectUri } from "../../server/config/uri_issues.ts";
import { demoUsers } from "../../server/config/demo_entries.ts";
import { keycloakProfile } from "../../server/config/provider_settings/keycloak.ts";
import { claimsShownOnPages } from "../../server/config/user_warnings.ts";
import { leadsToLoopback, servesOwnPages } from "../../core/http/test_hosts.ts";
import { quote } from "../../server/config/config_issue.ts";
import type { Draft, RealmNote } from "./keep_valid.ts";
import { fullName, hasFixedClaims, type MappedUser, type RealmMappers, realmMappers } from "./realm_mappers.ts";
import { standardClaims } from "../../core/clients/claims.ts";
import { roleReader } from "./realm_roles.ts";
import {
  definedMembers,
  type Json,
  nonEmptyText,
  objectOrEmpty,
  objectsIn,
  textsIn,
  typedValue,
} from "./realm_values.ts";

export interface RealmConfiguration {
  readonly profile: readonly (string | ProviderProfile)[];
  readonly redirectUris?: "any";
  readonly insecure?: readonly ["http-redirect-uris"];
  readonly tokenExchange?: Record<string, never>;
  readonly clients: readonly ClientMetadata[];
  readonly users: readonly User[];
}

/** Clients of Keycloak itself, which every realm has. */
export const ownClients = [
  ...["account", "account-console", "admin-cli", "broker", "realm-management", "security-admin-console"],
];

/** Maximum number of clients, and of users; further ones are only counted. */
const maxItems = 10_000;

/** The grant types of a client by the member, or the attribute, that switches them on. */
const grantTypes = {
  standardFlowEnabled: ["authorization_code", "refresh_token"],
  serviceAccountsEnabled: ["client_credentials"],
  "oauth2.device.authorization.grant.enabled": ["urn:ietf:params:oauth:grant-type:device_code"],
  "standard.token.exchange.enabled": [tokenExchangeType],
  "oidc.ciba.grant.enabled": [cibaGrant.type],
} as const;

/**
 * Drafts a configuration. Members of the wrong type count as absent; absent members have the defaults of Keycloak
 * (keycloak/keycloak `RepresentationToModel.createClient` and `createUser`).
 *
 * @param newSecret Creates the secret of a client whose secret the realm hides or lacks.
 */
export function configurationOfRealm(realm: Json, newSecret: () => string): Draft<RealmConfiguration> {
  const notes: RealmNote[] = [];
  const limited = (name: string) => {
    const items = objectsIn(realm[name]);
    if (items.length > maxItems) notes.push({ part: name, sentence: `only the first ${maxItems} of ${items.length}` });
    return items.slice(0, maxItems);
  };
  const clients = limited("clients").flatMap((client) => clientOf(client, notes, newSecret));
  const roles = roleReader(realm, notes);
  const mappers = realmMappers(realm, notes);
  const read = limited("users").map((user) => ({ user, ...roles(user) }));
  const own = read.flatMap((user) => userOf(user, mappers, notes));
  const users = own.length > 0
    ? own
    : newUsers(realm).flatMap((user) => userOf({ user, ...roles(user) }, mappers, notes));
  const accounts = new Map(read.map((found) => [found.user.serviceAccountClientId, found]));
  const membersOfAccounts = clients.filter(({ grant_types }) => grant_types?.includes("client_credentials"))
    .map(({ client_id }) => {
      const user = { username: client_id, ...ofNewUsers(realm) };
      return [client_id, membersOf(accounts.get(client_id) ?? { user, ...roles(user) }, mappers)] as const;
    });
  const listed = objectsIn(realm.clientScopes).filter(({ protocol }) => protocol === "openid-connect")
    .flatMap(({ name }) => nonEmptyText(name) ?? []);
  const requested = clients.flatMap(({ scope }) => scope?.split(" ") ?? []);
  // Keycloak creates its own client scopes in a realm without a list.
  const known = [...Array.isArray(realm.clientScopes) ? listed : keycloakProfile.scopes!, ...requested];
  const scopes = Array.isArray(realm.clientScopes) || requested.length > 0
    ? [...new Set(["openid", ...known])]
    : undefined;
  // A path can contain no other characters.
  const path = String(realm.realm).replace(/[^\w.-]/g, "-");
  const seconds = (member: string) =>
    typeof realm[member] === "number" && realm[member] > 0 ? realm[member] : undefined;
  const lifetimes = definedMembers({
    code: seconds("accessCodeLifespan"),
    device_code: seconds("oauth2DeviceCodeLifespan"),
    access_token: seconds("accessTokenLifespan"),
    id_token: seconds("accessTokenLifespan"),
    refresh_token: seconds("ssoSessionMaxLifespan"),
    refresh_token_idle: seconds("ssoSessionIdleTimeout"),
    session: seconds("ssoSessionMaxLifespan"),
  });
  const { claims, accessTokenClaims, fixedClaims } = mappers.settings;
  // A client without a list of scope values may request all.
  const requestable = clients.every(({ scope }) => scope !== undefined) && clients.length > 0 ? requested : scopes;
  const isReleased = ([scope]: [string, unknown]) => ["openid", ...requestable ?? [scope]].includes(scope);
  const byScope: [string, readonly string[]][] = [...Object.entries(standardClaims), ...Object.entries(claims)];
  const released = new Set(byScope.filter(isReleased).flatMap(([, names]) => names));
  // No token contains these claims.
  const unreleased = new Set(byScope.flatMap(([, names]) => names).filter((name) => !released.has(name)));
  const inAccessTokens = [...new Set([...keycloakProfile.accessTokenClaims!, ...accessTokenClaims])]
    .filter((claim) => !unreleased.has(claim));
  // The profile adds preferred_username.
  const isOfAccount = ([name]: [string, unknown]) => name !== "preferred_username" && inAccessTokens.includes(name);
  const client_credentials = Object.fromEntries(
    membersOfAccounts.map(([id, members]) => [id, Object.entries(members).filter(isOfAccount)] as const)
      .filter(([, members]) => members.length > 0).map(([id, members]) => [id, Object.fromEntries(members)]),
  );
  const allFixed = { ...fixedClaims, ...Object.keys(client_credentials).length > 0 && { client_credentials } };
  const isKept = ([name]: [string, unknown]) => !unreleased.has(name) || claimsShownOnPages.includes(name);
  // The client scopes with claims that requests have without naming them.
  const defaultScopes = [realm, ...objectsIn(realm.clients)]
    .flatMap((holder) => textsIn(holder.defaultDefaultClientScopes ?? holder.defaultClientScopes))
    .filter((scope) => Object.hasOwn(claims, scope) || hasFixedClaims(mappers.settings, scope));
  const profile: Json = definedMembers({
    name: path.slice(0, 60) || "realm",
    issuerPath: `/realms/${path}`,
    scopes,
    defaultScope: scopes && [...new Set(["profile", "email", ...defaultScopes])]
      .filter((scope) => scopes.includes(scope)).join(" "),
    claims: Object.fromEntries(Object.entries(claims).filter(isReleased)),
    accessTokenClaims: inAccessTokens,
    fixedClaims: Object.keys(allFixed).length > 0 ? allFixed : undefined,
    lifetimes: Object.keys(lifetimes).length > 0 ? lifetimes : undefined,
    alg: nonEmptyText(realm.defaultSignatureAlgorithm),
  });
  return {
    value: {
      profile: ["keycloak", profile as unknown as ProviderProfile],
      ...notes.some(({ sentence }) => sentence === anyUri) && { redirectUris: "any" },
      ...notes.some(({ sentence }) => sentence === plainHttp) && { insecure: ["http-redirect-uris"] },
      ...clients.some(({ grant_types }) => grant_types?.includes(tokenExchangeType)) && { tokenExchange: {} },
      clients,
      users: users.map((user) => Object.fromEntries(Object.entries(user).filter(isKept)) as unknown as User),
    },
    notes: [
      ...own.length > 0 ? [] : [{ sentence: noUser }],
      ...notes,
      ...unreadPasswords(read.map(({ user }) => user)),
      ...otherLogins(realm),
    ],
  };
}

const noUser = "NO USER in the realm can log in, so alice and bob can, with any password: add users to the realm.";

/** The default roles and groups, which Keycloak gives to each user that it creates in the realm. */
function ofNewUsers({ defaultRole, defaultRoles, defaultGroups: groups }: Json): Json {
  return { realmRoles: [...textsIn(defaultRoles), ...textsIn([objectOrEmpty(defaultRole).name])], groups };
}

/** Users as Keycloak creates them in the realm. */
function newUsers(realm: Json): Json[] {
  return demoUsers.map(({ sub, name, email }) => {
    const [firstName, lastName] = String(name).split(" ");
    return { username: sub, firstName, lastName, email, emailVerified: true, enabled: true, ...ofNewUsers(realm) };
  });
}

function clientOf(client: Json, notes: RealmNote[], newSecret: () => string): ClientMetadata[] {
  const id = nonEmptyText(client.clientId);
  if (id === undefined || ownClients.includes(id)) return [];
  const note: AddNote = (sentence, isDetail, uri) =>
    void notes.push({ part: `client ${quote(id)}${uri === undefined ? "" : ` ${quote(uri)}`}`, sentence, isDetail });
  const skip = (reason: string) => (note(`left out, because ${reason}`, true), []);
  if (client.enabled === false) return skip("it is disabled");
  const isReceiver = client.bearerOnly === true;
  if (isReceiver && nonEmptyText(client.secret) === undefined) return skip("it only receives tokens");
  if (client.protocol !== undefined && client.protocol !== "openid-connect") return skip("it uses another protocol");
  const attributes = objectOrEmpty(client.attributes);
  const isPublic = client.publicClient === true;
  const introspects = !isPublic && nonEmptyText(client.secret) !== undefined;
  const isOn = (name: string) => {
    const value = client[name] ?? attributes[name];
    if (isReceiver) return false;
    if (name === "standardFlowEnabled") return value !== false && client.directGrantsOnly !== true;
    return (value === true || value === "true") && !(isPublic && /^serviceAccounts|ciba/.test(name));
  };
  const redirect_uris = isOn("standardFlowEnabled") ? redirectUrisOf(textsIn(client.redirectUris), client, note) : [];
  const hasNoUri = isOn("standardFlowEnabled") && redirect_uris.length === 0;
  const grant_types = Object.entries(grantTypes).flatMap(([name, types]) =>
    isOn(name) && !(hasNoUri && name === "standardFlowEnabled") ? types : []
  );
  for (const name of ["implicitFlowEnabled", "directAccessGrantsEnabled"]) {
    if (isOn(name)) note(`without ${name}, which OAuth 2.1 does not have`, true);
  }
  if (grant_types.length === 0 && !hasNoUri && !isOn("directAccessGrantsEnabled") && !introspects) {
    return skip("it has no grant type of OAuth 2.1");
  }
  const toMint = grant_types.length === 0 ? "; its tokens can be minted, with --control on" : "";
  if (hasNoUri) note(`without logins, because it has no redirect URI: add redirectUris${toMint}`, true);
  else if (toMint !== "") note(`without a grant type of OAuth 2.1${toMint}`, true);
  // Keycloak writes -1 or an empty text for the lifetime of the realm.
  const lifespan = Number(attributes["access.token.lifespan"]);
  if (lifespan > 0) {
    note(
      `its access tokens live as long as those of the realm, not ${lifespan} seconds: a lifetime of one client does ` +
        "not exist here",
      true,
    );
  }
  if (client.consentRequired === true) note("its users are not asked for consent, as without consentRequired", true);
  if (client.fullScopeAllowed === false) note("its tokens have all roles of the user, as with fullScopeAllowed", true);
  // Keycloak reads an absent or empty list as "+", the redirect URIs; "-" permits none.
  const logoutUris = (nonEmptyText(attributes["post.logout.redirect.uris"]) || "+").split("##").filter((uri) =>
    uri !== "-"
  );
  const post_logout_redirect_uris = logoutUris.includes("+") ? redirect_uris : redirectUrisOf(logoutUris, client, note);
  const requested = [...textsIn(client.defaultClientScopes), ...textsIn(client.optionalClientScopes)];
  const authentication = isPublic
    ? { token_endpoint_auth_method: "none" }
    : authenticationOf(client, attributes, newSecret, note);
  if (authentication === undefined) return [];
  return [
    definedMembers({
      client_id: id,
      // Keycloak replaces ${client_account} by a message.
      client_name: /^\$\{/.test(nonEmptyText(client.name) ?? "") ? undefined : nonEmptyText(client.name),
      ...authentication,
      redirect_uris: redirect_uris.length > 0 ? redirect_uris : undefined,
      post_logout_redirect_uris,
      grant_types,
      scope: requested.length > 0 ? [...new Set(["openid", ...requested])].join(" ") : undefined,
      require_pkce: attributes["pkce.code.challenge.method"] === "S256" ? true : undefined,
    }) as unknown as ClientMetadata,
  ];
}

/** The members by which a confidential client authenticates; `undefined` if the realm or the server lacks them. */
function authenticationOf(
  { secret, clientAuthenticatorType: type = "client-secret" }: Json,
  attributes: Json,
  newSecret: () => string,
  note: AddNote,
): object | undefined {
  const jwks_uri = nonEmptyText(attributes["jwks.url"]);
  const jwks = typedValue(nonEmptyText(attributes["jwks.string"]), { "jsonType.label": "JSON" });
  if (type === "client-jwt" && (jwks_uri ?? jwks) !== undefined) {
    return { token_endpoint_auth_method: "private_key_jwt", ...jwks_uri === undefined ? { jwks } : { jwks_uri } };
  }
  if (type !== "client-secret" && type !== "client-secret-jwt") {
    const fix = type === "client-x509"
      ? "register its certificate as static/docs/mutual-tls.md says"
      : 'add the attribute "jwks.url", or set clientAuthenticatorType to "client-secret"';
    return void note(`left out, because the realm has no key for its ${quote(type)}: ${fix}`);
  }
  const fix = 'write the secret of the application as "secret"';
  // keycloak/keycloak RepresentationToModel.createClient takes the asterisks of an export for the secret.
  if (/^\*+$/.test(String(secret))) note(`has the secret ${secret}, because the export hides its own: ${fix}`);
  const client_secret = nonEmptyText(secret) ?? newSecret();
  if (client_secret !== secret) note(`has a new secret, because the realm has none: ${fix}`);
  return { client_secret, ...type === "client-secret-jwt" && { token_endpoint_auth_method: "client_secret_jwt" } };
}

/** Adds a note about a client, or about one of its URIs. */
type AddNote = (sentence: string, isDetail?: boolean, uri?: string) => void;

/** Where an application on a laptop usually is. */
const usualUri = "http://localhost:3000/";

/** What a wildcard does: RedirectUtils.matchesRedirects of keycloak/keycloak takes an asterisk at the end for any text. */
const anyUri =
  "with a wildcard, so any redirect URI is accepted, with a warning: register yours, and leave redirectUris out";

/** Whether a browser on a laptop probably finds a host. */
const isFound = (hostname: string) => servesOwnPages(hostname) || leadsToLoopback(hostname);

const byHostsFile =
  "browsers find its host only by DNS or the hosts file: otherwise register the URL of your application, such as " +
  `${usualUri}callback`;

const unreachable = `registered, but ${byHostsFile}`;

const plainHttp = `registered, with plain http, which "http-redirect-uris" in insecure allows; ${byHostsFile}`;

/** Valid redirect URIs, with a first guess for each wildcard. */
function redirectUrisOf(uris: readonly string[], client: Json, note: AddNote): string[] {
  const rootUrl = nonEmptyText(client.rootUrl);
  // The admin console writes an empty text for no URI.
  const valid = uris.filter((uri) => uri !== "").flatMap((uri) => {
    const absolute = uri.startsWith("/") && rootUrl !== undefined ? rootUrl.replace(/\/$/, "") + uri : uri;
    const [exact = "", ...wildcards] = absolute.split("*");
    if (wildcards.length > 0) note(anyUri, true, absolute);
    const guesses = wildcards.length > 0 ? [nonEmptyText(client.baseUrl) ?? "", rootUrl ?? "", usualUri] : [];
    const found = [exact, ...guesses].find((guess) => validateRedirectUri(guess, true, []) === undefined);
    if (found === undefined) {
      note(`left out; expected ${validateRedirectUri(exact, false, [])!.expected}`, false, exact);
      return [];
    }
    if (validateRedirectUri(found, false, []) !== undefined) note(plainHttp, false, found);
    else if (/^https?:/.test(found) && !isFound(new URL(found).hostname)) note(unreachable, false, found);
    return found;
  });
  return [...new Set(valid)];
}

/** The password of a user, if the realm has it in plain text; an exported one is a digest of PBKDF2 or Argon2. */
function passwordOf({ credentials }: Json): string | undefined {
  return objectsIn(credentials).map(({ type, value }) => type === "password" ? nonEmptyText(value) : undefined)
    .find((value) => value !== undefined);
}

/** A note about all users with a digest that this server does not have. */
function unreadPasswords(users: readonly Json[]): RealmNote[] {
  const { length } = users.filter((user) => objectsIn(user.credentials).length > 0 && passwordOf(user) === undefined);
  if (length === 0) return [];
  return [{
    part: "users",
    sentence:
      `${length} with only the digest of a password, so any password logs them in: write the password as "value"`,
  }];
}

/** Notes about other ways to log in, and about what Keycloak asks of users after the login. */
function otherLogins(realm: Json): RealmNote[] {
  const federated = objectOrEmpty(realm.components)["org.keycloak.storage.UserStorageProvider"];
  const others = [
    ...objectsIn(realm.identityProviders).filter(({ enabled }) => enabled !== false)
      .map(({ alias }) => `identity provider ${quote(alias)}`),
    ...objectsIn(federated).map(({ name }) => `user federation ${quote(name)}`),
  ];
  const { length } = objectsIn(realm.users).filter(({ requiredActions, credentials }) =>
    textsIn(requiredActions).length > 0 || objectsIn(credentials).some(({ temporary }) => temporary === true)
  );
  return [
    ...others.map((part) => ({ part, sentence: "left out: add its users to the realm", isDetail: true })),
    ...length > 0 ? [{ part: "users", sentence: `${length} ${withoutActions}`, isDetail: true }] : [],
  ];
}

const withoutActions = "with required actions or a temporary password; no login asks for the action or a new password";

function userOf(read: MappedUser, mappers: RealmMappers, notes: RealmNote[]): User[] {
  const { user } = read;
  const username = usernameOf(user);
  if (username === undefined || user.serviceAccountClientId !== undefined) return [];
  if (user.enabled !== true) {
    notes.push({
      part: `user ${quote(username)}`,
      sentence: 'left out, because enabled is not true: write "enabled": true',
    });
    return [];
  }
  const sub = nonEmptyText(user.id) ?? username;
  return [{ sub, ...definedMembers({ password: passwordOf(user) }), ...membersOf(read, mappers) }];
}

/** Keycloak stores it in lower case. */
const usernameOf = ({ username }: Json) => nonEmptyText(username)?.toLowerCase();

/** The claims of a user, or of the service account of a client. */
function membersOf(read: MappedUser, mappers: RealmMappers): Record<string, unknown> {
  const { user, realm, byClient } = read;
  const email = nonEmptyText(user.email);
  const members: Record<string, unknown> = definedMembers({
    preferred_username: usernameOf(user),
    name: fullName(user),
    given_name: nonEmptyText(user.firstName),
    family_name: nonEmptyText(user.lastName),
    email,
    email_verified: email === undefined ? undefined : user.emailVerified === true,
    realm_access: realm.length > 0 ? { roles: realm } : undefined,
    resource_access: byClient.size > 0
      ? Object.fromEntries([...byClient].map(([client, roles]) => [client, { roles }]))
      : undefined,
  });
  mappers.addMembers(members, read);
  return members;
}
