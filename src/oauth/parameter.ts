/** Descriptions of request parameters: endpoints and grant types declare what they read. */

/** A parameter of a request or member of a response, described once for all code that handles parameters by name. */
export interface ParameterDescription {
  /** The name on the wire. */
  readonly name: string;
  /** The label of its value where the value is secret, such as `code`: logs and pages redact it. Absent: not secret. */
  readonly secret?: string;
  /** Whether one request may contain it several times. Default: false (OAuth 2.1 §3.1, §3.2). */
  readonly repeatable?: boolean;
  /** Whether its value is JSON, which a request object contains as it is. Default: false. */
  readonly isJson?: boolean;
  /** Whether equal values mean that two exchanges belong to the same flow. Default: false. */
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
