/** Latchkey's mock as a subject: it needs no socket. */

import { redirectUri } from "../clients.ts";
import type { Load } from "./subject.ts";

/** Loads it. */
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
        issuer: as.issuer,
        paths: { authorize: "/oauth2/authorize", token: "/oauth2/token", jwks: "/oauth2/jwks" },
        clientId: client.client_id,
        sub: "alice",
        fetch: as.fetch,
        logIn: () => as.logIn(client, { scope: "openid profile read" }),
        stop: () => as.close(),
      };
    },
  };
};
