/** The stores that the setting `store` can name. To add one, add it to {@link storeKinds}. */

import { isLoopback } from "../core/http/test_hosts.ts";
import type { Field } from "../core/policy/field.ts";
import { quoteValue } from "../core/http/quote_value.ts";
import { suggest } from "../core/policy/suggest.ts";
import type { Store } from "../core/store/store.ts";

/** A parsed setting `store`. */
export interface StoreChoice {
  /** A name of {@link storeKinds}. */
  readonly kind: string;
  /** The path or URL to open, with user and password. */
  readonly location: string;
  /** The location without user and password, for messages. */
  readonly displayLocation: string;
  /** The parameters for the store itself; the location contains those for the driver. */
  readonly options: Readonly<Record<string, string | number>>;
  /** The effect of an insecure setting and how to fix it. */
  readonly warning?: string;
}

interface StoreKind {
  /** Its settings, without `^` and `$`. */
  readonly pattern: RegExp;
  /** The ways to write the setting, for messages. */
  readonly forms: readonly string[];
  /** The schemes, if the setting is a URL; messages name the first one. Default: none. */
  readonly schemes?: readonly string[];
  /** Parses a setting that matches the pattern; `undefined` if it is invalid. */
  readonly parse: (setting: string) => Omit<StoreChoice, "kind"> | undefined;
  /** Opens the store; `undefined` means a new store in memory. */
  readonly open: (choice: StoreChoice, warn: (message: string) => void) => Promise<Store | undefined>;
}

export type StoreKinds = Readonly<Record<string, StoreKind>>;

export const storeKinds: StoreKinds = {
  memory: {
    pattern: /memory/,
    forms: ["memory"],
    parse: () => ({ location: "", displayLocation: "memory, lost when the server stops", options: {} }),
    open: () => Promise.resolve(undefined),
  },
  sqlite: {
    pattern: /sqlite:[^?]+(\?durability=power)?/,
    forms: ["sqlite:PATH", "sqlite:PATH?durability=power"],
    parse(setting) {
      const [location = "", query] = setting.slice("sqlite:".length).split("?");
      const durability = query === undefined ? "process" : "power";
      return { location, displayLocation: location, options: { durability } };
    },
    open: async ({ location, options }, warn) =>
      (await import("../platform/store/sqlite.ts")).sqliteStore(location, { ...options, warn }),
  },
  postgres: databaseServer({
    schemes: ["postgres", "postgresql"],
    parameters: { schema: "text", connections: "number", timeout: "number", sslmode: "driver", sslrootcert: "driver" },
    definesTls: ({ searchParams }) => searchParams.has("sslmode") || searchParams.has("sslrootcert"),
    tlsHint: "Add ?sslmode=verify-full to the URL, and sslrootcert=PATH for a private certificate authority; or " +
      "?sslmode=disable if no other machine can read the traffic.",
    open: async ({ location, options }) =>
      (await import("../platform/store/sql/postgres.ts")).postgresStore(location, options),
  }),
  redis: databaseServer({
    schemes: ["redis", "rediss"],
    parameters: { prefix: "text", timeout: "number" },
    definesTls: ({ protocol }) => protocol === "rediss:",
    tlsHint: "If the server supports TLS, write rediss:// instead of redis://.",
    open: async ({ location, options }, warn) =>
      (await import("../platform/store/redis.ts")).redisStore(location, { ...options, warn }),
  }),
};

interface DatabaseServer extends Required<Pick<StoreKind, "open" | "schemes">> {
  /** The known parameters of the query: for the store, or only for the driver. */
  readonly parameters: Readonly<Record<string, "text" | "number" | "driver">>;
  /** Whether the URL states whether TLS is used. */
  readonly definesTls: (url: URL) => boolean;
  readonly tlsHint: string;
}

/**
 * A database server with a URL. An unknown parameter is invalid: with a misspelt `prefix`, the server would share the
 * records of another one.
 */
function databaseServer({ schemes, parameters, definesTls, tlsHint, open }: DatabaseServer): StoreKind {
  return {
    open,
    schemes,
    pattern: new RegExp(`(${schemes.join("|")}):\\/\\/\\S+`),
    forms: [`${schemes[0]}://…?${Object.keys(parameters).join("&")}`],
    parse(setting) {
      if (!URL.canParse(setting)) return undefined;
      const url = new URL(setting);
      const options: Record<string, string | number> = {};
      const isInsecure = !definesTls(url) && isRemote(url.hostname);
      for (const [name, value] of [...url.searchParams]) {
        const type = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
        if (type === undefined || value === "" || type === "number" && !/^[0-9]{1,7}$/.test(value)) return undefined;
        if (type === "driver") continue;
        options[name] = type === "number" ? Number(value) : value;
        url.searchParams.delete(name);
      }
      return {
        location: url.href,
        displayLocation: `${url.protocol}//${url.host}${url.pathname}`,
        options,
        warning: isInsecure
          ? `The password and private keys are sent to ${url.hostname} without TLS. ${tlsHint}`
          : undefined,
      };
    },
  };
}

/** Whether a host is another machine; one that begins with an encoded slash is the path of a local socket. */
function isRemote(hostname: string): boolean {
  return hostname !== "" && !/^%2f/i.test(hostname) && !isLoopback(hostname);
}

/** Parses the setting; `undefined` if it is invalid. */
export function parseStore(setting: string, kinds: StoreKinds): StoreChoice | undefined {
  for (const [kind, { pattern, parse }] of Object.entries(kinds)) {
    if (!new RegExp(`^(?:${pattern.source})$`).test(setting)) continue;
    const choice = parse(setting);
    return choice && { kind, ...choice };
  }
  return undefined;
}

/** The description of the setting. */
export function storeKindField(kinds: StoreKinds): Field<string> & { readonly default: string } {
  const all = Object.values(kinds);
  return {
    type: "string",
    expected: all.flatMap(({ forms }) => forms.map((form) => JSON.stringify(form))).join(", ").replace(
      /, ("[^"]*")$/,
      " or $1",
    ),
    examples: ["memory", "sqlite:latchkey.db", "sqlite:latchkey.db?durability=power"],
    default: "memory",
    show: showStore,
    pattern: new RegExp(`^(${all.map(({ pattern }) => pattern.source).join("|")})$`),
    accepts: (setting) => parseStore(setting, kinds) !== undefined,
    hint: (text = "") => storeHint(text, all.flatMap(({ schemes = [] }) => [schemes])),
  };
}

const storeSchemes = /^(?:memory|sqlite|postgres|postgresql|redis|rediss|mysql|mongodb|https?|file)(?=:|$)/i;

/** A store URL as messages show it: at most its scheme, because any other part may belong to the password. */
function showStore(store: string): string {
  const scheme = storeSchemes.exec(store)?.[0];
  return scheme === undefined ? "a string (hidden)" : scheme === store ? quoteValue(store) : `"${scheme}:…" (hidden)`;
}

/** The hint for an invalid setting, if it is a URL or looks like one. */
function storeHint(setting: string, schemesOfKinds: readonly (readonly string[])[]): string | undefined {
  const schemes = schemesOfKinds.flat();
  const [scheme = ""] = /^[a-z][\w+.-]*/i.exec(setting) ?? [];
  const isUrl = setting.startsWith("://", scheme.length);
  if (isUrl && schemes.includes(scheme)) {
    return URL.canParse(setting) && !/\s/.test(setting)
      ? undefined
      : "Percent-encode all characters of user and password except letters and digits, and put @host after them.";
  }
  if (!isUrl && /^[^:?]*[\w)]\.(?:db|sqlite3?)$|^[.~]{0,2}[/\\]/i.test(setting)) {
    return `Write sqlite: in front of the path of a file, like sqlite:latchkey.db.`;
  }
  if (!isUrl && suggest(scheme, schemes) === undefined) return undefined;
  const beginnings = schemesOfKinds.flatMap(([first]) => first === undefined ? [] : [`${first}://`]);
  return `Begin it with ${beginnings.join(" or ")}.`;
}
