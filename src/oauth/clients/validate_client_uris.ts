/** Validates the URIs of a client: where browsers are redirected, and what pages link to. */

import { type ConfigIssue, quote } from "../config/config_issue.ts";
import { byProfile } from "../config/profile.ts";
import type { ResolvedSettings } from "../config/resolve_settings.ts";
import { validateUrl } from "../keys/validate_public_keys.ts";
import { isLoopback } from "../test_hosts.ts";
import type { ClientMetadata } from "./client.ts";
import { validateRedirectUri } from "./redirect_uri.ts";

/** The redirect URIs. */
export function validateRedirectUris(client: ClientMetadata, settings: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const { redirect_uris: uris = [], grant_types = ["authorization_code"] } = client;
  if (uris.length === 0 && grant_types.includes("authorization_code")) {
    issues.push({
      path: "redirect_uris",
      expected: "at least one redirect URI, because the client is registered for authorization_code",
      received: "none",
      hint: "Add the URI that the client listens on, or change grant_types.",
    });
  }
  const { localUrls } = settings.allows;
  for (const [i, uri] of uris.entries()) {
    const issue = validateRedirectUri(uri, settings.insecureAllowHttpRedirectUris, localUrls);
    if (issue !== undefined) issues.push({ path: `redirect_uris[${i}]`, ...issue, received: quote(uri) });
    else if (settings.privateUseRedirectUris || /^https?:/i.test(uri)) {
      issues.push(...validateNativeUri(client, uri, i, settings));
    } else {
      issues.push({
        path: `redirect_uris[${i}]`,
        expected: `https, or http on a loopback host${byProfile(settings.profile, "privateUseRedirectUris")}`,
        received: quote(uri),
        hint: "Use https, or http://127.0.0.1 with any port.",
      });
    }
  }
  return issues;
}

/** An issue if only a native client may have the redirect URI. */
function validateNativeUri(
  { application_type = "web" }: ClientMetadata,
  uri: string,
  index: number,
  { nativeOnlyRedirectUris, profile }: ResolvedSettings,
): ConfigIssue[] {
  const { protocol, hostname } = new URL(uri);
  const kind = protocol === "http:" ? "loopback" : "private-use";
  if (protocol === "https:" || !nativeOnlyRedirectUris.includes(kind)) return [];
  const isNative = application_type === "native";
  if (isNative && (kind === "private-use" || isLoopback(hostname))) return [];
  const expected = isNative
    ? "https, or http on a loopback host"
    : `an https URI, because application_type is not "native"`;
  return [{
    path: `redirect_uris[${index}]`,
    expected: expected + byProfile(profile, "nativeOnlyRedirectUris"),
    received: quote(uri),
    hint: isNative
      ? "Use https, or http://127.0.0.1 with any port."
      : `Use https, or set application_type to "native" for an app on the user's own device.`,
  }];
}

/** The URIs that the browser may be redirected to after logout. */
export function validatePostLogoutRedirectUris(client: ClientMetadata, settings: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [i, uri] of (client.post_logout_redirect_uris ?? []).entries()) {
    const issue = validateRedirectUri(uri, settings.insecureAllowHttpRedirectUris, settings.allows.localUrls);
    if (issue !== undefined) issues.push({ path: `post_logout_redirect_uris[${i}]`, ...issue, received: quote(uri) });
  }
  return issues;
}

/** The URLs that pages show as links. Only http and https are allowed, because other schemes can run scripts. */
export function validatePageUrls(client: ClientMetadata, { allows }: ResolvedSettings): ConfigIssue[] {
  return (["client_uri", "logo_uri", "policy_uri", "tos_uri"] as const).flatMap((path) => {
    const { [path]: uri } = client;
    return uri === undefined ? [] : validateUrl(path, uri, allows.localUrls);
  });
}
