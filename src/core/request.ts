/**
 * The checks of a request for access, in the order in which they run. Entry points differ only in the rows that name
 * them; they share the code.
 */

import { ignoreRejection } from "./immediate.ts";
import { type ParameterDescription, parameters } from "./params.ts";
import { reject } from "./reject.ts";
import type { EntryPointParts, PartRequest, RequestPart, RequestParts } from "./server.ts";
import type { AuthorizationRequest, EntryPoint } from "./request/authorization_request.ts";
import { readLoginRequirements } from "./request/login.ts";
import { resolveRequest } from "./request/request_source.ts";
import { readCodeChallenge } from "./pkce.ts";
import type { RuleId } from "./rules/mod.ts";
import { readScope } from "./request/scope.ts";
import { assertResponseMode, assertState, readResponseType } from "./request/response.ts";

const byRedirect: readonly EntryPoint[] = ["authorize", "par"];
const everywhere: readonly EntryPoint[] = ["authorize", "par", "poll"];
const byUser: readonly EntryPoint[] = ["authorize", "poll"];

/** A check that runs outside of {@link readRequest}. */
interface OtherCheck {
  /** The main rule that a request can violate. */
  readonly rule: RuleId;
  /** Whether the check traces that its rule has passed. Default: false. */
  readonly passes?: true;
  readonly at: readonly EntryPoint[];
  /** What it checks. */
  readonly reads: string;
  /** The function that runs it. */
  readonly by: string;
}

/** The checks before those of {@link readRequest}: an error is a page, because the redirect URI is not verified. */
export const destinationChecks: readonly OtherCheck[] = [
  { rule: "AZ-02", passes: true, at: byRedirect, reads: "client_id", by: "findDestination" },
  { rule: "JR-01", at: ["authorize"], reads: "the source, without a valid redirect_uri", by: "findDestination" },
  { rule: "RU-01", passes: true, at: byRedirect, reads: "redirect_uri", by: "findDestination" },
  { rule: "FP-04", at: ["authorize"], reads: "Host, with response_mode=form_post", by: "rejectUntrustedForm" },
];

/** The checks of {@link readRequest}: an error is sent to the client. Rows of extensions stand where they say. */
const checks: readonly RequestPart[] = [
  { rule: "JR-01", at: ["authorize"], read: rejectUnusableSource },
  { rule: "AZ-07", passes: true, at: byRedirect, read: rejectRepeated },
  { rule: "FP-03", at: byRedirect, read: assertState },
  { rule: "AZ-09", passes: true, at: byRedirect, name: "responseType", read: readResponseType },
  { rule: "AZ-19", at: byRedirect, read: assertResponseMode },
  { rule: "AZ-13", at: everywhere, read: rejectLongValues },
  { rule: "AZ-17", passes: true, at: everywhere, name: "scope", read: readScope },
  { rule: "PK-07", passes: true, at: byRedirect, name: "codeChallenge", read: readCodeChallenge },
  { at: byRedirect, name: "nonce", read: ({ params }) => params.get("nonce") },
  {
    rule: "RI-01",
    at: everywhere,
    name: "resources",
    read: ({ server, params }) => server.resources.read(server, params),
  },
  { rule: "OI-03", at: everywhere, name: "loginRequirements", read: readLoginRequirements },
];

/** The checks after those of {@link readRequest}: of the login and the approval. An error is sent to the client. */
export const approvalChecks: readonly OtherCheck[] = [
  { rule: "OI-03", at: ["authorize"], reads: "the session, with prompt=none", by: "usableSession" },
  { rule: "UI-20", at: byUser, reads: "Host, before an automatic login", by: "approveAutomatically" },
  { rule: "UI-30", at: byUser, reads: "the site, before an automatic login", by: "approveAutomatically" },
  { rule: "AZ-21", at: byUser, reads: "the users, for an automatic login", by: "approveAutomatically" },
  { rule: "OI-05", at: byUser, reads: "the time of the login", by: "rejectOldLogin" },
  { rule: "OI-08", at: byUser, reads: "the user, and the level of the login", by: "issueResponse" },
  { rule: "AZ-18", at: byUser, reads: "the approved access", by: "issueResponse" },
  { rule: "AZ-21", at: byUser, reads: "changes of the user since the login", by: "issueResponse" },
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
  const parts = checksWith(ofExtensions);
  const partsAt = (entryPoint: EntryPoint): EntryPointParts => {
    const isHere = ({ at }: Pick<RequestPart, "at">) => at.includes(entryPoint);
    const included = parts.filter(isHere);
    return {
      readers: included.flatMap(({ name, slot, rule, read }) => read === undefined ? [] : { name, slot, rule, read }),
      warnings: included.flatMap(({ warn }) => warn ?? []),
      checks: [...destinationChecks.filter(isHere), ...included].flatMap(({ rule, passes }) =>
        passes === true && rule !== undefined ? rule : []
      ),
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
  let request: Partial<AuthorizationRequest> = { clientId: from.client.id };
  for (const { name, slot, read } of from.server.requestParts.at[from.at].readers) {
    const value = await read(from, request);
    if (name !== undefined) request = { ...request, [name]: value };
    if (slot !== undefined) request = slot.put(request, value);
  }
  return request as AuthorizationRequest;
}

/** Traces the warnings of a request that was accepted. {@link readRequest} traces none. */
export function warnAcceptedRequest(from: PartRequest, request: AuthorizationRequest): void {
  for (const warn of from.server.requestParts.at[from.at].warnings) ignoreRejection(warn(from, request));
}

function rejectUnusableSource({ rejection }: PartRequest): void {
  if (rejection !== undefined) throw rejection;
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
