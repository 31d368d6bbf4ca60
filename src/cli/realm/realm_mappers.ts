/**
 * Reads the protocol mappers of a realm of Keycloak: the members of users that they add, the settings that release
 * these, and the claims that every token of a kind has.
 */

import type { RealmNote } from "./keep_valid.ts";
import { quote } from "../../server/config/config_issue.ts";
import type { Members } from "../../server/config/provider_functions.ts";
import type { FixedClaims } from "../../server/config/provider_profile.ts";
import { isReservedClaim, standardClaims } from "../../core/clients/claims.ts";
import type { UserRoles } from "./realm_roles.ts";
import { type Json, nonEmptyText, objectOrEmpty, objectsIn, textsIn, typedValue } from "./realm_values.ts";

/** A user as mappers read it. */
export interface MappedUser extends UserRoles {
  readonly user: Json;
}

interface UserMapper {
  /** The names that lead to the member: `["realm_access", "roles"]`. */
  readonly path: readonly string[];
  read(user: MappedUser): unknown;
}

/** The settings that follow from mappers. */
export interface MapperSettings {
  readonly claims: Record<string, string[]>;
  readonly accessTokenClaims: string[];
  readonly fixedClaims: { -readonly [Kind in keyof FixedClaims]: Record<string, Members> };
}

export interface RealmMappers {
  addMembers(members: Record<string, unknown>, user: MappedUser): void;
  /** The settings; complete after the last user. */
  readonly settings: MapperSettings;
}

/** Maximum number of mappers; further ones are only counted. */
const maxMappers = 200;

/** Mappers whose claims this server adds itself, or the profile of Keycloak. */
const builtIn: ReadonlySet<string> = new Set([
  ...["oidc-sub-mapper", "oidc-acr-mapper", "oidc-audience-resolve-mapper", "oidc-allowed-origins-mapper"],
  "oidc-nonce-backwards-compatible-mapper",
]);

/** Reads the mappers of clients and of client scopes. */
export function realmMappers(realm: Json, notes: RealmNote[]): RealmMappers {
  const settings: MapperSettings = { claims: {}, accessTokenClaims: [], fixedClaims: {} };
  const clients = objectsIn(realm.clients).filter(({ enabled }) => enabled !== false);
  const holders = [
    ...objectsIn(realm.clientScopes).map((holder) => ({
      holder,
      scope: nonEmptyText(holder.name),
      place: "client scope",
    })),
    ...clients.map((holder) => ({ holder, scope: undefined, place: "client" })),
  ];
  const all = holders.flatMap(({ holder, scope, place }) =>
    objectsIn(holder.protocolMappers).map((mapper) => ({
      ...{ mapper, scope, config: objectOrEmpty(mapper.config), type: String(mapper.protocolMapper) },
      owner: `mapper ${quote(mapper.name)} of ${place} ${quote(scope ?? holder.clientId)}`,
      isOfOneClient: scope === undefined && clients.length > 1,
    }))
  ).filter(({ mapper, type }) =>
    (mapper.protocol ?? "openid-connect") === "openid-connect" && !builtIn.has(type) &&
    // Every realm has it, and tokens get no claim from it unless a user belongs to an organization.
    !(type === "oidc-organization-membership-mapper" && objectsIn(realm.organizations).length === 0)
  );
  if (all.length > maxMappers) {
    notes.push({ part: "mappers", sentence: `${all.length - maxMappers} of ${all.length} are left out` });
  }
  const userMappers: (UserMapper & { release(): void })[] = [];
  for (const { type, config, scope, owner, isOfOneClient } of all.slice(0, maxMappers)) {
    const isIn = (kind: string) => config[`${kind}.token.claim`] === "true" || config[`${kind}.token.claim`] === true;
    // Without a value, userinfo has what ID tokens have.
    const inUserinfo = config["userinfo.token.claim"] === undefined ? isIn("id") : isIn("userinfo");
    const kinds = { access_token: isIn("access"), id_token: isIn("id"), userinfo: inUserinfo };
    if (!Object.values(kinds).includes(true)) continue;
    const noteClaim = (name: string) => {
      if (isOfOneClient) notes.push({ part: owner, sentence: `adds ${quote(name)} for every client`, isDetail: true });
    };
    const fixed = fixedClaim(type, config);
    if (fixed !== undefined) {
      for (const kind of ["access_token", "id_token", "userinfo"] as const) {
        if (!kinds[kind] || type === "oidc-audience-mapper" && kind !== "access_token") continue;
        const byScope = settings.fixedClaims[kind] ??= {};
        const members = byScope[scope ?? "*"] ??= {};
        byScope[scope ?? "*"] = { ...members, [fixed.name]: joined(members[fixed.name], fixed.value) };
      }
      noteClaim(fixed.name);
      continue;
    }
    const mapper = userMapper(type, config);
    const [name = ""] = mapper?.path ?? claimPath(config) ?? [];
    const isSub = name === "sub" && mapper?.path.length === 1 && setsOneValue(type, config);
    const isReserved = !isSub && isReservedClaim(name, "access token");
    if (mapper === undefined || isReserved) {
      const reason = isReserved
        ? `because the server sets ${quote(name)}`
        : "so tokens lack its claim: map an attribute of the users instead";
      if (!isSessionNote(type, config)) notes.push({ part: owner, sentence: `left out, ${reason}` });
      continue;
    }
    let isReleased = false;
    userMappers.push({
      ...mapper,
      release() {
        if (isReleased) return;
        isReleased = true;
        noteClaim(name);
        if (isSub) return;
        const releasing = scope ?? "openid";
        const isStandard = Object.values(standardClaims).some((names) => names.includes(name));
        if ((kinds.id_token || kinds.userinfo) && !isStandard) {
          settings.claims[releasing] = [...new Set([...settings.claims[releasing] ?? [], name])];
        }
        if (kinds.access_token && !settings.accessTokenClaims.includes(name)) settings.accessTokenClaims.push(name);
        if (kinds.id_token !== kinds.userinfo) {
          notes.push({ part: owner, sentence: `ID tokens and userinfo both have ${quote(name)}`, isDetail: true });
        }
      },
    });
  }
  return {
    addMembers(members, user) {
      for (const mapper of userMappers) {
        const value = mapper.read(user);
        if (value === undefined || Array.isArray(value) && value.length === 0) continue;
        for (const place of placesOf(mapper.path, value)) setMember(members, place.names, place.value);
        mapper.release();
      }
    },
    settings,
  };
}

/** The claim that a mapper adds for every user: a fixed value, or an audience. */
function fixedClaim(type: string, config: Json): { readonly name: string; readonly value: unknown } | undefined {
  if (type === "oidc-audience-mapper") {
    const audience = nonEmptyText(config["included.client.audience"]) ??
      nonEmptyText(config["included.custom.audience"]);
    return audience === undefined ? undefined : { name: "aud", value: ["account", audience] };
  }
  if (type !== "oidc-hardcoded-claim-mapper") return undefined;
  const [name, ...inner] = claimPath(config) ?? [];
  const value = typedValue(nonEmptyText(config["claim.value"]), config);
  if (name === undefined || value === undefined || isReservedClaim(name)) return undefined;
  return { name, value: inner.reduceRight((holder: unknown, step) => ({ [step]: holder }), value) };
}

function userMapper(type: string, config: Json): UserMapper | undefined {
  const path = claimPath(config);
  const prefixed = (prefix: unknown, roles: readonly string[]) =>
    roles.map((role) => `${nonEmptyText(prefix) ?? ""}${role}`);
  if (type === "oidc-full-name-mapper") {
    return { path: ["name"], read: ({ user }) => fullName(user) };
  }
  if (type === "oidc-address-mapper") {
    return { path: ["address"], read: (user) => addressOf(user) };
  }
  if (type === "oidc-usermodel-realm-role-mapper") {
    const prefix = config["usermodel.realmRoleMapping.rolePrefix"];
    return { path: path ?? ["realm_access", "roles"], read: ({ realm }) => prefixed(prefix, realm) };
  }
  if (type === "oidc-usermodel-client-role-mapper") {
    const prefix = config["usermodel.clientRoleMapping.rolePrefix"];
    const id = nonEmptyText(config["usermodel.clientRoleMapping.clientId"]);
    const names = path ?? ["resource_access", clientTemplate, "roles"];
    const own = (byClient: UserRoles["byClient"]) =>
      [...byClient].filter(([client]) => id === undefined || client === id);
    return {
      path: id === undefined ? names : names.map((step) => step.replaceAll(clientTemplate, id)),
      read: ({ byClient }) =>
        id === undefined && names.some((step) => step.includes(clientTemplate))
          ? new Map(own(byClient).map(([client, roles]) => [client, prefixed(prefix, roles)]))
          : prefixed(prefix, own(byClient).flatMap(([, roles]) => roles)),
    };
  }
  if (path === undefined) return undefined;
  if (type === "oidc-group-membership-mapper") {
    const isFull = String(config["full.path"] ?? "true") === "true";
    return { path, read: ({ groups }) => isFull ? groups : groups.map((group) => group.replace(/^.*(?<!~)\//, "")) };
  }
  if (attributeMappers.includes(type)) {
    const name = nonEmptyText(config["user.attribute"]) ?? "";
    const isOne = setsOneValue(type, config);
    return {
      path,
      read: (user) => {
        const values = attributeOf(user, name).map((value) => typedValue(value, config)).filter((v) => v !== undefined);
        return isOne ? values[0] : values;
      },
    };
  }
  return undefined;
}

const attributeMappers = ["oidc-usermodel-attribute-mapper", "oidc-usermodel-property-mapper"];

/** Whether a claim has the value of an attribute or a property of the user. */
function setsOneValue(type: string, config: Json): boolean {
  return attributeMappers.includes(type) && String(config.multivalued) !== "true";
}

const clientTemplate = "${client_id}";

/** The paths and values that a mapper sets: the roles of each client have their own path. */
function placesOf(path: readonly string[], value: unknown): { names: readonly string[]; value: unknown }[] {
  if (!(value instanceof Map)) return [{ names: path, value }];
  return [...value as Map<string, readonly string[]>].map(([client, roles]) => ({
    names: path.map((step) => step.replaceAll(clientTemplate, client)),
    value: roles,
  }));
}

/** Claims about a session, which the server adds or which only a service account has, and an audience without a name. */
function isSessionNote(type: string, config: Json): boolean {
  const ownNotes = ["AUTH_TIME", "clientId", "client_id", "clientHost", "clientAddress"];
  return type === "oidc-audience-mapper" ||
    type === "oidc-usersessionmodel-note-mapper" && ownNotes.includes(String(config["user.session.note"]));
}

/** The steps of a claim name; a dot that is no step has a backslash before it. */
function claimPath(config: Json): readonly string[] | undefined {
  const steps = nonEmptyText(config["claim.name"])?.split(/(?<!\\)\./).map((step) => step.replaceAll("\\.", "."));
  return steps?.some((step) => step === "" || step === "__proto__") ? undefined : steps;
}

/** The values of an attribute or a property of a user; without them, those of its groups. */
function attributeOf({ user, groupAttributes }: MappedUser, name: string): string[] {
  for (const attributes of [objectOrEmpty(user.attributes), groupAttributes]) {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    const values = typeof value === "string" ? [value] : textsIn(value);
    if (values.length > 0) return values;
  }
  const properties = ["username", "email", "firstName", "lastName", "id", "emailVerified"];
  return properties.includes(name) && user[name] !== undefined ? [String(user[name])] : [];
}

function addressOf(user: MappedUser): Json | undefined {
  const found = ["formatted", "street", "locality", "region", "postal_code", "country"].flatMap((name) =>
    attributeOf(user, name).slice(0, 1).map((value) => [name === "street" ? "street_address" : name, value])
  );
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

export function fullName({ firstName, lastName }: Json): string | undefined {
  return [nonEmptyText(firstName), nonEmptyText(lastName)].filter(Boolean).join(" ") || undefined;
}

/** Sets a member; two mappers of the same list add to it. */
function setMember(members: Record<string, unknown>, [first = "", ...rest]: readonly string[], value: unknown): void {
  const before = Object.hasOwn(members, first) ? members[first] : undefined;
  if (rest.length === 0) {
    members[first] = joined(before, value);
    return;
  }
  const holder = { ...objectOrEmpty(before) };
  setMember(holder, rest, value);
  members[first] = holder;
}

function joined(before: unknown, value: unknown): unknown {
  return Array.isArray(before) && Array.isArray(value) ? [...new Set([...before, ...value])] : value;
}

/** Whether a scope value releases claims that every user has. */
export function hasFixedClaims({ fixedClaims }: MapperSettings, scope: string): boolean {
  return Object.values(fixedClaims).some((byScope) => Object.hasOwn(byScope, scope));
}
