/** The verification of a password. Types only. */

import type { User } from "../../core/clients/client.ts";

/** The result of an attempt; the seconds to wait if attempts are rate-limited. */
export type PasswordResult = "right" | "wrong" | { readonly retryAfterSeconds: number };

/** What a login page sent. */
export interface Guess {
  /** The typed name. */
  readonly sub: string;
  /** The user with this subject, if one exists. */
  readonly user?: User;
  readonly password: string;
  readonly address?: string;
  /** Whether this user has logged in before in the same browser. Default: false. */
  readonly isKnownBrowser?: boolean;
}

export type VerifyPassword<Server> = (server: Server, guess: Guess) => Promise<PasswordResult>;
