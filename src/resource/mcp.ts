/**
 * A small MCP server without sessions (Model Context Protocol). {@link respondToMcp} is its form over Streamable HTTP,
 * whose tools return who called them, so that a test sees which access token arrived; the program serves others over
 * stdio by {@link respondToMcpMessage}.
 */

import { isDeeperThan, isObject } from "../core/http/json_value.ts";
import { type HttpResponse, json } from "../core/http/message.ts";
import { mcpRevisions } from "../server/config/strictness.ts";
import { quote } from "../server/config/config_issue.ts";
import type { AccessTokenClaims } from "./protected_resource.ts";

/** The first revision without `initialize`: each request names its revision, and `server/discover` lists them. */
const firstStatelessRevision = "2026-07-28";
/** Newest first. */
const revisions: readonly string[] = mcpRevisions.toReversed();
const initializedRevisions = revisions.filter((revision) => revision < firstStatelessRevision);

/** The revision of a request without the header `MCP-Protocol-Version`, which 2025-06-18 introduced. */
const revisionWithoutHeader = "2025-03-26";

const capabilities = { tools: {} };

/** A JSON-RPC message: the members that the server reads. */
export interface McpMessage {
  /** Absent in a notification. */
  readonly id?: string | number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Why a text has no messages (JSON-RPC 2.0 §5.1). */
export interface NoMessages {
  readonly code: -32700 | -32600;
  readonly message: string;
}

/** The messages of a body, or why it has none. The revision 2025-03-26 allows several in an array. */
export function parseMcp(body: string): readonly McpMessage[] | NoMessages {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return { code: -32700, message: "The message must be JSON" };
  }
  const items: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  const messages = isDeeperThan(maxDepth, parsed) ? [] : items.flatMap(parseMessage);
  return items.length > 0 && messages.length === items.length
    ? messages
    : { code: -32600, message: "The message must be a JSON-RPC 2.0 request, whose id is a text or a number" };
}

/** Maximum depth of a body. Writing a deeper value overflows the stack of some runtimes. */
const maxDepth = 64;

function parseMessage(item: unknown): McpMessage[] {
  if (!isObject(item) || item.jsonrpc !== "2.0" || typeof item.method !== "string") return [];
  const { id, method, params = {} } = item;
  if (!isObject(params) || !["string", "number", "undefined"].includes(typeof id)) return [];
  return [{ ...id !== undefined && { id: id as string | number }, method, params }];
}

/** The name of the tool that a message calls; `undefined` for other messages. */
export function calledTool({ method, params }: McpMessage): string | undefined {
  return method === "tools/call" && typeof params.name === "string" ? params.name : undefined;
}

export interface McpTool {
  readonly name: string;
  /** What the tool does, for a model. */
  readonly description: string;
  /** The JSON Schema of the arguments. */
  readonly inputSchema: object;
}

/** The server that a message is for. */
export interface McpService {
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** How a model should use the tools. Default: nothing. */
  readonly instructions?: string;
  readonly tools: readonly McpTool[];
  /**
   * Runs a tool, and returns the members of its result, such as `content`.
   *
   * @param params All parameters of the call.
   * @throws {McpError} If there is an error instead of a result.
   */
  call(tool: string, input: unknown, params: McpMessage["params"]): object | Promise<object>;
}

/** An error instead of a result. */
class McpError extends Error {
  readonly code: number;
  readonly data: object | undefined;

  constructor(code: number, message: string, data?: object) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The account that a user must connect in a browser before a tool runs. */
export interface RequiredConnection {
  readonly id: string;
  readonly service: string;
  /** The page that connects it. */
  readonly url: string;
  /** `unknown`: the call has a `requestState` that is not its own, or has expired. */
  readonly state: "pending" | "declined" | "unknown";
}

/** The values that the response to a message depends on. */
interface McpCall {
  /** The value of `MCP-Protocol-Version`; `null` if the request has none. */
  readonly revision: string | null;
  /** The values of `Mcp-Method` and `Mcp-Name`, which mirror the body since 2026-07-28; `null` without the header. */
  readonly mirrored: { readonly method: string | null; readonly name: string | null };
  readonly tools: readonly string[];
  /** Tool → the service of the account that it needs. */
  readonly toolConnections: Readonly<Record<string, string>>;
  readonly claims: AccessTokenClaims;
  /** The account that the user must connect first; `undefined`: none. */
  connect(tool: string, requestState: unknown): RequiredConnection | undefined;
}

/** The response to the messages of one request: 202 if all of them are notifications. */
export async function respondToMcp(
  messages: readonly McpMessage[] | NoMessages,
  { revision, mirrored, tools, toolConnections, claims, connect }: McpCall,
): Promise<HttpResponse> {
  if ("code" in messages) return json(400, errorBody(null, messages.code, messages.message));
  const first = messages[0]!;
  if (revision !== null && !revisions.includes(revision)) {
    const data = { supported: revisions, requested: revision };
    return json(400, errorBody(first.id ?? null, -32022, "Unsupported protocol version", data));
  }
  if (messages.length > 1 && (revision ?? revisionWithoutHeader) !== revisionWithoutHeader) {
    return json(400, errorBody(null, -32600, "Only revision 2025-03-26 allows several messages in one request"));
  }
  if (isStateless(revision) && first.id !== undefined) {
    const mismatch = findMismatch(first, revision, mirrored);
    if (mismatch !== undefined) return json(400, errorBody(first.id, -32020, `Header mismatch: ${mismatch}`));
  }
  const service: McpService = {
    serverInfo: { name: "latchkey-resource", version: "1.0.0" },
    tools: tools.map((name) =>
      describeTool(name, Object.hasOwn(toolConnections, name) ? toolConnections[name] : undefined)
    ),
    call(tool, input, params) {
      const required = connect(tool, params.requestState);
      if (required !== undefined) return elicitConnection(required, params, revision ?? revisionWithoutHeader);
      const { sub, client_id, scope, aud, acr } = claims;
      const result = { tool, arguments: input, sub, client_id, scope, aud, acr };
      return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result };
    },
  };
  const asked = messages.filter(({ id }) => id !== undefined);
  const responses = await Promise.all(asked.map((message) => respondToMcpMessage(message, service, revision)));
  if (responses.length === 0) return { status: 202, headers: { "cache-control": "no-store" }, body: null };
  if (messages.length > 1) return json(200, responses);
  const { error } = responses[0] as { readonly error?: { readonly code: number } };
  return json(error?.code === missingCapability ? 400 : 200, responses[0]);
}

/** The first revision whose servers can send a user to a URL. */
const firstElicitingRevision = "2025-11-25";

const missingCapability = -32021;

/** The key of the elicitation among the input requests. */
const inputKey = "connect";

/** Asks the user to connect an account by opening a URL, in the form of the revision. */
function elicitConnection(
  { id, service, url, state }: RequiredConnection,
  { inputResponses, _meta }: McpMessage["params"],
  revision: string,
): object {
  if (state === "unknown") {
    const expected = "that of the last result for this user, client and tool, at most ten minutes old";
    throw new McpError(-32602, `Unknown requestState: expected ${expected}. Call the tool again without it.`);
  }
  const message = `Connect ${service} in the browser, then the tool can run.`;
  const fail = (text: string) => ({ content: [{ type: "text", text }], isError: true });
  const action = isObject(inputResponses) && isObject(inputResponses[inputKey]) && inputResponses[inputKey].action;
  if (state === "declined" || action === "decline" || action === "cancel") {
    return fail(`The user did not connect ${service}.`);
  }
  const elicitation = { mode: "url", message, url };
  if (isStateless(revision)) {
    const capabilities = isObject(_meta) ? _meta[capabilitiesMember] : undefined;
    if (!isObject(capabilities) || !isObject(capabilities.elicitation) || !isObject(capabilities.elicitation.url)) {
      const requiredCapabilities = { elicitation: { url: {} } };
      throw new McpError(missingCapability, "The tool needs the client capability elicitation.url", {
        requiredCapabilities,
      });
    }
    const inputRequests = { [inputKey]: { method: "elicitation/create", params: elicitation } };
    return { resultType: "input_required", inputRequests, requestState: id };
  }
  if (revision >= firstElicitingRevision) {
    throw new McpError(-32042, message, { elicitations: [{ ...elicitation, elicitationId: id }] });
  }
  return fail(
    `The tool sends the user to a URL: expected MCP ${firstElicitingRevision} or newer, received ${revision}.`,
  );
}

function isStateless(revision: string | null): boolean {
  return revision !== null && revision >= firstStatelessRevision;
}

/** The difference between headers and body, which intermediaries and the server would understand differently. */
function findMismatch(
  { method, params }: McpMessage,
  revision: string | null,
  mirrored: McpCall["mirrored"],
): string | undefined {
  const name = method === "resources/read" ? params.uri : ["tools/call", "prompts/get"].includes(method) && params.name;
  return [
    { header: "MCP-Protocol-Version", value: revision, body: revisionOf(params) ?? revision },
    { header: "Mcp-Method", value: mirrored.method, body: method },
    ...typeof name === "string" ? [{ header: "Mcp-Name", value: decodeHeader(mirrored.name), body: name }] : [],
  ].flatMap(({ header, value, body }) =>
    value === body
      ? []
      : value === null
      ? `${header} is missing: expected ${quote(body)}, as in the body`
      : value === undefined
      ? `${header} is not valid Base64`
      : `${header} does not match the body: expected ${quote(body)}, received ${quote(value)}`
  )[0];
}

/** A value, or the text that it contains as Base64, for characters that a header cannot have; `undefined` if broken. */
function decodeHeader(value: string | null): string | null | undefined {
  const encoded = value?.match(/^=\?base64\?(.*)\?=$/)?.[1];
  if (encoded === undefined) return value;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The member of `params._meta` by which a request without HTTP names its revision. */
const revisionMember = "io.modelcontextprotocol/protocolVersion";

/** The member of `params._meta` with the capabilities of the client, since 2026-07-28. */
const capabilitiesMember = "io.modelcontextprotocol/clientCapabilities";

/**
 * The response to a message with an `id`.
 *
 * @param revision That of the header. Default: that of the message, which has one since 2026-07-28.
 */
export async function respondToMcpMessage(
  { id, method, params }: McpMessage,
  { serverInfo, instructions, tools, call }: McpService,
  revision: string | null = revisionOf(params),
): Promise<object> {
  const succeed = (result: object) => ({
    jsonrpc: "2.0",
    id,
    result: isStateless(revision) ? { resultType: "complete", ...result } : result,
  });
  // Nothing may be reused, because the next request may have another access token.
  const uncacheable = { ttlMs: 0, cacheScope: "private" };
  switch (method) {
    case "initialize": {
      const { protocolVersion } = params;
      const agreed = initializedRevisions.find((known) => known === protocolVersion) ?? initializedRevisions[0];
      return succeed({ protocolVersion: agreed, capabilities, serverInfo, instructions });
    }
    case "server/discover":
      return succeed({ supportedVersions: revisions, capabilities, serverInfo, instructions, ...uncacheable });
    case "ping":
      return succeed({});
    case "tools/list":
      return succeed({ tools, ...isStateless(revision) && uncacheable });
    case "tools/call": {
      const { name, arguments: input = {} } = params;
      if (!tools.some((tool) => tool.name === name)) {
        const known = tools.map((tool) => tool.name).join(", ");
        return errorBody(id, -32602, `Unknown tool: expected one of ${known}`);
      }
      try {
        return succeed(await call(name as string, input, params));
      } catch (error) {
        if (!(error instanceof McpError)) throw error;
        return errorBody(id, error.code, error.message, error.data);
      }
    }
    default:
      return errorBody(id, -32601, "Method not found");
  }
}

function revisionOf({ _meta }: McpMessage["params"]): string | null {
  const revision = isObject(_meta) ? _meta[revisionMember] : undefined;
  return typeof revision === "string" ? revision : null;
}

function describeTool(name: string, service: string | undefined): McpTool {
  const result = "Returns its arguments, and user, client and scope of the access token.";
  const account = service === undefined ? "" : ` The user must first connect an account of ${service} in a browser.`;
  return { name, description: result + account, inputSchema: { type: "object" } };
}

function errorBody(id: string | number | null | undefined, code: number, message: string, data?: object): object {
  return { jsonrpc: "2.0", id, error: { code, message, ...data && { data } } };
}
