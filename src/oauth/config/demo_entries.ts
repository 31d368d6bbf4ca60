/** The clients and users of a server that has none configured. */

import type { ClientMetadata, User } from "../clients/client.ts";

/** The secret of the confidential demo client. It is public; a server whose issuer is not on a test host rejects it. */
export const demoSecret = "demo-secret";

/**
 * The default clients: their redirect URI is a page of this server.
 *
 * @param grantTypes Further grant types of the public client.
 */
export function demoClients(issuer: string, grantTypes: readonly string[] = []): ClientMetadata[] {
  const redirect_uris = [`${issuer.replace(/\/$/, "")}/authorized`];
  const post_logout_redirect_uris = [`${issuer.replace(/\/$/, "")}/`];
  return [
    {
      client_id: "demo-public",
      client_name: "Demo public client",
      redirect_uris,
      post_logout_redirect_uris,
      grant_types: ["authorization_code", "refresh_token", ...grantTypes],
    },
    {
      client_id: "demo-confidential",
      client_name: "Demo confidential client",
      client_secret: demoSecret,
      redirect_uris,
      post_logout_redirect_uris,
      grant_types: ["authorization_code", "refresh_token", "client_credentials"],
    },
  ];
}

/** The default users. */
export const demoUsers: readonly User[] = [
  { sub: "alice", name: "Alice Adams", email: "alice@example.com", email_verified: true },
  { sub: "bob", name: "Bob Brown", email: "bob@example.com", email_verified: false },
];
