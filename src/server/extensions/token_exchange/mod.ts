/**
 * Token exchange (RFC 8693): a token is exchanged for one with less access, or for an ID-JAG, an assertion for another
 * authorization server (draft-ietf-oauth-identity-assertion-authz-grant-03).
 */

import type { Extension } from "../../config/extension.ts";
import { withoutUser } from "../../config/standing.ts";
import { unlistedClientsWarnings } from "../../config/settings_warnings.ts";
import { parameters } from "../../../core/http/params.ts";
import {
  idJagType,
  tokenExchangeFields,
  type TokenExchangePolicy,
  tokenExchangeType,
  validateResourceAuthorizationServers,
} from "./settings.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { storeIdToken } from "./exchangeable_id_token.ts";

const issuesIdJags = ({ resourceAuthorizationServers }: TokenExchangePolicy): boolean =>
  resourceAuthorizationServers.length > 0;

const isOn = (policy: TokenExchangePolicy): boolean => policy.tokenExchange !== undefined || issuesIdJags(policy);

/** Lets clients exchange tokens. */
export const tokenExchange: Extension<TokenExchangePolicy> = {
  name: "token_exchange",
  settings: {
    fields: tokenExchangeFields,
    validate: (policy, issuer) => isOn(policy) ? validateResourceAuthorizationServers(policy, issuer) : [],
    warnings: (policy) =>
      unlistedClientsWarnings(
        policy,
        policy.resourceAuthorizationServers.flatMap(({ clients }, i) =>
          clients === undefined ? [`resourceAuthorizationServers[${i}]`] : []
        ),
      ),
  },
  metadata: ({ policy }) =>
    issuesIdJags(policy) ? { identity_chaining_requested_token_types_supported: [idJagType] } : {},
  grantTypes: [{
    type: tokenExchangeType,
    title: "Token exchange",
    setting: "tokenExchange or resourceAuthorizationServers",
    standing: withoutUser,
    isOn,
    parameters: parameters(
      ...["scope", "subject_token_type", "actor_token_type", "requested_token_type"],
      { name: "subject_token", secret: "subject_token", linksFlow: true },
      { name: "actor_token", secret: "actor_token" },
      ...["resource", "audience"].map((name) => ({ name, repeatable: true })),
    ),
    async load(policy) {
      const { exchangeToken } = await import("./grant_type.ts");
      return { authorize: (server: HostedServer, request) => exchangeToken(server, request, policy) };
    },
  }],
  jwtTypes: { id_jag: "oauth-id-jag+jwt" },
  steps: { afterIssue: [{ name: "ID tokens to exchange", run: storeIdToken }] },
};
