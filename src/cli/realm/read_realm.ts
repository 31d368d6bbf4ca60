/** Reads a realm of Keycloak as a configuration that a server accepts. */

import { assertNoIssues, type ConfigIssue } from "../../core/rules/configuration_error.ts";
import type { Settings } from "../../server/config/settings.ts";
import { resolveOptions } from "../../server/hosting/extensions.ts";
import { configFileField } from "../settings.ts";
import { configurationOfRealm, ownClients, type RealmConfiguration } from "./configuration_of_realm.ts";
import { type Draft, keepValid, leftOut } from "./keep_valid.ts";
import { placeholdersIn, replacePlaceholders } from "./placeholders.ts";
import type { Environment } from "../environment.ts";
import { type Json, objectsIn } from "./realm_values.ts";

/**
 * Reads the realm, without clients and users that no server accepts. The first note says so if no client can log in.
 *
 * @param env The variables of placeholders; `undefined` if these stay.
 * @throws {ConfigurationError} If a setting of the realm is invalid.
 */
export async function readRealm(
  written: Json,
  newSecret: () => string,
  env: Environment | undefined,
): Promise<Draft<Partial<RealmConfiguration>>> {
  const realm = env === undefined ? written : replacePlaceholders(written, env);
  const { value, notes } = keepValid(configFileField(), configurationOfRealm(realm, newSecret));
  const { issues } = await resolveOptions(value as Settings, "http://localhost:9000");
  const itemOf = ({ path }: ConfigIssue) => /^(?:clients|users)\[\d+\]/.exec(path)?.[0];
  assertNoIssues(issues.filter((found) => itemOf(found) === undefined));
  const invalid = new Set(issues.map(itemOf));
  const keep = <T>(name: string, items: readonly T[]) => items.filter((_, i) => !invalid.has(`${name}[${i}]`));
  const clients = keep("clients", value.clients);
  const users = keep("users", value.users);
  // Without clients, the server has the demo clients.
  const read = { ...value, clients: clients.length > 0 ? clients : undefined, users };
  return {
    value: read,
    notes: [
      ...clients.some(({ grant_types }) => grant_types?.length !== 0)
        ? []
        : [{ sentence: clients.length > 0 ? noLogin : noClient }],
      ...placeholdersIn([read, usedMembers(realm)]).filter((part) => JSON.stringify(realm).includes(part)).map((
        part,
      ) => ({
        part,
        sentence: env === undefined
          ? "stays as it is, because nothing names the file"
          : "stays as it is, because no environment variable has this name: set it, or write ${NAME:value}",
      })),
      ...issues.map(leftOut),
      ...notes,
    ],
  };
}

/** Members that the configuration has in another form: URIs that are left out, names of users in lower case. */
function usedMembers({ clients, users }: Json): readonly unknown[] {
  const own = objectsIn(clients).filter(({ clientId }) => !ownClients.includes(String(clientId)));
  return [users, ...own.flatMap(({ rootUrl, redirectUris }) => [rootUrl, redirectUris])];
}

const noClient =
  "NO CLIENT in the realm can be used here, so the server has the demo clients: add a client to the realm.";

const noLogin = "NO CLIENT in the realm can log in: add redirectUris to one, or mint its tokens with --control on.";
