/** The decision of a user about an authorization request. */

import type { User } from "../clients/client.ts";
import type { WithExtensions } from "../slot.ts";

/**
 * The decision of a user, with the values that extensions keep of it, such as the granted part of other access. An
 * extension reads its value in a step of `granted`; otherwise a grant has the values of the request.
 */
export interface Approval extends WithExtensions {
  /** The object that `users.find` or `users.list` returned, not a copy. */
  readonly user: User;
  /** The allowed part of the requested scope. */
  readonly scope: readonly string[];
  /** When the user was authenticated, in milliseconds since the epoch. */
  readonly authTime: number;
  /** The id of the consent, if the user was asked. `store.revoke(id)` ends everything that was issued for it. */
  readonly consent?: string;
}
