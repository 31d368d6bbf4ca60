/** Verbs of users. */

import { userForHint } from "../../../server/clients/login_hint.ts";
import type { User } from "../../../core/clients/client.ts";
import { userField } from "../../../server/config/user_fields.ts";
import { anyValue, list, object, record, text } from "../../../core/policy/field.ts";
import { notFound } from "../control_error.ts";
import { defineVerb, noInput } from "../verb.ts";

/** The users of the server. */
interface UserList {
  /** The users with all claims, without passwords; the default user first. */
  readonly users: readonly User[];
}

/** A user. */
interface UserId {
  /** The subject of the user. */
  readonly sub: string;
}

const example: User = { sub: "carol", name: "Carol", roles: ["admin"] };

const userResult = record(anyValue, { ...example }, "a user with claims");

/**
 * Creates users with any claims, lists and removes them. A persistent store keeps them, but a change of a configured
 * user lasts until the process ends.
 */
export const userVerbs = [
  defineVerb<User, User>({
    name: "users.set",
    summary: "Creates a user with these claims, or replaces the one with this `sub`.",
    input: userField as never,
    result: userResult as never,
    run: ({ app: { server } }, user) => server.users.set(user),
  }),
  defineVerb({
    name: "users.all",
    summary: "Lists the users.",
    reads: true,
    ...noInput,
    result: object<UserList>("UserList", { users: list(userResult as never, [[example]]) }, { users: [example] }),
    returns: "users",
    run: async ({ app }) => ({ users: await app.server.users.list() }),
  }),
  defineVerb({
    name: "users.delete",
    summary: "Removes a user and ends the sessions of the user.",
    input: object<UserId>("UserId", { sub: text(["carol"]) }, { sub: "carol" }, { required: ["sub"] }),
    args: ["sub"],
    async run({ app: { server } }, { sub: name }) {
      const sub = (await userForHint(server, name))?.sub ?? name;
      if (await server.users.delete(sub, "the control")) return;
      throw notFound("No user has this sub.", "sub", "the sub of a user", sub);
    },
  }),
];
