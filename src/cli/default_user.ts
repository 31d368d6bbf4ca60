/** The option `user`: whom automatic login logs in. */

import type { User } from "../core/clients/client.ts";
import { ConfigurationError } from "../core/rules/configuration_error.ts";
import { matchesLoginHint } from "../server/clients/login_hint.ts";
import { demoUsers } from "../server/config/demo_entries.ts";
import type { Settings } from "../server/config/settings.ts";
import type { UserRepository } from "../server/clients/users.ts";

/** The settings with this user as the first of the list, so that a reset by the control keeps the default user. */
export function withUserFirst<Given extends Pick<Settings, "users">>(
  settings: Given,
  sub: string | undefined,
): Given {
  const { users = demoUsers } = settings;
  if (users === "any") return settings;
  const isDefault = (user: User) => sub !== undefined && matchesLoginHint(sub, user);
  return users.some(isDefault)
    ? { ...settings, users: [...users.filter(isDefault), ...users.filter((user) => !isDefault(user))] }
    : settings;
}

/**
 * Makes the user of the option the default, also one that only the store has.
 *
 * @throws {ConfigurationError} If there is no such user.
 */
export async function chooseDefaultUser(
  users: Pick<UserRepository, "makeDefault" | "list">,
  sub: string | undefined,
): Promise<void> {
  if (sub === undefined || await users.makeDefault(sub)) return;
  const named = (await users.list({ limit: 1000 })).find((user) => matchesLoginHint(sub, user));
  if (named !== undefined && await users.makeDefault(named.sub)) return;
  const known = (await users.list({ limit: 5 })).map((user) => user.preferred_username ?? user.sub).join(", ");
  throw new ConfigurationError([{
    path: "user",
    expected: `the sub, e-mail address or preferred_username of a user, such as ${known}`,
    received: JSON.stringify(sub),
    hint: "Choose a user of the list users, or add this one to it.",
  }]);
}
