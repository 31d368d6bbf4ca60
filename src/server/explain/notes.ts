/** Notes for developers: effects of a valid request that its client may not expect. */

import type { Client } from "../../core/clients/clients.ts";
import type { Explanation } from "../../core/rules/errors.ts";
import type { Observations } from "../../core/observations.ts";
import { splitScope } from "../../core/http/params.ts";
import type { AuthorizationRequest } from "../../core/authorize/authorization_request.ts";
import type { CheckInput, Server } from "../../core/server.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { HostedObservations } from "../config/observations.ts";

/** The effect, without a full stop, and what to do if it is not intended. */
export interface Note {
  readonly note: Explanation & { readonly fix: string };
}

/** Notes the default scope, and which tokens the client will not receive, because scope lacks a value. */
export function noteScope(
  { server: { policy }, client, params }: CheckInput,
  { scope: granted }: AuthorizationRequest,
): Note[] {
  const notes: Note[] = [];
  const mayRefresh = !policy.refresh.onlyOffline || granted.includes("offline_access");
  if (client.grantTypes.includes("refresh_token") && !mayRefresh) {
    notes.push({
      note: {
        reason: "scope lacks offline_access, so the client receives no refresh token",
        expected: "offline_access",
        received: granted.join(" "),
        fix:
          "Add offline_access to scope if the client must refresh its tokens, or turn the setting refresh.onlyOffline off.",
      },
    });
  }
  // A request for a resource is for an API, which needs no ID token; nonce is a parameter of requests for one.
  const isForApi = !client.scope.includes("openid") || params.getAll("resource").length > 0;
  if (params.get("scope") === undefined) {
    if (granted.length > 0) {
      notes.push({
        note: {
          reason: `scope is missing, so the default scope applies: ${granted.join(" ")}`,
          fix: "Send scope with the values that the client needs.",
        },
      });
    }
  } else if (!granted.includes("openid") && (!isForApi || params.get("nonce") !== undefined)) {
    notes.push({
      note: {
        reason: "scope lacks openid, so the client receives no ID token and cannot call userinfo",
        fix: "Add openid to scope if the client must know who the user is.",
      },
    });
  }
  return notes;
}

/** Notes `prompt=create`, which asks for sign-up and has no effect. */
export function notePrompt(prompt: string): Note[] {
  if (!splitScope(prompt).includes("create")) return [];
  return [{
    note: {
      reason: "prompt=create asks for sign-up, which this server does not have, and was ignored",
      fix:
        "Send create only to a server whose prompt_values_supported has it, and expect the login page of all others.",
    },
  }];
}

/** Notes an ignored `audience`, and a slash at the end of `resource` that `aud` of the access token lacks. */
export function noteResource(
  { requested, hasAudience }: HostedObservations["resource"],
  { resources }: HostedServer,
): Note[] {
  const notes: Note[] = [];
  if (hasAudience) {
    notes.push({
      note: {
        reason: "audience is a parameter of other servers, and was ignored",
        fix: "Send resource with the URI of the API (RFC 8707).",
      },
    });
  }
  const audience = requested.filter((uri) => uri.endsWith("/")).map((uri) => resources.find(uri))
    .find((uri) => uri?.endsWith("/") === false);
  if (audience !== undefined) {
    notes.push({
      note: {
        reason: `the slash at the end of resource is dropped: aud of the access token is ${audience}`,
        fix: "Compare aud with the URI without the slash, or list the URI with it in the setting resources.",
      },
    });
  }
  return notes;
}

/** Notes that id and secret of HTTP Basic matched only as they stand, without the form encoding (OAuth 2.1 §2.4.1). */
export function noteUnencodedSecret(): Note {
  return {
    note: {
      rule: "CA-04",
      reason:
        "HTTP Basic has client_id and client_secret without form encoding, so a server that decodes them rejects them",
      fix: "Form-encode each of the two before the colon joins them: % as %25, + as %2B, a space as +.",
    },
  };
}

/** What usually keeps an application from the token request. */
export const unexchangedCodeFix =
  "See what the application did with the callback. Usually its state or session cookie did not come back, it has no route at the redirect URI, or it failed before the token request.";

/** Notes a code that no token request has named. */
export function noteUnexchangedCode(): Note {
  return {
    note: {
      rule: "CI-12",
      reason: "the code was not exchanged: no token request with it came within 10 seconds",
      expected: "a token request with the code",
      received: "none",
      fix: unexchangedCodeFix,
    },
  };
}

/** How a client receives the claims of its scope, where ID tokens have none of them. */
export const readClaimsFix = 'Call userinfo with the access token, or set idTokenClaims to "like-userinfo".';

/** The clients that have not called userinfo since their last ID token without the claims of their scope. */
const clientsWithoutUserinfo = new WeakSet<Client>();

export function recordUserinfoCall({ clientId }: Observations["userinfo"], { clients }: Server): Note[] {
  const client = clients.known().get(clientId);
  if (client !== undefined) clientsWithoutUserinfo.delete(client);
  return [];
}

/**
 * Notes an ID token without the claims of the granted scope, if the client did not call userinfo after the previous ID
 * token: it probably reads only the ID token.
 */
export function noteMinimalIdToken(
  { clientId, scope }: Observations["minimal ID token"],
  { clients }: Server,
): Note[] {
  const client = clients.known().get(clientId);
  const values = scope.filter((value) => value === "profile" || value === "email").join(" ");
  if (values === "" || client === undefined) return [];
  const isNoted = clientsWithoutUserinfo.has(client);
  clientsWithoutUserinfo.add(client);
  if (!isNoted) return [];
  return [{
    note: {
      reason: `the ID token has no claims of ${values}, and the client has not called userinfo since its last login`,
      fix: readClaimsFix,
    },
  }];
}
