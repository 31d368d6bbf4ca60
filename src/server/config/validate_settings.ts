/** Compares settings with each other and with the issuer. Each value already matches its field. */

import { validateAvailable } from "./key_issues.ts";
import { addressMatcher } from "../../platform/http/ip_address.ts";
import { issuesBelow, repeatedClients, validateScope } from "../../core/clients/validate_client.ts";
import { repeatedUsers } from "../../core/clients/validate_user.ts";
import { validateAlg, validateClaimNames, validateClaims, validateScopes } from "../../core/options/validate_policy.ts";
import { validateClient } from "./validate_client.ts";
import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { byProfile } from "./server_policy.ts";
import { validateProfile, withProfile } from "./profiles.ts";
import { validateIssuer, validateIssuerScheme, validateIssuerUrls, withIssuerHostsHint } from "./validate_issuer.ts";
import type { PolicyAtStart } from "./extension_settings.ts";
import { defaultScopes } from "../../core/policy/policy.ts";
import { isAbsoluteUri } from "../../platform/http/absolute_uri.ts";
import type { SupportedGrantType } from "./standing.ts";
import { type Settings, unlessAny } from "./settings.ts";
import { validateUser } from "./validate_user.ts";
import type { WithProfiles } from "./with_profiles.ts";
import { validateRealHost } from "./validate_real_host.ts";

// Arrays instead of generators: the first generator of a process takes Bun longer than all of these checks.

/**
 * All issues of settings that match their description.
 *
 * @param grantTypes The grant types of the embedding program.
 */
export async function validateSettings(
  provided: WithProfiles<Settings>,
  policy: PolicyAtStart,
  grantTypes?: readonly SupportedGrantType[],
): Promise<ConfigIssue[]> {
  const { names, preset, issues } = provided;
  return [
    ...issues,
    ...(await validateExpanded(provided, policy, grantTypes)).map((issue) =>
      !preset.has(issue.path.split(/[.[]/)[0]!) ? issue : {
        ...issue,
        path: "profile",
        expected: `${issue.path}: ${issue.expected}`,
        received: `${issue.received} in the profile ${names.join(", ")}`,
        hint: `Remove the profile, or set ${issue.path.split(/[.[]/)[0]} yourself.`,
      }
    ),
  ];
}

async function validateExpanded(
  { beforeStandards: settings, isDeviating, preset }: WithProfiles<Settings>,
  policy: PolicyAtStart,
  grantTypes?: readonly SupportedGrantType[],
): Promise<ConfigIssue[]> {
  const issuerIssues = validateIssuer(policy);
  const schemeIssues = validateIssuerScheme(policy);
  const realHostIssues = [
    ...schemeIssues,
    // An issuer that is to be corrected may become a test host.
    ...issuerIssues.length === 0 && isOnRealHost(policy) ? validateRealHost(settings, policy, isDeviating) : [],
  ];
  // The default clients follow the issuer, and so do their issues.
  const hasOwnClients = [...issuerIssues, ...schemeIssues].length === 0 || settings.clients !== undefined ||
    policy.insecure.includes("demo-clients");
  return [
    ...issuerIssues,
    ...withIssuerHostsHint(realHostIssues, policy),
    ...validateIssuerUrls(settings, policy),
    ...validateProfile(settings, policy),
    ...validateAlgorithm(policy),
    ...validateExtensionValues(settings, policy, preset),
    ...validateScopes(unlessAny(settings.scopes) ?? defaultScopes, quote),
    ...validateScope("defaultScope", settings.defaultScope, policy.userScopes, { quote }),
    ...validateAllClaims(policy),
    ...validateResources(policy),
    ...validateGrantTypes(grantTypes),
    ...(await Promise.all(policy.extensions.map(({ settings }) => settings?.validate?.(policy, policy.issuer) ?? [])))
      .flat(),
    ...validateUsers(policy),
    ...validateAudience(policy),
    ...hasOwnClients ? validateClients(policy) : [],
    ...validateProxies(settings),
  ];
}

/**
 * An issue for each value of an extension that the server does not have. A profile may list such values if it also
 * lists available ones.
 *
 * @param preset The settings that only profiles of providers set.
 */
function validateExtensionValues(
  settings: Settings,
  policy: PolicyAtStart,
  preset: ReadonlySet<string>,
): ConfigIssue[] {
  return (["clientAuthMethods", "responseModes", "responseTypes"] as const).flatMap((setting) => {
    const available: readonly string[] = policy[setting];
    if (preset.has(setting) && available.length > 0) return [];
    const given = available.length > 0 ? settings : withProfile(settings, policy.profile);
    return (given[setting] ?? []).flatMap((value, i) =>
      available.includes(value) ? [] : [{
        path: `${setting}[${i}]`,
        expected: `${available.length > 0 ? `one of ${available.join(", ")}` : "another value"}${
          byProfile(policy, setting)
        }, because the server does not have the extension for this value`,
        received: quote(value),
        hint: settings[setting] === undefined
          ? "Add the extension, or choose another profile."
          : "Remove it, or add the extension.",
      }]
    );
  });
}

function validateAlgorithm(policy: PolicyAtStart): ConfigIssue[] {
  const { alg, signatureAlgorithms } = policy;
  const ofOwn = validateAvailable("alg", alg);
  if (ofOwn.length > 0) return ofOwn;
  const ofOthers = signatureAlgorithms.flatMap((name, i) => validateAvailable(`signatureAlgorithms[${i}]`, name));
  if (ofOthers.length > 0) return ofOthers;
  // A profile that decides the algorithms decides alg too.
  return byProfile(policy, "signatureAlgorithms") === "" ? validateAlg(policy, quote) : [];
}

/**
 * Whether the issuer is on a real host. Text that is not an http URL has its own issue, and may mean a test host:
 * localhost:9000.
 */
function isOnRealHost({ issuer, allows }: PolicyAtStart): boolean {
  return /^https?:/i.test(issuer) && URL.canParse(issuer) && !allows.openLogin;
}

/** Grant types that no server may have: OAuth 2.1 §10 omits the first two; SAML assertions are not supported. */
const rejectedGrantTypes = ["password", "implicit", "urn:ietf:params:oauth:grant-type:saml2-bearer"];

/** An issue for each grant type that no server may have. */
function validateGrantTypes(grantTypes: readonly SupportedGrantType[] = []): ConfigIssue[] {
  return grantTypes.flatMap(({ type }, i) =>
    !rejectedGrantTypes.includes(type) ? [] : [{
      path: `grantTypes[${i}].type`,
      expected: "a grant type other than password, implicit and SAML bearer assertions",
      received: quote(type),
      hint: "Use authorization_code, or choose a URI of your own as the name of another grant type.",
    }]
  );
}

function validateAudience({ audience }: PolicyAtStart): ConfigIssue[] {
  if (audience !== "") return [];
  return [{
    path: "audience",
    expected: "the name of the API that access tokens are for",
    received: "an empty string",
    hint: "Write the URI of your API, or remove the setting: the default is the issuer.",
  }];
}

/** Providers give APIs names that are no URIs; a server without their profile does not (RFC 8707 §2). */
function validateResources({ resources = [], providers }: PolicyAtStart): ConfigIssue[] {
  return resources.flatMap(({ uri }, i) =>
    isAbsoluteUri(uri) || providers.length > 0 && uri !== "" ? [] : [{
      path: `resources[${i}].uri`,
      expected: "an absolute URI without a fragment",
      received: quote(uri),
      hint: "Write it as https://api.example.",
    }]
  );
}

function validateUsers({ users, issuer, allows }: PolicyAtStart): ConfigIssue[] {
  // An issuer that is not a URL has its own issue, and may mean a test host.
  const openLogin = !URL.canParse(issuer) || allows.openLogin;
  const repeated = repeatedUsers(users, quote);
  return users.flatMap((user, i) => [
    ...issuesBelow(`users[${i}]`, validateUser(user, openLogin)),
    ...repeated.get(i) ?? [],
  ]);
}

function validateClients(policy: PolicyAtStart): ConfigIssue[] {
  const repeated = repeatedClients(policy.clients, quote);
  return policy.clients.flatMap((client, i) => [
    ...repeated.get(i) ?? [],
    ...issuesBelow(`clients[${i}]`, validateClient(client, policy)),
  ]);
}

function validateProxies({ trustProxy = [] }: Settings): ConfigIssue[] {
  return trustProxy.flatMap((name, i) => {
    try {
      addressMatcher([name]);
      return [];
    } catch {
      return [{
        path: `trustProxy[${i}]`,
        expected: "an IP address, or a network",
        received: quote(name),
        hint: "Write it like 10.0.0.7, 10.0.0.0/8 or fd00::/8: a name may resolve to any address.",
      }];
    }
  });
}

/** Checks `claims`, `accessTokenClaims`, and the claims of resources. */
function validateAllClaims({ claims, accessTokenClaims, resources = [] }: PolicyAtStart): ConfigIssue[] {
  return [
    ...validateClaims({ claims, accessTokenClaims }, quote),
    ...resources.flatMap(({ access_token_claims: names = [] }, i) =>
      validateClaimNames(`resources[${i}].access_token_claims`, names, quote, "access token")
    ),
  ];
}
