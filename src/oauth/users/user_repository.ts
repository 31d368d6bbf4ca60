/** The repository of users: what it accepts, and what it warns of. */

import type { ClaimRules } from "../claims.ts";
import type { User } from "../clients/client.ts";
import { repository } from "../clients/repository.ts";
import type { SharedChanges, UserRepository } from "../clients/repository.ts";
import { userWarnings } from "../config/claim_warnings.ts";
import { assertNoIssues } from "../config/configuration_error.ts";
import type { ResolvedSettings } from "../config/settings.ts";
import { isProductionIssuer, validateUser } from "../config/validate_user.ts";
import type { Server } from "../server.ts";
import { withoutPassword } from "./password.ts";

/** What a repository of users uses of its server. */
interface UserRepositoryContext extends Pick<Server, "issuer" | "now" | "trace"> {
  readonly claims: ClaimRules;
  /** Removes a guest user from the store. */
  readonly removeGuest: (sub: string) => Promise<void>;
}

/** Creates the repository of users with those of the settings. */
export function userRepository(
  settings: ResolvedSettings,
  { issuer, now, trace, claims, removeGuest }: UserRepositoryContext,
  sharing?: SharedChanges,
): UserRepository {
  const parse = (user: User) => {
    assertNoIssues(validateUser(user, isProductionIssuer(issuer)));
    return withoutPassword(user);
  };
  const configured = new Set(settings.users);
  return repository(settings.users, {
    collection: "users",
    getId: (user) => user.sub,
    parse(user) {
      const registered = parse(user);
      // Configured users are checked together at start.
      if (!configured.has(user)) {
        for (const warning of userWarnings(claims, settings.scopes, user)) {
          trace({ type: "configuration_warning", at: now(), ...warning });
        }
      }
      return registered;
    },
    serialize: (user) => user,
    deserialize: (stored) => parse(stored as User),
    deleteRelated: removeGuest,
  }, sharing);
}
