/** The options of an embedding program: their documentation, description and validation. */

import type { Approver } from "./approver.ts";
import type { Extension } from "./extension.ts";
import type { Plugin } from "./plugin.ts";
import type { ExtensionSettings } from "../extensions/settings.ts";
import { clientFieldOf, registeredUserField } from "../oauth/clients/client.ts";
import type { SettingsExtension } from "../config/extension_settings.ts";
import { type ConfigIssue, quote } from "../oauth/config_issue.ts";
import { type Field, type Fields, list, object, text, validate } from "../oauth/field.ts";
import { clientsField, orAny, type ProgramSettings, settingFields, type Settings } from "../config/settings.ts";
import { validateSettings } from "../config/validate_settings.ts";
import type { KeySource } from "../oauth/keys/keys.ts";
import { allowsLocalFetch, type FetchPolicy, type Outbound } from "../oauth/outbound.ts";
import type { RandomBytes } from "../oauth/secrets.ts";
import type { GrantType } from "../oauth/server.ts";
import type { Trace } from "../oauth/trace.ts";
import type { Store } from "../../platform/store/store.ts";
import type { Pages } from "../pages/pages.ts";
import { extensions as allExtensions } from "./extensions.ts";
import { endpointPathsField } from "../oauth/issuer_urls.ts";
import { profileField } from "../config/profile_field.ts";
import { validateProxies } from "./trusted_proxies.ts";

/** The options of an embedding program: the settings of a configuration file, and the environment of the server. */
export interface LatchkeyOptions extends Settings, ExtensionSettings {
  /** The extensions of the server. It knows only their settings, parameters and grant types. Default: all. */
  readonly extensions?: readonly Extension[];
  /** The store of all records. The server closes it. Default: a new {@link memoryStore}. */
  readonly store?: Store | Promise<Store>;
  /** The clock: milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /** The random source. Default: `crypto.getRandomValues`. */
  readonly randomBytes?: RandomBytes;
  /** Receives every event, redacted. Default: none. */
  readonly trace?: Trace;
  /** Decides authorization requests instead of `login`. Default: the approver of `login`. */
  readonly approver?: Approver;
  /** Further grant types of the token endpoint; clients can register for them. Default: none. */
  readonly grantTypes?: readonly GrantType[];
  /**
   * Fetches documents that clients refer to, such as their `jwks_uri`, and calls their `backchannel_logout_uri`.
   * Default: a fetch that connects only to public addresses, to `privateHosts`, and, if the issuer is on a test host,
   * to test hosts.
   */
  readonly outbound?: Outbound;
  /** Pages for users in place of those of the server, such as its login page. Default: none. */
  readonly pages?: Pages;
  /** Creates signing keys, and signs if WebCrypto cannot use them. Default: generated keys. */
  readonly keySource?: KeySource;
  /** The issuer until the server listens, if it follows the port; without a path. Default: `http://localhost:9000`. */
  readonly issuerUntilListening?: string;
  /** The plugins; the first one is the outermost. Default: none. */
  readonly plugins?: readonly Plugin[];
}

const functionField: Field<never> = {
  type: "function",
  expected: "a function",
  examples: [],
  hint: () => "Pass a function, or remove the option.",
};

const objectField: Field<never> = {
  type: "object",
  expected: "an object",
  examples: [],
  hint: () => "Pass an object, or remove the option.",
};

const optionFields: Fields<Omit<LatchkeyOptions, keyof ExtensionSettings>> = {
  ...settingFields,
  extensions: list<Extension>(objectField, [[]], { expected: "an array of extensions" }),
  users: orAny(list(registeredUserField, [registeredUserField.examples], { expected: "an array of users" })),
  store: objectField,
  now: functionField,
  randomBytes: functionField,
  trace: functionField,
  approver: functionField,
  grantTypes: list<GrantType>(objectField, [[]], { expected: "an array of grant types" }),
  outbound: functionField,
  pages: object<Pages>("Pages", {
    error: functionField,
    login: functionField,
    consent: functionField,
    device: functionField,
    backchannel: functionField,
    account: functionField,
    logout: functionField,
    loggingOut: functionField,
    loggedOut: functionField,
  }, {}),
  keySource: objectField,
  issuerUntilListening: text(["http://localhost:9000"]),
  plugins: list<Plugin>(objectField, [[]], { expected: "an array of plugins" }),
};

/** All issues of the list of extensions, which describe the other options: names and settings must differ. */
export function validateExtensions(extensions: readonly Extension[]): ConfigIssue[] {
  const members = { extensions: optionFields.extensions };
  const issues = validate(object<Pick<LatchkeyOptions, "extensions">>("LatchkeyOptions", members, {}), { extensions });
  if (issues.length > 0) return issues;
  const names = new Set<string>();
  const settings = new Set(Object.keys(optionFields));
  for (const [i, { name, settingFields = {} }] of extensions.entries()) {
    const path = `extensions[${i}]`;
    if (names.has(name)) {
      const hint = "Pass each extension once, and choose another name for your own.";
      issues.push({ path, expected: "an extension with a name of its own", received: `a second ${quote(name)}`, hint });
      continue;
    }
    names.add(name);
    for (const setting of Object.keys(settingFields)) {
      const hint = "Choose another name for the setting.";
      const expected = "settings that the server does not have without it";
      if (settings.has(setting)) issues.push({ path, expected, received: `the setting ${setting}`, hint });
      settings.add(setting);
    }
  }
  return issues;
}

/** Describes the {@link LatchkeyOptions} of a server with these extensions. */
export function optionsField(extensions: readonly SettingsExtension[] = allExtensions): Field {
  const paths = endpointPathsField(extensions);
  const extended = { clients: clientsField(clientFieldOf(extensions)), paths, profile: profileField(paths) };
  const fields = Object.assign({}, optionFields, extended, ...extensions.map(({ settingFields }) => settingFields));
  return object<LatchkeyOptions>("LatchkeyOptions", fields, {});
}

/**
 * All issues of options that match their description.
 *
 * @param issuer The issuer in effect.
 */
export async function validateOptions(
  options: ProgramSettings,
  issuer: string,
  extensions: readonly SettingsExtension[] = allExtensions,
): Promise<ConfigIssue[]> {
  const issues = await validateSettings(options, issuer, extensions);
  if (options.trustProxy === undefined) return issues;
  return [...issues, ...validateProxies(options)];
}

/**
 * Creates the fetch; the first call loads its modules. `server` returns what decides about hosts without a public
 * address.
 */
export function defaultOutbound(
  server: () => FetchPolicy,
): Outbound {
  return async (url, init) => {
    const { safeFetch } = await import("../../platform/runtime/safe_fetch.ts");
    return await safeFetch({ allows: (host, kind) => allowsLocalFetch(server(), host, kind) })(url, init);
  };
}
