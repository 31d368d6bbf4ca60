/** Clients and users that can be added, replaced and removed while the server runs. */

import { serverClaimRules } from "../config/received_claims.ts";
import { reject } from "../../core/rules/reject.ts";
import type { ServerPolicy } from "../config/server_policy.ts";
import type { HostedServer } from "../hosted_server.ts";
import { describeGrantType, isPermitted } from "../config/standing.ts";
import type { Extension } from "../config/extension.ts";
import { accessTokenFunctions, hiddenDetails } from "../token/access_tokens.ts";
import { type ClientsOptions, serverClients } from "./clients.ts";
import { generationFunctions } from "./generations.ts";
import { serverUsers, type UsersOptions } from "./users.ts";

/** What the clients and users of a server depend on. */
interface EntryOptions extends ClientsOptions, Omit<UsersOptions, "claims" | "requirePasswords" | "acceptsGuests"> {
  readonly policy: ServerPolicy;
  /** Whether users log in on pages. */
  readonly hasPages: boolean;
}

/** The clients and users of a server, and the claims that are released about users. */
export function clientsAndUsers(options: EntryOptions): Pick<HostedServer, "claims" | "clients" | "users"> {
  const { policy, hasPages } = options;
  const openLogin = policy.loginMethods.includes("open");
  const claims = serverClaimRules(policy);
  return {
    claims,
    clients: serverClients(options),
    users: serverUsers({
      ...options,
      claims,
      requirePasswords: hasPages && !openLogin,
      acceptsGuests: hasPages && openLogin || policy.unknownLoginHint === "create",
    }),
  };
}

/** What was issued ends with its client and user; a client may do what its standing permits. */
export const changingClients: Extension = {
  name: "changing_clients",
  steps: { visibleClaims: [hiddenDetails] },
  extend: withChangingClients,
};

function withChangingClients(server: HostedServer): HostedServer {
  const { grants, responses } = server;
  return {
    ...server,
    grants: {
      ...{ ...grants, ...generationFunctions, ...accessTokenFunctions },
      async mayInspect(current: HostedServer, client, token) {
        const isOwn = token.claims.client_id === client.id;
        return (isOwn || isPermitted(current, client, "inspectTokensOfOthers")) &&
          await grants.mayInspect(current, client, token);
      },
    },
    grantTypes: server.grantTypes.map(describeGrantType),
    responses: {
      ...responses,
      async token(current: HostedServer, request) {
        const { client, params } = request;
        const type = params.get("grant_type");
        const grantType = current.grantTypes.find((supported) => supported.type === type);
        if (grantType !== undefined && !isPermitted(current, client, grantType)) {
          throw reject("TK-06", { client, grantType });
        }
        return await responses.token(current, request);
      },
    },
  };
}
