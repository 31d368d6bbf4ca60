/** Conditions on a request, as JSON. */

import { anyValue, type FieldsOf, record, text } from "../../core/policy/field.ts";
import { quote } from "../../server/config/config_issue.ts";
import type { RequestPattern } from "./rule_builder.ts";

/** Conditions on a request besides the endpoint, as JSON; all of them must be met. */
export interface JsonPattern {
  /** The `client_id` that the request must name. Default: any client. */
  readonly client?: string;
  /** The `grant_type` of the request. Default: any. */
  readonly grant_type?: string;
  /** The method of the request, in capitals. Default: any. */
  readonly method?: string;
  /**
   * Values of parameters of the request: a string, an object with a regular expression as `pattern`, or `null` for a
   * parameter that must be absent. Default: any.
   */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The description of {@link JsonPattern}. */
export const jsonPatternFields: FieldsOf<JsonPattern> = {
  client: text(["web"]),
  grant_type: text(["refresh_token"]),
  method: text(["POST"]),
  params: record(anyValue, { scope: "openid", nonce: { pattern: "." }, state: null }, "an object of parameters"),
};

/** The pattern for rules and the log. @throws {TypeError} If a value of `params` has another type. */
export function toRequestPattern({ client, grant_type, method, params }: JsonPattern): RequestPattern {
  return {
    ...client !== undefined && { client },
    ...grant_type !== undefined && { grant_type },
    ...method !== undefined && { method },
    ...params !== undefined && {
      params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, toValue(name, value)])),
    },
  };
}

function toValue(name: string, value: unknown): string | RegExp | undefined {
  if (value === null) return undefined;
  if (typeof value === "string") return value;
  const { pattern } = value as { readonly pattern?: unknown };
  if (typeof pattern !== "string") {
    const expected = "a string, null or an object with a pattern";
    throw new TypeError(`params.${name}: expected ${expected}, received ${quote(value)}`);
  }
  try {
    return new RegExp(pattern);
  } catch {
    throw new TypeError(`params.${name}: expected a regular expression as pattern, received ${quote(pattern)}`);
  }
}
