/** Warnings about valid settings that probably do not work as intended. */

import { immediate } from "../../core/immediate.ts";
import { claimWarnings } from "./claim_warnings.ts";
import { quote } from "./config_issue.ts";
import type { ConfigurationWarning } from "../../core/rules/configuration_error.ts";
import type { ClientMetadata } from "./client_metadata.ts";
import type { PolicyAtStart } from "./extension_settings.ts";
import type { ServerPolicy } from "./server_policy.ts";
import type { Settings } from "./settings.ts";

/**
 * Every warning about valid settings.
 *
 * @param policy The same settings with the defaults.
 * @param configured The same settings without the values of providers' profiles.
 */
export function settingsWarnings(
  settings: Settings,
  policy: PolicyAtStart,
  configured: Pick<Settings, "audience" | "metadata" | "scopes">,
): ConfigurationWarning[] {
  return [
    ...defaultScopeWarnings(settings, policy),
    ...loginHintWarnings(settings),
    ...metadataWarnings(configured),
    ...audienceWarnings(configured, policy),
    ...claimWarnings(settings, policy, configured),
    ...profileWarnings(policy),
    ...memberWarnings(policy),
    ...policy.extensions.flatMap(({ name, settings }) =>
      immediate(`settings.warnings of the extension ${name}`, settings?.warnings?.(policy)) ?? []
    ),
  ];
}

/** An ID token of that client has the audience of access tokens. The profile of a provider names its own. */
function audienceWarnings(
  { audience }: Pick<Settings, "audience">,
  { clients }: PolicyAtStart,
): ConfigurationWarning[] {
  if (audience === undefined || !clients.some((client) => client.client_id === audience)) return [];
  return [{
    path: "audience",
    message:
      `${quote(audience)} is the id of a client, so an API that compares only aud accepts that client's ID tokens ` +
      "too. Let it compare typ, or write the URI of your API.",
  }];
}

/** Members of configured clients that only an absent extension reads. */
function memberWarnings({ clients, extensions }: PolicyAtStart): ConfigurationWarning[] {
  const unread = extensions.filter(({ isAbsent }) => isAbsent).flatMap((
    { name, clientMetadata: { fields = {} } = {} },
  ) => (Object.keys(fields) as (keyof ClientMetadata)[]).map((member) => ({ name, member })));
  return unread.flatMap(({ name, member }) =>
    clients.flatMap((client, i) =>
      client[member] === undefined ? [] : [{
        path: `clients[${i}].${member}`,
        message: `it has no effect, because the server does not have the extension ${name}. Add the extension, or ` +
          `remove the member of client ${client.client_id}.`,
      }]
    )
  );
}

/** FAPI 2.0 Security Profile §5.2: TLS, and users who are authenticated. */
function profileWarnings({ profile, allows }: PolicyAtStart): ConfigurationWarning[] {
  if (profile?.label.includes("fapi2-") !== true || !allows.openLogin) return [];
  return [{
    path: "profile",
    message: `the issuer is on a test host, so this is not FAPI: http, public test keys and login without a password ` +
      `are accepted there. All other rules of ${profile.label} apply.`,
  }];
}

/** RFC 9207 §4: `iss` lets a client of several servers notice a mix-up. A provider without it is as it is. */
function metadataWarnings({ metadata = {} }: Pick<Settings, "metadata">): ConfigurationWarning[] {
  const { authorization_response_iss_parameter_supported: isSupported = true } = metadata;
  if (isSupported === true) return [];
  return [{
    path: "metadata.authorization_response_iss_parameter_supported",
    message: "authorization responses have no iss, so clients of several servers cannot notice a mix-up (RFC 9207).",
  }];
}

/** The login page shows a `login_hint` to the user, who decides. */
function loginHintWarnings({ login, unknownLoginHint }: Settings): ConfigurationWarning[] {
  if (login !== "interactive" || unknownLoginHint === undefined) return [];
  return [{ path: "unknownLoginHint", message: `it has no effect with login "interactive". Remove it.` }];
}

/** `defaultScope: ""` confirms that no default is intended. */
function defaultScopeWarnings(settings: Settings, { scopes, defaultScope }: PolicyAtStart): ConfigurationWarning[] {
  if (settings.defaultScope !== undefined || defaultScope.length > 0) return [];
  return [{
    path: "scopes",
    message: `scopes does not contain "read", so no default scope exists: a request without scope is rejected as ` +
      `invalid_scope. Set defaultScope to values of scopes (${scopes.join(" ")}), or to "" to confirm.`,
  }];
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
