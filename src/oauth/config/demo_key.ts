/** The demo client of a server whose clients must have keys. Loaded only there. */

import type { ClientMetadata } from "../clients/client.ts";

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
