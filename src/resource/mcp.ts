/**
 * A small MCP server without sessions (Model Context Protocol, Streamable HTTP): it responds to each POST with JSON.
 * Its tools return who called them, so that a test sees which access token arrived.
 */

import { type HttpResponse, json } from "../platform/http/message.ts";
import { mcpRevisions } from "../server/config/profile.ts";
import type { AccessTokenClaims } from "./protected_resource.ts";

/** The first revision without `initialize`: each request names its revision, and `server/discover` lists them. */
const firstStatelessRevision = "2026-07-28";
/** Newest first. */
const revisions: readonly string[] = mcpRevisions.toReversed();
const initializedRevisions = revisions.filter((revision) => revision < firstStatelessRevision);

/** The revision of a request without the header `MCP-Protocol-Version`, which 2025-06-18 introduced. */
const revisionWithoutHeader = "2025-03-26";

const serverInfo = { name: "latchkey-resource", version: "1.0.0" };
const capabilities = { tools: {} };

/** A JSON-RPC message: the members that the server reads. */
export interface McpMessage {
  /** Absent in a notification. */
  readonly id?: string | number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The messages of a body; `undefined` if it is not JSON-RPC. The revision 2025-03-26 allows several in an array. */
export function parseMcp(body: string): readonly McpMessage[] | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    if (isTooDeep(parsed)) return undefined;
    const items: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
    const messages = items.flatMap(parseMessage);
    return items.length > 0 && messages.length === items.length ? messages : undefined;
  } catch {
    return undefined;
  }
}

/** Maximum depth of a body. Writing a deeper value overflows the stack of some runtimes. */
const maxDepth = 64;

function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((item) => typeof item === "object" && item !== null ? Object.values(item) : []);
  }
  return false;
}

function parseMessage(item: unknown): McpMessage[] {
  if (!isObject(item) || item.jsonrpc !== "2.0" || typeof item.method !== "string") return [];
  const { id, method, params = {} } = item;
  if (!isObject(params)) return [];
  return [{ ...(typeof id === "string" || typeof id === "number") && { id }, method, params }];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The name of the tool that a message calls; `undefined` for other messages. */
export function calledTool({ method, params }: McpMessage): string | undefined {
  return method === "tools/call" && typeof params.name === "string" ? params.name : undefined;
}

/** The values that the response to a message depends on. */
interface McpCall {
  /** The value of `MCP-Protocol-Version`; `null` if the request has none. */
  readonly revision: string | null;
  /** The names of the tools. */
  readonly tools: readonly string[];
  /** The claims of the access token. */
  readonly claims: AccessTokenClaims;
}

/** The response to the messages of one request: 202 if all of them are notifications. */
export function respondToMcp(messages: readonly McpMessage[] | undefined, call: McpCall): HttpResponse {
  if (messages === undefined) return rpcError(400, null, -32700, "The body must be a JSON-RPC 2.0 request");
  const { revision } = call;
  const first = messages[0]!;
  if (revision !== null && !revisions.includes(revision)) {
    const data = { supported: revisions, requested: revision };
    return rpcError(400, first.id ?? null, -32022, "Unsupported protocol version", data);
  }
  if (messages.length > 1 && (revision ?? revisionWithoutHeader) !== revisionWithoutHeader) {
    return rpcError(400, null, -32600, "Only revision 2025-03-26 allows several messages in one request");
  }
  const responses = messages.flatMap((message) => message.id === undefined ? [] : [respond(message, call)]);
  if (responses.length === 0) return { status: 202, headers: { "cache-control": "no-store" }, body: null };
  return json(200, messages.length > 1 ? responses : responses[0]);
}

function respond({ id, method, params }: McpMessage, { revision, tools, claims }: McpCall): unknown {
  const isStateless = revision !== null && revision >= firstStatelessRevision;
  const succeed = (result: object) => ({
    jsonrpc: "2.0",
    id,
    result: isStateless ? { resultType: "complete", ...result } : result,
  });
  // Nothing may be reused, because the next request may have another access token.
  const uncacheable = { ttlMs: 0, cacheScope: "private" };
  switch (method) {
    case "initialize": {
      const { protocolVersion } = params;
      const agreed = initializedRevisions.find((known) => known === protocolVersion) ?? initializedRevisions[0];
      return succeed({ protocolVersion: agreed, capabilities, serverInfo });
    }
    case "server/discover":
      return succeed({ supportedVersions: revisions, capabilities, ...uncacheable });
    case "ping":
      return succeed({});
    case "tools/list":
      return succeed({ tools: tools.map(describeTool), ...isStateless && uncacheable });
    case "tools/call": {
      const { name, arguments: input = {} } = params;
      if (typeof name !== "string" || !tools.includes(name)) return errorBody(id, -32602, "Unknown tool");
      const { sub, client_id, scope, aud, acr } = claims;
      const result = { tool: name, arguments: input, sub, client_id, scope, aud, acr };
      return succeed({ content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result });
    }
    default:
      return errorBody(id, -32601, "Method not found");
  }
}

function describeTool(name: string): object {
  return {
    name,
    description: "Returns its arguments, and user, client and scope of the access token.",
    inputSchema: { type: "object" },
  };
}

function rpcError(
  status: number,
  id: string | number | null,
  code: number,
  message: string,
  data?: object,
): HttpResponse {
  return json(status, errorBody(id, code, message, data));
}

function errorBody(id: string | number | null | undefined, code: number, message: string, data?: object): object {
  return { jsonrpc: "2.0", id, error: { code, message, ...data && { data } } };
}
