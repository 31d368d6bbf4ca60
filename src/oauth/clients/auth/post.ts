/** client_secret_post: id and secret in the body (OAuth 2.1 §2.4.1). */

import { verifyClientSecret } from "./method.ts";
import type { ClientAuth } from "../../server.ts";

/** For clients that are registered for it or name no method; any other client's secret in the body is rejected. */
export const post: ClientAuth = {
  method: "client_secret_post",
  isUsed: ({ params }) => params.get("client_secret") !== undefined,
  claimedId: ({ params }) => params.get("client_id"),
  authenticate: (server, { params }) =>
    verifyClientSecret(server, "client_secret_post", [
      { id: params.get("client_id") ?? "", secret: params.get("client_secret")! },
    ]),
};
