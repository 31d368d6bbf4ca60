/**
 * Warnings, such as those about unregistered values that were accepted because a setting is `"any"`. Also notes for
 * developers: effects of a valid request that its client may not expect.
 */

import type { AuthorizationRequest } from "./authorize/authorization_request.ts";
import type { Client } from "./clients/repository.ts";
import type { AnyName } from "./policy.ts";
import type { Explanation, RuleExplanation } from "./explanation.ts";
import type { Authorization } from "./grants/authenticated_request.ts";
import { type Params, promptValues, separatorFix, splitScope } from "./params.ts";
import type { PartRequest, Server } from "./server.ts";

/** The effect, without a full stop, and what to do if it is not intended. */
type Note = Explanation & { readonly fix: string };

function note(server: Server, client: Client, explanation: Note): void {
  if (server.observe === undefined || !server.settings.allows.explanations) return;
  server.trace({ type: "note", at: server.now(), client: client.id, explanation });
}

/** Notes the default scope, and which tokens the client will not receive, because scope lacks a value. */
export function noteScope({ server, client, params }: PartRequest, { scope }: AuthorizationRequest): void {
  const mayRefresh = !server.settings.refresh.onlyOffline || scope.includes("offline_access");
  if (client.grantTypes.includes("refresh_token") && !mayRefresh) {
    note(server, client, {
      reason: "scope lacks offline_access, so the client receives no refresh token",
      expected: "offline_access",
      received: scope.join(" "),
      fix:
        "Add offline_access to scope if the client must refresh its tokens, or turn the setting refresh.onlyOffline off.",
    });
  }
  if (params.get("scope") === undefined) {
    if (scope.length === 0) return;
    return note(server, client, {
      reason: `scope is missing, so the default scope applies: ${scope.join(" ")}`,
      fix: "Send scope with the values that the client needs.",
    });
  }
  if (scope.includes("openid")) return;
  // A request for a resource is for an API, which needs no ID token; nonce is a parameter of requests for one.
  const isForApi = !client.scope.includes("openid") || params.getAll("resource").length > 0;
  if (isForApi && params.get("nonce") === undefined) return;
  note(server, client, {
    reason: "scope lacks openid, so the client receives no ID token and cannot call userinfo",
    fix: "Add openid to scope if the client must know who the user is.",
  });
}

/** Warns about a `prompt` with wrong separators; notes `prompt=create`, which asks for sign-up and has no effect. */
export function notePrompt({ server, client, params }: PartRequest): void {
  const prompt = params.get("prompt") ?? "";
  const fix = separatorFix("prompt", prompt, promptValues);
  if (fix !== undefined) {
    const reason = "prompt has values that are not separated by spaces alone, which are ignored";
    warn(server, client.id, { rule: "OI-04", reason, expected: promptValues.join(" or "), received: prompt, fix });
  }
  if (!splitScope(prompt).includes("create")) return;
  note(server, client, {
    reason: "prompt=create asks for sign-up, which this server does not have, and was ignored",
    fix: "Send create only to a server whose prompt_values_supported has it, and expect the login page of all others.",
  });
}

/** Notes an ignored `audience`, and a slash at the end of `resource` that `aud` of the access token lacks. */
export function noteResource(server: Server, client: Client, params: Params): void {
  if (params.get("audience") !== undefined) {
    note(server, client, {
      reason: "audience is a parameter of other servers, and was ignored",
      fix: "Send resource with the URI of the API (RFC 8707).",
    });
  }
  const uri = params.getAll("resource").find((requested) =>
    server.resources.find(requested) !== undefined &&
    requested.endsWith("/") && !server.resources.find(requested)!.endsWith("/")
  );
  if (uri === undefined) return;
  note(server, client, {
    reason: `the slash at the end of resource is dropped: aud of the access token is ${server.resources.find(uri)}`,
    fix: "Compare aud with the URI without the slash, or list the URI with it in the setting resources.",
  });
}

/** Notes that id and secret of HTTP Basic matched only as they stand, without the form encoding (OAuth 2.1 §2.4.1). */
export function noteUnencodedSecret(server: Server, client: Client): void {
  note(server, client, {
    rule: "CA-04",
    reason:
      "HTTP Basic has client_id and client_secret without form encoding, so a server that decodes them rejects them",
    fix: "Form-encode each of the two before the colon joins them: % as %25, + as %2B, a space as +.",
  });
}

/** The clients that have not called userinfo since their last ID token without the claims of their scope. */
const clientsWithoutUserinfo = new WeakSet<Client>();

/** Records that a client called userinfo. */
export function recordUserinfoCall(client: Client): void {
  clientsWithoutUserinfo.delete(client);
}

/**
 * Notes an ID token without the claims of the granted scope, if the client did not call userinfo after the previous ID
 * token: it probably reads only the ID token.
 */
export function noteMinimalIdToken(server: Server, { client, scope }: Authorization): void {
  const values = scope.filter((value) => value === "profile" || value === "email").join(" ");
  if (values === "") return;
  if (clientsWithoutUserinfo.has(client)) {
    note(server, client, {
      reason: `the ID token has no claims of ${values}, and the client has not called userinfo since its last login`,
      fix: 'Call userinfo with the access token, or set idTokenClaims to "like-userinfo".',
    });
  }
  clientsWithoutUserinfo.add(client);
}

/** Warns the operator about a request that was accepted, or about a failure without a request. */
export function warn(
  server: Pick<Server, "now" | "trace">,
  client: string | undefined,
  explanation: Explanation,
): void {
  server.trace({ type: "warning", at: server.now(), ...client !== undefined && { client }, explanation });
}

/** Warns that a request was accepted only because a setting is `"any"`. */
export function warnAccepted(
  server: Pick<Server, "now" | "trace">,
  client: { readonly id: string },
  setting: AnyName,
  explanation: RuleExplanation,
): void {
  const reason = `${explanation.reason}; it was accepted, because ${setting} is "any"`;
  warn(server, client.id, { ...explanation, reason });
}
