/**
 * What follows when sessions end: extensions call clients, or let the browser load their pages. The server is a type
 * parameter, because `server.ts` imports these types.
 */

/** @internal Called when sessions end. */
export interface SessionWatcher<Server> {
  /** Called when sessions of a user have ended. `undefined`: nothing remains to do. */
  sessionsEnded(server: Server, sub: string, sids: readonly string[]): Promise<LogoutFrames | undefined>;
}

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
