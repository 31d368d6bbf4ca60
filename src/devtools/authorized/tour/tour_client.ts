/** The client whose flow the tour shows. */

import { mustProve } from "../../../server/extensions/dpop/settings.ts";
import { mustPush } from "../../../server/extensions/par/settings.ts";
import { mustSign } from "../../../server/extensions/signed_requests/settings.ts";
import type { Context } from "../../../server/assembly/context.ts";
import { policyOf } from "../../../server/oauth/clients/policy.ts";
import type { Client } from "../../../server/oauth/clients/repository.ts";
import { callbackClients } from "../demo_client.ts";
import { hasDemoSecret, isPlayable } from "../requests.ts";

/** A client that sends the requests that the tour explains, a public one if possible; `undefined` if there is none. */
export async function findTourClient(context: Context): Promise<Client | undefined> {
  const clients = (await callbackClients(context)).sort((a, b) => Number(a.confidential) - Number(b.confidential));
  for (const client of clients) if (await fits(context, client)) return client;
  return undefined;
}

/** Plain requests, a response in the query, an ID token, and credentials that the server knows. */
async function fits(context: Context, client: Client): Promise<boolean> {
  return client.scope.includes("openid") && isPlayable(client) &&
    (!client.confidential || await hasDemoSecret(client)) &&
    !mustPush(context.server, client) && !mustSign(context.server, client) && !mustProve(context.server, client) &&
    policyOf(context.server, client).responseModes.includes("query");
}
