/** The authorization request, from its parameters to a code (OAuth 2.1 §4.1.1, §4.1.2). */

import type { Client } from "../clients/repository.ts";
import type { User } from "../clients/client.ts";
import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import { readCodeChallenge } from "./pkce.ts";
import {
  type Destination,
  isAlteredByForm,
  maxStateLength,
  rejectedRequestObject,
  responseModes,
} from "./destination.ts";
import { readOpenIdParameters } from "./openid.ts";
import type { LoginRequirements } from "./openid.ts";
import { readResources } from "./resources.ts";
import { resolveScope } from "./scope.ts";
import type { Server } from "../server.ts";

/** A validated authorization request. */
export interface AuthorizationRequest {
  /** Where the response goes. */
  readonly destination: Destination;
  /** The client of the request. */
  readonly client: Client;
  /** The requested scope: supported values that the client may request. */
  readonly scope: readonly string[];
  /** The S256 code challenge; absent without PKCE (RFC 7636 §4.2). */
  readonly codeChallenge?: string;
  /** For the ID token (OpenID Connect Core §3.1.2.1). */
  readonly nonce?: string;
  /** The requested resources (RFC 8707 §2). */
  readonly resources: readonly string[];
  /** The requirements for the login (OpenID Connect Core §3.1.2.1). */
  readonly loginRequirements: LoginRequirements;
}

/** The user, and what they allow. */
export interface Approval {
  /** One of the server's users. */
  readonly user: User;
  /** All of the request's scope, or less. */
  readonly scope: readonly string[];
  /** The allowed claims of those requested by name. Default: all but those of denied scope values. */
  readonly claims?: readonly string[];
  /** When the user was authenticated, in milliseconds since the epoch. */
  readonly authTime: number;
  /** Identifies the consent, which the user can revoke later; absent if no consent was asked for. */
  readonly consent?: string;
}

/** The supported response types. */
export const responseTypes = ["code"] as const;
/** Maximum lengths of values that are stored with a code, in characters: a request must not fill the store. */
const maxStoredLengths = [["nonce", 1024], ["claims", 4096]] as const;

/**
 * Reads the rest of the request.
 *
 * @throws {OAuthError} If a parameter is invalid. The error is sent to the client.
 */
export async function parseAuthorizationRequest(
  server: Server,
  params: Params,
  destination: Destination,
): Promise<AuthorizationRequest> {
  const { client } = destination;
  const requestObjectError = rejectedRequestObject(params);
  if (requestObjectError !== undefined) throw requestObjectError;
  params.rejectRepeated("AZ-07");
  server.passed?.("AZ-07");
  if ((params.get("state")?.length ?? 0) > maxStateLength) {
    throw new OAuthError("invalid_request", `state is longer than ${maxStateLength} characters`, {
      rule: "AZ-13",
      expected: `at most ${maxStateLength} characters`,
      received: `${params.get("state")!.length}`,
    });
  }
  if (isAlteredByForm(destination.mode, params.get("state"))) {
    throw new OAuthError(
      "invalid_request",
      "state contains a control character, which form_post cannot return unchanged",
      {
        rule: "FP-03",
        expected: "a state without control characters",
        received: "one with",
      },
    );
  }
  assertResponseType(server, client, params);
  const mode = params.get("response_mode");
  if (mode !== undefined && !responseModes.some((supported) => supported === mode)) {
    throw new OAuthError("invalid_request", "response_mode is not supported", {
      rule: "AZ-19",
      expected: responseModes.join(" or "),
      received: mode,
    });
  }
  for (const [name, limit] of maxStoredLengths) {
    if ((params.get(name)?.length ?? 0) <= limit) continue;
    throw new OAuthError("invalid_request", `${name} is longer than ${limit} characters`, {
      rule: "AZ-13",
      expected: `at most ${limit} characters`,
      received: String(params.get(name)!.length),
    });
  }
  const scope = resolveScope(server, client, params.get("scope"));
  const codeChallenge = readCodeChallenge(server, client, params);
  return {
    destination,
    client,
    scope,
    codeChallenge,
    nonce: params.get("nonce"),
    resources: readResources(server, params),
    loginRequirements: await readOpenIdParameters(server, params, destination),
  };
}

function assertResponseType(server: Server, client: Client, params: Params): void {
  const type = params.get("response_type");
  if (type === undefined) {
    throw new OAuthError("invalid_request", "response_type is missing", {
      rule: "AZ-09",
      expected: "response_type=code",
      received: "no response_type",
    });
  }
  // Words in any order, separated by one space (§4.1.1, RFC 6749 Appendix A.3); every supported type is one word.
  if (!responseTypes.some((supported) => supported === type)) {
    throw new OAuthError("unsupported_response_type", "response_type is not supported; use code", {
      rule: "AZ-09",
      expected: "response_type=code",
      received: `response_type=${type}`,
    });
  }
  if (client.grantTypes.includes("authorization_code") && client.responseTypes.includes(type)) {
    return server.passed?.("AZ-09", type);
  }
  throw new OAuthError("unauthorized_client", "this client is not registered for the code flow", {
    rule: "AZ-11",
    expected: "grant_types with authorization_code and response_types with code",
    received: `${client.grantTypes.join(" ")}; ${client.responseTypes.join(" ")}`,
  });
}
