/** Demands of the profiles of standards that a list of allowed values cannot express. */

import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import type { Profile } from "./profile_field.ts";
import type { Settings } from "./settings.ts";

/** An issue for each setting that a profile forbids. `label` names the profiles. */
export function validateDemands(
  { metadata, clientAuthMethods, refresh, registration }: Settings & {
    /** A setting of an extension. A server without it registers no client. */
    readonly registration?: { readonly mode?: string };
  },
  profiles: readonly Profile[],
  label: string,
): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const { authorization_response_iss_parameter_supported: isSupported = true } = metadata ?? {};
  if (isSupported !== true && label !== "oidc") {
    issues.push({
      path: "metadata.authorization_response_iss_parameter_supported",
      expected: `true, because the profile is ${label} (RFC 9207)`,
      received: quote(isSupported),
      hint: "Remove the member, or the profile.",
    });
  }
  if (!profiles.includes("next-2026.11")) return issues;
  if (clientAuthMethods?.includes("client_secret_basic") && !clientAuthMethods.includes("client_secret_post")) {
    issues.push({
      path: "clientAuthMethods",
      expected: `client_secret_post too, because the profile is ${label} (draft-ietf-oauth-v2-1-16 §2.4.1)`,
      received: quote(clientAuthMethods.join(" ")),
      hint: "Add client_secret_post, or remove client_secret_basic or the profile.",
    });
  }
  if (refresh?.reuse !== undefined) {
    issues.push({
      path: "refresh.reuse",
      expected: `nothing, because the profile is ${label} (draft-ietf-oauth-v2-1-16 §4.3.1)`,
      received: quote(refresh.reuse),
      hint: "Remove the setting, or the profile.",
    });
  }
  if (registration?.mode !== undefined && registration.mode !== "off") {
    issues.push({
      path: "registration.mode",
      expected: `"off", because the profile is ${label} (MCP authorization 2026-07-28, Dynamic Client Registration)`,
      received: quote(registration.mode),
      hint: "Remove the setting, or the profile.",
    });
  }
  return issues;
}
