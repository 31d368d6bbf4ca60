/** Describes the values of users. */

import { userField as own } from "../../core/clients/client_fields.ts";
import type { User } from "../../core/clients/client.ts";
import { type Field, object, text } from "../../core/policy/field.ts";

const digest = "$scrypt$ln=15,r=8,p=3$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo";

/** The description of {@link User}, which may have any other member. */
export const userField = object<Pick<User, "sub" | "name" | "email" | "password">>(
  "User",
  {
    ...own.members,
    name: text(["Alice"]),
    email: text(["alice@example.com"]),
    password: text([digest], {
      mayBeReference: true,
      expected: "a password or its scrypt digest, as latchkey hash-password prints it",
    }),
  },
  { sub: "alice", name: "Alice", email: "alice@example.com" },
  { required: own.required, others: own.others },
);

/**
 * The description of a user who is not in a file: a standard claim of a wrong type then causes a warning, not an issue.
 */
export const registeredUserField: Field<User> = {
  ...userField,
  members: { ...own.members, password: userField.members.password },
};
