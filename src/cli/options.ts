/** What only the person who starts the server decides, and the things that can be said without a file. */

import { isLoopback } from "../oauth/test_hosts.ts";
import type { ConfigurationWarning } from "../oauth/config/config_issue.ts";
import type { ClientMetadata, User } from "../oauth/clients/client.ts";
import type { Settings } from "../oauth/config/settings.ts";

/** What a configuration file may hold: the settings, and where to listen and what to keep. */
export interface ConfigFile extends Settings {
  /** Where the JSON Schema of this file is; for editors only. */
  readonly $schema?: string;
  /** The TCP port to listen on, 0 to 65535; 0 takes any free one. Default 9000. */
  readonly port?: number;
  /** The name or address to listen on. Default `localhost`. */
  readonly host?: string;
  /** Where records are kept, as {@link parseStore} reads it. Default `memory`. */
  readonly store?: string;
  /** Whether there are pages that show each login. Default: on where the issuer is a test host. */
  readonly inspector?: boolean;
  /** Allow the inspector although the issuer is not a test host. */
  readonly insecureAllowInspector?: boolean;
  /** How the log reads. Default `text`. */
  readonly log?: typeof logFormats[number];
  /** The TCP port on which Prometheus finds /metrics; 0 takes any free one. Default: none. */
  readonly metricsPort?: number;
  /** The name or address of that port. Default `localhost`. */
  readonly metricsHost?: string;
  /** The file with the certificate, and those that vouch for it, as PEM. Default: none, and plain http. */
  readonly tlsCert?: string;
  /** The file with its private key, as PEM. */
  readonly tlsKey?: string;
  /** Requests that may be under way at the same time. Default 1000. */
  readonly maxInFlight?: number;
  /** Seconds for which a server that is told to stop goes on serving, not ready any more. Default 0. */
  readonly drain?: number;
}

/** Where a secret is found that does not stand in the file itself. */
export type SecretSource = { readonly env: string } | { readonly file: string };

/** The same as it is written down: a secret may be elsewhere. */
export type RawConfigFile = Omit<ConfigFile, "clients" | "users"> & {
  readonly clients?: readonly (Omit<ClientMetadata, "client_secret"> & {
    readonly client_secret?: string | SecretSource;
  })[];
  readonly users?: readonly (Pick<User, "sub" | "name" | "email"> & {
    readonly password?: string | SecretSource;
    readonly [claim: string]: unknown;
  })[];
};

/** Where records are kept. */
export type StoreChoice =
  | { readonly kind: "memory" }
  | {
    readonly kind: "sqlite";
    /** The database file, relative to the working directory. */
    readonly path: string;
    /** What a finished write survives: the end of the process, or the loss of power too, which is slower. */
    readonly durability: "process" | "power";
  }
  | {
    readonly kind: "postgres" | "redis";
    /** The server, with its user and password. */
    readonly url: string;
    /** The same as it may be shown. */
    readonly displayUrl: string;
    /** What the URL's query says of the store itself; the rest of the query is for the driver. */
    readonly options: Readonly<Record<string, string | number>>;
  };

/** What holds where nobody says anything. */
export const defaults = {
  port: 9000,
  host: "localhost",
  store: "memory",
  log: "text",
  metricsHost: "localhost",
  maxInFlight: 1000,
  drain: 0,
} as const;

/** Who is asked: nobody, or whoever is there. */
export const loginModes = ["auto", "interactive"] as const;

/** How the log reads: for people, for programs, or not at all. */
export const logFormats = ["text", "json", "off"] as const;

/** The header that the trusted proxies write. */
export const proxyHeaders = ["x-forwarded-for", "forwarded"] as const;

/** What can be said by flag and by environment variable, in the order in which people read about it. */
export const optionNames = [
  ...["port", "host", "issuer", "login", "store", "inspector"] as const,
  ...[
    "log",
    "metrics-port",
    "metrics-host",
    "trust-proxy",
    "proxy-header",
    "tls-cert",
    "tls-key",
    "max-in-flight",
    "drain",
  ] as const,
  "config",
] as const;

/** One of the names that flags (`--port`) and variables (`LATCHKEY_PORT`) have in common. */
export type OptionName = typeof optionNames[number];

/** Something said by a flag or a variable; without a value when what was said cannot be used. */
export interface RawOption {
  /** `--port` or `LATCHKEY_PORT`. */
  readonly source: string;
  readonly value?: string;
}

/** What flags or the environment said. */
export type RawOptions = Partial<Record<OptionName, RawOption>>;

/** What may be said under a name. */
interface OptionDefinition {
  /** What is right, as a noun phrase. */
  readonly expected: string;
  /** A value that is right. */
  readonly example: string;
  readonly accepts: (value: string) => boolean;
  /** How to fix this value, where an example is not enough. */
  readonly hintFor?: (value: string) => string | undefined;
  /** The value is the path of a file already, so that no other file need hold it. */
  readonly isPath?: true;
}

/** A name, an IPv4 or an IPv6 address: no scheme, port, path or brackets. */
export const hostPattern = /^([A-Za-z0-9_.-]+|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9_.-]+)?)$/;

/** `memory`, or `sqlite:` and a path, which may ask for durability, or the URL of a database server. */
export const storePattern = /^(memory|sqlite:[^?]+(\?durability=power)?|(postgres|postgresql|redis|rediss):\/\/\S+)$/;

const portOption = {
  expected: "a whole number from 0 to 65535",
  accepts: (value: string) => /^[0-9]{1,5}$/.test(value) && Number(value) <= 65535,
};

const hostOption = {
  expected: "a host name or address without scheme and port",
  example: "localhost",
  accepts: (value: string) => hostPattern.test(value),
};

const fileOption = { accepts: () => true, isPath: true } as const;

/** As much as a server may be told to have under way, or to wait for, in seconds. */
export const limits = { inFlight: 1_000_000, drain: 3600 } as const;

function storeHint(value: string): string | undefined {
  if (/^(?:postgres|redis)\w*:\/\//.test(value) && (!URL.canParse(value) || /\s/.test(value))) {
    return "Percent-encode all characters of user and password except letters and digits, and put @host after them.";
  }
  const isMistyped = /^(?:pg|postg|redi)/i.test(value) && !/^(?:postgres|postgresql|redis|rediss):\/\//.test(value);
  return isMistyped ? "Begin it with postgres:// or redis://." : undefined;
}

/** The rules of everything that can be said without a file. Issuer and proxies are judged later, with the settings. */
export const optionDefinitions: Readonly<Record<OptionName, OptionDefinition>> = {
  port: { ...portOption, example: "9000" },
  host: hostOption,
  login: {
    expected: "auto or interactive",
    example: "interactive",
    accepts: (value) => loginModes.some((mode) => mode === value),
  },
  issuer: { expected: "an absolute URL", example: "http://localhost:9000", accepts: () => true },
  store: {
    expected:
      "memory, sqlite:PATH, sqlite:PATH?durability=power, postgres://…?schema&connections&timeout&sslmode&sslrootcert or " +
      "redis://…?prefix&replicas&timeout",
    example: "sqlite:latchkey.db",
    accepts: isValidStore,
    hintFor: storeHint,
  },
  inspector: { expected: "on or off", example: "off", accepts: (value) => value === "on" || value === "off" },
  log: {
    expected: "text, json or off",
    example: "json",
    accepts: (value) => logFormats.some((format) => format === value),
  },
  "metrics-port": { ...portOption, example: "9464" },
  "metrics-host": hostOption,
  "trust-proxy": {
    expected: "addresses or networks, separated by commas",
    example: "127.0.0.1,10.0.0.0/8",
    accepts: () => true,
  },
  "proxy-header": {
    expected: "x-forwarded-for or forwarded",
    example: "x-forwarded-for",
    accepts: (value) => proxyHeaders.some((header) => header === value),
  },
  "tls-cert": { expected: "the path of a PEM file", example: "cert.pem", ...fileOption },
  "tls-key": { expected: "the path of a PEM file", example: "key.pem", ...fileOption },
  "max-in-flight": {
    expected: `a whole number from 1 to ${limits.inFlight}`,
    example: "1000",
    accepts: (value) => /^[1-9][0-9]{0,6}$/.test(value) && Number(value) <= limits.inFlight,
  },
  drain: {
    expected: `whole seconds from 0 to ${limits.drain}`,
    example: "10",
    accepts: (value) => /^[0-9]{1,4}$/.test(value) && Number(value) <= limits.drain,
  },
  config: { expected: "the path of a JSON file", example: "latchkey.json", ...fileOption },
};

/** Whether {@link parseStore} can read it. */
export function isValidStore(text: string): boolean {
  return storePattern.test(text) && (!text.includes("://") || isDatabaseUrl(text));
}

/** Reads what {@link isValidStore} accepts. Without `?durability=power` a write survives the end of the process. */
export function parseStore(text: string): StoreChoice {
  if (text === "memory") return { kind: "memory" };
  if (!text.startsWith("sqlite:")) return parseDatabaseUrl(text);
  const [path = "", query] = text.slice("sqlite:".length).split("?");
  return { kind: "sqlite", path, durability: query === undefined ? "process" : "power" };
}

/** What a query may say of a store: a text, a number, or something for the driver alone. */
const storeOptions = {
  postgres: { schema: "text", connections: "number", timeout: "number", sslmode: "driver", sslrootcert: "driver" },
  redis: { prefix: "text", timeout: "number", replicas: "number" },
} as const;

function getStoreOptions({ protocol }: URL): Readonly<Record<string, "text" | "number" | "driver">> {
  return storeOptions[protocol.startsWith("redis") ? "redis" : "postgres"];
}

/** Whether it is a URL whose query says nothing but what a store knows: a misspelt prefix would share another's records. */
function isDatabaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const known = getStoreOptions(url);
  return [...url.searchParams].every(([name, value]) =>
    Object.hasOwn(known, name) && value !== "" && (known[name] !== "number" || /^[0-9]{1,7}$/.test(value))
  );
}

/** Warns of a connection to a remote database server without TLS; `sslmode=disable` confirms it. */
export function storeWarnings(choice: StoreChoice, path: string): ConfigurationWarning[] {
  if (choice.kind === "memory" || choice.kind === "sqlite") return [];
  const { protocol, hostname, searchParams } = new URL(choice.url);
  const isTlsDecided = choice.kind === "redis"
    ? protocol === "rediss:"
    : searchParams.has("sslmode") || searchParams.has("sslrootcert");
  // A host that begins with an encoded slash is the path of a local socket.
  if (isTlsDecided || hostname === "" || /^%2f/i.test(hostname) || isLoopback(hostname)) return [];
  const hint = choice.kind === "redis"
    ? "If the server supports TLS, write rediss:// instead of redis://."
    : "Add ?sslmode=verify-full to the URL, and sslrootcert=PATH for a private certificate authority; " +
      "or ?sslmode=disable if no other machine can read the traffic.";
  return [{ path, message: `The password and private keys are sent to ${hostname} without TLS. ${hint}` }];
}

function parseDatabaseUrl(text: string): StoreChoice {
  const url = new URL(text);
  const options: Record<string, string | number> = {};
  for (const [name, kind] of Object.entries(getStoreOptions(url))) {
    const value = url.searchParams.get(name);
    if (value === null || kind === "driver") continue;
    options[name] = kind === "number" ? Number(value) : value;
    url.searchParams.delete(name);
  }
  const displayUrl = `${url.protocol}//${url.host}${url.pathname}`;
  return { kind: url.protocol.startsWith("redis") ? "redis" : "postgres", url: url.href, displayUrl, options };
}
