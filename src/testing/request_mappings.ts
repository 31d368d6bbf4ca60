/** Claims by a parameter of the token request, for a server on a test host. */

import type { Plugin } from "../app/plugin.ts";
import { boundedCache } from "../oauth/bounded_cache.ts";
import type { Recorder } from "../recorder/recorder.ts";
import { type ClaimOverrideContext, claimOverrideHooks, type Claims } from "./claim_overrides.ts";

/** Claims of the tokens of requests that have a parameter with a value. */
interface Mapping {
  readonly requestParam: string;
  /** `*` matches any value. */
  readonly match: string;
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

  function findClaims({ request: { params }, grant }: ClaimOverrideContext): Claims {
    const mapping = mappings.find(({ requestParam, match }) => {
      const value = params[requestParam];
      return value !== undefined && (match === "*" || value === match);
    });
    if (mapping?.claims !== undefined) claimsByGrant.set(grant.id, mapping.claims);
    return mapping?.claims ?? {};
  }

  overrides.everyAccessToken((claims, context) => ({ ...claims, ...findClaims(context) }));
  overrides.everyIdToken((claims, context) => ({ ...claims, ...withoutAudience(findClaims(context)) }));
  overrides.everyUserinfo((claims, { grant }) => ({
    ...claims,
    ...withoutAudience(claimsByGrant.get(grant.id) ?? {}),
  }));
  return plugin;
}

function withoutAudience({ aud: _, ...claims }: Claims): Claims {
  return claims;
}
