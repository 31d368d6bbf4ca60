/** Organizations of Auth0: a user belongs to the one that their members `org_id` and `org_name` name. */

import { OAuthError } from "../../core/rules/errors.ts";
import type { User } from "../../core/clients/client.ts";
import type { CheckInput, Server } from "../../core/server.ts";
import type { AuthorizationRequest } from "../../core/authorize/authorization_request.ts";
import { asText } from "./shared/members.ts";

/** The member of a request with the organization, which is stored while the user logs in. */
const organizationMember = "auth0Organization";

interface RequestOfOrganization extends Partial<AuthorizationRequest> {
  readonly [organizationMember]?: string;
}

/**
 * The members of a server that rejects a user outside of the requested organization.
 * https://auth0.com/docs/manage-users/organizations/configure-organizations/use-org-name-authentication-api
 */
export function withOrganization({ steps, requestChecks }: Server): Pick<Server, "requestChecks" | "steps"> {
  const readOrganization = ({ params }: CheckInput): RequestOfOrganization => ({
    [organizationMember]: params.get("organization"),
  });
  return {
    requestChecks: [...requestChecks, { redirectOnly: true, read: readOrganization }],
    steps: {
      ...steps,
      granted: [...steps.granted, {
        name: "organization",
        run(_server, granted, _client, request, approval) {
          const { [organizationMember]: organization }: RequestOfOrganization = request;
          if (organization !== undefined) rejectOtherOrganization(organization, approval.user);
          return granted;
        },
      }],
    },
  };
}

function rejectOtherOrganization(requested: string, { org_id, org_name }: User): void {
  if (requested === org_id) return;
  // Auth0 compares names without their case.
  if (typeof org_name === "string" && requested.toLowerCase() === org_name.toLowerCase()) return;
  throw new OAuthError("access_denied", "the user is not part of the organization", {
    rule: "AZ-21",
    expected: org_id === undefined ? "no organization, because the user has no org_id" : asText(org_id),
    received: requested.slice(0, 256),
    fix: "Add org_id, and org_name if the client sends the name, to the user, or log in another user.",
  });
}
