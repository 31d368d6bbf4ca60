/** The client_credentials grant type (OAuth 2.1 §4.2): a confidential client acts on its own behalf. */

import { parameters } from "../parameter.ts";
import type { GrantType } from "../server.ts";

/** Its code is loaded with the first request. */
export const clientCredentials: GrantType = {
  type: "client_credentials",
  standing: { from: "approved", onTestHosts: "unknown" },
  parameters: parameters("scope", "authorization_details", { name: "resource", repeatable: true }),
  async authorize(server, request) {
    return await (await import("./authorize_client.ts")).authorizeClient(server, request);
  },
};
