/** Clients and extensions: the metadata values that extensions allow, and warnings about entries for any client. */

import type { ConfigurationWarning } from "../../core/rules/configuration_error.ts";
import type { Policy } from "../../core/policy/policy.ts";
import { type ServerPolicy, serverPolicy } from "./server_policy.ts";

/** @internal The allowed values of list members of client metadata, by the name of the member. */
export type ClientValues = Readonly<Record<string, readonly string[]>>;

/** The values that list members of client metadata may have because of the extensions of a server. */
export function clientValues(settings: Policy): ClientValues {
  const fields = serverPolicy(settings).extensions.flatMap(({ isAbsent, clientMetadata: { fields = {} } = {} }) =>
    isAbsent ? [] : Object.entries(fields)
  );
  return Object.fromEntries(fields.flatMap(([name, { valuesOf }]) => valuesOf ? [[name, valuesOf(settings)]] : []));
}

/**
 * The warnings about entries of settings that list no clients.
 *
 * @param paths The paths of the entries.
 */
export function unlistedClientsWarnings(
  { acceptsUnknownClients }: Pick<ServerPolicy, "acceptsUnknownClients">,
  paths: readonly string[],
): ConfigurationWarning[] {
  if (!acceptsUnknownClients) return [];
  return paths.map((path) => ({
    path: `${path}.clients`,
    message:
      "the entry lists no clients, so only configured clients may use it, not clients that registered themselves or have " +
      "a metadata document. List the clients.",
  }));
}
