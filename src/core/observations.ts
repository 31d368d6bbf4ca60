/**
 * Observations of accepted requests. A check names what it saw by `server.observe()`. The minimal server traces the
 * name. The whole server observes more, and traces a warning with a text (`server/explain/`).
 */

import type { Client } from "./clients/clients.ts";

/**
 * @internal The facts of each observation. Its name is the rule by which a strict server rejects the request, or a
 * phrase.
 */
export interface Observations {
  /** The redirect URI has a private-use scheme without a dot. */
  readonly "RU-11": { readonly uri: string };
  /** The id and the secret of HTTP Basic match only without form encoding (OAuth 2.1 §2.4.1). */
  readonly "CA-04": undefined;
  /** An ID token was issued without the claims of its scope. */
  readonly "minimal ID token": { readonly clientId: string; readonly scope: readonly string[] };
  readonly userinfo: { readonly clientId: string };
  /** `offline_access` was granted to a client that gets no refresh token. */
  readonly "OI-09": { readonly grantTypes: readonly string[] };
  /** A client that requested no scope received a token without scope values, although it may request some. */
  readonly "AZ-16": { readonly possible: readonly string[] };
  /** Scope values that only a user can grant were ignored. */
  readonly "CC-02": { readonly requested: string; readonly left: readonly string[] };
  /** Neither a code challenge nor redirect_uri binds a code to its authorization request. */
  readonly "TK-14": undefined;
  /** A client that names no authentication method sent its secret in the body. */
  readonly "CA-16": { readonly client: Client };
  /** A public client used HTTP Basic with an empty secret. */
  readonly "CA-17": undefined;
  /** A client asked for the content of a valid token that it may not see. */
  readonly "IN-02": { readonly client: Client; readonly audience: readonly string[] };
  /** A grant has scope values or resources that are no longer registered. */
  readonly "RT-09": { readonly registered: readonly string[]; readonly granted: readonly string[] };
}
