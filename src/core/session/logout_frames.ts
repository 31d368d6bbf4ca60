/** The frames that the browser must load after sessions have ended. */

/** A page of a client that the logout page shows in a hidden frame, so that the client ends its own session. */
export interface LogoutFrame {
  /** The name or ID of the client. */
  readonly client: string;
  /** The absolute URL of the page. */
  readonly src: string;
}

/** The frames of the logout page. */
export interface LogoutFrames {
  /** Loads the frames. */
  frames(): Promise<readonly LogoutFrame[]>;
  /** How long the logout page waits for them, in seconds. */
  readonly timeoutSeconds: number;
}
