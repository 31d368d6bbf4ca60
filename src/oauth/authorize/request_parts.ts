/**
 * The parts of a request for access, in the order in which they are read. Entry points differ in what they list here, not
 * in code of their own.
 */

import { isPromise } from "../maybe_promise.ts";
import { noteScope } from "../notes.ts";
import type { AuthorizationRequest } from "./authorization_request.ts";
import { readDetailsParameter, warnIgnoredDetails } from "./details_parameter.ts";
import { readKeyBinding } from "./key_binding.ts";
import { readLoginRequirements, warnIgnoredAcr } from "./openid.ts";
import { readCodeChallenge, warnMissingMethod } from "./pkce.ts";
import type { EntryPoint, PartRequest, RequestPart } from "./request_part.ts";
import { requireProtection } from "./request_protection.ts";
import { readResources, warnAboutResource } from "./resources.ts";
import { assertResponseMode, assertResponseType, assertState } from "./response_parameters.ts";
import { readScope, warnIgnoredScope } from "./scope.ts";
import { rejectLongValues } from "./stored_lengths.ts";

const byRedirect: readonly EntryPoint[] = ["authorize", "par"];
const everywhere: readonly EntryPoint[] = ["authorize", "par", "device"];

const parts: readonly RequestPart[] = [
  { at: everywhere, warn: warnDocument },
  { at: byRedirect, read: rejectRepeated },
  { at: byRedirect, read: requireProtection },
  { at: byRedirect, read: assertState },
  { at: byRedirect, read: assertResponseType },
  { at: byRedirect, read: assertResponseMode },
  { at: everywhere, read: rejectLongValues },
  { name: "dpopJkt", at: byRedirect, read: readKeyBinding },
  { name: "authorizationDetails", at: everywhere, read: readDetailsParameter, warn: warnIgnoredDetails },
  { name: "scope", at: everywhere, read: readScope, warn: warnIgnoredScope },
  { at: everywhere, warn: noteScope },
  { name: "codeChallenge", at: byRedirect, read: readCodeChallenge, warn: warnMissingMethod },
  { name: "nonce", at: byRedirect, read: ({ params }) => params.get("nonce") },
  {
    name: "resources",
    at: everywhere,
    read: ({ server, params }) => readResources(server, params),
    warn: ({ server, client, params }) => warnAboutResource(server, client, params),
  },
  { name: "loginRequirements", at: everywhere, read: readLoginRequirements, warn: warnIgnoredAcr },
];

/** What each entry point reads, and what it warns about. */
const partsAt = { authorize: partsOf("authorize"), par: partsOf("par"), device: partsOf("device") };

function partsOf(entryPoint: EntryPoint) {
  const included = parts.filter(({ at }) => at.includes(entryPoint));
  return {
    readers: included.flatMap(({ name, read }) => read === undefined ? [] : { name, read }),
    warnings: included.flatMap(({ warn }) => warn ?? []),
  };
}

/**
 * Reads the parts of a request. It changes nothing, so that a request may be read more than once.
 *
 * @throws {OAuthError} Errors for the client.
 */
export async function readRequest(from: PartRequest): Promise<AuthorizationRequest> {
  const request: Partial<AuthorizationRequest> = { clientId: from.client.id };
  for (const { name, read } of partsAt[from.at].readers) {
    const reading = read(from, request);
    const value = isPromise(reading) ? await reading : reading;
    if (name !== undefined) (request as Record<string, unknown>)[name] = value;
  }
  return request as AuthorizationRequest;
}

/** Traces the warnings of a request that was accepted. {@link readRequest} traces none. */
export function warnAcceptedRequest(from: PartRequest, request: AuthorizationRequest): void {
  for (const warn of partsAt[from.at].warnings) warn(from, request);
}

function rejectRepeated({ server, params }: PartRequest): void {
  params.rejectRepeated("AZ-07");
  server.passed?.("AZ-07");
}

/** The warnings of the metadata document of the client, if it has one. */
function warnDocument({ server, client }: PartRequest): void {
  for (const explanation of client.document?.warnings ?? []) {
    server.trace({ type: "warning", at: server.now(), client: client.id, explanation });
  }
}
