/** The check of a client of a running server: its types. `check/client_check.ts` creates it. */

import type { Plugin } from "../server/hosting/options.ts";

/** @internal What is checked, and how. */
export interface ClientCheckOptions {
  /** The ID of a configured client. */
  readonly client: string;
  /** The URL that starts a login of the application, on a test host. */
  readonly loginUrl: string;
  /** A page that shows whether, and who, is logged in. Default: the page where the login ends. */
  readonly loggedInUrl?: string;
  /** A text that only the page of the user has. Default: the e-mail address, the name or the `sub`. */
  readonly loggedInText?: string;
  /** A page where the application refreshes tokens. Default: the attacks on refreshes are skipped. */
  readonly refreshUrl?: string;
  /** Whether the client verifies the signature of an ID token from the token endpoint. Default: true. */
  readonly verifiesIdTokenSignature?: boolean;
  /** The attacks to run, by id or by category. Default: all. */
  readonly only?: readonly string[];
  /** The attacks to leave out, by id or by category. Default: none. */
  readonly except?: readonly string[];
}

/** @internal How far a check is. */
export interface ClientCheckState {
  /** `none`: no check was started; `failed`: the check itself failed, and there is no report. */
  readonly status: "none" | "running" | "ended" | "stopped" | "failed";
  /** The ID of the client; absent if no check was started. */
  readonly client?: string;
  /** The journeys that have a result. */
  readonly done: number;
  /** The journeys of the check; 0 until the first one has a result. */
  readonly total: number;
  /** The journeys in which an attack succeeded. */
  readonly failed: number;
  /** The journeys that showed nothing. */
  readonly inconclusive: number;
  /** Whether the report has no failure; absent until there is a report. */
  readonly passed?: boolean;
  /** Why the check itself failed, or why a login without an attack failed, so that most journeys showed nothing. */
  readonly error?: string;
}

/** Another check is running. */
export class CheckRunningError extends Error {
  /** Creates the error; `client` is the one that is checked. */
  constructor(client: string) {
    super(`A check of ${client} is running. Stop it, or wait until it ends.`);
    this.name = "CheckRunningError";
  }
}

/** @internal The check of the clients of one server. */
export interface ClientCheck {
  /** Passes requests to the private mock while a check runs. It must wrap every plugin that stores requests. */
  readonly plugin: Plugin;
  /**
   * Starts a check.
   *
   * @param issuer The issuer that the client is configured with.
   * @throws {ConfigurationError} If an option is invalid.
   * @throws {CheckRunningError} If a check is running.
   */
  start(options: ClientCheckOptions, issuer: string): Promise<ClientCheckState>;
  /** The status and progress of the last check. */
  state(): ClientCheckState;
  /** The report of the last check; `undefined` until it ended. */
  report(): { toJSON(): Readonly<Record<string, unknown>> } | undefined;
  /** Stops the check, if one is running. Its report has the results until then. */
  stop(): Promise<ClientCheckState>;
}
