/**
 * Step-up authentication: levels of authentication that clients request with `acr_values` (OpenID Connect Core
 * §3.1.2.1, RFC 9470).
 */

import { metadataOf } from "../../config/client_metadata.ts";
import type { Extension } from "../../hosting/extension.ts";
import type { AuthorizationRequest } from "../../../core/request/authorization_request.ts";
import { warn } from "../../trace.ts";
import { separatorFix } from "../../../core/separators.ts";
import type { CheckInput } from "../../../core/server.ts";
import { namedClaims } from "../../entries/requested_claims.ts";
import { stepUpClientFields, type StepUpPolicy, stepUpSettings, validateLevels } from "./settings.ts";
import { authenticationLevels, demandedLevels } from "./levels.ts";

/** Warns if a request has only voluntary levels that this server does not have. */
function warnIgnoredLevels(
  { server, client, params }: CheckInput,
  { loginRequirements: { acr } }: AuthorizationRequest,
): void {
  const { acrValues: levels } = stepUpSettings.of(server.settings);
  const received = params.get("acr_values") ?? metadataOf(client).default_acr_values?.join(" ");
  if (levels.length === 0 || received === undefined) return;
  const values = levels.map(({ value }) => value);
  const fix = separatorFix("acr_values", received, values);
  if (acr !== undefined && fix === undefined) return;
  const what = acr === undefined ? "has no known value, and" : "has a value that is not known, which";
  const reason = `acr_values ${what} was ignored`;
  warn(server, client.id, { rule: "ST-06", reason, expected: values.join(" "), received, fix });
}

/** Adds the demanded levels. If the request has `claims`, the extension that reads it also reads the levels. */
function readLevels(
  from: CheckInput,
  request: Partial<AuthorizationRequest>,
): Partial<AuthorizationRequest> {
  const { levels } = from.server;
  if (levels === undefined || namedClaims.of(request) !== undefined) return {};
  const { loginRequirements, scope = [] } = request;
  const acr = demandedLevels(levels, from, undefined, scope.includes("openid"));
  return { loginRequirements: { ...loginRequirements!, acr } };
}

/** Lets clients request levels of authentication. */
export const stepUp: Extension<StepUpPolicy> = {
  name: "step_up",
  settings: {
    ...stepUpSettings,
    validate: (settings) => validateLevels(settings.acrValues, settings),
  },
  clientMetadata: { fields: stepUpClientFields },
  requestChecks: [{
    parameters: [{ name: "acr_values" }],
    warn: warnIgnoredLevels,
  }, {
    rule: "ST-06",
    place: { after: "OI-03" },
    read: readLevels,
  }],
  extend(server) {
    const { acrValues: levels } = server.settings;
    return levels.length === 0 ? server : { ...server, levels: authenticationLevels(levels) };
  },
  metadata: ({ settings }) => ({ acr_values_supported: settings.acrValues.map(({ value }) => value) }),
};
