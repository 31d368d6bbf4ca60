/**
 * The parts of a request for access, in the order in which they are read. Entry points differ in what they list here, not
 * in code of their own.
 */

import { chain, isPromise } from "../maybe_promise.ts";
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
  { at: byRedirect, read: readKeyBinding },
  { at: everywhere, read: readDetailsParameter, warn: warnIgnoredDetails },
  { at: everywhere, read: readScope, warn: warnIgnoredScope },
  { at: everywhere, warn: noteScope },
  { at: byRedirect, read: readCodeChallenge, warn: warnMissingMethod },
  { at: byRedirect, read: ({ params }) => ({ nonce: params.get("nonce") }) },
  {
    at: everywhere,
    read: ({ server, params }) => chain(readResources(server, params), (resources) => ({ resources })),
    warn: ({ server, client, params }) => warnAboutResource(server, client, params),
  },
  { at: everywhere, read: readLoginRequirements, warn: warnIgnoredAcr },
];

/** The parts of each entry point. */
const partsAt: Readonly<Record<EntryPoint, readonly RequestPart[]>> = {
  authorize: parts.filter(({ at }) => at.includes("authorize")),
  par: parts.filter(({ at }) => at.includes("par")),
  device: parts.filter(({ at }) => at.includes("device")),
};

/**
 * Reads the parts of a request. It changes nothing, so that a request may be read more than once.
 *
 * @throws {OAuthError} Errors for the client.
 */
export async function readRequest(from: PartRequest): Promise<AuthorizationRequest> {
  const request: Partial<AuthorizationRequest> = { clientId: from.client.id };
  for (const { read } of partsAt[from.at]) {
    const reading = read?.(from, request);
    Object.assign(request, isPromise(reading) ? await reading : reading);
  }
  return request as AuthorizationRequest;
}

/** Traces the warnings of a request that was accepted. {@link readRequest} traces none. */
export function warnAcceptedRequest(from: PartRequest, request: AuthorizationRequest): void {
  for (const { warn } of partsAt[from.at]) warn?.(from, request);
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
