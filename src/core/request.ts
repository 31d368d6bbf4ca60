/** The checks of an authorization request, in the order in which they run. */

import { policyOf } from "./clients/repository.ts";
import { ignoreRejection } from "./immediate.ts";
import { type ParameterDescription, parameters } from "./params.ts";
import { reject } from "./reject.ts";
import type { PartRequest, RequestPart, RequestParts, RequestRow } from "./server.ts";
import type { AuthorizationRequest } from "./request/authorization_request.ts";
import { readLoginRequirements } from "./request/login.ts";
import { resolveRequest } from "./request/request_source.ts";
import { readCodeChallenge } from "./pkce.ts";
import type { RuleId } from "./rules/mod.ts";
import { readScope } from "./request/scope.ts";
import { assertResponseMode, assertState, readResponseType } from "./request/response.ts";

/** A check that runs outside of {@link readRequest}. */
interface OtherCheck {
  /** The main rule that a request can violate. */
  readonly rule: RuleId;
  /** Whether the check traces that its rule has passed. Default: false. */
  readonly passes?: true;
  /** What it checks. */
  readonly reads: string;
  /** The function that runs it. */
  readonly by: string;
}

/** The checks before those of {@link readRequest}: an error is a page, because the redirect URI is not verified. */
export const destinationChecks: readonly OtherCheck[] = [
  { rule: "AZ-02", passes: true, reads: "client_id", by: "findDestination" },
  { rule: "JR-01", reads: "the source, without a valid redirect_uri", by: "findDestination" },
  { rule: "RU-01", passes: true, reads: "redirect_uri", by: "findDestination" },
  { rule: "FP-04", reads: "Host, with response_mode=form_post", by: "rejectUntrustedForm" },
];

/** The checks of {@link readRequest}: an error is sent to the client. Rows of extensions stand where they say. */
const checks: readonly RequestPart[] = [
  { rule: "JR-01", redirectOnly: true, read: rejectUnusableSource },
  { rule: "AZ-07", passes: true, redirectOnly: true, read: rejectRepeated },
  { rule: "FP-03", redirectOnly: true, read: assertState },
  { rule: "AZ-09", passes: true, redirectOnly: true, name: "responseType", read: readResponseType },
  { rule: "AZ-19", redirectOnly: true, read: assertResponseMode },
  { rule: "AZ-13", read: rejectLongNonce },
  { rule: "AZ-17", passes: true, name: "scope", read: readScope },
  { rule: "PK-07", passes: true, redirectOnly: true, name: "codeChallenge", read: readChallenge },
  { redirectOnly: true, name: "nonce", read: ({ params }) => params.get("nonce") },
  { rule: "RI-01", name: "resources", read: ({ server, params }) => server.resources.read(server, params) },
  { rule: "OI-03", name: "loginRequirements", read: readLoginRequirements },
];

/** The checks after those of {@link readRequest}: of the login and the approval. An error is sent to the client. */
export const approvalChecks: readonly OtherCheck[] = [
  { rule: "OI-03", reads: "the session, with prompt=none", by: "usableSession" },
  { rule: "UI-20", reads: "Host, before an automatic login", by: "approveAutomatically" },
  { rule: "UI-30", reads: "the site, before an automatic login", by: "approveAutomatically" },
  { rule: "AZ-21", reads: "the users, for an automatic login", by: "approveAutomatically" },
  { rule: "OI-05", reads: "the time of the login", by: "rejectOldLogin" },
  { rule: "OI-08", reads: "the user, and the level of the login", by: "issueResponse" },
  { rule: "AZ-18", reads: "the approved access", by: "issueResponse" },
  { rule: "AZ-21", reads: "changes of the user since the login", by: "issueResponse" },
];

/** The rows of every server, with those of extensions in their places. */
export function checksWith(ofExtensions: readonly RequestPart[]): readonly RequestPart[] {
  const placed = ofExtensions.map((part) => {
    const { place = { after: "AZ-07" } } = part;
    const { before, after }: { readonly before?: RuleId; readonly after?: RuleId } = place === "last" ? {} : place;
    const anchor = before ?? after;
    if (anchor !== undefined && !checks.some(({ rule }) => rule === anchor)) {
      throw new TypeError(`expected the place of a part to name a rule of the table in request.ts, received ${anchor}`);
    }
    return { part, before, after };
  });
  return [
    ...checks.flatMap((row) => [
      ...placed.flatMap(({ part, before }) => before !== undefined && before === row.rule ? part : []),
      row,
      ...placed.flatMap(({ part, after }) => after !== undefined && after === row.rule ? part : []),
    ]),
    ...placed.flatMap(({ part, before, after }) => (before ?? after) === undefined ? part : []),
  ];
}

/** The parts of every server, and those of extensions. */
export function requestParts(ofExtensions: readonly RequestPart[]): RequestParts {
  const rows = checksWith(ofExtensions);
  return {
    rows,
    resolve: resolveRequest,
    parameters: [...authorizationParameters, ...rows.flatMap(({ parameters = [] }) => parameters)],
  };
}

/** The rules of all checks that are traced when they pass, in their order. */
export function passedRules({ rows }: RequestParts): readonly RuleId[] {
  return [...destinationChecks, ...rows].flatMap(({ rule, passes }) => passes && rule !== undefined ? rule : []);
}

/**
 * Reads the parts of a request. It changes nothing, so that a request may be read more than once.
 *
 * @param rows Default: those of an authorization request.
 * @throws {OAuthError} Errors for the client.
 */
export async function readRequest(
  from: PartRequest,
  rows: readonly RequestRow[] = from.server.requestParts.rows,
): Promise<AuthorizationRequest> {
  let request: Partial<AuthorizationRequest> = { clientId: from.client.id };
  for (const { name, slot, read } of rows) {
    if (read === undefined) continue;
    const value = await read(from, request);
    if (name !== undefined) request = { ...request, [name]: value };
    if (slot !== undefined) request = slot.put(request, value);
  }
  return request as AuthorizationRequest;
}

/** Traces the warnings of a request that was accepted. {@link readRequest} traces none. */
export function warnAcceptedRequest(from: PartRequest, request: AuthorizationRequest): void {
  for (const { warn } of from.server.requestParts.rows) ignoreRejection(warn?.(from, request));
}

function rejectUnusableSource({ rejection }: PartRequest): void {
  if (rejection !== undefined) throw rejection;
}

function rejectRepeated({ server, params }: PartRequest): void {
  params.rejectRepeated((facts) => reject("AZ-07", facts));
  server.passed?.("AZ-07");
}

async function readChallenge(
  { server, client, params }: PartRequest,
  { scope = [] }: Partial<AuthorizationRequest>,
): Promise<string | undefined> {
  return await readCodeChallenge(policyOf(server, client), client, params, scope, server.passed);
}

/** Maximum length of `nonce`, which is stored with a code, in characters. */
const maxNonceLength = 1024;

function rejectLongNonce({ params }: PartRequest): void {
  const { length } = params.get("nonce") ?? "";
  if (length > maxNonceLength) throw reject("AZ-13", { name: "nonce", limit: maxNonceLength, length });
}

/** The reference to a request (OpenID Connect Core §6.2). */
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
  { name: "registration", isJson: true },
  requestUriParameter,
  { name: "id_token_hint", secret: "id_token" },
  { name: "resource", repeatable: true },
);
