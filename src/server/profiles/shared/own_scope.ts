/** The scope of clients without a user at providers that grant all that the client may have. */

import type { GrantType } from "../../../core/server.ts";

/** The grant type `client_credentials` whose requests without `scope` get all scope values of the client. */
export function grantOwnScope<Type extends GrantType>(grantType: Type): Type {
  if (grantType.type !== "client_credentials") return grantType;
  return {
    ...grantType,
    authorize: (server, request) =>
      grantType.authorize(
        { ...server, settings: { ...server.settings, defaultScope: request.client.ownScope } },
        request,
      ),
  };
}
