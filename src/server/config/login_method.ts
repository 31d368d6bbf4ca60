/** The methods of login. */

/**
 * How a user logs in: `auto` without a page, with `login: "auto"`; `open` on the login page without a password;
 * `password` on the login page; `approver` as the approver of the embedding program states.
 *
 * @internal
 */
export type LoginMethod = "auto" | "open" | "password" | "approver";
