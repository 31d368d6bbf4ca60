/** The Grant interface: proves one kind of grant; the token endpoint does everything that grants share. */

import type { RequestedClaims } from "../../store/store.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import type { Server } from "../server.ts";

/** What a grant has proved: who allowed whom how much. */
export interface Authorization {
  /** Who is allowed. */
  readonly client: Client;
  /** How much is allowed. */
  readonly scope: readonly string[];
  /** The resources the access token is for; empty: the server's default audience. */
  readonly resources: readonly string[];
  /** All the resources of the grant, where the access token is for some of them only. */
  readonly grantedResources?: readonly string[];
  /** Everything one approval bought ends together. */
  readonly grantId: string;
  /** Who allowed it; absent where a client acts for itself. */
  readonly subject?: Subject;
  /** The refresh token that goes on, where the grant settled that. */
  readonly refresh?: { readonly token: string };
}

/** The user behind a grant. */
export interface Subject {
  /** The user, by the name this server has for them. */
  readonly sub: string;
  /** When the user was authenticated, in milliseconds since the epoch. */
  readonly authTime: number;
  /** The session the user was authenticated in. */
  readonly sid: string;
  /** When the user approved, in milliseconds since the epoch. */
  readonly approvedAt?: number;
  /** Goes into the id token, when one was sent. */
  readonly nonce?: string;
  /** Claims asked for by name, when any were. */
  readonly claims?: RequestedClaims;
  /** The consent that the grant rests on; absent where nobody was asked. */
  readonly consent?: string;
}

/** One grant type. */
export interface GrantType {
  /** The value of `grant_type`. */
  readonly type: string;
  /** Proves the grant and uses it up; throws when it does not hold. Nothing may be issued before this returns. */
  authorize(server: Server, client: Client, params: Params): Promise<Authorization>;
}

/** Finds the grant that a token request names and the client may use (OAuth 2.1 §3.2.4). */
export function findGrantType(server: Server, client: Client, params: Params): GrantType {
  const { grantTypes } = server;
  const type = params.get("grant_type");
  if (type === undefined) {
    throw new OAuthError("invalid_request", "grant_type is missing", {
      rule: "TK-05",
      expected: grantTypes.map((grantType) => grantType.type).join(" or "),
      received: "no grant_type",
    });
  }
  const grantType = grantTypes.find((supported) => supported.type === type);
  if (grantType === undefined) {
    throw new OAuthError("unsupported_grant_type", "grant_type is not supported by this server", {
      rule: "TK-05",
      expected: grantTypes.map((supported) => supported.type).join(" or "),
      received: type,
    });
  }
  if (!client.grantTypes.includes(type)) {
    throw new OAuthError("unauthorized_client", "this client is not registered for this grant_type", {
      rule: "TK-06",
      expected: client.grantTypes.join(" or "),
      received: type,
    });
  }
  server.passed?.("TK-06", type);
  return grantType;
}
