/** Claims by a parameter of the token request, for a server on a test host. */

import type { Plugin } from "../server/hosting/options.ts";
import { boundedCache } from "../platform/bounded_cache.ts";
import type { Recorder } from "../recorder/recorder.ts";
import { type ClaimOverrideContext, claimOverrideHooks, type Claims } from "./claim_overrides.ts";

/** Claims of the tokens of requests that have a parameter with a value. */
interface Mapping {
  /**
   * The name of the parameter in the form. Without such a parameter, `client_id` is the client that authenticated, and
   * `subject` the user.
   */
  readonly requestParam: string;
  /** The whole value, or a regular expression for it; `*` matches any value. */
  readonly match: string;
  /** `${name}` in a text is replaced by the value of that parameter; `clientId` is another name of `client_id`. */
  readonly claims?: Claims;
}

/** Maximum number of grants whose claims userinfo repeats. */
const maxGrants = 10_000;

/**
 * Creates a plugin that adds the claims of the first mapping that matches a token request to its tokens, and to the
 * userinfo responses of the grant. `aud` is for access tokens alone, because the ID token is for its client.
 */
export function requestMappings(mappings: readonly Mapping[], recorder: Recorder): Plugin {
  const { plugin, overrides } = claimOverrideHooks(recorder.findExchange);
  const claimsByGrant = boundedCache<Claims>(maxGrants);
  const matchers = mappings.map((mapping) => ({ ...mapping, matches: matcherFor(mapping.match) }));

  function findClaims({ request: { params }, grant, client: { id }, user }: ClaimOverrideContext): Claims {
    const values = { ...user !== undefined && { subject: user.sub }, ...params, client_id: id, clientId: id };
    const found = matchers.find(({ requestParam, matches }) => {
      const value = findValue(values, requestParam);
      return value !== undefined && matches(value);
    });
    if (found?.claims === undefined) return {};
    const claims = fillTemplates(found.claims, values) as Claims;
    claimsByGrant.set(grant.id, claims);
    return claims;
  }

  overrides.everyAccessToken((claims, context) => ({ ...claims, ...findClaims(context) }));
  overrides.everyIdToken((claims, context) => ({ ...claims, ...withoutAudience(findClaims(context)) }));
  overrides.everyUserinfo((claims, { grant }) => ({
    ...claims,
    ...withoutAudience(claimsByGrant.get(grant.id) ?? {}),
  }));
  return plugin;
}

/** Compares values with a pattern. A pattern that is not a valid regular expression matches only the same text. */
export function matcherFor(match: string): (value: string) => boolean {
  if (match === "*") return () => true;
  let pattern: RegExp | undefined;
  try {
    pattern = new RegExp(`^(?:${match})$`);
  } catch {
    // Not an error: values are compared with the text.
  }
  return (value) => value === match || pattern?.test(value) === true;
}

/** The value with the parameters of the request instead of `${name}`, at any depth. */
function fillTemplates(value: unknown, values: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string") {
    return value.replace(/\$\{([^}]{1,200})\}/g, (template, name) => findValue(values, name) ?? template);
  }
  if (Array.isArray(value)) return value.map((item) => fillTemplates(item, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillTemplates(member, values)]));
}

function findValue(values: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function withoutAudience({ aud: _, ...claims }: Claims): Claims {
  return claims;
}
