/** Lifetimes of tokens at providers with one setting for access tokens and ID tokens. */

import type { ProviderProfile } from "../../config/provider_profile.ts";
import type { ServerPolicy } from "../../config/server_policy.ts";

/** The policy with ID tokens that live as long as access tokens, unless their own lifetime is set. */
export function withOneLifetime(policy: ServerPolicy, { lifetimes: preset }: ProviderProfile): ServerPolicy {
  const { lifetimes } = policy;
  if (lifetimes.id_token !== preset?.id_token) return policy;
  return { ...policy, lifetimes: { ...lifetimes, id_token: lifetimes.access_token } };
}
