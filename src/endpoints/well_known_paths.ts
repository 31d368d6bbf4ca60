/** The URLs of the metadata documents. Apart from their handlers, which the first request for metadata loads. */

import type { MetadataForm } from "../oauth/config/settings.ts";

/**
 * The paths of the metadata: both well-known names before the issuer's path (RFC 8414 §3.1, §5) and after it (OpenID
 * Connect Discovery §4; some clients append RFC 8414's name too).
 */
export function wellKnownPaths(base: string, forms: readonly MetadataForm[]): string[] {
  return [...new Set(forms.map((form) => paths[form](base)))];
}

const paths: Readonly<Record<MetadataForm, (base: string) => string>> = {
  "oauth-inserted": (base) => `/.well-known/oauth-authorization-server${base}`,
  "openid-inserted": (base) => `/.well-known/openid-configuration${base}`,
  "openid-appended": (base) => `${base}/.well-known/openid-configuration`,
  "oauth-appended": (base) => `${base}/.well-known/oauth-authorization-server`,
};
