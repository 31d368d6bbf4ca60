/** Compares settings with each other and with the issuer. Each value already matches its field. */

import { validateAvailable } from "./key_issues.ts";
import { addressMatcher } from "../../platform/http/ip_address.ts";
import { scopeToken } from "../../core/params.ts";
import { isReservedClaim, reservedClaims } from "../../core/claims.ts";
import { validateClient, validateScopeValues } from "./validate_client.ts";
import { showPath } from "../../core/field.ts";
import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "../../core/configuration_error.ts";
import { byProfile } from "./server_policy.ts";
import { validateProfile, withProfile } from "./profiles.ts";
import { validateIssuer, validateIssuerScheme, validateIssuerUrls, withIssuerHostsHint } from "./validate_issuer.ts";
import type { FilledSettings, ResolvingServer } from "./fill_settings.ts";
import { defaultScopes } from "../../core/policy_defaults.ts";
import { isAbsoluteUri } from "../../platform/http/absolute_uri.ts";
import { listed, type Settings } from "./settings.ts";
import { validateUser } from "./validate_user.ts";
import type { WithProfiles } from "./with_profiles.ts";
import { validateRealHost } from "./validate_real_host.ts";

// Arrays instead of generators: the first generator of a process takes Bun longer than all of these checks.

/** All issues of settings that match their description. */
export async function validateSettings(
  provided: WithProfiles<Settings>,
  filled: FilledSettings,
  server: ResolvingServer,
): Promise<ConfigIssue[]> {
  const { names, preset, issues } = provided;
  return [
    ...issues,
    ...(await validateExpanded(provided, filled, server)).map((issue) =>
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
  resolved: FilledSettings,
  { extensions, grantTypes }: ResolvingServer,
): Promise<ConfigIssue[]> {
  const issuerIssues = validateIssuer(resolved);
  const schemeIssues = validateIssuerScheme(resolved);
  const realHostIssues = [
    ...schemeIssues,
    // An issuer that is to be corrected may become a test host.
    ...issuerIssues.length === 0 && isOnRealHost(resolved) ? validateRealHost(settings, resolved, isDeviating) : [],
  ];
  // The default clients follow the issuer, and so do their issues.
  const hasOwnClients = [...issuerIssues, ...schemeIssues].length === 0 || settings.clients !== undefined ||
    resolved.insecure.includes("demo-clients");
  return [
    ...issuerIssues,
    ...withIssuerHostsHint(realHostIssues, resolved),
    ...validateIssuerUrls(settings, resolved),
    ...validateProfile(settings, resolved),
    ...validateAlgorithm(resolved),
    ...validateExtensionValues(settings, resolved, preset),
    ...validateScopes(settings, resolved),
    ...validateClaims(resolved),
    ...validateResources(resolved),
    ...validateGrantTypes(grantTypes),
    ...(await Promise.all(extensions.map(({ settings }) => settings?.validate?.(resolved, resolved.issuer) ?? [])))
      .flat(),
    ...validateUsers(resolved),
    ...validateAudience(resolved),
    ...hasOwnClients ? validateClients(resolved) : [],
    ...validateProxies(settings),
  ];
}

/** The issues of `scopes` and `defaultScope`. */
function validateScopes(settings: Settings, resolved: FilledSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const scopes = listed(settings.scopes) ?? defaultScopes;
  if (scopes.length === 0) {
    issues.push({
      path: "scopes",
      expected: "at least one scope value",
      received: "an empty array",
      hint: "Remove the setting for the default, or add scope values.",
    });
  }
  for (const [i, token] of scopes.entries()) {
    if (scopes.indexOf(token) < i) {
      issues.push({
        path: `scopes[${i}]`,
        expected: "each value once",
        received: `${quote(token)} again`,
        hint: "Remove one of the two.",
      });
    }
    if (scopeToken.test(token)) continue;
    issues.push({
      path: `scopes[${i}]`,
      expected: "printable ASCII without spaces, quotes and backslashes",
      received: quote(token),
      hint: "Write each scope value as a separate item.",
    });
  }
  const defaultScope = settings.defaultScope === undefined ? [] : resolved.defaultScope;
  issues.push(...validateScopeValues("defaultScope", defaultScope, resolved.userScopes));
  return issues;
}

/**
 * An issue for each value of an extension that the server does not have. A profile may list such values if it also
 * lists available ones.
 *
 * @param preset The settings that only profiles of providers set.
 */
function validateExtensionValues(
  settings: Settings,
  resolved: FilledSettings,
  preset: ReadonlySet<string>,
): ConfigIssue[] {
  return (["clientAuthMethods", "responseModes", "responseTypes"] as const).flatMap((setting) => {
    const available: readonly string[] = resolved[setting];
    if (preset.has(setting) && available.length > 0) return [];
    const given = available.length > 0 ? settings : withProfile(settings, resolved.profile);
    return (given[setting] ?? []).flatMap((value, i) =>
      available.includes(value) ? [] : [{
        path: `${setting}[${i}]`,
        expected: `${available.length > 0 ? `one of ${available.join(", ")}` : "another value"}${
          byProfile(resolved, setting)
        }, because the server does not have the extension for this value`,
        received: quote(value),
        hint: settings[setting] === undefined
          ? "Add the extension, or choose another profile."
          : "Remove it, or add the extension.",
      }]
    );
  });
}

function validateAlgorithm(resolved: FilledSettings): ConfigIssue[] {
  const { alg, signatureAlgorithms } = resolved;
  const ofOwn = validateAvailable("alg", alg);
  if (ofOwn.length > 0) return ofOwn;
  const ofOthers = signatureAlgorithms.flatMap((name, i) => validateAvailable(`signatureAlgorithms[${i}]`, name));
  if (ofOthers.length > 0) return ofOthers;
  // A profile that decides the algorithms decides alg too.
  if (signatureAlgorithms.includes(alg) || byProfile(resolved, "signatureAlgorithms") !== "") return [];
  return [{
    path: "alg",
    expected: `one of signatureAlgorithms, ${signatureAlgorithms.join(", ")}`,
    received: quote(alg),
    hint: "Set alg to one of them, or add it to signatureAlgorithms.",
  }];
}

/**
 * Whether the issuer is on a real host. Text that is not an http URL has its own issue, and may mean a test host:
 * localhost:9000.
 */
function isOnRealHost({ issuer, allows }: FilledSettings): boolean {
  return /^https?:/i.test(issuer) && URL.canParse(issuer) && !allows.openLogin;
}

/** Grant types that no server may have: OAuth 2.1 §10 omits the first two; SAML assertions are not supported. */
const rejectedGrantTypes = ["password", "implicit", "urn:ietf:params:oauth:grant-type:saml2-bearer"];

/** An issue for each grant type that no server may have. */
function validateGrantTypes(grantTypes: ResolvingServer["grantTypes"] = []): ConfigIssue[] {
  return grantTypes.flatMap(({ type }, i) =>
    !rejectedGrantTypes.includes(type) ? [] : [{
      path: `grantTypes[${i}].type`,
      expected: "a grant type other than password, implicit and SAML bearer assertions",
      received: quote(type),
      hint: "Use authorization_code, or choose a URI of your own as the name of another grant type.",
    }]
  );
}

function validateAudience({ audience }: FilledSettings): ConfigIssue[] {
  if (audience !== "") return [];
  return [{
    path: "audience",
    expected: "the name of the API that access tokens are for",
    received: "an empty string",
    hint: "Write the URI of your API, or remove the setting: the default is the issuer.",
  }];
}

/** Providers give APIs names that are no URIs; a server without their profile does not (RFC 8707 §2). */
function validateResources({ resources = [], providers }: FilledSettings): ConfigIssue[] {
  return resources.flatMap(({ uri }, i) =>
    isAbsoluteUri(uri) || providers.length > 0 && uri !== "" ? [] : [{
      path: `resources[${i}].uri`,
      expected: "an absolute URI without a fragment",
      received: quote(uri),
      hint: "Write it as https://api.example.",
    }]
  );
}

function validateUsers({ users, issuer, allows }: FilledSettings): ConfigIssue[] {
  // An issuer that is not a URL has its own issue, and may mean a test host.
  const openLogin = !URL.canParse(issuer) || allows.openLogin;
  const first = firstIndexes(users.map(({ sub }) => sub));
  return users.flatMap((user, i) => [
    ...issuesBelow(`users[${i}]`, validateUser(user, openLogin)),
    ...first.get(user.sub) === i ? [] : [{
      path: `users[${i}].sub`,
      expected: "a subject that no other user has",
      received: quote(user.sub),
      hint: "Choose another one.",
    }],
  ]);
}

function validateClients(resolved: FilledSettings): ConfigIssue[] {
  const indexes = firstIndexes(resolved.clients.map(({ client_id }) => client_id));
  return resolved.clients.flatMap((client, i) => {
    const first = indexes.get(client.client_id)!;
    const repeated = first === i ? [] : [{
      path: `clients[${i}].client_id`,
      expected: "an id that no other client has",
      received: quote(client.client_id),
      hint: `Rename this one, or remove clients[${first}].`,
    }];
    return [...repeated, ...issuesBelow(`clients[${i}]`, validateClient(client, resolved))];
  });
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

/** The index at which each value occurs first. */
function firstIndexes(values: readonly string[]): ReadonlyMap<string, number> {
  return new Map(values.map((value, i) => [value, i] as const).reverse());
}

/** Issues whose paths are relative to an item of a list. */
function issuesBelow(path: string, issues: readonly ConfigIssue[]): ConfigIssue[] {
  return issues.map((issue) => ({ ...issue, path: `${path}.${issue.path}` }));
}

/** Checks `claims`, `accessTokenClaims`, and the claims of resources. */
function validateClaims({ claims, accessTokenClaims, resources = [] }: FilledSettings): ConfigIssue[] {
  return [
    ...validateClaimNames("accessTokenClaims", accessTokenClaims, "access token"),
    ...Object.entries(claims).flatMap(([scope, names]) => {
      const path = showPath(["claims", scope]);
      const issues = validateClaimNames(path, names);
      return scopeToken.test(scope) ? issues : [{
        path,
        expected: "a scope value: printable ASCII without spaces, quotes and backslashes",
        received: quote(scope),
        hint: "Use one scope value as the name of each list of claims.",
      }, ...issues];
    }),
    ...resources.flatMap(({ access_token_claims: names = [] }, i) =>
      validateClaimNames(`resources[${i}].access_token_claims`, names, "access token")
    ),
  ];
}

function validateClaimNames(path: string, names: readonly string[], reservedIn?: "access token"): ConfigIssue[] {
  return names.flatMap((name, i) => {
    const issue = (expected: string, received: string, hint: string) => [
      { path: `${path}[${i}]`, expected, received, hint },
    ];
    if (name === "") return issue("the name of a claim", quote(name), "Use the name of a member of your users.");
    if (isReservedClaim(name, reservedIn)) {
      const others = reservedIn === undefined
        ? ""
        : ", and in access tokens active, token_type, userinfo_claims, userinfo_values";
      const hint = `Remove it, or rename the member of your users. Reserved: ${reservedClaims.join(", ")}${others}.`;
      return issue("a claim about the user that is not reserved", quote(name), hint);
    }
    return names.indexOf(name) === i ? [] : issue("each claim once", `${quote(name)} again`, "Remove one of the two.");
  });
}
