/**
 * Step-up authentication: levels of authentication that clients request with `acr_values` (OpenID Connect Core
 * §3.1.2.1, RFC 9470).
 */

import { metadataOf } from "../../config/client_metadata.ts";
import type { Extension } from "../../config/extension.ts";
import type { AuthorizationRequest } from "../../../core/authorize/authorization_request.ts";
import { warn } from "../../trace.ts";
import { separatorFix } from "../../../core/policy/separators.ts";
import type { CheckInput } from "../../../core/server.ts";
import { demandedLevels, loginLevel } from "../../token/levels.ts";
import { namedClaims } from "../../token/requested_claims.ts";
import type { HostedServer } from "../../hosted_server.ts";
import type { Approval } from "../../login/approver.ts";
import { stepUpClientFields, type StepUpPolicy, stepUpSettings, validateLevels } from "./settings.ts";
import { authenticationLevels, findMissedLevel, readDemandedLevels, statedLevel } from "./levels.ts";
import { stepUpTexts } from "./explain.ts";

/** Warns if a request has only voluntary levels that this server does not have. */
function warnIgnoredLevels(
  { server, client, params }: CheckInput,
  { loginRequirements }: AuthorizationRequest,
): void {
  const acr = demandedLevels.of(loginRequirements);
  const { acrValues: levels } = stepUpSettings.of(server.policy);
  const received = params.get("acr_values") ?? metadataOf(client).default_acr_values?.join(" ");
  if (levels.length === 0 || received === undefined) return;
  const values = levels.map(({ value }) => value);
  const separators = separatorFix("acr_values", received, values);
  if (acr !== undefined && separators === undefined) return;
  const what = acr === undefined ? "has no known value, and" : "has a value that is not known, which";
  const reason = `acr_values ${what} was ignored`;
  const fix = separators ?? stepUpTexts["ST-06"].fix;
  warn(server, client.id, { rule: "ST-06", reason, expected: values.join(" "), received, fix });
}

/** Adds the demanded levels. If the request has `claims`, the extension that reads it also reads the levels. */
function readLevels(
  from: CheckInput,
  request: Partial<AuthorizationRequest>,
): Partial<AuthorizationRequest> {
  const { levels } = from.server as HostedServer;
  if (levels === undefined || namedClaims.of(request) !== undefined) return {};
  const { loginRequirements, scope = [] } = request;
  const demanded = readDemandedLevels(levels, from, undefined, scope.includes("openid"));
  return { loginRequirements: demandedLevels.put(loginRequirements!, demanded) };
}

/** Lets clients request levels of authentication. */
export const stepUp: Extension<StepUpPolicy> = {
  name: "step_up",
  settings: {
    ...stepUpSettings,
    validate: (policy) => validateLevels(policy.acrValues, policy),
  },
  clientMetadata: { fields: stepUpClientFields },
  requestChecks: [{
    parameters: [{ name: "acr_values" }],
    warn: warnIgnoredLevels,
  }, {
    rule: "ST-06",
    place: { after: "OI-03" },
    reads: "acr_values",
    read: readLevels,
  }],
  steps: {
    accessTokenClaims: [{
      name: "acr and amr",
      run: (_server, _claims, { subject }) => ({ ...loginLevel.of(subject) }),
    }],
    idTokenClaims: [{ name: "acr and amr", run: (_server, _claims, { subject }) => ({ ...loginLevel.of(subject) }) }],
  },
  extend(server) {
    const { policy: { acrValues } } = server;
    return {
      ...server,
      levels: acrValues.length === 0 ? undefined : authenticationLevels(acrValues),
      findUnmetDemand: async (current, pending, login) =>
        findMissedLevel(current, pending, login) ?? await server.findUnmetDemand(current, pending, login),
      async sessionFor(current: HostedServer, approval: Approval, session, previousSession) {
        const isSame = approval.acr === undefined || approval.acr === loginLevel.of(session)?.acr;
        const continued = isSame ? session : undefined;
        const approved = await server.sessionFor(current, approval, continued, previousSession);
        return approved === session ? session : loginLevel.put(approved, statedLevel(current, approval));
      },
    };
  },
  metadata({ policy }, _endpoints, { claims_supported }) {
    const supported = policy.acrValues.map(({ value }) => value);
    if (supported.length === 0) return {};
    return {
      acr_values_supported: supported,
      claims_supported: [...claims_supported as readonly string[], "acr", "amr"],
    };
  },
};
