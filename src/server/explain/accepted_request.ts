/** Warnings and notes about accepted requests for access: what their clients probably did not intend. */

import type { Explanation } from "../../core/rules/errors.ts";
import type { CoreExtension } from "../../core/extension.ts";
import { promptValues, splitScope } from "../../core/http/params.ts";
import type { AuthorizationRequest } from "../../core/authorize/authorization_request.ts";
import { mayOmitChallenge } from "../../core/authorize/pkce.ts";
import { isSupported } from "../../core/authorize/scope.ts";
import { policyOf } from "../../core/clients/clients.ts";
import type { CheckInput } from "../../core/server.ts";
import { hasCode, type HostedClient } from "../config/client_metadata.ts";
import { releasesClaims } from "../config/received_claims.ts";
import { separatorFix } from "../../core/policy/separators.ts";
import type { HostedServer } from "../hosted_server.ts";
import { explainLoginHost } from "./login_host.ts";
import { notePrompt, noteScope } from "./notes.ts";
import { letsPass, missingMethod, traceWarnings } from "./accepted_texts.ts";
import { explainUnknownScope } from "./scope.ts";

interface HostedRequest extends CheckInput {
  readonly server: HostedServer;
  readonly client: HostedClient;
}

/** Traces these warnings and notes. */
export const acceptedRequests: CoreExtension = {
  name: "accepted_requests",
  requestChecks: [{ warn: traceRequest }],
};

function traceRequest(from: HostedRequest, request: AuthorizationRequest): void {
  const { server, client, params, mode } = from;
  const { document }: HostedClient = client;
  if (document !== undefined) traceWarnings(server, client.id, document.warnings);
  traceWarnings(server, client.id, explainIgnoredScope(from, request));
  traceWarnings(server, client.id, noteScope(from, request));
  if (mode !== undefined) {
    traceWarnings(server, client.id, explainChallenge(from, request));
    traceWarnings(server, client.id, explainBeginning(from));
  }
  if (hasCode(request.responseType)) server.resources.observe(server, client, params);
  const prompt = params.get("prompt");
  if (prompt === undefined) return;
  traceWarnings(server, client.id, explainSeparators(prompt));
  traceWarnings(server, client.id, notePrompt(prompt));
}

/** Explains scope values that were ignored. */
function explainIgnoredScope(
  { server, client, params }: HostedRequest,
  { scope: granted, responseType }: AuthorizationRequest,
): Explanation[] {
  const received = params.get("scope");
  if (received === undefined || received === granted.join(" ")) return [];
  const requested = splitScope(received);
  const texts: Explanation[] = [];
  if (!hasCode(responseType) && !requested.every((token) => releasesClaims(server, token))) {
    texts.push({
      rule: "AZ-17",
      reason: "scope values for access tokens are ignored, because the response has no code",
      expected: "scope values that release claims",
      received,
    });
  }
  if (!requested.every((token) => isSupported(server.policy, client, token))) {
    texts.push(explainUnknownScope({ requested, registered: client.scope }, server, "unknown scope was dropped"));
  }
  return texts;
}

/** Explains a code challenge that is missing or `plain`, or has no method. */
function explainChallenge(
  { server, client, params }: HostedRequest,
  { responseType }: AuthorizationRequest,
): Explanation[] {
  const challenge = params.get("code_challenge");
  const method = params.get("code_challenge_method");
  if (method === "S256" || !hasCode(responseType)) return [];
  if (challenge !== undefined && method === undefined) return [{ rule: "PK-05", ...missingMethod }];
  if (challenge !== undefined) {
    return [{
      rule: "PK-04",
      reason: `code_challenge is the code_verifier itself, which the address of the page shows: ${
        letsPass(server, "insecureAllowPlain")
      }`,
      expected: "code_challenge_method=S256",
      received: "code_challenge_method=plain",
    }];
  }
  if (!mayOmitChallenge(policyOf(server, client), client) || client.isUnregistered) return [];
  return [{
    rule: "PK-01",
    reason: `a public client sent no code_challenge: ${letsPass(server, "insecureAllowMissing")}`,
    expected: "code_challenge and code_challenge_method=S256",
    received: "no code_challenge",
  }];
}

/** Explains a login that began where the cookies of its callback are not. */
function explainBeginning({ server, client, params }: HostedRequest): Explanation[] {
  const page = server.sender?.pageOrigin;
  const callback = params.get("redirect_uri") ?? client.redirectUris[0];
  if (page === undefined || callback === undefined) return [];
  const explanation = explainLoginHost({ page, callback, issuer: server.names.frontChannel });
  return explanation === undefined ? [] : [explanation];
}

function explainSeparators(prompt: string): Explanation[] {
  const fix = separatorFix("prompt", prompt, promptValues);
  if (fix === undefined) return [];
  const reason = "prompt has values that are not separated by spaces alone, which are ignored";
  return [{ rule: "OI-04", reason, expected: promptValues.join(" or "), received: prompt, fix }];
}
