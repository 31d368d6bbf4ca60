/** The interface to the process: arguments, environment variables, files, signals, exit. */

/** The process, with the same interface on every runtime. */
export interface ProcessEnvironment {
  /** The command line arguments, without runtime and program. */
  readonly args: readonly string[];
  /** The path or URL of the module that the runtime was started with. */
  readonly mainModule: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard error, which receives the log, is a terminal. */
  readonly isTerminal: boolean;
  /** Whether standard output, which receives the banner, is a terminal. */
  readonly isOutputTerminal: boolean;
  /** The width of the terminal in characters; `undefined` if it is unknown. */
  readonly terminalWidth: () => number | undefined;
  /** The clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** Why this version of the runtime is not supported, in one sentence; absent if it is supported. */
  readonly unsupported?: string;
  /** Reads a file in UTF-8 or UTF-16, without a byte order mark. Rejects with the error of the runtime. */
  readTextFile(path: string): Promise<string>;
  /** Writes a line of the log to standard error. `console.error` takes at least twice as long. */
  writeLogLine(line: string): void;
  /** Calls back at every SIGINT and SIGTERM, and once when the program that started this process by `npx` has ended. */
  onStop(callback: () => void): void;
  exit(code: number): never;
}
