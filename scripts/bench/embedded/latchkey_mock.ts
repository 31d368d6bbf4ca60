/** Latchkey's mock as a subject: it needs no socket. */

import { redirectUri } from "../clients.ts";
import { latchkeySite } from "../site.ts";
import type { Load } from "../site.ts";

/** Loads the package. */
export const load: Load = async (alg) => {
  const { testLatchkey } = await import("../../../src/testing/mod.ts");
  return {
    async start() {
      const as = await testLatchkey({ alg });
      const client = as.client({
        redirect_uri: redirectUri,
        grant_types: ["authorization_code"],
        scope: "openid profile read",
      });
      return {
        site: { ...latchkeySite(as.issuer), clientId: client.client_id },
        fetch: as.fetch,
        logIn: () => as.logIn(client, { scope: "openid profile read" }),
        stop: () => as.close(),
      };
    },
  };
};
