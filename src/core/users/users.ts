/**
 * Users: their repository, validation, generations and subject identifiers, and the users that requests name or create
 * (`login_hint`, guests).
 */

import { isDeeperThan } from "../json_value.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import type { Subject } from "../store/store.ts";
import type { ClaimRules } from "../claims.ts";
import type { User } from "../clients/client.ts";
import { registeredUserField } from "../../server/config/user_fields.ts";
import type { Client, UserRepository } from "../clients/repository.ts";
import { assertNoIssues } from "../../server/config/config_issue.ts";
import type { ConfigIssue, ConfigurationWarning } from "../configuration_error.ts";
import type { Policy } from "../policy.ts";
import { validate } from "../../server/config/field.ts";
import { type CreateRepository, memoryRepository } from "../../server/hosting/records/repository.ts";
import type { Server } from "../server.ts";
import { getPasswordDigest, isWeakDigest, parsePasswordDigest, withoutPassword } from "./password.ts";

/** Maximum number of users, including configured ones. Beyond it, no guest user is created. */
export const maxUsers = 1000;

/** Maximum number of users of the store that are searched for a `login_hint`. */
const maxSearchedUsers = 1000;

/** Whether a `login_hint` names this user: by `sub`, e-mail address or `preferred_username`. */
export function matchesLoginHint(hint: string, { sub, email, preferred_username }: User): boolean {
  return sub === hint || preferred_username === hint ||
    typeof email === "string" && email.toLowerCase() === hint.toLowerCase();
}

/** The user that a `login_hint` names, by `sub`, e-mail address or `preferred_username`. */
export async function userForHint({ users }: Pick<Server, "users">, hint: string): Promise<User | undefined> {
  const isHinted = (user: User) => matchesLoginHint(hint, user);
  return await users.find(hint) ?? [...users.known().values()].find(isHinted) ??
    (await users.list({ limit: maxSearchedUsers })).find(isHinted);
}

/**
 * Creates a guest user, kept as long as any of its grants can be valid. `undefined` if the subject is taken.
 *
 * @param user Must be valid.
 */
export async function createGuestUser({ users, settings, now }: Server, user: User): Promise<User | undefined> {
  const { lifetimes } = settings;
  return await users.add(user, now() + Math.max(lifetimes.session, lifetimes.refresh_token) * 1000);
}

const generationByUser = new WeakMap<User, string>();

/** The generation of a registered user; `undefined` for a configured user who was never removed. */
export function generationOf(user: User): string | undefined {
  return generationByUser.get(user);
}

/** The current generation of a user; `undefined` if the user has none, or does not exist. */
export async function currentGeneration(server: Server, sub: string): Promise<string | undefined> {
  const user = await server.users.find(sub);
  return user && generationOf(user);
}

/**
 * The user for whom a code or token was issued.
 *
 * @param generation The generation of the user at that time.
 * @returns `undefined` if the user was removed, even if another user with the same subject was added since.
 */
export async function findUser(
  server: Server,
  sub: string,
  generation: string | undefined,
): Promise<User | undefined> {
  const user = await server.users.find(sub);
  return user && generationOf(user) === generation ? user : undefined;
}

/** The session id for a client. A shared id would reveal that two pairwise subjects are the same user. */
export function sessionIdFor(server: Server, client: Client, sid: string): MaybePromise<string> {
  return client.subjectType === "public" ? sid : server.subjectFor(server, client, `session ${sid}`);
}

/** The subject and the session id for a client. */
export function identifiersFor(server: Server, client: Client, subject: Subject): MaybePromise<SubjectIdentifiers> {
  return client.subjectType === "public" ? subject : pairwiseIdentifiers(server, client, subject);
}

async function pairwiseIdentifiers(
  server: Server,
  client: Client,
  { sub, sid }: Subject,
): Promise<SubjectIdentifiers> {
  return { sub: await server.subjectFor(server, client, sub), sid: sid && await sessionIdFor(server, client, sid) };
}

/** The identifiers of a user and of their session for a client. */
type SubjectIdentifiers = Pick<Subject, "sub" | "sid">;

/** Finds the claims of a user that no client can receive. */
export type UserWarnings = (
  rules: ClaimRules,
  scopes: readonly string[],
  user: User,
) => readonly ConfigurationWarning[];

/** Called when the sessions of a user have ended, because the user was removed or the password was changed. */
export type OnSessionsOver = (user: User, cause: "removed" | "password changed") => void;

/** The part of the server that a user repository needs. */
interface UserRepositoryContext extends Pick<Server, "now" | "trace"> {
  readonly claims: ClaimRules;
  /** Absent if nothing listens. */
  readonly userWarnings?: UserWarnings;
  readonly requirePasswords: boolean;
  /** Whether guest users may be created. If false, existing guest users are ignored. */
  readonly acceptsGuests: boolean;
  readonly onSessionsOver: OnSessionsOver;
}

/**
 * Creates the repository.
 *
 * @param configured The configured users.
 * @param create Default: in memory.
 */
export function userRepository(
  settings: Policy,
  configured: readonly User[],
  { now, trace, claims, userWarnings, requirePasswords, acceptsGuests, onSessionsOver }: UserRepositoryContext,
  create: CreateRepository = memoryRepository,
): UserRepository {
  let chosenAt = 0;
  const passwordOf = (user: User) => JSON.stringify(getPasswordDigest(user));
  const repository = create<User, User>(configured, {
    kind: "user",
    acceptsExpiring: acceptsGuests,
    getId: (user) => user.sub,
    idOf: (user) => user.sub,
    parse(user) {
      assertNoIssues(validateUser(user, settings.allows.openLogin));
      return withoutPassword(user);
    },
    serialize: (user) => user,
    generationOf,
    assignGeneration: (user, generation) => void generationByUser.set(user, generation),
    changed(former, current) {
      if (current === undefined) onSessionsOver(former, "removed");
      else if (passwordOf(former) !== passwordOf(current)) onSessionsOver(former, "password changed");
    },
  });
  const warnAbout = (user: User) => {
    for (const warning of userWarnings?.(claims, settings.scopes, user) ?? []) {
      trace({ type: "configuration_warning", at: now(), ...warning });
    }
  };
  const noteDefault = (exists: boolean) => {
    if (exists) chosenAt = now();
    return exists;
  };
  return {
    ...repository,
    set(user) {
      const result = repository.set(user);
      warnAbout(user);
      return result;
    },
    add(user, expiresAt) {
      const result = repository.add(user, expiresAt);
      warnAbout(user);
      return result;
    },
    makeDefault(sub) {
      const result = repository.makeDefault(sub);
      return result instanceof Promise ? result.then(noteDefault) : noteDefault(result);
    },
    defaultChosenAt: () => chosenAt,
    requirePasswords,
  };
}

/**
 * All issues of one user; paths are relative to the user.
 *
 * @param openLogin `allows.openLogin`. Without it, a digest that is cheap to guess is an issue.
 */
export function validateUser(user: User, openLogin = true): ConfigIssue[] {
  const issues = validate(registeredUserField, user);
  if (issues.length > 0) return issues;
  const { sub: _, password, ...claims } = user;
  if (password !== undefined) issues.push(...validatePassword(password, openLogin));
  for (const [path, value] of Object.entries(claims)) {
    if (isDeeperThan(maxClaimDepth, value)) {
      issues.push({
        path,
        expected: `arrays and objects nested at most ${maxClaimDepth} deep`,
        received: "deeper nesting",
        hint: "Reduce the nesting.",
      });
    } else if (containsBigInt(value)) {
      issues.push({
        path,
        expected: "a value that JSON can represent",
        received: "a BigInt",
        hint: "Use a number or a string.",
      });
    }
  }
  return issues;
}

function validatePassword(password: string, openLogin: boolean): ConfigIssue[] {
  const digest = parsePasswordDigest(password);
  if (digest !== undefined && (openLogin || !isWeakDigest(digest))) return [];
  return [{
    path: "password",
    expected: digest === undefined
      ? "the scrypt digest of a password, with at most 128 MiB and 16 lanes"
      : "a digest that costs at least as much to guess as scrypt with ln=16, r=8, p=1, because the issuer is not on a " +
        "test host",
    received: digest === undefined ? "another string (hidden)" : `ln=${digest.ln}, r=${digest.r}, p=${digest.p}`,
    hint: "Run latchkey hash-password (npx -y deno task start hash-password), and write its output.",
  }];
}

/** Maximum depth of claims: JSON.parse reads deeper values than JSON.stringify can write. */
const maxClaimDepth = 32;

function containsBigInt(value: unknown): boolean {
  return typeof value === "bigint" ||
    typeof value === "object" && value !== null && Object.values(value).some(containsBigInt);
}
