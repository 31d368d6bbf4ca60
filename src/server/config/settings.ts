/**
 * The settings of a server. The configuration file adds its own in `cli/settings.ts`.
 *
 * The interfaces, here and in `server_settings.ts`, are the types and the documentation; the fields are the description
 * (`core/policy/field.ts`). The compiler compares them. `validate` compares a value with its field,
 * `validate_settings.ts` settings with each other, and `resolve_settings.ts` makes a policy of them. The JSON Schema is
 * generated from the fields and the comments. To add a setting, add its member and its field in
 * `server_settings.ts`, read it as `server.policy.x`, and run `deno task schema`.
 *
 * @module
 */

import { clientFieldWith } from "./client_fields.ts";
import { userField } from "./user_fields.ts";
import type { User } from "../../core/clients/client.ts";
import type { ClientMetadata } from "./client_metadata.ts";
import type { AnyName } from "./server_policy.ts";
import { policyFields } from "../../core/policy/policy.ts";
import { serverFields, type ServerSettings } from "./server_settings.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { choice, type Field, type FieldsOf, list, type ObjectField, text } from "../../core/policy/field.ts";
import { fromHost } from "./server_names.ts";
import { endpointPathsField } from "./endpoint_paths.ts";
import { type McpRevision, mcpRevisions } from "./strictness.ts";
import { type Profile, profileField } from "./profile_field.ts";

/** The settings that a configuration file and an embedding program share. Everything has a default. */
export interface Settings extends ServerSettings {
  /**
   * The issuer identifier, an absolute URL without query and fragment. Every URL of the server begins with it.
   * `from-host`: the issuer of each request is the origin that it was sent to, if that is on a loopback host or one of
   * `issuerHosts`. Default:
   * `http://localhost:PORT` with the port that the server listens on.
   */
  readonly issuer?: string;
  /**
   * A profile, or a list of profiles, of which later ones count: values for the settings that are not set. A standard:
   * `oauth2.1`, strict OAuth 2.1; `oidc`, OpenID Connect; `mcp`, for clients of the Model Context Protocol;
   * `fapi2-security`, the FAPI 2.0 Security Profile, with DPoP; `fapi2-message-signing`, FAPI 2.0 Message Signing, with
   * signed requests and responses. A setting may be stricter than a standard, never weaker. A provider, to respond as
   * it does: its name, such as `okta`, or the value of another one. Default: none.
   */
  readonly profile?: Profile | readonly Profile[];
  /** The revision of the profile `mcp`. Default: the newest. */
  readonly mcpRevision?: McpRevision;
  /**
   * The clients that may request tokens. Default: a public and a confidential demo client whose redirect URI is
   * `<issuer>/authorized`.
   * `"any"`, only on test hosts: no client is configured, and the server accepts a `client_id` that is not registered,
   * with any redirect URI and secret. Each use causes a warning.
   */
  readonly clients?: readonly ClientMetadata[] | "any";
  /**
   * `"any"`, only on test hosts: the server accepts a redirect URI that is not registered for its client. Each use
   * causes a warning. Default: `registered`.
   */
  readonly redirectUris?: "registered" | "any";
  /**
   * The users that can log in. `"any"`, only on test hosts: the default users, and `unknownLoginHint` is `create`.
   * Each new user causes a warning. Default: `alice` and `bob`.
   */
  readonly users?: readonly User[] | "any";
  /**
   * All scope values. `"any"`, only on test hosts: the default values, and the server grants an unknown value to a
   * client that is not registered for a `scope`. Each use causes a warning.
   * Default: `openid profile email read write offline_access`.
   */
  readonly scopes?: readonly string[] | "any";
}

/** The description of the setting `clients` at a server with this description of client metadata. */
export function clientsField(
  field: ObjectField<ClientMetadata>,
): Field<readonly ClientMetadata[]> & { readonly alternative: Any } {
  return orAny(list<ClientMetadata>(field, [field.examples], { expected: "an array of clients" }));
}

/** The description of {@link Settings}. */
export const settingFields = {
  issuer: text(["http://localhost:9000", "https://auth.example.com", fromHost]),
  profile: profileField(endpointPathsField([])),
  mcpRevision: choice(mcpRevisions),
  clients: clientsField(clientFieldWith([])),
  redirectUris: choice(["registered", "any"], { default: "registered" }),
  users: orAny(list(userField, [userField.examples], { expected: "an array of users" })),
  scopes: orAny(policyFields.scopes),
  ...serverFields,
} satisfies FieldsOf<Settings>;

/** The default issuer, in its normal form: without the default port of the scheme. */
export function localIssuer(port: number, scheme: "http" | "https" = "http"): string {
  return new URL(`${scheme}://localhost:${port}`).origin;
}

/** The value of a setting that also accepts values that are not registered. */
export type Any = "any";

const names: readonly AnyName[] = ["clients", "redirectUris", "scopes", "users"];

type AnySettings = { readonly [Name in AnyName]?: unknown };

/** A field that also accepts `"any"`. */
export function orAny<T, F extends Field<T>>(field: Field<T> & F): F & { readonly alternative: Any } {
  return { ...field, expected: `${field.expected} or "any"`, alternative: "any" };
}

export function unlessAny<T>(value: T | Any | undefined): Exclude<T, Any> | undefined {
  return value === "any" ? undefined : value as Exclude<T, Any> | undefined;
}

export function settingsWithAny(settings: AnySettings): readonly AnyName[] {
  return names.filter((name) => settings[name] === "any");
}

/**
 * An issue for each setting that is `"any"`.
 *
 * @param reason Why `"any"` is not allowed: `the issuer is not a test host`.
 */
export function rejectAny(settings: AnySettings, reason: string, hint: string): ConfigIssue[] {
  return settingsWithAny(settings).map((path) => ({
    path,
    expected: path === "redirectUris" ? `"registered", because ${reason}` : `an array, because ${reason}`,
    received: '"any"',
    hint,
  }));
}
