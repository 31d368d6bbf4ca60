/** `state`, `response_type` and `response_mode`: how the response is sent (OAuth 2.1 §4.1.1). */

import { policyOf } from "../clients/policy.ts";
import { byProfile } from "../config/profile.ts";
import { OAuthError } from "../errors.ts";
import { responseTypes } from "./authorization_request.ts";
import { findResponseMode, isAlteredByForm, maxStateLength } from "./destination.ts";
import type { PartRequest } from "../server.ts";

/** Rejects a `state` that is too long, or that a form would change. */
export function assertState({ params, mode }: PartRequest): void {
  if ((params.get("state")?.length ?? 0) > maxStateLength) {
    throw new OAuthError("invalid_request", `state is longer than ${maxStateLength} characters`, {
      rule: "AZ-13",
      expected: `at most ${maxStateLength} characters`,
      received: `${params.get("state")!.length}`,
    });
  }
  if (isAlteredByForm(mode!, params.get("state"))) {
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
}

/** Rejects a response type that the server or the client does not support. */
export function assertResponseType({ server, client, params }: PartRequest): void {
  const type = params.get("response_type");
  if (type === undefined) {
    throw new OAuthError("invalid_request", "response_type is missing", {
      rule: "AZ-09",
      expected: "response_type=code",
      received: "no response_type",
    });
  }
  // Space-separated values in any order (§4.1.1, RFC 6749 Appendix A.3); every supported type is one value.
  if (!responseTypes.includes(type)) {
    throw new OAuthError("unsupported_response_type", "response_type is not supported; use code", {
      rule: "AZ-09",
      expected: "response_type=code",
      received: `response_type=${type}`,
    });
  }
  const { response_types: registered = responseTypes } = client.metadata;
  if (client.grantTypes.includes("authorization_code") && registered.includes(type)) {
    return server.passed?.("AZ-09", type);
  }
  throw new OAuthError("unauthorized_client", "this client is not registered for the code flow", {
    rule: "AZ-11",
    expected: "grant_types with authorization_code and response_types with code",
    received: `${client.grantTypes.join(" ")}; ${registered.join(" ")}`,
  });
}

/** Rejects a response mode that the server or the client does not support. */
export function assertResponseMode({ server, client, params }: PartRequest): void {
  if (findResponseMode(server, client, params) === undefined) {
    const { responseModes, profile } = policyOf(server, client);
    throw new OAuthError("invalid_request", `response_mode is not supported${byProfile(profile, "responseModes")}`, {
      rule: "AZ-19",
      expected: responseModes.filter((mode) => client.metadata.response_modes?.includes(mode) ?? true).join(" or "),
      received: params.get("response_mode") ?? "no response_mode, which means query",
    });
  }
}
