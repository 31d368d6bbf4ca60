/** The scope of clients without a user at providers that grant all that the client may have. */

import type { GrantType } from "../../../core/server.ts";
import type { HostedClient } from "../../config/client_metadata.ts";

/** The grant type `client_credentials` whose requests without `scope` get all scope values of the client. */
export function grantOwnScope<Type extends GrantType>(grantType: Type): Type {
  if (grantType.type !== "client_credentials") return grantType;
  return {
    ...grantType,
    authorize(server, request) {
      const { scope, ownScope = scope }: HostedClient = request.client;
      const policy = { ...server.policy, defaultScope: ownScope };
      return grantType.authorize({ ...server, policy }, request);
    },
  };
}
