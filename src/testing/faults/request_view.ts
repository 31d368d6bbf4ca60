/** Sees what a request asks for before it is answered, and leaves it whole for whoever answers it. */

import type { Desk } from "../../app/endpoint.ts";
import { isForm, peekForm } from "../../http/form.ts";
import type { Fields } from "../../http/form.ts";
import type { Incoming } from "../../http/message.ts";
import { readTarget } from "../../http/router.ts";
import { endpointName } from "../../recorder/endpoint_name.ts";
import type { EndpointName } from "../../recorder/endpoint_name.ts";
import type { RecordedRequest } from "../../recorder/exchange.ts";
import { bearerOf, clientOf, jwtPart, readRequest } from "../../recorder/read_request.ts";
import type { SeenRequest } from "./fault.ts";

/**
 * Looks at a request.
 *
 * @param recall Gives back the authorization request that began an interaction, where it was seen.
 */
export async function see(
  { site }: Desk,
  request: Incoming,
  recall: (interaction: string) => SeenRequest | undefined,
): Promise<SeenRequest> {
  const target = readTarget(request.url, {});
  const endpoint = endpointName(site.base, target.path);
  const bare = readRequest(request, target);
  const asked = request.method === "POST" && isForm(request)
    ? { ...bare, form: await formOf(request), query: [] }
    : bare;
  const seen = seenRequest(endpoint, asked, request);
  const begun = endpoint === "login" || endpoint === "consent" ? recall(seen.params.interaction ?? "") : undefined;
  return { ...seen, client: begun?.client ?? seen.client, begun };
}

/** A request with all the properties that a fault rule may match. */
export function seenRequest(endpoint: EndpointName, asked: RecordedRequest, { headers }: Incoming): SeenRequest {
  const params: Record<string, string> = {};
  for (const [name, value] of [...asked.form, ...asked.query]) if (!Object.hasOwn(params, name)) params[name] = value;
  return {
    endpoint,
    method: asked.method,
    path: asked.path,
    params,
    client: clientOf(asked) ?? clientOfToken(bearerOf(asked)),
    header: (name) => headers.get(name),
  };
}

async function formOf(request: Incoming): Promise<Fields> {
  try {
    return await peekForm(request);
  } catch {
    // Whoever answers the request will refuse it, and say why.
    return [];
  }
}

/** The client that a JWT access token says it was issued to. */
function clientOfToken(token: string | undefined): string | undefined {
  const { client_id } = jwtPart(token ?? "", 1);
  return typeof client_id === "string" ? client_id : undefined;
}
