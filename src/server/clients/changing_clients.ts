/** What follows from clients and users that change while the server runs. */

import { reject } from "../../core/rules/reject.ts";
import type { Extension } from "../config/extension.ts";
import { describeGrantType, isPermitted } from "../config/standing.ts";
import type { HostedServer } from "../hosted_server.ts";
import { accessTokenFunctions, hiddenDetails } from "../token/access_tokens.ts";
import { generationFunctions } from "./generations.ts";

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
