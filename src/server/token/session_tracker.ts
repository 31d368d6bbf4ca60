/** What is told of the end of sessions. Types only. */

import type { User } from "../../core/clients/client.ts";

/** A page of a client that the logout page shows in a hidden frame, so that the client ends its own session. */
export interface LogoutFrame {
  /** The name or ID of the client. */
  readonly client: string;
  /** The absolute URL of the page. */
  readonly src: string;
}

/** The frames that the browser must load after sessions have ended. */
export interface LogoutFrames {
  frames(): Promise<readonly LogoutFrame[]>;
  /** How long the logout page waits for them, in seconds. */
  readonly timeoutSeconds: number;
}

/** @internal Tracks the sessions in which something was issued, and is called when they end. */
export interface SessionTracker<Server> {
  /** Called when sessions of a user have ended. `undefined`: nothing remains to do. */
  sessionsEnded(server: Server, sub: string, sids: readonly string[]): Promise<LogoutFrames | undefined>;
  /** The ids of the tracked sessions of a user that have not ended. */
  findSessions(server: Server, sub: string): readonly string[] | Promise<readonly string[]>;
  /**
   * Called when a user was removed or has another password, or when the tokens of a user were revoked, after the
   * tracked sessions have ended. Default: nothing happens.
   */
  accessEnded?(
    server: Server,
    user: User,
    cause: "removed" | "password changed" | "tokens revoked",
  ): Promise<unknown>;
}
