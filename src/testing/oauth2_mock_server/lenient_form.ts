/** Forms that oauth2-mock-server accepts and this server does not: JSON bodies, and token requests without a client. */

import { isObject } from "../../core/http/json_value.ts";
import type { AugmentedRequest } from "./types.ts";

/** A form, and what the client should send instead. */
export interface LenientForm {
  /** The encoded form. */
  readonly text: string;
  readonly warnings: readonly string[];
}

/**
 * The form of a request. A JSON object becomes a form, and a token request without a client gets one; each has a
 * warning.
 *
 * @param text The body.
 * @param clientOfCode The client of the login that a code is from.
 */
export function lenientForm(
  { headers, body }: AugmentedRequest,
  text: string,
  isTokenRequest: boolean,
  clientOfCode: (code: string) => string | undefined,
): LenientForm {
  const warnings: string[] = [];
  const isJson = /^application\/json/i.test(headers["content-type"] ?? "") && isObject(body);
  const form = new URLSearchParams(isJson ? undefined : text);
  if (isJson) {
    for (const [name, value] of Object.entries(body)) {
      for (const item of Array.isArray(value) ? value : [value]) {
        if (["string", "number", "boolean"].includes(typeof item)) form.append(name, String(item));
      }
    }
    warnings.push("the body is JSON; send application/x-www-form-urlencoded (OAuth 2.1 §3.2.2)");
  }
  const namesClient = headers.authorization !== undefined || form.has("client_id") || form.has("client_assertion");
  if (isTokenRequest && !namesClient && form.has("grant_type")) {
    form.set("client_id", clientOfCode(form.get("code") ?? "") ?? "unnamed");
    if (form.get("grant_type") === "client_credentials") form.set("client_secret", "unnamed");
    warnings.push(
      "the token request names no client; send client_id, or client_id and secret by Basic (OAuth 2.1 §2.4)",
    );
  }
  return warnings.length === 0 ? { text, warnings } : { text: form.toString(), warnings };
}
