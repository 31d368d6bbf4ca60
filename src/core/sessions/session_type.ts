/** The type of a session. `session.ts` has its functions. */

import type { User } from "../clients/client.ts";
import type { Subject } from "../store/store.ts";

/** The login of a user in a browser. */
export interface Session extends Subject {
  /** The user, as they were at the login, or when the cookie was read. */
  readonly user: User;
  /** The session id. Grants bound to it are revoked with the session. */
  readonly sid: string;
  /** When the user logged in, in milliseconds since the epoch. */
  readonly authTime: number;
  /** Ids of earlier sessions of the same user in this browser, latest first; they end with this one. */
  readonly earlier?: readonly string[];
}
