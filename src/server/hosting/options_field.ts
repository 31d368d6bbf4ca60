/** Describes the options of an embedding program. */

import type { Extension } from "./extension.ts";
import type { LatchkeyOptions, Plugin } from "./options.ts";
import type { ExtensionSettings } from "../extensions/settings.ts";
import { clientFieldOf } from "../config/client_fields.ts";
import { registeredUserField } from "../config/user_fields.ts";
import type { KnownExtension } from "../config/extension_settings.ts";
import { type Field, type Fields, functionField, list, object, objectField, text } from "../../core/policy/field.ts";
import { quote, validate } from "../config/config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { clientsField, orAny, settingFields } from "../config/settings.ts";
import type { GrantType } from "../standing.ts";
import type { Pages } from "../pages.ts";
import { extensions as allExtensions } from "./extensions.ts";
import { endpointPathsField } from "../config/endpoint_paths.ts";
import { profileField } from "../config/profile_field.ts";
import { replacedSettings } from "../config/replaced_members.ts";

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
  path: text(["/a"]),
  issuerUntilListening: text(["http://localhost:9000"]),
  plugins: list<Plugin>(objectField, [[]], { expected: "an array of plugins" }),
};

/** All issues of the list of extensions, which describe the other options: names and settings must differ. */
export function validateExtensions(extensions: readonly Extension[]): ConfigIssue[] {
  const members = { extensions: optionFields.extensions };
  const issues = validate(object<Pick<LatchkeyOptions, "extensions">>("LatchkeyOptions", members, {}), { extensions });
  if (issues.length > 0) return issues;
  const names = new Set<string>();
  const known = new Set(Object.keys(optionFields));
  for (const [i, { name, settings: { fields = {} } = {} }] of extensions.entries()) {
    const path = `extensions[${i}]`;
    if (names.has(name)) {
      const hint = "Pass each extension once, and choose another name for your own.";
      issues.push({ path, expected: "an extension with a name of its own", received: `a second ${quote(name)}`, hint });
      continue;
    }
    names.add(name);
    for (const setting of Object.keys(fields)) {
      const hint = "Choose another name for the setting.";
      const expected = "settings that the server does not have without it";
      if (known.has(setting)) issues.push({ path, expected, received: `the setting ${setting}`, hint });
      known.add(setting);
    }
  }
  return issues;
}

/** Describes the {@link LatchkeyOptions} of a server with these extensions. */
export function optionsField(extensions: readonly KnownExtension[] = allExtensions): Field {
  const paths = endpointPathsField(extensions);
  const extended = { clients: clientsField(clientFieldOf(extensions)), paths, profile: profileField(paths) };
  const fields = Object.assign({}, optionFields, extended, ...extensions.map(({ settings }) => settings?.fields));
  return object<LatchkeyOptions>("LatchkeyOptions", fields, {}, { replacedMembers: replacedSettings });
}
