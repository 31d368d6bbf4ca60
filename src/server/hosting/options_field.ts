/** Describes the options of an embedding program, and compares options with their description. */

import { isObject } from "../../core/http/json_value.ts";
import type { CoreExtension } from "../../core/extension.ts";
import { extensionMembers, grantTypesField, storeField } from "../../core/options/program_fields.ts";
import { findExtensionIssues } from "../../core/options/validate_extensions.ts";
import {
  description,
  type Field,
  type FieldsOf,
  functionField,
  functionFields,
  implementation,
  list,
  object,
  objectField,
  text,
} from "../../core/policy/field.ts";
import { assertNoIssues, type ConfigIssue } from "../../core/rules/configuration_error.ts";
import type { Store } from "../../core/store/store.ts";
import { clientFieldWith } from "../config/client_fields.ts";
import { validate } from "../config/config_issue.ts";
import { endpointPathsField } from "../config/endpoint_paths.ts";
import type { KnownExtension, SettingsDescription } from "../config/extension_settings.ts";
import { profileField } from "../config/profile_field.ts";
import { replacedSettings } from "../config/replaced_members.ts";
import type { ClientMetadataDescription } from "../config/server_policy.ts";
import { clientsField, orAny, settingFields } from "../config/settings.ts";
import { registeredUserField } from "../config/user_fields.ts";
import type { ExtensionSettings } from "../extensions/settings.ts";
import type { Pages } from "../pages.ts";
import type { Extension } from "../config/extension.ts";
import { extensions as allExtensions, knownExtensions } from "./extensions.ts";
import type { KeySource } from "./key_source.ts";
import type { LatchkeyOptions, Plugin } from "./options.ts";

const optionFields: FieldsOf<Omit<LatchkeyOptions, keyof ExtensionSettings>> = {
  ...settingFields,
  extensions: list<Extension>(
    description<Extension>({
      ...extensionMembers,
      clientMetadata: implementation<ClientMetadataDescription>({ fields: objectField, validate: functionField }, []),
      settings: implementation<SettingsDescription>({
        fields: objectField,
        paths: objectField,
        values: objectField,
        ...functionFields("resolve", "validate", "warnings"),
      }, []),
      everyMinute: functionField,
    }, ["name"]),
    [[]],
    { expected: "an array of extensions" },
  ),
  users: orAny(list(registeredUserField, [registeredUserField.examples], { expected: "an array of users" })),
  store: objectField,
  ...functionFields("now", "randomBytes", "trace", "approver", "outbound"),
  grantTypes: grantTypesField,
  pages: object<Pages>("Pages", {
    ...functionFields("error", "login", "consent", "device", "account", "logout", "loggingOut", "loggedOut"),
    backchannel: functionField,
  }, {}),
  keySource: implementation<KeySource>(functionFields("create", "signFunction"), ["create"]),
  path: text(["/a"]),
  issuerUntilListening: text(["http://localhost:9000"]),
  plugins: list<Plugin>(
    implementation<Plugin>({
      name: text(["slow responses"]),
      ...functionFields("configure", "setup", "approve", "routes", "handle", "extend"),
      ...functionFields("forRequest", "onEvent", "onPassed", "forAddedApp", "close"),
    }, []),
    [[]],
    { expected: "an array of plugins" },
  ),
};

/**
 * Compares options with their description.
 *
 * @throws {ConfigurationError} With one sentence per mismatch.
 */
export function assertLatchkeyOptions(options: LatchkeyOptions): void {
  const { extensions }: LatchkeyOptions = isObject(options) ? options : {};
  // Tests check the extensions that every server has.
  if (extensions !== undefined) assertNoIssues(validateExtensions(extensions));
  assertMatch(optionsField(knownExtensions(extensions ?? allExtensions)), options);
}

/** Compares a store, which may have been a promise, with its description. @throws {ConfigurationError} */
export function assertStore(store: Store): void {
  assertMatch(object<{ readonly store: Store }>("LatchkeyOptions", { store: storeField }, { store }), { store });
}

/** Compares options of a program with a description. @throws {ConfigurationError} */
export function assertMatch(field: Field, options: unknown): void {
  assertNoIssues(validate(field, options).map((issue) => issue.path === "" ? { ...issue, path: "options" } : issue));
}

/** What keeps values as extensions do, and is no part of each server. */
const ownNames: readonly CoreExtension[] = [{ name: "google" }];

/** All issues of the list of extensions, which describe the other options. Names and settings must differ. */
function validateExtensions(extensions: readonly Extension[]): ConfigIssue[] {
  const members = { extensions: optionFields.extensions };
  const issues = validate(object<Pick<LatchkeyOptions, "extensions">>("LatchkeyOptions", members, {}), { extensions });
  if (issues.length > 0) return issues;
  const ofNames = findExtensionIssues(extensions, ownNames);
  if (ofNames.length > 0) return ofNames;
  const known = new Set(Object.keys(optionFields));
  return extensions.flatMap(({ settings: { fields = {} } = {} }, i) =>
    Object.keys(fields).flatMap((setting) => {
      const hint = "Choose another name for the setting.";
      const expected = "settings that the server does not have without it";
      const isKnown = known.has(setting);
      known.add(setting);
      return isKnown ? [{ path: `extensions[${i}]`, expected, received: `the setting ${setting}`, hint }] : [];
    })
  );
}

/** Describes the {@link LatchkeyOptions} of a server with these extensions. */
export function optionsField(extensions: readonly KnownExtension[] = allExtensions): Field {
  const paths = endpointPathsField(extensions);
  const extended = { clients: clientsField(clientFieldWith(extensions)), paths, profile: profileField(paths) };
  const fields = Object.assign({}, optionFields, extended, ...extensions.map(({ settings }) => settings?.fields));
  return object<LatchkeyOptions>("LatchkeyOptions", fields, {}, { replacedMembers: replacedSettings });
}
