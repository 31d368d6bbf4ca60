/** The warning about a client that sends its secret in the body although its metadata names no method. */

import { type Client, policyOf } from "../../core/clients/clients.ts";
import { asServerPolicy } from "../config/server_policy.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { AcceptedTexts } from "./rule_text.ts";

const method = "client_secret_post";

/** The clients that were explained. A client that is changed or added again is a new object. */
const explained = new WeakSet<Client>();

/**
 * Explains the first posted secret of each client, unless the server has the profile of a provider whose metadata lists
 * `client_secret_post`. It remembers the clients.
 */
export function explainFirstPostedSecret(
  { client }: { readonly client: Client },
  server: Pick<HostedServer, "policy">,
): AcceptedTexts | undefined {
  const { providers } = server.policy;
  const { metadata, clientAuthMethods } = asServerPolicy(policyOf(server, client));
  const documented = metadata.token_endpoint_auth_methods_supported ?? clientAuthMethods;
  const isDocumented = providers.length > 0 && Array.isArray(documented) && documented.includes(method);
  if (isDocumented || explained.has(client)) return undefined;
  explained.add(client);
  const { authMethod } = client;
  return {
    reason: "authentication by client_secret_post was accepted, as OAuth 2.1 requires; but without " +
      `token_endpoint_auth_method the client is registered for ${authMethod} (RFC 7591 §2), and other servers may ` +
      "insist on that",
    expected: `token_endpoint_auth_method: "client_secret_post" in the client's metadata, or ${authMethod}`,
    received: method,
  };
}
