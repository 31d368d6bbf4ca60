/**
 * Parameters of requests: their descriptions, the reader of received ones, and the syntax of their values (OAuth 2.1
 * §1.4.1, §3.1, §3.2).
 */

import type { OAuthError } from "../rules/errors.ts";
import type { Repeated } from "../rules/authorize.ts";

/** Parameters by name. */
export interface Params {
  /** The value, or `undefined` when absent or empty; the first one of a repeated parameter. */
  get(name: string): string | undefined;
  /** All values that are not empty, for parameters that may repeat. */
  getAll(name: string): readonly string[];
  /** Whether the request contains the parameter, even an empty one. */
  has(name: string): boolean;
  /** Whether the request contains the parameter more than once, empty values included. */
  isRepeated(name: string): boolean;
  /**
   * Rejects the first repeated parameter among those that must not repeat.
   *
   * @param reject Creates the error.
   * @throws {OAuthError} This error.
   */
  rejectRepeated(reject: (facts: Repeated) => OAuthError): void;
}

/**
 * Creates parameters from decoded fields.
 *
 * @param unrepeatable The names of parameters that must not repeat. Default: none.
 */
export function paramsFromFields(
  fields: readonly (readonly [name: string, value: string])[],
  unrepeatable: ReadonlySet<string> = new Set(),
): Params {
  const values = new Map<string, string[]>();
  for (const [name, value] of fields) {
    const sent = values.get(name);
    if (sent === undefined) values.set(name, [value]);
    else sent.push(value);
  }
  const valuesOf = (name: string) => values.get(name) ?? [];
  return {
    get: (name) => valuesOf(name).find((value) => value !== ""),
    getAll: (name) => valuesOf(name).filter((value) => value !== ""),
    has: (name) => values.has(name),
    isRepeated: (name) => valuesOf(name).length > 1,
    rejectRepeated(reject) {
      for (const [name, { length: times }] of values) {
        if (times > 1 && unrepeatable.has(name)) throw reject({ repeated: name, times });
      }
    },
  };
}

/**
 * @internal A parameter of a request or member of a response, described once for all code that handles parameters by
 * name.
 */
export interface ParameterDescription {
  /** The name on the wire. */
  readonly name: string;
  /** The label of the value if it is secret, such as `code`: logs and pages redact the value. Absent: not secret. */
  readonly secret?: string;
  /** Whether one request may contain it several times. Default: false (OAuth 2.1 §3.1, §3.2). */
  readonly repeatable?: boolean;
  /** For the recorder of the whole server: whether exchanges with equal values are of one flow. Default: false. */
  readonly linksFlow?: boolean;
}

/**
 * Creates a list of descriptions. A string is the name of a parameter that is not secret, must not repeat and links no
 * flow.
 *
 * @example
 * ```ts
 * const refreshParameters = parameters("scope", { name: "refresh_token", secret: "refresh_token", linksFlow: true });
 * ```
 */
export function parameters(...list: readonly (string | ParameterDescription)[]): readonly ParameterDescription[] {
  return list.map((parameter) => typeof parameter === "string" ? { name: parameter } : parameter);
}

/** @internal A response type (OAuth 2.0 Multiple Response Types §3, §5): `code`, or one of an extension. */
export type ResponseType = string;

/**
 * @internal How a response is sent. `query`: in the query of the redirect URI; `fragment`: in its fragment, which
 * scripts of the page there read; `form_post`: in a form that submits itself there. Or a mode of an extension.
 */
export type ResponseMode = string;

/** @internal The parameters of an authorization response. */
export type ResponseFields = readonly (readonly [name: string, value: string])[];

/** A value of `response_type` with its words in alphabetical order: their order does not count (OAuth 2.1 §4.1.1). */
export function sortResponseType(text: string): string {
  return text.split(" ").sort().join(" ");
}

/** The supported values of `prompt` (OpenID Connect Core §3.1.2.1). */
export const promptValues = ["none", "login", "consent", "select_account"] as const;

/** One scope token: printable ASCII without space, quote and backslash. */
export const scopeToken: RegExp = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

/** Splits a scope value into its tokens, each once. */
export function splitScope(text: string): string[] {
  return [...new Set(text.split(" ").filter((token) => token !== ""))];
}
