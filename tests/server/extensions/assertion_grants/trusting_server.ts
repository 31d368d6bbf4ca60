/** A server that trusts the assertions of an issuer. */

import type { ClientMetadata, LatchkeyOptions } from "../../../../src/mod.ts";
import type { TrustedIssuer } from "../../../../src/server/extensions/assertion_grants/settings.ts";
import { confidentialClient, publicClient, testClients } from "../../client_endpoints.ts";
import { type ForeignIssuer, foreignIssuer, jwtBearer } from "../../foreign_issuer.ts";
import { type TestServer, testServer } from "../../../kit.ts";

export const rejected = "400 invalid_grant";

export const grant_types = [jwtBearer, "authorization_code", "refresh_token"];

export const bearerClients: readonly ClientMetadata[] = [
  ...testClients.clients,
  confidentialClient("gateway", { grant_types }),
  confidentialClient("reader", { grant_types, scope: "read" }),
  publicClient("cli", { grant_types }),
];

/** A server that trusts one issuer, by this entry. */
export async function trustingServer(
  entry: Partial<TrustedIssuer> = {},
  options: LatchkeyOptions = {},
): Promise<{ readonly idp: ForeignIssuer; readonly server: TestServer }> {
  const idp = await foreignIssuer();
  const server = await testServer({
    ...testClients,
    clients: bearerClients,
    trustedIssuers: [idp.entry(entry)],
    ...options,
  });
  return { idp, server };
}
