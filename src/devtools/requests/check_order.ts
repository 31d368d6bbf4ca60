/** The order in which a flow lists the checks of an exchange. */

import type { App } from "../../server/app.ts";
import type { RuleId } from "../../core/rules/mod.ts";
import type { Exchange } from "../../recorder/exchange.ts";
import { fieldValue } from "./labels.ts";
import { serverPolicy } from "../../server/config/server_policy.ts";

/** The order of the checks of an exchange: that of its grant type, or of its endpoint. */
export function findCheckOrder(
  { server, endpoints }: Pick<App, "server" | "endpoints">,
  { caller, endpoint, request }: Exchange,
): readonly RuleId[] {
  const grantType = caller === "client" ? fieldValue(request.form, "grant_type") : undefined;
  if (grantType === undefined) return endpoints.find(({ name }) => name === endpoint)?.checks ?? [];
  // A recorder of the program may have requests of a grant type that the settings switch off.
  const optional = serverPolicy(server.settings).extensions.flatMap(({ grantTypes = [] }) => grantTypes);
  return [...server.grantTypes, ...optional].find(({ type }) => type === grantType)?.checks ?? [];
}
