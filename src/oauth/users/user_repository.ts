/**
 * Users: this repository is where they are found and changed; it validates a user, and warns of claims without effect.
 * `../records/` keeps users in memory or in the store. `password.ts` has password digests, `subject.ts` the subject that
 * a client sees, `users.ts` the guest users of the login page.
 */

import type { ClaimRules } from "../claims.ts";
import type { User } from "../clients/client.ts";
import type { UserRepository } from "../clients/repository.ts";
import type { ConfigurationWarning } from "../config/config_issue.ts";
import { assertNoIssues } from "../config/configuration_error.ts";
import type { ResolvedSettings } from "../config/resolve_settings.ts";
import { validateUser } from "../config/validate_user.ts";
import { chain } from "../maybe_promise.ts";
import { memoryRepository } from "../records/memory_repository.ts";
import type { CreateRepository } from "../records/repository.ts";
import type { Server } from "../server.ts";
import { assignGeneration, generationOf } from "./generation.ts";
import { getPasswordDigest, withoutPassword } from "./password.ts";

/** Finds the claims of a user that no client can receive. */
export type UserWarnings = (
  rules: ClaimRules,
  scopes: readonly string[],
  user: User,
) => readonly ConfigurationWarning[];

/** The part of the server that a user repository needs. */
interface UserRepositoryContext extends Pick<Server, "now" | "trace"> {
  readonly claims: ClaimRules;
  /** Absent if nothing listens. */
  readonly userWarnings?: UserWarnings;
  /** Whether guest users may be created; existing ones are ignored otherwise. */
  readonly acceptsGuests: boolean;
  /** Called when the sessions of a user are over, because the user was removed or has another password. */
  onSessionsOver(sub: string): void;
}

/**
 * Creates the repository with the users of the settings.
 *
 * @param create Default: in memory.
 */
export function userRepository(
  settings: ResolvedSettings,
  { now, trace, claims, userWarnings, acceptsGuests, onSessionsOver }: UserRepositoryContext,
  create: CreateRepository = memoryRepository,
): UserRepository {
  const parse = (user: User) => {
    assertNoIssues(validateUser(user, settings.allows.openLogin));
    return withoutPassword(user);
  };
  const configured = new Set(settings.users);
  const passwordOf = (user: User) => JSON.stringify(getPasswordDigest(user));
  const repository = create<User, User>(settings.users, {
    kind: "user",
    acceptsExpiring: acceptsGuests,
    getId: (user) => user.sub,
    idOf: (user) => user.sub,
    parse(user) {
      const registered = parse(user);
      // Configured users are checked together at start.
      if (userWarnings !== undefined && !configured.has(user)) {
        for (const warning of userWarnings(claims, settings.scopes, user)) {
          trace({ type: "configuration_warning", at: now(), ...warning });
        }
      }
      return registered;
    },
    serialize: (user) => user,
    deserialize: (stored) => parse(stored as User),
    generations: { of: generationOf, assign: assignGeneration },
  });
  let chosenAt = 0;
  return {
    ...repository,
    defaultChosenAt: () => chosenAt,
    makeDefault: (sub) =>
      chain(repository.makeDefault(sub), (exists) => {
        if (exists) chosenAt = now();
        return exists;
      }),
    set(user) {
      const former = repository.findCached(user.sub);
      return chain(repository.set(user), (current) => {
        if (former !== undefined && passwordOf(former) !== passwordOf(current)) onSessionsOver(current.sub);
        return current;
      });
    },
    delete: (sub, by) =>
      chain(repository.delete(sub, by), (existed) => {
        if (existed) onSessionsOver(sub);
        return existed;
      }),
  };
}
