/**
 * Assertions as grants: clients exchange assertions of trusted issuers for access tokens (RFC 7523 §2.1), among them
 * ID-JAGs (draft-ietf-oauth-identity-assertion-authz-grant-03).
 */

import type { Extension } from "../../config/extension.ts";
import { withoutUser } from "../../config/standing.ts";
import { unlistedClientsWarnings } from "../../config/settings_warnings.ts";
import { parameters } from "../../../core/http/params.ts";
import {
  assertionGrantFields,
  type AssertionGrantPolicy,
  type TrustedIssuer,
  validateTrustedIssuers,
} from "./settings.ts";

const isOn = ({ trustedIssuers }: AssertionGrantPolicy): boolean => trustedIssuers.length > 0;

/** Whether any client may use an assertion of the entry. False if the entry maps every subject to one client. */
const isForAnyClient = ({ users, subjects = {} }: TrustedIssuer): boolean =>
  users !== undefined || Object.values(subjects).some(({ client }) => client === undefined);

/** Lets clients exchange assertions of trusted issuers. */
export const assertionGrants: Extension<AssertionGrantPolicy> = {
  name: "assertion_grants",
  settings: {
    fields: assertionGrantFields,
    validate: (policy) => isOn(policy) ? validateTrustedIssuers(policy.trustedIssuers, policy) : [],
    warnings: (policy) =>
      unlistedClientsWarnings(
        policy,
        policy.trustedIssuers.flatMap((trusted, i) =>
          trusted.clients === undefined && isForAnyClient(trusted) ? [`trustedIssuers[${i}]`] : []
        ),
      ),
  },
  metadata: ({ policy }) =>
    policy.trustedIssuers.some(({ grantProfile }) => grantProfile === "id-jag")
      ? { authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"] }
      : {},
  grantTypes: [{
    type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    title: "Assertion",
    setting: "trustedIssuers",
    standing: withoutUser,
    isOn,
    parameters: parameters(
      { name: "assertion", secret: "assertion", linksFlow: true },
      "scope",
      { name: "resource", repeatable: true },
    ),
    checks: ["TK-06", "JB-03", "JB-07", "JB-06", "JB-04", "JB-08", "JB-09", "JB-11"],
    load: async ({ trustedIssuers }) => (await import("./grant_type.ts")).jwtBearer(trustedIssuers),
  }],
};
