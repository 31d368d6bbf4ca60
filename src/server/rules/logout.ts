/** Rules of logout. */

import { type Repeated, repeatedMessage, type UnregisteredUri } from "../../core/rules/authorize.ts";
import { type WrongHint, wrongHint } from "../../core/rules/openid.ts";
import { type Rule, rule } from "../../core/rules/rule.ts";

/** Facts about a redirect URI of a logout whose client is unknown. */
export interface UnidentifiedClient {
  /** The `client_id` of the request; `undefined` if it has none. */
  readonly unknownId: string | undefined;
}

/** By ID, in the order of `tests/rules.md`. */
export const logoutRules = {
  "LO-01": rule(
    "access_denied",
    "the confirmation does not belong to this session",
    "OpenID Connect RP-Initiated Logout §2",
  ),
  "LO-02": rule<WrongHint | Repeated>(
    "invalid_request",
    (facts) => "repeated" in facts ? repeatedMessage(facts) : wrongHint,
    "OpenID Connect RP-Initiated Logout §2",
  ),
  "LO-03": rule<UnregisteredUri | UnidentifiedClient>(
    "invalid_request",
    (facts) =>
      !("unknownId" in facts)
        ? "post_logout_redirect_uri is not registered for this client"
        : facts.unknownId === undefined
        ? "post_logout_redirect_uri was sent without id_token_hint and client_id, so its client is unknown"
        : "client_id is not a registered client, so post_logout_redirect_uri belongs to none",
    "OpenID Connect RP-Initiated Logout §3",
  ),
} as const satisfies Readonly<Record<string, Rule>>;
