/** Notifies a client of the mode `ping` that its user has decided (CIBA §10.2). It then asks for the tokens. */

import { metadataOf } from "../../config/client_metadata.ts";
import { findClientOf } from "../../clients/generations.ts";
import type { PolledRequestRecord } from "../polled/records.ts";
import { postToClient } from "../../fetching/post_to_client.ts";
import { warn } from "../../trace.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { cibaTexts } from "./explain.ts";

/** How long a notification may take, in milliseconds. */
const timeoutMs = 5000;

/** Sends the notification, once: a client that misses it can poll. */
export async function notifyClient(
  server: HostedServer,
  { request, notification }: PolledRequestRecord,
): Promise<void> {
  const client = await findClientOf(server, request);
  if (notification === undefined || client === undefined) return;
  const { backchannel_token_delivery_mode: mode, backchannel_client_notification_endpoint: url } = metadataOf(client);
  if (mode !== "ping" || url === undefined) return;
  const { status, received } = await postToClient(server, client, {
    url,
    headers: { "content-type": "application/json", authorization: `Bearer ${notification.token}` },
    body: () => JSON.stringify({ auth_req_id: notification.code }),
    ...{ signal: AbortSignal.timeout(timeoutMs), timeoutSeconds: timeoutMs / 1000 },
  });
  if (status === 200 || status === 204) return;
  warn(server, client.id, {
    rule: "CB-12",
    reason: "the notification of the client failed, and is not repeated",
    expected: "status 204 or 200 from the backchannel_client_notification_endpoint of the client",
    received,
    fix: cibaTexts["CB-12"].fix,
  });
}
