/** Explains a response type or a response mode that was rejected. */

import type {
  UnregisteredResponseType,
  UnsupportedResponseMode,
  UnsupportedResponseType,
} from "../../core/rules/authorize.ts";
import { byProfile } from "../config/server_policy.ts";
import { responseTypeNames } from "../config/client_metadata.ts";
import { separatorFix } from "../../core/policy/separators.ts";
import { sortResponseType } from "../../core/http/params.ts";
import { quotedUrlFix } from "./parameters.ts";
import type { RejectionTexts } from "./rule_text.ts";

/** Explains a response type that the server does not support. */
export function explainResponseType({ received, policy }: UnsupportedResponseType): RejectionTexts {
  const expected = `response_type=${policy.responseTypes.join(" or ")}`;
  if (received === undefined) {
    const fix = `Send ${expected}, and exchange the code at the token endpoint. ${quotedUrlFix}`;
    return { expected, received: "no response_type", fix };
  }
  const name = sortResponseType(received);
  return {
    expected,
    received: `response_type=${received}`,
    fix: byProfile(policy, "responseTypes") === "" && responseTypeNames.some((type) => type === name)
      ? `Send ${expected}, or add ${name} to the setting responseTypes and to response_types of the client.`
      : separatorFix("response_type", received, ["code", "id_token"]),
  };
}

export function explainUnregisteredType(
  { type, needed, grantTypes, registered }: UnregisteredResponseType,
): RejectionTexts {
  return {
    expected: `grant_types with ${needed.join(" and ")} and response_types with ${type}`,
    received: `${grantTypes.join(" ")}; ${registered.join(", ")}`,
    fix: type === "code"
      ? undefined
      : `Add ${type} to the client's response_types, and ${
        needed.join(" and ")
      } to its grant_types if it has this member; or send a response_type of the client.`,
  };
}

export function explainResponseMode(
  { received, defaultMode, possible, impossible, registered }: UnsupportedResponseMode,
): RejectionTexts {
  return {
    reason: impossible.some((mode) => mode === received) ? "this response type is never sent in a query" : undefined,
    expected: possible.filter((mode) => registered?.includes(mode) ?? true).join(" or "),
    received: received ?? `no response_mode (default: ${defaultMode})`,
  };
}
