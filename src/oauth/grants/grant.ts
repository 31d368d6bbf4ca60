/** The Grant interface: proves one kind of grant; the token endpoint does everything that grants share. */

import type { Client } from "../clients.ts";
import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import type { Server } from "../server.ts";

/** What a grant has proved: who allowed whom how much. */
export interface Authorization {
  readonly client: Client;
  readonly sub: string;
  readonly scope: readonly string[];
  /** Everything one approval bought ends together. */
  readonly family: string;
  readonly nonce?: string;
  /** When the user was authenticated, in milliseconds since the epoch. */
  readonly authTime: number;
}

/** One grant type. */
export interface Grant {
  /** The value of `grant_type`. */
  readonly type: string;
  /** Proves the grant and uses it up; throws when it does not hold. Nothing may be issued before this returns. */
  authorize(server: Server, client: Client, params: Params): Promise<Authorization>;
}

/** Finds the grant that a token request names and the client may use (OAuth 2.1 §3.2.4). */
export function pickGrant(grants: readonly Grant[], client: Client, params: Params): Grant {
  const type = params.get("grant_type");
  if (type === undefined) {
    throw new OAuthError("invalid_request", "grant_type is missing", {
      rule: "TK-05",
      expected: grants.map((grant) => grant.type).join(" or "),
      received: "no grant_type",
    });
  }
  const grant = grants.find((known) => known.type === type);
  if (grant === undefined) {
    throw new OAuthError("unsupported_grant_type", "grant_type is not supported by this server", {
      rule: "TK-05",
      expected: grants.map((known) => known.type).join(" or "),
      received: type,
    });
  }
  if (!client.grantTypes.includes(type)) {
    throw new OAuthError("unauthorized_client", "this client is not registered for that grant_type", {
      rule: "TK-06",
      expected: client.grantTypes.join(" or "),
      received: type,
    });
  }
  return grant;
}
