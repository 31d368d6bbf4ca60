/** Client authentication whose duration does not reveal which clients exist. */

import { OAuthError } from "../../core/errors.ts";
import type { ClientAuth } from "../../core/server.ts";
import type { HostedServer } from "../hosted_server.ts";

/**
 * The same method, but each failure reads the store equally often, for known and unknown clients (CA-07). A method of
 * the connection stays as it is, because the method `none` calls it.
 */
export function evenAuthentication(clientAuth: ClientAuth): ClientAuth {
  if (clientAuth.isOfConnection) return clientAuth;
  const { method } = clientAuth;
  return {
    method,
    isUsed: (credentials) => clientAuth.isUsed(credentials),
    claimedId: (credentials) => clientAuth.claimedId(credentials),
    async authenticate(server: HostedServer, credentials) {
      try {
        return await clientAuth.authenticate(server, credentials);
      } catch (error) {
        if (error instanceof OAuthError) {
          await server.clients.readAsIfStored(server, clientAuth.claimedId(credentials) ?? "");
        }
        throw error;
      }
    },
  };
}
