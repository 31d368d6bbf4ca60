/** The approval of a registration, and the metadata and grant types that it opens to the client. */

import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import { serverPolicy, supportedGrantTypes } from "../../config/server_policy.ts";
import type { Server } from "../../../core/server.ts";
import type { ClientMetadata } from "../../config/client_metadata.ts";
import { hasStanding, meetsRequirement, requirementOf } from "../../standing.ts";
import type { Standing } from "../../../core/clients/repository.ts";

export interface RegistrationApproval {
  /** Whether the request has an initial access token. */
  readonly usedInitialAccessToken: boolean;
  /** The claims of a verified software statement. A statement is public, so it approves only its own claims. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** The standing for one member of the metadata. */
export function standingFor({ usedInitialAccessToken, claims = {} }: RegistrationApproval, member: string): Standing {
  return usedInitialAccessToken || Object.hasOwn(claims, member) ? "approved" : "unknown";
}

/**
 * The requested grant types that need a higher standing, such as `client_credentials` for a client without approval.
 */
export function findClosedGrants(
  { settings }: Server,
  { grant_types = [] }: Omit<ClientMetadata, "client_id">,
  standing: Standing,
): ConfigIssue[] {
  const closed = supportedGrantTypes(serverPolicy(settings))
    .filter((type) =>
      grant_types.includes(type.type) && !meetsRequirement({ standing }, requirementOf(type), settings)
    );
  if (closed.length === 0) return [];
  const isOpenToApproved = closed.every((type) => hasStanding({ standing: "approved" }, requirementOf(type).from));
  return [{
    path: "grant_types",
    expected: `no ${closed.map(({ type }) => type).join(", ")}, ${
      isOpenToApproved
        ? "because the request has no initial access token, and no software statement with the grant type"
        : "which only configured clients may use"
    }`,
    received: quote(grant_types.join(" ")),
    hint: isOpenToApproved
      ? "Remove the grant type, or ask the operator for an initial access token."
      : "Remove the grant type, or ask the operator to configure the client.",
  }];
}

/** The members that the client itself chose. */
export function withoutClaims(
  metadata: Readonly<Record<string, unknown>>,
  { claims = {} }: RegistrationApproval,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !Object.hasOwn(claims, name)));
}
