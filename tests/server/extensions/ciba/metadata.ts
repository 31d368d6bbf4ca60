/** Attempts at what backchannel authentication adds to metadata. */

import { assertEquals } from "@std/assert";
import { basic, encode, getOutcome, type TestServer } from "../../../kit.ts";
import type { ExtensionAttempts } from "../metadata_attempts.ts";

const type = "urn:openid:params:grant-type:ciba";

function post(b: TestServer, url: unknown, fields: Record<string, string>): Promise<Response> {
  const headers = { "content-type": "application/x-www-form-urlencoded", ...basic("bank", "bank-secret") };
  return b.as.fetch(new Request(String(url), { method: "POST", body: encode(fields), headers }));
}

/** Starts a request for the first user and polls once, in the mode that the client registers. */
async function attempt(
  b: TestServer,
  metadata: Readonly<Record<string, unknown>>,
  members: object,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> {
  b.as.clients.set({ client_id: "bank", client_secret: "bank-secret", grant_types: [type], ...members });
  const { sub } = b.as.users.list()[0]!;
  const started = await post(b, metadata.backchannel_authentication_endpoint, {
    ...{ scope: "openid", login_hint: sub },
    ...fields,
  });
  const { auth_req_id } = await started.json();
  return await getOutcome(await post(b, metadata.token_endpoint, { grant_type: type, auth_req_id }));
}

/** Attempts at backchannel authentication. */
export const cibaAttempts: ExtensionAttempts = {
  metadata: {
    backchannel_authentication_endpoint: async (b, metadata) => assertEquals(await attempt(b, metadata, {}), "200"),
    async backchannel_token_delivery_modes_supported(b, metadata, modes: readonly string[]) {
      for (const backchannel_token_delivery_mode of modes) {
        const backchannel_client_notification_endpoint = "https://127.0.0.1:1/blocked";
        const members = { backchannel_token_delivery_mode, backchannel_client_notification_endpoint };
        const fields = { client_notification_token: "notification-of-the-bank" };
        assertEquals(await attempt(b, metadata, members, fields), "200");
      }
      assertEquals(modes, ["poll", "ping"]);
    },
  },
  grantTypes: [{ type, attempt: (b, metadata) => attempt(b, metadata, {}) }],
  endpoints: { backchannel_authentication_endpoint: 405 },
  closedEndpoints: { backchannel_authentication: "needs a client that authenticates" },
};
