/** Files of other servers, and files for another flag: recognized by their members, wherever a file is read. */

import { isObject } from "../core/http/json_value.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";

type Json = Readonly<Record<string, unknown>>;

/** The flag or command that reads a file; `--config` also stands for its environment variable. */
export type Reader = "--config" | "--profile" | "--from";

/** What a file is, and what to do with it. */
interface Format {
  readonly name: string;
  readonly hint: string;
  /** The flag that reads such files itself. */
  readonly flag?: Reader;
  /** Whether a text that is not JSON has this format. */
  matchesText?(text: string): boolean;
  /** Whether a JSON object has this format; of an array, its first item. */
  matches?(value: Json, isInArray: boolean): boolean;
}

const page = "static/docs/dex-and-oidc-server-mock.md";

/** How to imitate a provider that has no profile. */
export const copyProfileHint = "Copy the nearest profile and change what differs: static/docs/providers.md.";

const formats: readonly Format[] = [
  {
    name: "a configuration of Dex in YAML",
    hint: `The section Dex of ${page} has the same settings in JSON.`,
    matchesText: (text) =>
      /^issuer:/m.test(text) &&
      /^(?:storage|web|connectors|staticClients|staticPasswords|enablePasswordDB):/m.test(text),
  },
  {
    name: "YAML",
    hint: "Convert it to JSON: npx -y js-yaml FILE.yaml > FILE.json.",
    matchesText: (text) => /^\s*(?:#[^\n]*\n\s*|---\s+)*[A-Za-z_][\w-]*:(?:\s|$)/.test(text),
  },
  {
    name: "clients or users of oidc-server-mock",
    hint: `The section oidc-server-mock of ${page} has the same members in one file.`,
    matches: (value) => ["ClientId", "SubjectId", "AllowedGrantTypes"].some((name) => Object.hasOwn(value, name)),
  },
  {
    name: "a client of Ory Hydra",
    hint:
      'Put it into a list: { "clients": [ … ] }, without the members that this server does not have; lifespans of ' +
      "tokens are lifetimes of the server.",
    matches: (value) =>
      ["skip_consent", "skip_logout_consent"].some((name) => Object.hasOwn(value, name)) ||
      Object.keys(value).some((name) => name.endsWith("_grant_access_token_lifespan")),
  },
  {
    name: "several realms of Keycloak",
    hint: "Save one of them as a file.",
    matches: ({ realm }, isInArray) => isInArray && typeof realm === "string",
  },
  {
    name: "a realm or a client of Keycloak",
    hint: "Start with --config and this file.",
    flag: "--config",
    matches: (value) => isRealm(value) || isKeycloakClient(value),
  },
  {
    name: "a configuration of mock-oauth2-server",
    hint: "Start with --config and this file.",
    flag: "--config",
    matches: (value) => isMockOAuth2Config(value),
  },
  {
    name: "a metadata document",
    hint: copyProfileHint,
    matches: (value) => ["authorization_endpoint", "token_endpoint"].some((name) => typeof value[name] === "string"),
  },
  {
    name: "a configuration file",
    hint: "Start with --config and this file.",
    flag: "--config",
    matches: (value, isInArray) =>
      !isInArray && value.name === undefined &&
      (Array.isArray(value.clients) || Array.isArray(value.users) || value.port !== undefined),
  },
];

/** Whether an object is a realm that Keycloak exported, or that was written for it by hand. */
export function isRealm({ realm, issuer }: Json): boolean {
  return typeof realm === "string" && issuer === undefined;
}

/** Whether an object is a client that Keycloak exported. */
function isKeycloakClient({ clientId, client_id }: Json): boolean {
  return typeof clientId === "string" && client_id === undefined;
}

/**
 * The realm of a file that is not simply one: the export of a server whose only realm besides `master` it is, clients
 * without their realm, or a resource of the operator of Keycloak.
 */
export function findRealm(value: unknown): Json | undefined {
  const { kind, spec } = isObject(value) ? value : {};
  if (/^KeycloakRealm(?:Import)?$/.test(String(kind)) && isObject(spec) && isObject(spec.realm)) return spec.realm;
  const items = (Array.isArray(value) ? value : [value]).filter((item) => isObject(item));
  const realms = items.filter((item) => isRealm(item));
  const ofUsers = realms.length > 1 ? realms.filter(({ realm }) => realm !== "master") : realms;
  if (realms.length > 0) return ofUsers.length === 1 ? ofUsers[0] : undefined;
  return items.length > 0 && items.every(isKeycloakClient) ? { realm: "myrealm", clients: items } : undefined;
}

/** The settings of mock-oauth2-server; none of them is a setting of this server. */
const mockOAuth2Settings = [
  ...["interactiveLogin", "rotateRefreshToken", "tokenCallbacks", "tokenProvider"],
  ...["httpServer", "loginPagePath", "staticAssetsPath"],
];

/** Whether an object is the configuration of mock-oauth2-server. */
export function isMockOAuth2Config(value: Json): boolean {
  return mockOAuth2Settings.some((name) => Object.hasOwn(value, name));
}

/**
 * The format of a text that the reader does not accept, and how to use it; `undefined` if the format is unknown.
 *
 * @param value The JSON value of the text; absent if it is not JSON.
 */
export function findForeignFormat(
  reader: Reader,
  text: string,
  value?: unknown,
): Pick<ConfigIssue, "received" | "hint"> | undefined {
  const first = Array.isArray(value) ? value[0] : value;
  const found = formats.find(({ matchesText, matches }) =>
    value === undefined ? matchesText?.(text) : isObject(first) && matches?.(first, Array.isArray(value))
  );
  return found === undefined || found.flag === reader ? undefined : { received: found.name, hint: found.hint };
}
