/** The default clients and users of a server, and the key of the demo client if clients must have keys. */

import type { User } from "../../core/clients/client.ts";
import type { ClientMetadata } from "./client_metadata.ts";

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

export const demoUsers: readonly User[] = [
  { sub: "alice", name: "Alice Adams", email: "alice@example.com", email_verified: true },
  { sub: "bob", name: "Bob Brown", email: "bob@example.com", email_verified: true },
];

/** Its private key. It is public; a server whose issuer is not on a test host rejects the client. */
export const demoKey = {
  kty: "EC",
  crv: "P-256",
  x: "itkd1NQ9wiAN8VCZk0B7LClFTr-ReK7bV0EPVAKKTP8",
  y: "i625_YIc7uvd_bvMXAwjUCsUy4vaJsKhc7ytxdiPKCs",
  d: "miYG-zGUIrYYeOsJF4SpCUS-sVPc_tvAkXtmnIlCO_M",
  alg: "ES256",
  kid: "demo-key",
};

/** Its metadata: the redirect URI is a page of this server. */
export function demoKeyClient(issuer: string): ClientMetadata {
  const { d: _, ...publicKey } = demoKey;
  const origin = issuer.replace(/\/$/, "");
  return {
    client_id: "demo-key",
    client_name: "Demo client with a key",
    jwks: { keys: [publicKey] },
    redirect_uris: [`${origin}/authorized`],
    post_logout_redirect_uris: [`${origin}/`],
    grant_types: ["authorization_code", "refresh_token", "client_credentials"],
    // The redirect URI of a server on this machine is a loopback URI.
    application_type: "native",
  };
}
