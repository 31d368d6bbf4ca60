/** Reads a realm of Keycloak as a configuration that a server accepts. */

import { assertNoIssues } from "../../server/config/config_issue.ts";
import type { ConfigIssue } from "../../core/configuration_error.ts";
import type { Settings } from "../../server/config/settings.ts";
import { resolveOptions } from "../../server/hosting/resolve_options.ts";
import { configFileField } from "../options.ts";
import { configurationOfRealm, type RealmConfiguration } from "./configuration_of_realm.ts";
import { type Draft, keepValid, leftOut } from "./keep_valid.ts";
import type { Json } from "./realm_values.ts";

/**
 * Reads the realm, without clients and users that no server accepts. The first note says so if no client is left.
 *
 * @throws {ConfigurationError} If a setting of the realm is invalid.
 */
export async function readRealm(
  realm: Json,
  newSecret: () => string,
): Promise<Draft<RealmConfiguration>> {
  const { value, notes } = keepValid(configFileField(), configurationOfRealm(realm, newSecret));
  const { issues } = await resolveOptions(value as Settings, "http://localhost:9000");
  const itemOf = ({ path }: ConfigIssue) => /^(?:clients|users)\[\d+\]/.exec(path)?.[0];
  assertNoIssues(issues.filter((found) => itemOf(found) === undefined));
  const invalid = new Set(issues.map(itemOf));
  const keep = <T>(name: string, items: readonly T[]) => items.filter((_, i) => !invalid.has(`${name}[${i}]`));
  const clients = keep("clients", value.clients);
  return {
    value: { ...value, clients, users: keep("users", value.users) },
    notes: [...clients.length === 0 ? [noClient] : [], ...issues.map(leftOut), ...notes],
  };
}

const noClient = "NO CLIENT of the realm can be used here: no application can log in until you add one";
