/**
 * The checks of an authorization request, in the order in which they run. Before them, `findDestination` checks the
 * client and the redirect URI; after them come the checks of the login and the approval. `deno task rules` prints all.
 */

import { ProgramError } from "../rules/program_error.ts";
import type { CoreExtension } from "../extension.ts";
import { nameFunctions } from "../replacements.ts";
import { policyOf } from "../clients/clients.ts";
import { ignoreRejection, isThenable } from "../thenable.ts";
import { describeKind } from "../http/quote_value.ts";
import { isObject } from "../http/json_value.ts";
import { type ParameterDescription, parameters } from "../http/params.ts";
import { reject } from "../rules/reject.ts";
import type { CheckInput, RequestCheck } from "../server.ts";
import type { AuthorizationRequest } from "./authorization_request.ts";
import { readLoginRequirements } from "./login.ts";
import { readCodeChallenge } from "./pkce.ts";
import type { RuleId } from "../rules/mod.ts";
import { type Place, withRows } from "../place.ts";
import { resolveScope } from "./scope.ts";
import { assertState, findResponseMode, readResponseType, rejectResponseMode } from "./response.ts";

/** The resource that an access token is for (RFC 8707 §2). */
export const resourceParameter: ParameterDescription = { name: "resource", repeatable: true };

/** The table of checks. Their errors are sent to the client. Extensions insert their checks by `place`. */
const ownChecks: readonly RequestCheck[] = [
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
  { redirectOnly: true, reads: "nonce", read: ({ params }) => ({ nonce: params.get("nonce") }) },
  { rule: "RI-01", atTokenEndpoint: true, parameters: [resourceParameter], reads: "resource", read: rejectResource },
  {
    rule: "OI-03",
    otherRules: ["OI-05", "OI-07"],
    reads: "prompt, max_age, login_hint and id_token_hint",
    read: async (input) => ({ loginRequirements: await readLoginRequirements(input) }),
  },
];

/** The place of checks that name none. */
export const usualPlace: Place<RuleId> = { after: "AZ-07" };

/** The rules of the checks, which name places. */
export const placeRules: readonly RuleId[] = ownChecks.flatMap(({ rule }) => rule ?? []);

/** The checks of every server, with those of extensions in their places. */
export function checksWith(extensions: readonly CoreExtension[]): readonly RequestCheck[] {
  const added = extensions.flatMap(({ name, requestChecks = [] }) =>
    requestChecks.map((check) => namedCheck(check, name))
  );
  return withRows(ownChecks, added, ({ rule }) => rule, usualPlace);
}

/** A check of an extension, whose function has a name in stacks and messages. */
function namedCheck(check: RequestCheck, extension: string): RequestCheck {
  const { rule, read } = check;
  if (read === undefined) return check;
  const named: typeof read = (...input) => read(...input);
  nameFunctions([named], `${read.name}${rule === undefined ? "" : ` (${rule})`} of the extension ${extension}`);
  return { ...check, read: named };
}

/** Every parameter of an authorization request: those that a specification defines, and those of extensions. */
export function parametersOf(checks: readonly RequestCheck[]): readonly ParameterDescription[] {
  return [...authorizationParameters, ...checks.flatMap(({ parameters = [] }) => parameters)];
}

/**
 * Reads and checks a request. It changes nothing, so that a request may be read more than once.
 *
 * @throws {OAuthError} Errors for the client.
 * @throws {ProgramError} If a check returned something other than members of the request, or the check of an extension
 *   that replaces one of these left out its member.
 */
export async function readRequest(input: CheckInput): Promise<AuthorizationRequest> {
  // Only a request with a redirect has a response mode; that of a device has none.
  const hasRedirect = input.mode !== undefined;
  const request: Partial<AuthorizationRequest> = { clientId: input.client.id };
  for (const { redirectOnly, read } of input.server.requestChecks) {
    if (redirectOnly && !hasRedirect) continue;
    const returned = read?.(input, request);
    const added = isThenable(returned) ? await returned : returned;
    if (added === undefined) continue;
    if (!isObject(added) || added instanceof Error) {
      throw new ProgramError(
        `expected the check ${read!.name} to return members of the request or nothing, received ${describeKind(added)}`,
      );
    }
    const extensions = added.extensions && { ...request.extensions, ...added.extensions };
    Object.assign(request, added, { extensions: extensions ?? request.extensions });
  }
  assertRead(request, "scope", "AZ-17");
  assertRead(request, "loginRequirements", "OI-03");
  if (hasRedirect) assertRead(request, "codeChallenge", "PK-07");
  return request as AuthorizationRequest;
}

/** A check that replaces one of these must return its member, even if it is `undefined`. */
function assertRead(request: object, member: keyof AuthorizationRequest, rule: RuleId): void {
  if (Object.hasOwn(request, member)) return;
  throw new ProgramError(`expected the check in the place of ${rule} to return ${member}, received nothing`);
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
  const given = [policyOf(server, client), server.responseModes, client, params] as const;
  if (findResponseMode(...given) === undefined) throw rejectResponseMode(...given);
}

function readScope({ server, client, params }: CheckInput): Partial<AuthorizationRequest> {
  return { scope: resolveScope(server.policy, client, params.get("scope"), server.passed) };
}

async function readChallenge(
  { server, client, params }: CheckInput,
  { scope = [] }: Partial<AuthorizationRequest>,
): Promise<Partial<AuthorizationRequest>> {
  return { codeChallenge: await readCodeChallenge(policyOf(server, client), client, params, scope, server.passed) };
}

/** Without resources, every token is for the `audience` of the server (RFC 8707). */
function rejectResource({ params }: CheckInput): void {
  const [uri] = params.getAll("resource");
  if (uri !== undefined) throw reject("RI-01", { uri, problem: "unsuitable" });
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
  "registration",
  requestUriParameter,
  { name: "id_token_hint", secret: "id_token" },
);
