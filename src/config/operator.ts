/** What only the person who starts the server decides, and the five things that can be said without a file. */

import type { Settings } from "../oauth/settings.ts";

/** What a configuration file may hold: the settings, and where to listen and what to keep. */
export interface FileContent extends Settings {
  /** Where the JSON Schema of this file is; for editors only. */
  readonly $schema?: string;
  /** The TCP port to listen on, 0 to 65535; 0 takes any free one. Default 9000. */
  readonly port?: number;
  /** The name or address to listen on. Default `localhost`. */
  readonly host?: string;
  /** Where records are kept, as {@link parseStore} reads it. Default `memory`. */
  readonly store?: string;
}

/** Where records are kept. */
export type StoreChoice =
  | { readonly kind: "memory" }
  | {
    readonly kind: "sqlite";
    /** The database file, relative to the working directory. */
    readonly path: string;
    /** What a finished write survives: the end of the process, or the loss of power too, which is slower. */
    readonly durability: "process" | "power";
  };

/** What holds where nobody says anything. */
export const defaults = { port: 9000, host: "localhost", store: "memory" } as const;

/** What can be said by flag and by environment variable, in the order in which people read about it. */
export const operatorNames = ["port", "host", "issuer", "store", "config"] as const;

/** One of the names that flags (`--port`) and variables (`LATCHKEY_PORT`) have in common. */
export type OperatorName = typeof operatorNames[number];

/** Something said by a flag or a variable; without a value when what was said cannot be used. */
export interface Said {
  /** `--port` or `LATCHKEY_PORT`. */
  readonly place: string;
  readonly value?: string;
}

/** What flags or the environment said. */
export type Sayings = Partial<Record<OperatorName, Said>>;

/** What may be said under a name. */
interface OperatorRule {
  /** What is right, as a noun phrase. */
  readonly expected: string;
  /** A value that is right. */
  readonly example: string;
  readonly accepts: (value: string) => boolean;
}

/** A name, an IPv4 or an IPv6 address: no scheme, port, path or brackets. */
export const hostPattern = /^([A-Za-z0-9_.-]+|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9_.-]+)?)$/;

/** `memory`, or `sqlite:` and a path, which may ask for durability. */
export const storePattern = /^(memory|sqlite:[^?]+(\?durability=power)?)$/;

/** The rules of everything that can be said without a file. An issuer is judged later, with the settings. */
export const operatorRules: Readonly<Record<OperatorName, OperatorRule>> = {
  port: {
    expected: "a whole number from 0 to 65535",
    example: "9000",
    accepts: (value) => /^[0-9]{1,5}$/.test(value) && Number(value) <= 65535,
  },
  host: {
    expected: "a host name or address without scheme and port",
    example: "localhost",
    accepts: (value) => hostPattern.test(value),
  },
  issuer: { expected: "an absolute URL", example: "http://localhost:9000", accepts: () => true },
  store: {
    expected: "memory, sqlite:PATH or sqlite:PATH?durability=power",
    example: "sqlite:latchkey.db",
    accepts: (value) => storePattern.test(value),
  },
  config: { expected: "the path of a JSON file", example: "latchkey.json", accepts: () => true },
};

/** Reads what {@link storePattern} accepts. Without `?durability=power` a write survives the end of the process. */
export function parseStore(text: string): StoreChoice {
  if (text === "memory") return { kind: "memory" };
  const [path = "", wish] = text.slice("sqlite:".length).split("?");
  return { kind: "sqlite", path, durability: wish === undefined ? "process" : "power" };
}
