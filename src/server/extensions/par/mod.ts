/**
 * Pushed authorization requests (RFC 9126): the client sends the parameters itself, and the browser carries only a
 * reference to them.
 */

import type { Extension } from "../../config/extension.ts";
import type { Endpoint } from "../../endpoint.ts";
import { parametersOf, requestUriParameter } from "../../../core/authorize/checks.ts";
import { clientAuthParameters } from "../../../core/token/client_auth.ts";
import { policyOf } from "../../../core/clients/clients.ts";
import { byProfile } from "../../config/server_policy.ts";
import type { ParameterDescription } from "../../../core/http/params.ts";
import { reject as rejectByCore } from "../../../core/rules/reject.ts";
import type { CheckInput, Server } from "../../../core/server.ts";
import type { HostedServer } from "../../hosted_server.ts";
import type { StoredRequests } from "../../stored/request_store.ts";
import { storedRequest } from "../../stored/stored_requests.ts";
import { reject } from "./rules.ts";
import { demandsPush, isPushRequired, parSettings, pushedRequestClientFields, requestUriPrefix } from "./settings.ts";

const load = () => import("./pushed_request.ts");

const storedRequests: StoredRequests<HostedServer> = {
  keep: async (server, client, id, address) => (await load()).keepPushedRequest(server, client, id, address),
  consume: async (server, id) => (await load()).consumePushedRequest(server, id),
  findDetails: async (server, id) => (await load()).findPushedDetails(server, id),
};

/** Finds the parameters of pushed requests, and of all others by `inner`. */
function resolvePushed(inner: Server["resolveRequest"]): Server["resolveRequest"] {
  return async (server, received, unrepeatable) => {
    const uri = received.get("request_uri");
    if (uri === undefined || received.get("request") !== undefined) return await inner(server, received, unrepeatable);
    if (uri.startsWith(requestUriPrefix)) {
      return await (await load()).readPushedRequest(server, received, unrepeatable);
    }
    const facts = { parameter: "request_uri", problem: "unsupported", prefix: requestUriPrefix } as const;
    return { params: received, origin: { rejection: rejectByCore("JR-01", facts) } };
  };
}

/** Lets clients push authorization requests. */
export const par: Extension = {
  name: "par",
  clientMetadata: { fields: pushedRequestClientFields },
  settings: parSettings,
  requestChecks: [{ rule: "PA-07", redirectOnly: true, reads: "whether it was pushed", read: rejectUnpushed }],
  extend: (server) => ({
    ...server,
    storedRequests,
    resolveRequest: resolvePushed(server.resolveRequest),
  }),
  endpoints: (_settings, { base, requestChecks }) => [endpoint(base, parametersOf(requestChecks))],
  metadata: ({ policy }) => demandsPush(policy) ? { require_pushed_authorization_requests: true } : {},
};

function endpoint(base: string, requestParameters: readonly ParameterDescription[]): Endpoint {
  return {
    name: "par",
    metadataName: "pushed_authorization_request_endpoint",
    path: `${base}/oauth2/par`,
    methods: ["POST"],
    caller: "client",
    cors: true,
    title: "Pushed authorization request",
    doneLabel: "pushed",
    errors: "json",
    role: "step",
    parameters: [...clientAuthParameters, ...requestParameters],
    exampleParameters: ["client_id", "response_type", "redirect_uri", "code_challenge", "code_challenge_method"],
    responseParameters: [requestUriParameter],
    load: async () => (await load()).pushedRequestHandlers,
  };
}

/** Rejects a request that was not pushed although the server or the client requires it. */
function rejectUnpushed(input: CheckInput): void {
  const { server, client } = input;
  if (storedRequest.of(input) !== undefined || !isPushRequired(server, client)) return;
  const policy = policyOf(server, client);
  const isSetting = demandsPush(policy);
  const decider = isSetting ? byProfile(policy, "requirePushedAuthorizationRequests") : "";
  throw reject("PA-07", { clientId: client.id, isSetting, byProfile: decider });
}
