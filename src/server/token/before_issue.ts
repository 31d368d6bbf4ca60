/** What the whole server and extensions do before something is issued to a client. */

import type { Client } from "../../core/clients/clients.ts";
import type { AuthorizationRequest } from "../../core/authorize/authorization_request.ts";
import type { Server } from "../../core/server.ts";
import type { HostedServer } from "../hosted_server.ts";

/**
 * Calls a function before a response to an approved authorization request is issued, and before tokens are.
 *
 * @param call It prevents the response by throwing. `request`: absent at a token request.
 */
export function beforeIssue(
  { grants, tokenIssuers: [issueFirst, ...issueOthers] }: Pick<Server, "grants" | "tokenIssuers">,
  call: (server: HostedServer, client: Client, request?: AuthorizationRequest) => void | Promise<void>,
): Pick<Server, "grants" | "tokenIssuers"> {
  return {
    grants: {
      ...grants,
      async granted(server: HostedServer, client, request, approval) {
        const granted = await grants.granted(server, client, request, approval);
        if (!server.grants.isEmpty(granted)) await call(server, client, request);
        return granted;
      },
    },
    tokenIssuers: [async (server, authorization, ...issue) => {
      await call(server as HostedServer, authorization.client);
      return await issueFirst!(server, authorization, ...issue);
    }, ...issueOthers],
  };
}
