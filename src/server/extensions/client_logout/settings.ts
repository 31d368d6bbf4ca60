/**
 * The settings of client logout, and the logout URIs of clients: which clients are called, and which URIs may be
 * registered.
 */

import { describeSettings } from "../../config/extension_settings.ts";
import type { ClientMetadata } from "../../config/client_metadata.ts";
import type { UriIssue } from "../../../core/clients/uri_problem.ts";
import { validateClientUri } from "../../config/uri_issues.ts";
import { type FieldsOf, flag, group, seconds, text } from "../../../core/policy/field.ts";
import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import type { Server } from "../../../core/server.ts";
import type { ServerPolicy } from "../../config/server_policy.ts";
import { open } from "../../config/client_fields.ts";

/** How the server informs clients that a session in which they received an ID token has ended. */
export interface ClientLogoutOptions {
  /**
   * Whether the server calls the `backchannel_logout_uri` of clients (OpenID Connect Back-Channel Logout). Default:
   * true.
   */
  readonly backChannel?: boolean;
  /** Whether the logout page shows the `frontchannel_logout_uri` of clients (Front-Channel Logout). Default: true. */
  readonly frontChannel?: boolean;
  /** Seconds that a logout waits for all calls together, and then again for all frames. Default: 5. Maximum: 30. */
  readonly timeout?: number;
}

/** @internal */
export interface ClientLogoutSettings {
  /** How the server informs clients that a session has ended. */
  readonly clientLogout?: ClientLogoutOptions;
}

/** The setting that is in effect. */
export interface ClientLogoutPolicy {
  readonly clientLogout: Required<ClientLogoutOptions>;
}

const clientLogout = group<ClientLogoutOptions>("ClientLogoutOptions", {
  backChannel: flag(true),
  frontChannel: flag(true),
  timeout: seconds(5, 30),
}, { backChannel: true, timeout: 5 });

export const clientLogoutFields: FieldsOf<ClientLogoutSettings> = { clientLogout };

/** Describes the setting, and reads it from a policy. */
export const clientLogoutSettings = describeSettings<ClientLogoutPolicy>({ fields: clientLogoutFields });

export function clientLogoutOf({ policy }: Pick<Server, "policy">): Required<ClientLogoutOptions> {
  return clientLogoutSettings.of(policy).clientLogout;
}

/** Whether a client has a logout URI, and the settings allow its use. */
export function hasLogoutUri(
  { backchannel_logout_uri, frontchannel_logout_uri }: ClientMetadata,
  { backChannel, frontChannel }: Pick<ClientLogoutOptions, "backChannel" | "frontChannel">,
): boolean {
  return (backChannel === true && backchannel_logout_uri !== undefined) ||
    (frontChannel === true && frontchannel_logout_uri !== undefined);
}

/** The issues of the logout URIs. A member that demands `sid` requires the logout URI that it belongs to. */
export function validateLogoutUris(client: ClientMetadata, policy: ServerPolicy): ConfigIssue[] {
  return (["backchannel", "frontchannel"] as const).flatMap((channel) => {
    const { [`${channel}_logout_uri` as const]: uri } = client;
    if (uri === undefined && !client[`${channel}_logout_session_required`]) return [];
    const issue = uri === undefined
      ? { expected: "a URI", hint: `Add it, or remove ${channel}_logout_session_required.` }
      : validateClientUri(uri, policy.insecure.includes("http-redirect-uris"), policy.allows.localUrls) ??
        validators[channel](uri, client);
    const received = uri === undefined ? "none" : quote(uri);
    return issue === undefined ? [] : [{ path: `${channel}_logout_uri`, ...issue, received }];
  });
}

const validators = { backchannel: validateBackChannel, frontchannel: validateFrontChannel };

/** Back-Channel Logout §2.2. */
function validateBackChannel(
  uri: string,
  { token_endpoint_auth_method: method, client_secret, jwks, jwks_uri }: ClientMetadata,
): UriIssue | undefined {
  const isPublic = (method ?? client_secret ?? jwks ?? jwks_uri ?? "none") === "none";
  if (/^https:/i.test(uri) || (/^http:/i.test(uri) && !isPublic)) return undefined;
  return {
    expected: "https, or http for a client that authenticates",
    hint: "Use https, or register a secret or keys.",
  };
}

/** Front-Channel Logout §2. The server appends `iss` and `sid`. */
function validateFrontChannel(uri: string, { redirect_uris = [] }: ClientMetadata): UriIssue | undefined {
  const { origin, searchParams } = new URL(uri);
  if (origin === "null" || !redirect_uris.some((other) => URL.canParse(other) && new URL(other).origin === origin)) {
    return { expected: "scheme, host and port of one of the redirect_uris", hint: "Register a redirect URI there." };
  }
  // The policy of the logout page names the origin: a semicolon or a comma would begin another directive or policy.
  if (!/^https?:\/\/[\w.:[\]-]+$/.test(origin)) {
    return { expected: "a host of letters, digits, hyphens and dots", hint: "Use the name of a host." };
  }
  if (!searchParams.has("iss") && !searchParams.has("sid")) return undefined;
  return { expected: "a query without iss and sid", hint: "Remove them: the server adds both." };
}

export interface LogoutClientMembers {
  /**
   * The URL that the server posts a logout token to when a session ends in which the client got an ID token (OpenID
   * Connect Back-Channel Logout): https, or http on a test host if the client authenticates.
   */
  readonly backchannel_logout_uri?: string;
  /** Whether the logout token must contain `sid`; it always does. Default: false. */
  readonly backchannel_logout_session_required?: boolean;
  /**
   * The URL that the logout page shows in a hidden frame, with `iss` and `sid`, when a session ends in which the client
   * got an ID token (OpenID Connect Front-Channel Logout). Its scheme, host and port are those of a redirect URI.
   */
  readonly frontchannel_logout_uri?: string;
  /** Whether that URL must contain `iss` and `sid`; it always does. Default: false. */
  readonly frontchannel_logout_session_required?: boolean;
}

export const logoutClientFields: FieldsOf<LogoutClientMembers> = {
  backchannel_logout_uri: { ...open(text(["https://app.example/backchannel-logout"])), isFetched: true },
  backchannel_logout_session_required: open(flag(false)),
  frontchannel_logout_uri: { ...open(text(["https://app.example/frontchannel-logout"])), isFetched: true },
  frontchannel_logout_session_required: open(flag(false)),
};
