/** The roles and attributes of a user of Keycloak: its own, those of its groups, and the roles that roles contain. */

import type { RealmNote } from "./keep_valid.ts";
import { type Json, nonEmptyText, objectOrEmpty, objectsIn, textsIn } from "./realm_values.ts";

/** A role of the realm, or of a client. */
type Role = readonly [client: string | undefined, name: string];

export interface UserRoles {
  readonly realm: readonly string[];
  readonly byClient: ReadonlyMap<string, readonly string[]>;
  /** The paths of its groups. */
  readonly groups: readonly string[];
  /** The attributes of its groups; the first group that has an attribute wins. */
  readonly groupAttributes: Json;
}

/** Maximum depth of nested groups. */
const maxDepth = 16;

const maxGroupsOfUser = 50;

/** Maximum number of roles of one user: more do not fit into a token. */
const maxRolesOfUser = 1000;

/** Maximum number of roles read for all users together: roles may contain each other in any way. */
const maxSteps = 1_000_000;

/**
 * Reads the roles of users.
 *
 * @param notes Receives one sentence if not all roles are read.
 */
export function roleReader(realm: Json, notes: RealmNote[]): (user: Json) => UserRoles {
  const contained = containedRoles(realm);
  const groups = groupsByPath(realm);
  const known = new Map<string, UserRoles>();
  let steps = 0;

  function expand(direct: readonly Role[]): Pick<UserRoles, "realm" | "byClient"> {
    const found = new Map<string, Role>();
    const waiting: (readonly Role[])[] = [direct];
    for (let roles = waiting.pop(); roles !== undefined; roles = waiting.pop()) {
      for (const role of roles) {
        const key = JSON.stringify(role);
        if (++steps > maxSteps || found.size >= maxRolesOfUser) {
          notes.push({ sentence: tooManyRoles });
          return byHolder(found);
        }
        if (found.has(key)) continue;
        found.set(key, role);
        waiting.push(contained(key));
      }
    }
    return byHolder(found);
  }

  return (user) => {
    const own = rolesOf(user, "realmRoles", "clientRoles");
    // KeycloakModelUtils.findGroupByPath takes a path without the first slash too.
    const named = textsIn(user.groups).map((path) => path.startsWith("/") ? path : `/${path}`);
    const paths = [...new Set(named)].filter((path) => groups.has(path)).slice(0, maxGroupsOfUser);
    const key = JSON.stringify([own, paths]);
    let result = known.get(key);
    if (result === undefined) {
      const found = paths.flatMap((path) => groups.get(path)!);
      result = {
        ...expand([...own, ...found.flatMap(({ roles }) => roles)]),
        groups: paths,
        groupAttributes: Object.assign({}, ...found.map(({ attributes }) => attributes).reverse()),
      };
      known.set(key, result);
    }
    return result;
  };
}

function byHolder(found: ReadonlyMap<string, Role>): Pick<UserRoles, "realm" | "byClient"> {
  const byClient = Map.groupBy([...found.values()], ([client]) => client);
  const names = (client: string | undefined) => (byClient.get(client) ?? []).map(([, name]) => name).sort();
  const clients = [...byClient.keys()].filter((client) => client !== undefined).sort();
  return { realm: names(undefined), byClient: new Map(clients.map((client) => [client, names(client)])) };
}

const tooManyRoles = "roles: users have too many, or too many contain each other; some users lack roles";

function rolesOf(holder: Json, realmRoles: string, clientRoles: string): Role[] {
  return [
    ...textsIn(holder[realmRoles]).map((name): Role => [undefined, name]),
    ...Object.entries(objectOrEmpty(holder[clientRoles])).flatMap(([client, names]) =>
      textsIn(names).map((name): Role => [client, name])
    ),
  ];
}

/** The roles that a role contains, by its key. */
function containedRoles(realm: Json): (key: string) => readonly Role[] {
  const { realm: realmRoles, client } = objectOrEmpty(realm.roles);
  const composites = new Map<string, Json>();
  const add = (clientId: string | undefined, list: unknown) => {
    for (const { name, composites: inner } of objectsIn(list)) {
      if (nonEmptyText(name) !== undefined) {
        composites.set(JSON.stringify([clientId, name as string]), objectOrEmpty(inner));
      }
    }
  };
  add(undefined, realmRoles);
  for (const [clientId, list] of Object.entries(objectOrEmpty(client))) add(clientId, list);
  const read = new Map<string, readonly Role[]>();
  return (key) => {
    let roles = read.get(key);
    if (roles === undefined) read.set(key, roles = rolesOf(composites.get(key) ?? {}, "realm", "client"));
    return roles;
  };
}

/** The roles and attributes that a group gives its members. */
interface Group {
  readonly roles: readonly Role[];
  readonly attributes: Json;
}

/** Each group by its path, followed by the groups that contain it. */
function groupsByPath(realm: Json): Map<string, readonly Group[]> {
  const found = new Map<string, readonly Group[]>();
  const waiting = objectsIn(realm.groups).map((group) => ({ group, above: [] as readonly Group[], prefix: "" }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { group, above, prefix } = next;
    const name = nonEmptyText(group.name);
    if (name === undefined || above.length >= maxDepth) continue;
    // Keycloak writes a slash in a name as ~/ in a path.
    const path = `${prefix}/${name.replaceAll("/", "~/")}`;
    const roles = rolesOf(group, "realmRoles", "clientRoles").slice(0, maxRolesOfUser);
    const line = [{ roles, attributes: objectOrEmpty(group.attributes) }, ...above];
    found.set(path, line);
    for (const inner of objectsIn(group.subGroups)) waiting.push({ group: inner, above: line, prefix: path });
  }
  return found;
}
