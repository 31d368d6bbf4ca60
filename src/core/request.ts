/**
 * The parts of a request for access, in the order in which they are read. Entry points differ only in the parts that
 * they list here; they share the code.
 */

import { ignoreRejection } from "./immediate.ts";
import { type ParameterDescription, parameters } from "./params.ts";
import { reject } from "./reject.ts";
import type { EntryPointParts, PartRequest, RequestPart, RequestParts } from "./server.ts";
import type { AuthorizationRequest, EntryPoint } from "./request/authorization_request.ts";
import { readLoginRequirements } from "./request/login.ts";
import { resolveRequest } from "./request/request_source.ts";
import { readCodeChallenge } from "./pkce.ts";
import { readScope } from "./request/scope.ts";
import { assertResponseMode, assertState, readResponseType } from "./request/response.ts";

const byRedirect: readonly EntryPoint[] = ["authorize", "par"];
const everywhere: readonly EntryPoint[] = ["authorize", "par", "poll"];

/** Selects the parts of extensions that run at one position. */
type Position = (part: RequestPart) => boolean;

const checksOfExtensions: Position = ({ name }) => name === undefined;
const membersOfExtensions: Position = ({ name }) => name !== undefined && name !== "loginRequirements";
const requirementsOfExtensions: Position = ({ name }) => name === "loginRequirements";

/**
 * The checks of a request for access, in the order in which they run: the rule, the entry points, and the functions. At
 * the authorization endpoint, `findDestination` has found the client (AZ-02) and the redirect URI (RU-01) before; the
 * session (OI-05) and the approval follow.
 *
 * Parts of extensions without a name only check the request, and run before its other parameters. Those with a name add
 * a member, and run before the scope, because access besides scope needs none. Those with the name
 * `loginRequirements` add to the requirements that were read before.
 */
const order: readonly (RequestPart | Position)[] = [
  { passes: "AZ-07", at: byRedirect, read: rejectRepeated },
  checksOfExtensions,
  { rule: "AZ-13", at: byRedirect, read: assertState },
  { passes: "AZ-09", at: byRedirect, name: "responseType", read: readResponseType },
  { rule: "AZ-19", at: byRedirect, read: assertResponseMode },
  { rule: "AZ-13", at: everywhere, read: rejectLongValues },
  membersOfExtensions,
  { passes: "AZ-17", at: everywhere, name: "scope", read: readScope },
  { passes: "PK-07", at: byRedirect, name: "codeChallenge", read: readCodeChallenge },
  { at: byRedirect, name: "nonce", read: ({ params }) => params.get("nonce") },
  {
    rule: "RI-01",
    at: everywhere,
    name: "resources",
    read: ({ server, params }) => server.resources.read(server, params),
  },
  { rule: "OI-03", at: everywhere, name: "loginRequirements", read: readLoginRequirements },
  requirementsOfExtensions,
];

/** The parts of every server, and those of extensions. */
export function requestParts(ofExtensions: readonly RequestPart[]): RequestParts {
  const parts = order.flatMap((part) => typeof part === "function" ? ofExtensions.filter(part) : part);
  const partsAt = (entryPoint: EntryPoint): EntryPointParts => {
    const included = parts.filter(({ at }) => at.includes(entryPoint));
    return {
      readers: included.flatMap(({ name, read }) => read === undefined ? [] : { name, read }),
      warnings: included.flatMap(({ warn }) => warn ?? []),
      checks: included.flatMap(({ passes }) => passes ?? []),
    };
  };
  const parametersAt = (entryPoint: EntryPoint) =>
    parts.flatMap(({ at, parameters = [] }) => at.includes(entryPoint) ? parameters : []);
  return {
    at: { authorize: partsAt("authorize"), par: partsAt("par"), poll: partsAt("poll") },
    resolve: resolveRequest,
    parameters: {
      authorize: [...authorizationParameters, ...parametersAt("authorize")],
      par: [...authorizationParameters, ...parametersAt("par")],
      poll: parametersAt("poll"),
    },
  };
}

/**
 * Reads the parts of a request. It changes nothing, so that a request may be read more than once.
 *
 * @throws {OAuthError} Errors for the client.
 */
export async function readRequest(from: PartRequest): Promise<AuthorizationRequest> {
  const request: Partial<AuthorizationRequest> = { clientId: from.client.id };
  for (const { name, read } of from.server.requestParts.at[from.at].readers) {
    const value = await read(from, request);
    if (name !== undefined) (request as Record<string, unknown>)[name] = value;
  }
  return request as AuthorizationRequest;
}

/** Traces the warnings of a request that was accepted. {@link readRequest} traces none. */
export function warnAcceptedRequest(from: PartRequest, request: AuthorizationRequest): void {
  for (const warn of from.server.requestParts.at[from.at].warnings) ignoreRejection(warn(from, request));
}

function rejectRepeated({ server, params }: PartRequest): void {
  params.rejectRepeated((facts) => reject("AZ-07", facts));
  server.passed?.("AZ-07");
}

/** Maximum lengths of values that are stored with a code, in characters. They bound the size of the store. */
const maxStoredLengths = [["nonce", 1024], ["claims", 4096]] as const;

function rejectLongValues({ params }: PartRequest): void {
  for (const [name, limit] of maxStoredLengths) {
    const { length } = params.get(name) ?? "";
    if (length > limit) throw reject("AZ-13", { name, limit, length });
  }
}

/** The reference to a pushed request (RFC 9126 §2.2). */
export const requestUriParameter: ParameterDescription = {
  name: "request_uri",
  secret: "request_uri",
  linksFlow: true,
};

/**
 * Every parameter that a specification defines for the authorization endpoint, supported or rejected, besides the
 * parameters of extensions.
 */
const authorizationParameters = parameters(
  "response_type",
  "client_id",
  "redirect_uri",
  "response_mode",
  "scope",
  "state",
  "nonce",
  "code_challenge",
  "code_challenge_method",
  "prompt",
  "max_age",
  "display",
  "ui_locales",
  "claims_locales",
  "login_hint",
  "request",
  { name: "claims", isJson: true },
  { name: "registration", isJson: true },
  requestUriParameter,
  { name: "id_token_hint", secret: "id_token" },
  { name: "resource", repeatable: true },
);
