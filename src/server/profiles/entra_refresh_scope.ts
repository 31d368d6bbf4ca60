/** The scope of a refresh at Microsoft Entra ID. */

import { OAuthError } from "../../core/rules/errors.ts";
import type { GrantFunctions } from "../../core/token/grants/grant_functions.ts";
import { splitScope } from "../../core/http/params.ts";
import type { Server } from "../../core/server.ts";
import { findConsent } from "../login/stored_consent.ts";

/**
 * A refresh token is for the user and the client: it also gets other scope values than the login, if the client may
 * request them and the user has consented. https://learn.microsoft.com/entra/identity-platform/refresh-tokens
 */
export function withOtherScope(grants: GrantFunctions<Server>): GrantFunctions<Server> {
  return {
    ...grants,
    async refreshScope(server, request, stored, granted) {
      const { client, params } = request;
      const requested = splitScope(params.get("scope") ?? "");
      const others = requested.filter((value) => !granted.includes(value));
      if (others.length === 0 || !others.every((value) => client.allowsScope(value))) {
        return await grants.refreshScope(server, request, stored, granted);
      }
      const { consent, subject } = stored.value.grant;
      const user = consent === undefined ? undefined : await server.users.find(subject.sub);
      // Without a consent page, every scope value counts as allowed.
      if (user === undefined) return requested;
      const scopes = (await findConsent(server, user, client.id))?.value.scopes ?? {};
      const consented = Object.values(scopes).flat();
      // The scope value .default stands for what the user has consented to.
      const missing = others.filter((value) => !consented.includes(value) && !/(?:^|\/)\.default$/.test(value));
      if (missing.length === 0) return requested;
      throw new OAuthError("invalid_grant", "the user has not consented to the scope", {
        rule: "RT-06",
        reason: `the user has not consented to ${missing.join(" ")}`,
        expected: `scope values to which the user has consented: ${[...new Set([...granted, ...consented])].join(" ")}`,
        received: requested.join(" "),
        fix: "Send an authorization request with this scope, in which the user consents, as MSAL's acquireTokenPopup.",
      });
    },
  };
}
