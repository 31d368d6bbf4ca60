/** The process this program runs in: arguments, environment, files, signals, exit. */

/** What every runtime offers in the same shape. */
export interface ProcessEnvironment {
  /** The arguments, without runtime and program. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person looks at what is printed. */
  readonly isTerminal: boolean;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** Why this runtime is not good enough, in a sentence; absent when it is. */
  readonly unsupported?: string;
  /** Rejects with whatever the runtime throws. */
  readTextFile(path: string): Promise<string>;
  /** Calls back at the first SIGINT or SIGTERM, and again at each further one. */
  onStop(callback: () => void): void;
  exit(code: number): never;
}
