/** Requirements that several attacks share. */

import type { Requirement } from "../attack.ts";

/** Protection against CSRF; a code challenge or a nonce can replace `state`. */
export const csrfProtection: Requirement = { source: "RFC 9700 §2.1", unless: ["pkce", "nonce"] };

/** Validation of the token response by clients of OpenID Connect. */
export const validTokenResponse: Requirement = { source: "OpenID Connect Core §3.1.3.5", binds: ["idToken"] };
