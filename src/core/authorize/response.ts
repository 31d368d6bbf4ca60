/** How a request wants its response: `response_type`, `response_mode` and `state`. */

import type { Client } from "../clients/clients.ts";
import { type Params, type ResponseMode, type ResponseType, sortResponseType, splitScope } from "../http/params.ts";
import type { Policy } from "../policy/policy.ts";
import { reject } from "../rules/reject.ts";
import type { CheckInput } from "../server.ts";
import { grantTypesFor } from "../clients/client.ts";
import { ownResponseModes, type ResponseModes } from "./authorization_request.ts";

/** Maximum length of `state`, in characters. */
export const maxStateLength = 4096;

/**
 * Reads the response type.
 *
 * @throws {OAuthError} If the policy or the client does not support it.
 */
export function readResponseType(
  policy: Policy,
  client: Pick<Client, "grantTypes" | "metadata">,
  received: string | undefined,
): ResponseType {
  const name = sortResponseType(received ?? "");
  const type = policy.responseTypes.find((type) => type === name);
  if (type === undefined) throw reject("AZ-09", { received, policy });
  const { grantTypes } = client;
  const { response_types: registered = ["code"] } = client.metadata;
  const needed = grantTypesFor([type]);
  if (!registered.map(sortResponseType).includes(type) || !needed.every((grant) => grantTypes.includes(grant))) {
    throw reject("AZ-11", { type, needed, grantTypes, registered });
  }
  return type;
}

/**
 * The default response mode of a request: `query` for a code alone, otherwise `fragment`, so that no token is in a
 * query (Multiple Response Types §3, §5).
 */
export function defaultResponseMode({ responseTypes }: Pick<Policy, "responseTypes">, params: Params): ResponseMode {
  const requested = params.get("response_type") ?? "code";
  if (requested === "code") return "query";
  const words = splitScope(requested).filter((word) => word !== "code");
  const isTokenType = (type: string) => splitScope(type).some((word) => words.includes(word));
  return words.length > 0 && responseTypes.some(isTokenType) ? "fragment" : "query";
}

/**
 * The response mode of a request, by default that of its response type; `undefined` if the server or the client does
 * not allow it, or the response type forbids it.
 */
export function findResponseMode(
  policy: Policy,
  modes: ResponseModes,
  { metadata }: Pick<Client, "metadata">,
  params: Params,
): ResponseMode | undefined {
  const defaultMode = defaultResponseMode(policy, params);
  const requested = params.get("response_mode") ?? defaultMode;
  const mode = policy.responseModes.find((supported) => supported === requested);
  if (mode === undefined || metadata.response_modes?.includes(mode) === false) return undefined;
  return allowedMode(modes, mode, defaultMode);
}

/**
 * The mode of an error about the response mode, or before it is known: the default one or, where only signed modes are
 * allowed, the one with the same carrier (JARM §2.3). `undefined` if the error must be shown on a page.
 */
export function errorResponseMode(
  policy: Policy,
  modes: ResponseModes,
  { metadata }: Pick<Client, "metadata">,
  params: Params,
): ResponseMode | undefined {
  const defaultMode = defaultResponseMode(policy, params);
  const allowed = policy.responseModes.filter((mode) => metadata.response_modes?.includes(mode) !== false);
  if (allowed.some((mode) => ownResponseModes.has(mode))) return defaultMode;
  const possible = allowed.flatMap((mode) => allowedMode(modes, mode, defaultMode) ?? []);
  return possible.find((mode) => modes.get(mode)?.carrier === defaultMode);
}

/** The mode that a requested one means for the response type; `undefined` if the type forbids it. */
function allowedMode(
  modes: ResponseModes,
  mode: ResponseMode,
  defaultMode: ResponseMode,
): ResponseMode | undefined {
  if (defaultMode === "query") return mode;
  const { carrier, inFragment } = modes.get(mode)!;
  return carrier === "query" ? inFragment : mode;
}

export function rejectResponseMode(
  policy: Policy,
  modes: ResponseModes,
  client: Pick<Client, "metadata">,
  params: Params,
): Error {
  const { responseModes } = policy;
  const defaultMode = defaultResponseMode(policy, params);
  return reject("AZ-19", {
    received: params.get("response_mode"),
    defaultMode,
    possible: responseModes.filter((mode) => allowedMode(modes, mode, defaultMode) !== undefined),
    impossible: responseModes.filter((mode) => allowedMode(modes, mode, defaultMode) === undefined),
    registered: client.metadata.response_modes,
    policy,
  });
}

/** Whether the response has the `state` of the request: it is sent once, not too long, and a form keeps it. */
export function returnsState(params: Params, mode: ResponseMode): boolean {
  const state = params.get("state") ?? "";
  return !params.isRepeated("state") && state.length <= maxStateLength && !isAlteredByForm(mode, state);
}

/** Rejects a `state` that is too long, or that a form would change. */
export function assertState({ params, mode }: CheckInput): void {
  const state = params.get("state") ?? "";
  if (state.length > maxStateLength) {
    throw reject("AZ-13", { name: "state", limit: maxStateLength, length: state.length });
  }
  if (isAlteredByForm(mode!, state)) throw reject("FP-03");
}

/** Whether an HTML form would change the line breaks or control characters of `state`. */
function isAlteredByForm(mode: ResponseMode, state: string): boolean {
  // deno-lint-ignore no-control-regex
  return mode === "form_post" && /[\x00-\x1F\x7F]/.test(state);
}
