/** Prepares the authorization request of a demo client: signed (RFC 9101), pushed (RFC 9126), or as it is. */

import { findRule } from "../../server/rules.ts";
import { importSigningKey } from "../../client/jwt.ts";
import { signedRequest } from "../../client/request_object.ts";
import type { Context } from "../../core/http/context.ts";
import type { DemoRequest } from "../../core/demo/demo_flow.ts";
import { mustPush } from "../../server/extensions/par/settings.ts";
import { mustSign } from "../../server/extensions/signed_requests/settings.ts";
import type { Client } from "../../core/clients/clients.ts";
import { demoKey } from "../../server/config/demo_entries.ts";
import { OAuthError } from "../../core/rules/errors.ts";
import { clientRequest, hasDemoKey, send } from "./requests.ts";

/** See `DemoSteps.prepare`. */
export async function prepareRequest(context: Context, client: Client, request: DemoRequest): Promise<DemoRequest> {
  const sent = mustSign(context.server, client) ? await sign(context, client, request) : request;
  return mustPush(context.server, client) ? await push(context, client, sent) : sent;
}

async function sign(context: Context, client: Client, request: DemoRequest): Promise<DemoRequest> {
  if (hasDemoKey(client)) {
    const parameters = await signedRequest(context.server, await importSigningKey(demoKey, demoKey.alg), request);
    return { client_id: client.id, request: String(parameters.request) };
  }
  throw new OAuthError("invalid_request", "this page cannot sign the authorization request of the client", {
    rule: "JR-05",
    expected: "a client that has the public key of the demo client in its jwks",
    received: client.id,
    fix: startInClient,
  });
}

async function push(context: Context, client: Client, request: DemoRequest): Promise<DemoRequest> {
  const { status, json } = await send(context, await clientRequest(context, "par", { client }, request));
  const { request_uri } = json;
  if (status === 201 && typeof request_uri === "string") return { client_id: client.id, request_uri };
  const { error, error_description } = json;
  const rule = findRule(/\[([A-Z]{2}-\d{2})\]$/.exec(String(error_description))?.[1]);
  throw new OAuthError("invalid_request", "this page cannot push the authorization request of the client", {
    rule: "PA-07",
    expected: "201 with a request_uri",
    received: status === undefined ? "no response" : `${status} ${error}: ${error_description}`,
    fix: error === "invalid_client" ? startInClient : rule?.fix ?? "Send the request again.",
  });
}

const startInClient =
  "Start the flow in the client itself: this page knows neither the secret nor the key of the client.";
