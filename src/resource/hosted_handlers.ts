/** The handlers of a hosted resource: its metadata document, and the MCP server, which requires an access token. */

import { traceRejection } from "../core/responses/error_response.ts";
import type { Context } from "../core/http/context.ts";
import type { Handlers } from "../core/route.ts";
import { readBodyText } from "../platform/http/json_body.ts";
import { type HttpResponse, json, withHeaders } from "../core/http/message.ts";
import { OAuthError } from "../core/rules/errors.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import type { HostedResource } from "../server/token/hosted_resources.ts";
import { withFix } from "../server/rules.ts";
import { localProofs, localVerifier } from "./local_verifier.ts";
import { publicUrl } from "../core/http/endpoint.ts";
import { randomToken } from "../core/keys/secrets.ts";
import { nextProofHeaders } from "../server/extensions/dpop/respond.ts";
import { confirmationMember } from "../server/extensions/mutual_tls/settings.ts";
import type { ConnectionList } from "./connections.ts";
import { calledTool, type McpMessage, parseMcp, type RequiredConnection, respondToMcp } from "./mcp.ts";
import { metadataResponse } from "./metadata.ts";
import type { AccessTokenClaims, ProtectedResource, RequiredLogin } from "./protected_resource.ts";
import { assertSufficient, confirmation, isWithoutToken, rejectionResponse, verifyRequest } from "./require_token.ts";
import { assertSameCertificate } from "../server/extensions/mutual_tls/authenticate.ts";

/** A hosted resource with its defaults. */
export interface HostedResourceDefinition extends HostedResource {
  /** The scope values that every request needs. */
  readonly commonScopes: readonly string[];
  readonly tools: Readonly<Record<string, readonly string[]>>;
  readonly toolLogins: Readonly<Record<string, RequiredLogin>>;
  /** Tool → the service to which its user must have connected an account. */
  readonly toolConnections: Readonly<Record<string, string>>;
  readonly connections: ConnectionList;
  /** The path of the page that connects an account. */
  readonly connectPath: string;
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>;
  /** The types of authorization details. Default: none. */
  readonly authorizationDetailsTypes?: readonly string[];
  readonly verifyBy: "jwks" | "introspection";
}

export function metadataHandlers(definition: HostedResourceDefinition): Handlers<HostedServer> {
  return { GET: ({ server }) => metadataResponse(describe(definition, server)) };
}

export function mcpHandlers(definition: HostedResourceDefinition): Handlers<HostedServer> {
  return {
    GET: (context) => withToken(context, definition, [], () => streamNotOffered),
    async POST(context) {
      // Read before the token is checked, because the challenge names the scope of this operation.
      const messages = parseMcp(await readBodyText(context.request));
      return await withToken(
        context,
        definition,
        "code" in messages ? [] : messages,
        (claims) =>
          respondToMcp(messages, {
            revision: context.request.headers.get("mcp-protocol-version"),
            mirrored: {
              method: context.request.headers.get("mcp-method"),
              name: context.request.headers.get("mcp-name"),
            },
            tools: Object.keys(definition.tools),
            toolConnections: definition.toolConnections,
            claims,
            connect: (tool, requestState) => connect(context.server, definition, { tool, claims, requestState }),
          }),
      );
    },
  };
}

/** Whether the user of an access token has connected the account that a tool needs; if not, the page for it. */
function connect(
  server: HostedServer,
  { toolConnections, connections, connectPath }: HostedResourceDefinition,
  { tool, claims, requestState }: {
    readonly tool: string;
    readonly claims: AccessTokenClaims;
    readonly requestState: unknown;
  },
): RequiredConnection | undefined {
  if (!Object.hasOwn(toolConnections, tool)) return undefined;
  const call = { tool, clientId: String(claims.client_id), sub: String(claims.sub) };
  const now = server.now();
  const found = connections.find(call, now);
  if (found?.state === "connected") return undefined;
  const isUnknownState = requestState !== undefined && requestState !== found?.id;
  const isDeclined = requestState !== undefined && found?.state === "declined";
  const { id } = found !== undefined && (isUnknownState || isDeclined || found.state === "pending")
    ? found
    : connections.request(call, randomToken(server.randomBytes), now);
  return {
    ...{ id, service: toolConnections[tool]!, state: isUnknownState ? "unknown" : isDeclined ? "declined" : "pending" },
    url: `${publicUrl(server, { caller: "browser", path: connectPath })}?elicitation_id=${id}`,
  };
}

/** The response to a GET, by which an MCP client asks for a stream of messages. */
const streamNotOffered = json(405, { error: "invalid_request", error_description: "This resource has no stream" }, {
  allow: "POST, OPTIONS",
});

/** Checks the access token for the scope of these messages. */
async function withToken(
  context: Context<HostedServer>,
  definition: HostedResourceDefinition,
  messages: readonly McpMessage[],
  respond: (claims: AccessTokenClaims) => HttpResponse | Promise<HttpResponse>,
): Promise<HttpResponse | Response> {
  const { server, target } = context;
  // On another origin than the issuer's, the path of the request is not that of the resource.
  const url = definition.identifier + (target.query === "" ? "" : `?${target.query}`);
  const request = { method: context.request.method, url, headers: context.request.headers };
  const scope = requiredScope(definition, messages);
  const required = { ...describe(definition, server), scope, ...requiredLogin(definition, messages) };
  let client: { readonly id: string } | undefined;
  try {
    const connection = { connection: target.clientAddress, header: (name: string) => request.headers.get(name) };
    const assertCertificate = (cnf: unknown) =>
      assertSameCertificate(server, connection, confirmation(cnf)[confirmationMember]);
    const claims = await verifyRequest(request, required, server.certificateListener && assertCertificate);
    const { client_id: id } = claims;
    if (id !== undefined) client = { id };
    assertSufficient(claims, required);
    server.passed("PR-08");
    server.passed("MC-08", required.resource);
    if (scope.length > 0) server.passed("PR-10", scope.join(" "));
    if ((required.acrValues ?? required.maxAgeSeconds) !== undefined) server.passed("ST-04");
    const { jkt } = confirmation(claims.cnf);
    if (jkt !== undefined) server.passed("DO-09");
    const headers = jkt === undefined ? undefined : await nextProofHeaders(server, "resource");
    const response = await respond(claims);
    return headers === undefined ? response : withHeaders(response, headers);
  } catch (error) {
    if (!(error instanceof OAuthError)) return await context.app.handleError(error, context, { client });
    if (isWithoutToken(request)) {
      server.trace({ type: "challenged", at: server.now(), endpoint: target.path, scope });
    } else {
      traceRejection(context, error.code, withFix((await server.explainError(server, error)).explain()), client);
    }
    return rejectionResponse(error, request.headers.get("authorization"), required);
  }
}

/** All scope values that the messages need, each once. */
function requiredScope({ commonScopes, tools }: HostedResourceDefinition, messages: readonly McpMessage[]): string[] {
  const toolScopes = messages.flatMap((message) => {
    const tool = calledTool(message);
    return tool !== undefined && Object.hasOwn(tools, tool) ? tools[tool]! : [];
  });
  return [...new Set([...commonScopes, ...toolScopes])];
}

/** The login that the messages need: one that suffices for each called tool. */
function requiredLogin({ toolLogins }: HostedResourceDefinition, messages: readonly McpMessage[]): RequiredLogin {
  const logins = messages.flatMap((message) => {
    const tool = calledTool(message);
    return tool !== undefined && Object.hasOwn(toolLogins, tool) ? [toolLogins[tool]!] : [];
  });
  const levels = logins.flatMap(({ acrValues }) => acrValues === undefined ? [] : [acrValues]);
  const ages = logins.flatMap(({ maxAgeSeconds = Infinity }) => maxAgeSeconds);
  return {
    ...levels[0] && { acrValues: levels[0].filter((value) => levels.every((level) => level.includes(value))) },
    ...Math.min(...ages) < Infinity && { maxAgeSeconds: Math.min(...ages) },
  };
}

function describe(
  { identifier, scopes, impliedScopes, authorizationDetailsTypes, verifyBy }: HostedResourceDefinition,
  server: HostedServer,
): ProtectedResource {
  const verifier = localVerifier(server, identifier, verifyBy);
  // The server and the resource have one clock.
  const dpop = localProofs(server);
  return {
    ...{ resource: identifier, verifier, scopes, impliedScopes, authorizationDetailsTypes, dpop },
    clockToleranceSeconds: 0,
  };
}
