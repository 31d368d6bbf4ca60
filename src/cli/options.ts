/** The options that the program adds to the settings, and the flags and variables that can set them. */

import { replacedSettings } from "../server/config/replaced_members.ts";
import { choice, type Field, type Fields, flag, list, object, showValue, text, whole } from "../core/policy/field.ts";
import { suggest } from "../core/policy/suggest.ts";
import { findMismatches, quote } from "../server/config/config_issue.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import { extensionFields, type ExtensionSettings } from "../server/extensions/settings.ts";
import { extendedFields } from "../server/hosting/extensions.ts";
import { settingFields, type Settings } from "../server/config/settings.ts";
import { profileField } from "../server/config/profile_field.ts";
import type { ProviderProfile } from "../server/profiles/provider_profile.ts";
import { storeField, type StoreKinds, storeKinds } from "./stores.ts";

/** The configuration file: the settings, and the options of the program. */
export interface ConfigFile extends Omit<Settings, "profile">, ExtensionSettings {
  /** The location of the JSON Schema of this file, for editors; the server ignores it. */
  readonly $schema?: string;
  /**
   * A profile, or a list of profiles, of which later ones count: values for the settings that are not set. A standard:
   * `oauth2.1`, `oidc`, `mcp`, `fapi2-security`, `fapi2-message-signing`, which settings may exceed, never weaken. A
   * provider: its name, such as `okta`, its members, or the path of a JSON file with them, relative to this file.
   * Default: none.
   */
  readonly profile?: string | ProviderProfile | readonly (string | ProviderProfile)[];
  /** The TCP port to listen on; 0 takes any free one. Default: 9000. */
  readonly port?: number;
  /** The name or address to listen on; `0.0.0.0` or `::` listens on all. Default: localhost, both 127.0.0.1 and ::1. */
  readonly host?: string;
  /**
   * The PEM file with the certificate and its chain, read once at the start; with `tlsKey` the server speaks https.
   * Default: none, plain http.
   */
  readonly tlsCert?: string;
  /** The PEM file with the private key of the certificate, without a passphrase. */
  readonly tlsKey?: string;
  /**
   * `self-signed`: the server speaks https with a certificate that it generates at each start, for its names. Default:
   * none, `tlsCert` decides.
   */
  readonly tls?: "self-signed";
  /** The `sub` of the user whom automatic login logs in. Default: the first user. */
  readonly user?: string;
  /** Maximum number of concurrent requests; further ones receive 503 with Retry-After. Default: 1000. */
  readonly maxInFlight?: number;
  /**
   * Seconds for which a server that must stop still serves requests while /readyz reports that it is not ready, so that
   * load balancers stop using it first. Default: 0.
   */
  readonly drain?: number;
  /** `text`: readable lines. `json`: one object a line, and one for every request. `off`: nothing. Default: text. */
  readonly log?: "text" | "json" | "off";
  /** Whether /flows shows each login step by step. Default: true if the issuer is on a test host. */
  readonly inspector?: boolean;
  /**
   * Whether the page /faults lets visitors choose faults for the next request of a client, move the clock and rotate
   * keys; only if the issuer is on a test host. Default: whether only this machine can reach the server: it listens
   * on a loopback address, every name of the server is loopback, and it trusts no proxy.
   */
  readonly faults?: boolean;
  /**
   * Whether programs control the server over HTTP below /_control: clients, users, faults, clock, log; only if the
   * issuer is on a test host, or with `controlSecret`. Default: false.
   */
  readonly control?: boolean;
  /**
   * The bearer token of the control. A caller who has it can log in as every user. Default: none, on test hosts only.
   */
  readonly controlSecret?: string;
  /**
   * Scenarios, which `latchkey exec --help` lists: names such as `provider-down-30s`, with the `sub` of a user after a
   * colon if they are about one (`user-removed:bob`), and paths of JSON files, relative to this file. Needs `control`,
   * and an issuer on a test host. Default: none.
   */
  readonly scenario?: readonly string[];
  /**
   * The path of a small MCP server on the origin of the issuer: a protected resource with metadata and challenges, to
   * test MCP clients against. Default: none.
   */
  readonly mcpServer?: string;
  /**
   * The store of codes, tokens and keys. `memory` loses them when the server stops. `sqlite:PATH` is a file, relative
   * to the working directory; with `?durability=power` a write survives a power failure too. `postgres://…` and
   * `redis://…` serve any number of instances. Default: memory.
   */
  readonly store?: string;
}

/** A list or an object is probably that of the setting `users`. */
const whichUser = (text: string | undefined) =>
  text === undefined ? 'Write it like "user": "bob". Or did you mean users?' : undefined;

/** The path of a file with the profile of a provider. */
const profileFile = text(["./my-provider.json"], { pattern: /\.json$/, expected: "the path of a .json file" });

const port = { min: 0, max: 65535, expected: "a whole number from 0 to 65535" };

const host = {
  // A name, an IPv4 or an IPv6 address.
  pattern: /^([A-Za-z0-9_.-]+|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9_.-]+)?)$/,
  expected: "a host name or address without scheme and port",
  default: "localhost",
};

/** The description of the options of the program. */
export function programFields(
  stores: StoreKinds,
): Fields<Omit<ConfigFile, keyof Settings | keyof ExtensionSettings | "$schema">> {
  return {
    port: whole(9000, { ...port, default: 9000 }),
    host: text(["localhost", "0.0.0.0", "::1"], host),
    tlsCert: text(["cert.pem"]),
    tlsKey: text(["key.pem"]),
    tls: choice(["self-signed"]),
    user: text(["bob"], { pattern: /^[\x21-\x7E]{1,255}$/, expected: "the sub of a user", hint: whichUser }),
    maxInFlight: whole(1000, { min: 1, max: 1_000_000, default: 1000, expected: "a whole number from 1 to 1000000" }),
    drain: whole(10, { min: 0, max: 3600, default: 0, expected: "whole seconds from 0 to 3600" }),
    log: choice(["text", "json", "off"], { default: "text" }),
    inspector: flag(),
    faults: flag(),
    control: flag(false),
    controlSecret: text(["a-long-random-token"], {
      mayBeReference: true,
      pattern: /^[\w.~+/-]{16,}=*$/,
      expected: "at least 16 letters, digits and -._~+/",
    }),
    scenario: list(
      text(["provider-down-30s"], { pattern: /./, expected: "the name of a scenario, or the path of a .json file" }),
      [["provider-down-30s", "user-removed:bob"]],
    ),
    mcpServer: text(["/mcp"], {
      pattern: /^(?:\/[\w.~-]+)+$/,
      expected: "a path of letters and digits, such as /mcp",
    }),
    store: storeField(stores),
  };
}

/** The description of {@link ConfigFile}. */
export function configFileField(stores: StoreKinds = storeKinds): Field<ConfigFile> & { members: Fields<ConfigFile> } {
  const $schema = text(["./static/config.schema.json"]);
  const profile: Field<NonNullable<ConfigFile["profile"]>> = profileField(extendedFields.paths, profileFile);
  return object<ConfigFile>(
    "ConfigFile",
    { $schema, ...settingFields, ...extensionFields, ...extendedFields, profile, ...programFields(stores) },
    {},
    { replacedMembers: replacedSettings },
  );
}

/**
 * The settings that flags and variables can set, and `config`: name of the value and, with `%`, default in the help.
 */
export const optionHelp = {
  port: ["NUMBER", "%; 0 takes any free port"],
  host: ["NAME", "%"],
  issuer: ["URL", "http://localhost:PORT"],
  issuerHosts: ["HOST,…", "none"],
  login: ["MODE", "%, or interactive"],
  user: ["SUB", "the first user"],
  profile: ["PROFILE,…", "none"],
  mcpRevision: ["DATE", "the newest"],
  store: ["STORE", "%"],
  inspector: ["on|off", "on, but off for real hosts"],
  faults: ["on|off", "on, but only on this machine"],
  control: ["on|off", "off; on adds /_control"],
  scenario: ["NAME,…", "none"],
  mcpServer: ["PATH", "none"],
  log: ["FORMAT", "%; or json, or off"],
  trustProxy: ["ADDRESS,…", "none"],
  proxyHeader: ["NAME", "either, where they agree"],
  tlsCert: ["FILE", "none, which is plain http"],
  tlsKey: ["FILE", "none"],
  tls: ["MODE", "none; or self-signed"],
  maxInFlight: ["NUMBER", "%"],
  drain: ["SECONDS", "%"],
  config: ["FILE", "latchkey.json here; or none"],
} as const satisfies Readonly<
  Partial<Record<keyof ConfigFile | "config", readonly [value: string, otherwise: string]>>
>;

/** A setting that a flag and a variable can set, or the path of the file. */
export type OptionName = keyof typeof optionHelp;

/** All option names, in the order of the help. */
export const optionNames = Object.keys(optionHelp) as OptionName[];

/** The name of the flag and, in capitals and with underscores, of the variable: `max-in-flight`. */
export function flagName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The value of a flag or a variable; without `value` if it is invalid. */
interface RawOption {
  /** `--port` or `LATCHKEY_PORT`. */
  readonly source: string;
  readonly text?: string;
  readonly value?: unknown;
}

/** The options that flags or variables set. */
export type RawOptions = Partial<Record<OptionName, RawOption>>;

export type OptionFields = Readonly<Record<OptionName, Field>>;

/** The description of all options. */
export function optionFields(file: Fields<ConfigFile>): OptionFields {
  return { ...file, config: text(["latchkey.json"], { expected: "the path of a JSON file" }) };
}

/** Whether the value of an option is a path: such a value cannot be in another file (`…_FILE`). */
export function isPath(name: OptionName): boolean {
  return optionHelp[name][0] === "FILE";
}

/**
 * Reads the text of an option.
 *
 * @param hint How to fix it, if the field has no hint of its own.
 */
export function readOption(
  field: Field,
  source: string,
  text: string,
  hint: string,
): { readonly option: RawOption; readonly issue?: ConfigIssue } {
  const value = parseText(field, text);
  if (findMismatches(field, value).length === 0) return { option: { source, text, value } };
  const { named, wrong } = findWrongName(field, value) ?? { named: namedField(field), wrong: text };
  const issue = { path: source, expected: expectedText(field), received: showValue(wrong, [source], named, quote) };
  const nearest = suggest(wrong, named.choices ?? []);
  const fix = field.hint?.(text) ?? (nearest === undefined ? hint : `Did you mean ${nearest}?`);
  return { option: { source }, issue: { ...issue, hint: fix } };
}

/** The field with the names that a value may have. */
const namedField = (field: Field): Field => field.oneOf?.find(({ choices }) => choices !== undefined) ?? field;

/** The first item of a list of names that is none of them; `undefined` for any other value. */
function findWrongName(field: Field, value: unknown): { readonly named: Field; readonly wrong: string } | undefined {
  const items = field.oneOf?.find(({ type }) => type === "array")?.items;
  if (!Array.isArray(value) || items === undefined) return undefined;
  const [named, wrong] = [namedField(items), value.find((item) => findMismatches(items, item).length > 0)];
  return named.choices === undefined || wrong === undefined ? undefined : { named, wrong };
}

function parseText({ type, alternative, oneOf }: Field, text: string): unknown {
  if (text === alternative) return text;
  if (type === "integer") return /^[0-9]{1,15}$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "on" || text === "off" ? text === "on" : text;
  const isList = type === "array" || text.includes(",") && oneOf?.some((one) => one.type === "array");
  return isList ? text.split(",").map((item) => item.trim()) : text;
}

/** A valid value of an option as a noun phrase. */
export function expectedText({ type, expected, items }: Field): string {
  if (type === "array") {
    return items?.pattern || items?.choices
      ? `${items.expected}; several separated by commas`
      : "values separated by commas";
  }
  return type === "boolean" ? "on or off" : expected;
}

/** An example value of an option. */
export function exampleText({ type, examples }: Field): string {
  return type === "boolean" ? "on" : String(examples[0]);
}
