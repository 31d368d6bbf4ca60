/** The users of a server: validation, the default user, and what follows when a user is changed or removed. */

import { assertNoIssues, type ConfigurationWarning } from "../../core/rules/configuration_error.ts";
import { validateUser } from "../config/validate_user.ts";
import type { ServerClaimRules } from "../config/received_claims.ts";
import type { User } from "../../core/clients/client.ts";
import type { Policy } from "../../core/policy/policy.ts";
import type { Server } from "../../core/server.ts";
import { getPassword, withoutPassword } from "../config/password_digest.ts";
import type { Trace } from "../trace.ts";
import { type CreateRepository, memoryRepository, type ServerRepository } from "./repository.ts";

/** @internal The users of a server; `login: "auto"` logs in the first one. */
export interface UserRepository extends ServerRepository<User, User> {
  /**
   * When this instance made another user the default, in milliseconds since the epoch; 0 if it did not. `login: "auto"`
   * ignores a session that is older.
   */
  defaultChosenAt(): number;
  /** The member `password` of a user. Without one, `none` if a login needs a password, otherwise `undefined`. */
  passwordOf(user: User): string | undefined;
}

/** Called when the sessions of a user have ended, because the user was removed or the password was changed. */
type SessionsEndListener = (user: User, cause: "removed" | "password changed") => void;

/** @internal The users, as the server itself knows them. */
export interface ServerUsers extends UserRepository {
  onSessionsEnded(listener: SessionsEndListener): void;
}

const generationByUser = new WeakMap<User, string>();

/** The generation of a registered user; `undefined` for a configured user who was never removed. */
export function generationOf(user: User): string | undefined {
  return generationByUser.get(user);
}

/** Finds the claims of a user that no client can receive. */
export type UserWarnings = (
  rules: ServerClaimRules,
  scopes: readonly string[],
  user: User,
) => readonly ConfigurationWarning[];

/** What the users of a server depend on. */
export interface UsersOptions extends Pick<Server, "now"> {
  readonly policy: Policy;
  readonly users: readonly User[];
  readonly trace: Trace;
  readonly claims: ServerClaimRules;
  /** Absent if nothing listens. */
  readonly userWarnings?: UserWarnings;
  /** Whether users without a password cannot log in: logins happen on pages, which ask for one. */
  readonly requirePasswords: boolean;
  /** Whether guest users may be created. If false, existing guest users are ignored. */
  readonly acceptsGuests: boolean;
  /** Creates the repository. Default: in memory. */
  readonly createRepository?: CreateRepository;
}

export function serverUsers(
  { policy, users, now, trace, claims, userWarnings, requirePasswords, ...options }: UsersOptions,
): ServerUsers {
  const { acceptsGuests, createRepository = memoryRepository } = options;
  let chosenAt = 0;
  const listeners: SessionsEndListener[] = [];
  const sessionsOver: SessionsEndListener = (...change) => listeners.forEach((listener) => listener(...change));
  const repository = createRepository<User, User>(users, {
    kind: "user",
    acceptsExpiring: acceptsGuests,
    idOf: (user) => user.sub,
    parse(user) {
      assertNoIssues(validateUser(user, policy.allows.openLogin));
      return withoutPassword(user);
    },
    serialize: (user) => user,
    generationOf,
    assignGeneration: (user, generation) => void generationByUser.set(user, generation),
    changed(former, current) {
      if (current === undefined) return sessionsOver(former!, "removed");
      if (former !== undefined && getPassword(former) !== getPassword(current)) {
        sessionsOver(former, "password changed");
      }
      for (const warning of userWarnings?.(claims, policy.scopes, current) ?? []) {
        trace({ type: "configuration_warning", at: now(), ...warning });
      }
    },
  });
  return {
    ...repository,
    async makeDefault(sub) {
      const exists = await repository.makeDefault(sub);
      if (exists) chosenAt = now();
      return exists;
    },
    defaultChosenAt: () => chosenAt,
    onSessionsEnded: (listener) => void listeners.push(listener),
    passwordOf(user) {
      // No session has "none", because the user cannot log in.
      return getPassword(user) ?? (requirePasswords ? "none" : undefined);
    },
  };
}
