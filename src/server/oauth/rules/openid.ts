/** Rules of OpenID Connect, logout and bearer tokens. */

import {
  type Repeated,
  repeatedMessage,
  type UnregisteredUri,
  type UnregistrableUri,
  uriMessage,
} from "./authorize.ts";
import { type Rule, rule } from "./rule.ts";

/** Facts about an ID token hint of another client or of no client. */
export interface WrongHint {
  /** The client of the ID token; `undefined` if the token cannot be verified. */
  readonly hintedClient: string | undefined;
}

/** Facts about a redirect URI of a logout whose client is unknown. */
export interface UnidentifiedClient {
  /** The `client_id` of the request; `undefined` if it has none. */
  readonly unknownId: string | undefined;
}

const wrongHint = "id_token_hint is not an ID token that this server issued to this client";

/** By ID, in the order of `tests/rules.md`. */
export const openidRules = {
  "OI-03": { cites: ["OpenID Connect Core §3.1.2.1, §3.1.2.6"] },
  "OI-04": { cites: ["OpenID Connect Core §3.1.2.1"] },
  "OI-05": { cites: ["OpenID Connect Core §3.1.2.1"] },
  "OI-06": { cites: ["OpenID Connect Core §3.1.2.1"] },
  "OI-07": rule<WrongHint & { readonly clientId: string }>({
    code: "invalid_request",
    message: wrongHint,
    cites: ["OpenID Connect Core §3.1.2.1, §3.1.2.2"],
  }),
  "OI-08": { cites: ["OpenID Connect Core §5.5"] },
  "OI-09": { cites: ["OpenID Connect Core §11"] },
  "LO-01": rule({
    code: "access_denied",
    message: "the confirmation does not belong to this session",
    cites: ["OpenID Connect RP-Initiated Logout §2"],
  }),
  "LO-02": rule<WrongHint | Repeated>({
    code: "invalid_request",
    message: (facts) => "repeated" in facts ? repeatedMessage(facts) : wrongHint,
    cites: ["OpenID Connect RP-Initiated Logout §2"],
  }),
  "LO-03": rule<UnregisteredUri | UnregistrableUri | UnidentifiedClient>({
    code: "invalid_request",
    message: (facts) =>
      !("unknownId" in facts)
        ? uriMessage("post_logout_redirect_uri", facts)
        : facts.unknownId === undefined
        ? "post_logout_redirect_uri was sent without id_token_hint and client_id, so its client is unknown"
        : "client_id is not a registered client, so post_logout_redirect_uri belongs to none",
    cites: ["OpenID Connect RP-Initiated Logout §3"],
  }),
  "LO-05": { cites: ["OAuth 2.1 §4.3.3"] },
  "LO-06": { cites: ["OAuth 2.1 §4.3.1"] },
  "CL-17": { cites: [] },
  "BR-01": rule<Repeated>({ code: "invalid_request", message: repeatedMessage, cites: ["OAuth 2.1 §5.1"] }),
  "BR-02": { cites: ["OAuth 2.1 §5.3"] },
  "ST-08": { cites: ["OpenID Connect Core §5.5.1.1", "OpenID Connect Unmet Authentication Requirements §2"] },
  "ST-12": { cites: ["RFC 9068 §2.2.1"] },
} as const satisfies Readonly<Record<string, Rule>>;
