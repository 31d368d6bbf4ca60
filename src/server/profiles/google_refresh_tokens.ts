/** Who gets a refresh token of Google, and who needs a secret for one. */

import { boundedCache } from "../../platform/bounded_cache.ts";
import { OAuthError } from "../../core/rules/errors.ts";
import type { AuthorizationRequest } from "../../core/authorize/authorization_request.ts";
import { findRevoked } from "../../core/store/grant.ts";
import { storageKey } from "../../core/keys/secrets.ts";
import { slot } from "../../core/slot.ts";
import type { CheckInput, GrantType, Server } from "../../core/server.ts";
import type { Issue } from "../../core/token/steps.ts";
import { wrapIssueStep } from "../../core/token/table.ts";
import { longScope } from "./google_endpoints.ts";
import type { HostedServer } from "../hosted_server.ts";

/** How a request asks for a refresh token: at the first consent alone, or at this consent. */
type Access = "offline" | "offline with consent";

const profileName = "google";

/** How the request of a grant asked for a refresh token. */
const requestedAccess = slot<Access>(profileName);

/** Maximum number of users and clients whose refresh tokens are remembered. */
const maxRemembered = 10_000;

/** Returns the members of a server that differ. */
export function googleTokens(): (server: HostedServer) => Partial<HostedServer> {
  /** The key of the latest refresh token in the store, by client and user. */
  const latest = boundedCache<string>(maxRemembered);

  /** Issues a refresh token only with `access_type=offline`, and a second one only with `prompt=consent`. */
  const onlyOffline = (issue: Issue<Server>): Issue<Server> => async (server, issued, authorization, now, request) => {
    const { client, subject, refresh, grant } = authorization;
    if (refresh !== undefined || !request.params.has("code")) {
      return await issue(server, issued, authorization, now, request);
    }
    const access = requestedAccess.of(grant);
    const key = `${client.id} ${subject?.sub}`;
    if (access === undefined || access === "offline" && await isAlive(server, latest.get(key))) return {};
    const response = await issue(server, issued, authorization, now, request);
    if (response.refresh_token !== undefined) latest.set(key, await storageKey(server, response.refresh_token));
    return response;
  };

  return ({ requestChecks, steps, grantTypes, extensionNames }) => {
    const { issue, ...others } = wrapIssueStep(steps, "refresh_token", onlyOffline);
    return {
      extensionNames: new Set([...extensionNames, profileName]),
      requestChecks: [
        ...requestChecks,
        { redirectOnly: true, parameters: [{ name: "access_type" }], read: readAccess },
      ],
      steps: { ...others, issue: [...issue, { name: "scope", run: nameScope }] },
      grantTypes: grantTypes.map(requireSecret),
    };
  };
}

function readAccess(
  { params }: CheckInput,
  request: Partial<AuthorizationRequest>,
): Partial<AuthorizationRequest> {
  const isConsent = (params.get("prompt") ?? "").split(" ").includes("consent");
  const offline = isConsent ? "offline with consent" : "offline";
  return requestedAccess.put(request, params.get("access_type") === "offline" ? offline : undefined);
}

/** Whether the refresh token with this key in the store is still valid. */
async function isAlive(server: Server, key: string | undefined): Promise<boolean> {
  const stored = key === undefined ? undefined : await server.store.get("refresh_token", key);
  if (stored === undefined || server.now() >= stored.value.validUntil) return false;
  return await findRevoked(server, [stored.grantId!]) === undefined;
}

const nameScope: Issue<Server> = (_server, _issued, { scope }) => ({
  ...scope.length > 0 && { scope: longScope(scope) },
});

/** Rejects a code of a web client without its secret, even with PKCE: manfredsteyer/angular-oauth2-oidc issue 812. */
function requireSecret(grantType: GrantType): GrantType {
  if (grantType.type !== "authorization_code") return grantType;
  return {
    ...grantType,
    authorize(server, request) {
      const { confidential, metadata } = request.client;
      if (confidential || metadata.application_type === "native") return grantType.authorize(server, request);
      throw new OAuthError("invalid_request", "client_secret is missing.", {
        rule: "CA-07",
        reason: "client_secret is missing: Google requires it from web clients, also with PKCE",
        expected: "client_secret, or a client with the application_type native",
        received: "no client_secret",
        fix: "Exchange the code on a server that knows the secret, or register the client as native.",
      });
    },
  };
}
