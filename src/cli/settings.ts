/**
 * The settings of the program: those that it adds to the settings of a server, and those that a flag can set.
 *
 * One entry describes one setting. The type, the flag and its variable, the help, the JSON Schema and the reference
 * follow from it, and the value is a member of the configuration. To add a setting, add an entry, read
 * `config.NAME` in a product (`products/`), and run `deno task schema`.
 */

import { replacedSettings } from "../server/config/replaced_members.ts";
import {
  choice,
  type Field,
  type FieldsOf,
  flag,
  list,
  object,
  text,
  type ValuesOf,
  whole,
} from "../core/policy/field.ts";
import { extensionFields, type ExtensionSettings } from "../server/extensions/settings.ts";
import { extendedFields } from "../server/hosting/extensions.ts";
import { settingFields, type Settings } from "../server/config/settings.ts";
import { profileField } from "../server/config/profile_field.ts";
import type { ProviderProfile } from "../server/config/provider_profile.ts";
import { storeKindField, type StoreKinds, storeKinds } from "./stores.ts";

/** The headings of flags in the help, by the names of their pages in the reference. */
export const flagGroups = {
  address: "Address",
  users: "Login",
  profiles: "Profiles",
  testing: "Develop and test",
  operation: "Operation",
} as const;

/** What the program knows of a setting besides its field. */
export interface Placement {
  /** Where the help and the reference show it. */
  readonly group: keyof typeof flagGroups;
  /** The name of its value in the help, such as `NUMBER`. Absent: only the file has the setting. */
  readonly flag?: string;
  /** The default in the help; `%` stands for that of the field. Default: `%`. */
  readonly otherwise?: string;
  /** Why `latchkey check` rejects the flag; a file and variables may set it. Default: it has a use for it. */
  readonly notInCheck?: string;
}

export type ProgramField = Field & Placement;

/** A list or an object is probably that of the setting `users`. */
const whichUser = (text: string | undefined) =>
  text === undefined ? 'Write it like "user": "bob". Or did you mean users?' : undefined;

const profileFile = text(["./my-provider.json"], { pattern: /\.json$/, expected: "the path of a .json file" });

/** The settings that the program adds to those of a server. */
export const programFields = {
  /** The location of the JSON Schema of this file, for editors; the server ignores it. */
  $schema: { ...text(["./static/config.schema.json"]), group: "operation" },
  /** The TCP port to listen on; 0 takes any free one. Default: 9000. */
  port: {
    ...whole(9000, { min: 0, max: 65535, default: 9000, expected: "a whole number from 0 to 65535" }),
    group: "address",
    flag: "NUMBER",
    otherwise: "%; 0 takes any free port",
  },
  /** The name or address to listen on; `0.0.0.0` or `::` listens on all. Default: localhost, both 127.0.0.1 and ::1. */
  host: {
    ...text(["localhost", "0.0.0.0", "::1"], {
      // A name, an IPv4 or an IPv6 address.
      pattern: /^([A-Za-z0-9_.-]+|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9_.-]+)?)$/,
      expected: "a host name or address without scheme and port",
      default: "localhost",
      words: { bind: undefined, listen: undefined, hostname: undefined },
    }),
    group: "address",
    flag: "NAME",
  },
  /**
   * `self-signed`: the server speaks https with a certificate that it generates for its names: at each start, or once,
   * into the files of `tlsCert` and `tlsKey`. Default: none, `tlsCert` decides.
   */
  tls: {
    ...choice(["self-signed"], {
      words: { https: "self-signed", ssl: "self-signed", on: "self-signed", true: "self-signed" },
    }),
    group: "address",
    flag: "MODE",
    otherwise: "none; or self-signed",
  },
  /**
   * The PEM file with the certificate and its chain, read once at the start; with `tlsKey` the server speaks https.
   * Default: none, plain http.
   */
  tlsCert: {
    ...text(["cert.pem"], { words: { cert: undefined, certificate: undefined } }),
    group: "address",
    flag: "FILE",
    otherwise: "none, which is plain http",
  },
  /** The PEM file with the private key of the certificate, without a passphrase. */
  tlsKey: { ...text(["key.pem"], { words: { key: undefined } }), group: "address", flag: "FILE", otherwise: "none" },
  /** The `sub` of the user whom automatic login logs in. Default: the first user. */
  user: {
    ...text(["bob"], { pattern: /^[\x21-\x7E]{1,255}$/, expected: "the sub of a user", hint: whichUser }),
    words: { username: undefined, defaultUser: undefined },
    group: "users",
    flag: "SUB",
    otherwise: "the first user",
  },
  /** Whether /flows shows each login step by step. Default: true if the issuer is on a test host. */
  inspector: {
    ...flag(),
    words: { dashboard: true, ui: true },
    group: "testing",
    flag: "on|off",
    otherwise: "on, but off for real hosts",
    notInCheck: "a check always shows its logins at /flows",
  },
  /**
   * Whether the page /faults lets visitors choose faults for the next request of a client, move the clock and rotate
   * keys; only if the issuer is on a test host. Default: whether only this machine can reach the server: it listens
   * on a loopback address, every name of the server is loopback, and it trusts no proxy.
   */
  faults: {
    ...flag(),
    group: "testing",
    flag: "on|off",
    otherwise: "on, but only on this machine",
    notInCheck: "a check chooses the faults itself",
  },
  /**
   * Whether programs control the server over HTTP below /_control: clients, users, faults, clock, log; only if the
   * issuer is on a test host, or with `controlSecret`. Default: false.
   */
  control: {
    ...flag(false),
    words: { api: true, adminApi: true },
    group: "testing",
    flag: "on|off",
    otherwise: "off; on adds /_control",
    notInCheck: "a check has no control",
  },
  /**
   * The bearer token of the control. A caller who has it can log in as every user. Default: none, on test hosts only.
   */
  controlSecret: {
    ...text(["a-long-random-token"], {
      mayBeReference: true,
      pattern: /^[\w.~+/-]{16,}=*$/,
      expected: "at least 16 letters, digits and -._~+/",
    }),
    group: "testing",
  },
  /**
   * Scenarios, which `latchkey exec --help` lists: names such as `provider-down-30s`, with the `sub` of a user after a
   * colon if they are about one (`user-removed:bob`), and paths of JSON files, relative to this file. Needs `control`,
   * and an issuer on a test host. Default: none.
   */
  scenario: {
    ...list(
      text(["provider-down-30s"], { pattern: /./, expected: "the name of a scenario, or the path of a .json file" }),
      [["provider-down-30s", "user-removed:bob"]],
    ),
    group: "testing",
    flag: "NAME,…",
    otherwise: "none",
    notInCheck: "a check chooses the faults itself",
  },
  /**
   * The path of a small MCP server on the origin of the issuer: a protected resource with metadata and challenges, to
   * test MCP clients against. Default: none.
   */
  mcpServer: {
    ...text(["/mcp"], {
      pattern: /^(?:\/[\w.~-]+)+$/,
      expected: "a path of letters and digits, such as /mcp",
      words: { mcp: "/mcp" },
    }),
    group: "testing",
    flag: "PATH",
    otherwise: "none",
    notInCheck: "a check opens pages of an application",
  },
  /**
   * The store of codes, tokens and keys. `memory` loses them when the server stops. `sqlite:PATH` is a file, relative
   * to the working directory; with `?durability=power` a write survives a power failure too. `postgres://…` and
   * `redis://…` serve any number of instances. Default: memory.
   */
  store: {
    ...storeKindField(storeKinds),
    words: { database: undefined, db: undefined, sqlite: "sqlite:latchkey.db", persist: "sqlite:latchkey.db" },
    group: "operation",
    flag: "STORE",
    notInCheck: "a check keeps everything in memory",
  },
  /**
   * A file with a private key, as a JWK or in PEM: the server signs with it first, also after a restart. Default: a
   * generated key, which the store keeps.
   */
  signingKey: {
    ...text(["signing-key.json"]),
    group: "operation",
    flag: "FILE",
    otherwise: "none; one is generated",
    notInCheck: "a check has its own keys",
  },
  /** `text`: readable lines. `json`: one object a line, and one for every request. `off`: nothing. Default: text. */
  log: {
    ...choice(["text", "json", "off"]),
    default: "text" as const,
    words: { verbose: "text", debug: "text", quiet: "off", silent: "off", none: "off", logLevel: undefined },
    group: "operation",
    flag: "FORMAT",
    otherwise: "%; or json, or off",
    notInCheck: "a check prints its progress and its report",
  },
  /** Maximum number of concurrent requests; further ones receive 503 with Retry-After. Default: 1000. */
  maxInFlight: {
    ...whole(1000, { min: 1, max: 1_000_000, default: 1000, expected: "a whole number from 1 to 1000000" }),
    group: "operation",
    flag: "NUMBER",
    notInCheck: "a check performs one login at a time",
  },
  /**
   * Seconds for which a server that must stop still serves requests while /readyz reports that it is not ready, so that
   * load balancers stop using it first. Default: 0.
   */
  drain: {
    ...whole(10, { min: 0, max: 3600, default: 0, expected: "whole seconds from 0 to 3600" }),
    group: "operation",
    flag: "SECONDS",
    notInCheck: "a check stops immediately",
  },
} satisfies Readonly<Record<string, ProgramField>>;

type ProgramFields = typeof programFields;

/** Their values in a configuration: those with a default are there. */
export type ProgramValues =
  & ValuesOf<ProgramFields>
  & Required<
    ValuesOf<
      {
        [
          Name in keyof ProgramFields as ProgramFields[Name] extends { readonly default: string | number | boolean }
            ? Name
            : never
        ]: ProgramFields[Name];
      }
    >
  >;

/** The settings of a server that a flag can set. */
const serverFields = {
  issuer: {
    ...settingFields.issuer,
    words: { url: undefined, baseUrl: undefined, publicUrl: undefined, externalUrl: undefined },
    group: "address",
    flag: "URL",
    otherwise: "http://localhost:PORT",
  },
  issuerHosts: { ...settingFields.issuerHosts, group: "address", flag: "HOST,…", otherwise: "none" },
  trustProxy: {
    ...settingFields.trustProxy,
    words: { proxy: undefined, behindProxy: undefined },
    group: "address",
    flag: "ADDRESS,…",
    otherwise: "none",
  },
  proxyHeader: { ...settingFields.proxyHeader, group: "address", flag: "NAME", otherwise: "either, if they agree" },
  login: {
    ...settingFields.login,
    group: "users",
    flag: "MODE",
    otherwise: "%, or interactive",
    notInCheck: "every login of a check is automatic",
  },
  redirectUris: {
    ...settingFields.redirectUris,
    group: "users",
    flag: "MODE",
    otherwise: "%; or any",
    notInCheck: "a check knows the redirect URI of the application",
  },
  profile: {
    ...profileField(extendedFields.paths, profileFile),
    words: { provider: undefined, idp: undefined, preset: undefined },
    group: "profiles",
    flag: "PROFILE,…",
    otherwise: "none",
  },
  mcpRevision: { ...settingFields.mcpRevision, group: "profiles", flag: "DATE", otherwise: "the newest" },
} satisfies Readonly<Record<string, ProgramField>>;

/** The configuration file: the settings, and the options of the program. */
export interface ConfigFile extends Omit<Settings, "profile">, ExtensionSettings, ValuesOf<typeof programFields> {
  /**
   * A profile, or a list of profiles, of which later ones count: values for the settings that are not set. A standard:
   * `oauth2.1`, `oidc`, `mcp`, `fapi2-security`, `fapi2-message-signing`, which settings may exceed, never weaken. A
   * provider: its name, such as `okta`, its members, or the path of a JSON file with them, relative to this file.
   * Default: none.
   */
  readonly profile?: string | ProviderProfile | readonly (string | ProviderProfile)[];
}

/** The description of {@link ConfigFile}. */
export function configFileField(
  stores: StoreKinds = storeKinds,
): Field<ConfigFile> & { members: FieldsOf<ConfigFile> } {
  const { $schema, ...program } = programFields;
  const store = { ...program.store, ...storeKindField(stores) };
  return object<ConfigFile>(
    "ConfigFile",
    { $schema, ...settingFields, ...extensionFields, ...extendedFields, ...serverFields, ...program, store },
    {},
    { replacedMembers: replacedSettings },
  );
}

/** The path of the file, which is a flag too. */
const config = {
  ...text(["latchkey.json"], { expected: "the path of a JSON file", words: { file: undefined } }),
  group: "operation",
  flag: "FILE",
  otherwise: "latchkey.json here; or none",
} satisfies ProgramField;

/** Every setting that the program describes. */
export const describedFields = { config, ...programFields, ...serverFields };

type Described = typeof describedFields;

/** A setting that a flag and a variable can set, or the path of the file. */
export type OptionName = {
  [Name in keyof Described]: Described[Name] extends { readonly flag: string } ? Name : never;
}[keyof Described];

/** All option names, in the order of the help. */
export const optionNames = Object.entries<ProgramField>(describedFields)
  .flatMap(([name, { flag }]) => flag === undefined ? [] : [name as OptionName]);
