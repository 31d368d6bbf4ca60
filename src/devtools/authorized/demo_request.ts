/** Sends the authorization request of a demo client: signed (RFC 9101), pushed (RFC 9126), or as it is. */

import { importSigningKey } from "../../client/jwt.ts";
import { encodeParameters, type RequestParameters } from "../../client/parameters.ts";
import { signedRequest } from "../../client/request_object.ts";
import { mustSign } from "../../server/extensions/signed_requests/settings.ts";
import type { Client } from "../../server/oauth/clients/repository.ts";
import { demoKey } from "../../server/config/demo_entries.ts";
import { OAuthError } from "../../server/oauth/errors.ts";
import type { Context } from "../../server/assembly/context.ts";
import { endpointPath } from "../../server/assembly/endpoint.ts";
import {
  callbackClients,
  demoAuthorizationRequest,
  type DemoFlow,
  hasDemoKey,
  pushesRequest,
  signsRequest,
} from "./demo_client.ts";
import { clientRequest, send } from "./requests.ts";

/**
 * The link to the authorization endpoint; a pushed request is pushed first.
 *
 * @throws {OAuthError} If the page cannot send the request, such as that of a client whose secret it does not know.
 */
export async function demoRequestUrl(context: Context, client: Client, flow: DemoFlow): Promise<string> {
  const parameters = { ...await demoAuthorizationRequest(context, client, flow), client_id: client.id };
  const isSigned = signsRequest(context, client, flow);
  const sent = isSigned ? await sign(context, client, parameters) : parameters;
  const isPushed = pushesRequest(context, client, flow);
  const query = isPushed ? await push(context, client, sent) : sent;
  return `${endpointPath(context.app, "authorize")}?${encodeParameters(query)}`;
}

type Parameters = RequestParameters & { readonly client_id: string };

async function sign(context: Context, client: Client, parameters: Parameters): Promise<Parameters> {
  if (hasDemoKey(client)) {
    return await signedRequest(context.server, await importSigningKey(demoKey, demoKey.alg), parameters);
  }
  const signers = mustSign(context.server, client) ? [] : (await callbackClients(context)).filter(hasDemoKey);
  throw new OAuthError("invalid_request", "this page cannot sign the authorization request of the client", {
    rule: "JR-05",
    expected: "a client that has the public key of the demo client in its jwks",
    received: client.id,
    fix: signers.length === 0
      ? startInClient
      : `Choose a client that this page has the key of (${
        signers.map(({ id }) => id).join(", ")
      }), or do not sign the request.`,
  });
}

async function push(context: Context, client: Client, parameters: Parameters): Promise<Parameters> {
  const { status, json } = await send(context, await clientRequest(context, "par", { client }, parameters));
  const { request_uri } = json;
  if (status === 201 && typeof request_uri === "string") return { client_id: client.id, request_uri };
  const { error, error_description } = json;
  const { findRule } = await import("../../server/oauth/rules/mod.ts");
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
