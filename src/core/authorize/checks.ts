/** The checks of an authorization request, in the order in which they run. */

import { policyOf } from "../clients/clients.ts";
import { ignoreRejection } from "../immediate.ts";
import { type ParameterDescription, parameters } from "../http/params.ts";
import { reject } from "../rules/reject.ts";
import type { CheckInput, RequestCheck } from "../server.ts";
import type { AuthorizationRequest } from "./authorization_request.ts";
import { readLoginRequirements } from "./login.ts";
import { readCodeChallenge } from "./pkce.ts";
import type { RuleId } from "../rules/mod.ts";
import { resolveScope } from "./scope.ts";
import { assertResponseMode, assertState, readResponseType } from "./response.ts";

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

/**
 * The checks before those of {@link readRequest}: an error is a page, because the redirect URI is not verified, or the
 * host is not trusted.
 */
export const destinationChecks: readonly OtherCheck[] = [
  { rule: "AZ-02", passes: true, reads: "client_id", by: "findDestination" },
  { rule: "JR-01", reads: "the source, without a valid redirect_uri", by: "findDestination" },
  { rule: "AZ-06", reads: "redirect_uri, sent once", by: "findDestination" },
  { rule: "RU-07", reads: "redirect_uri, with scope openid", by: "findDestination" },
  { rule: "RU-06", reads: "redirect_uri, if several are registered", by: "findDestination" },
  { rule: "RU-01", passes: true, reads: "redirect_uri", by: "findDestination" },
  { rule: "FP-04", reads: "Host, with response_mode=form_post", by: "rejectUntrustedForm" },
];

/** The resource that an access token is for (RFC 8707 §2). */
export const resourceParameter: ParameterDescription = { name: "resource", repeatable: true };

/** The checks of {@link readRequest}: an error is sent to the client. Extensions insert theirs by `place`. */
const checks: readonly RequestCheck[] = [
  { rule: "JR-01", redirectOnly: true, reads: "the source, with a valid redirect_uri", read: rejectUnusableSource },
  { rule: "AZ-07", passes: true, redirectOnly: true, reads: "each parameter, sent once", read: rejectRepeated },
  { rule: "FP-03", otherRules: ["AZ-13"], redirectOnly: true, reads: "state", read: assertState },
  { rule: "AZ-09", otherRules: ["AZ-11"], passes: true, redirectOnly: true, reads: "response_type", read: readType },
  { rule: "AZ-19", redirectOnly: true, reads: "response_mode", read: assertMode },
  { rule: "AZ-13", reads: "the length of nonce", read: rejectLongNonce },
  { rule: "AZ-17", otherRules: ["AZ-15", "AZ-16"], passes: true, reads: "scope", read: readScope },
  {
    rule: "PK-07",
    otherRules: ["PK-01", "PK-02", "PK-04", "PK-05", "PK-06"],
    passes: true,
    redirectOnly: true,
    reads: "code_challenge and code_challenge_method",
    read: readChallenge,
  },
  { redirectOnly: true, reads: "nonce", read: readNonce },
  { rule: "RI-01", atTokenEndpoint: true, parameters: [resourceParameter], reads: "resource", read: rejectResource },
  {
    rule: "OI-03",
    otherRules: ["OI-05", "OI-07"],
    reads: "prompt, max_age, login_hint and id_token_hint",
    read: readLogin,
  },
];

/** The checks after those of {@link readRequest}: of the login and the approval. An error is sent to the client. */
export const approvalChecks: readonly OtherCheck[] = [
  { rule: "OI-03", reads: "the session, with prompt=none", by: "usableSession" },
  { rule: "UI-20", reads: "Host, before an automatic login", by: "approveAutomatically" },
  { rule: "UI-30", reads: "the site, before an automatic login", by: "approveAutomatically" },
  { rule: "AZ-21", reads: "the users, for an automatic login", by: "approveAutomatically" },
  { rule: "OI-03", reads: "the decision, with prompt=none", by: "decideRequest" },
  { rule: "OI-05", reads: "the time of the login", by: "rejectOldLogin" },
  { rule: "OI-08", reads: "the user, and what extensions demand of the login", by: "acceptApproval" },
  { rule: "AZ-18", reads: "the approved access", by: "acceptApproval" },
  { rule: "AZ-21", reads: "changes of the user since the login", by: "acceptApproval" },
];

/** The checks of every server, with those of extensions in their places. */
export function checksWith(ofExtensions: readonly RequestCheck[]): readonly RequestCheck[] {
  const placed = ofExtensions.map((check) => {
    const { place = { after: "AZ-07" } } = check;
    const [where = "", anchor, ...more] = place === "last" ? [place] : Object.entries(place ?? {}).flat();
    const isAtRule = ["before", "after", "instead"].includes(where) && anchor !== undefined &&
      checks.some(({ rule }) => rule === anchor);
    if (where !== "last" && !isAtRule || more.length > 0) {
      const rules = new Set(checks.flatMap(({ rule }) => rule ?? []));
      throw new TypeError(
        'expected the place of a check to be "last", or one of before, after and instead with one of ' +
          `${[...rules].join(", ")}, received ${JSON.stringify(place)}`,
      );
    }
    return { check, where, anchor };
  });
  const at = (where: string, anchor?: RuleId) =>
    placed.filter((place) => place.where === where && place.anchor === anchor).map(({ check }) => check);
  return [
    ...checks.flatMap((own) => {
      const { rule } = own;
      if (rule === undefined) return [own];
      const instead = at("instead", rule);
      return [...at("before", rule), ...instead.length > 0 ? instead : [own], ...at("after", rule)];
    }),
    ...at("last"),
  ];
}

/** Every parameter of an authorization request: those that a specification defines, and those of extensions. */
export function parametersOf(checks: readonly RequestCheck[]): readonly ParameterDescription[] {
  return [...authorizationParameters, ...checks.flatMap(({ parameters = [] }) => parameters)];
}

/** The rules of all checks that are traced when they pass, in their order. */
export function passedRules(checks: readonly RequestCheck[]): readonly RuleId[] {
  return [...destinationChecks, ...checks].flatMap(({ rule, passes }) => passes && rule !== undefined ? rule : []);
}

/**
 * Reads and checks a request. It changes nothing, so that a request may be read more than once.
 *
 * @throws {OAuthError} Errors for the client.
 * @throws {TypeError} If the check of an extension replaces one of these checks and does not return its members.
 */
export async function readRequest(input: CheckInput): Promise<AuthorizationRequest> {
  const checks = input.server.requestChecks.filter(({ redirectOnly }) => !redirectOnly || input.mode !== undefined);
  let request: Partial<AuthorizationRequest> = { clientId: input.client.id };
  for (const { read } of checks) {
    const added = await read?.(input, request);
    const extensions = added?.extensions ? { ...request.extensions, ...added.extensions } : request.extensions;
    request = { ...request, ...added, ...extensions && { extensions } };
  }
  for (const [member, rule] of [["scope", "AZ-17"], ["loginRequirements", "OI-03"]] as const) {
    if (request[member] !== undefined) continue;
    throw new TypeError(`expected the check in the place of ${rule} to return ${member}, received nothing`);
  }
  return request as AuthorizationRequest;
}

/** Runs the checks of token requests. @throws {OAuthError} If one of them rejects the request. */
export async function checkTokenRequest(input: CheckInput): Promise<void> {
  for (const { atTokenEndpoint, read } of input.server.requestChecks) if (atTokenEndpoint) await read?.(input, {});
}

/** Traces the warnings of a request that was accepted. {@link readRequest} traces none. */
export function warnAcceptedRequest(input: CheckInput, request: AuthorizationRequest): void {
  for (const { warn } of input.server.requestChecks) ignoreRejection(warn?.(input, request));
}

function rejectUnusableSource({ rejection }: CheckInput): void {
  if (rejection !== undefined) throw rejection;
}

function rejectRepeated({ server, params }: CheckInput): void {
  params.rejectRepeated((facts) => reject("AZ-07", facts));
  server.passed("AZ-07");
}

function readType({ server, client, params }: CheckInput): Partial<AuthorizationRequest> {
  const type = readResponseType(policyOf(server, client), client, params.get("response_type"));
  server.passed("AZ-09", type);
  return { responseType: type === "code" ? undefined : type };
}

function assertMode({ server, client, params }: CheckInput): void {
  assertResponseMode(policyOf(server, client), server.responseModes, client, params);
}

function readScope({ server, client, params }: CheckInput): Partial<AuthorizationRequest> {
  return { scope: resolveScope(server.settings, client, params.get("scope"), server.passed) };
}

async function readChallenge(
  { server, client, params }: CheckInput,
  { scope = [] }: Partial<AuthorizationRequest>,
): Promise<Partial<AuthorizationRequest>> {
  return { codeChallenge: await readCodeChallenge(policyOf(server, client), client, params, scope, server.passed) };
}

function readNonce({ params }: CheckInput): Partial<AuthorizationRequest> {
  return { nonce: params.get("nonce") };
}

/** Without resources, every token is for the `audience` of the server (RFC 8707). */
function rejectResource({ params }: CheckInput): void {
  const [uri] = params.getAll("resource");
  if (uri !== undefined) throw reject("RI-01", { uri, problem: "unsuitable" });
}

async function readLogin(input: CheckInput): Promise<Partial<AuthorizationRequest>> {
  return { loginRequirements: await readLoginRequirements(input) };
}

/** Maximum length of `nonce`, which is stored with a code, in characters. */
const maxNonceLength = 1024;

function rejectLongNonce({ params }: CheckInput): void {
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
);
