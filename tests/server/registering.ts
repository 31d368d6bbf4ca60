/** Registration requests for tests. */

import { assertEquals, assertMatch } from "@std/assert";
import type { TestServer } from "../kit.ts";

/** A response of the registration endpoint, or of the client configuration endpoint. */
export interface Registered {
  readonly client_id: string;
  readonly client_secret: string;
  readonly registration_access_token: string;
  readonly registration_client_uri: string;
  readonly [member: string]: unknown;
}

/** Valid metadata of a public client. */
export const publicClient = {
  redirect_uris: ["https://app.example/cb"],
  token_endpoint_auth_method: "none",
  grant_types: ["authorization_code", "refresh_token"],
} as const;

/** POST /oauth2/register with this JSON value, or this text. */
export function postRegistration(
  { get }: Pick<TestServer, "get">,
  metadata: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return get("/oauth2/register", {
    method: "POST",
    body: typeof metadata === "string" ? metadata : JSON.stringify(metadata),
    headers: { "content-type": "application/json", ...headers },
  });
}

/** Registers a client; fails where it is rejected. */
export async function register(
  server: Pick<TestServer, "get">,
  metadata: unknown = publicClient,
  headers?: Readonly<Record<string, string>>,
): Promise<Registered> {
  const response = await postRegistration(server, metadata, headers);
  const text = await response.text();
  assertEquals(response.status, 201, text);
  assertMatch(response.headers.get("content-type") ?? "", /^application\/json\b/);
  assertEquals(response.headers.get("cache-control"), "no-store");
  return JSON.parse(text);
}

/** A request to the registration of a client, with its token or another one. */
export function manage(
  { as }: Pick<TestServer, "as">,
  method: "GET" | "PUT" | "DELETE",
  { registration_client_uri: uri, registration_access_token: token }: Registered,
  metadata?: unknown,
): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...metadata !== undefined && { "content-type": "application/json" },
  };
  return as.fetch(
    new Request(uri, { method, headers, body: metadata === undefined ? null : JSON.stringify(metadata) }),
  );
}

/** Status and error code of a response, such as `400 invalid_redirect_uri`; a 401 has a Bearer challenge. */
export async function outcomeOf(response: Response): Promise<string> {
  const challenge = response.headers.get("www-authenticate") ?? "";
  assertEquals(/^Bearer realm="[^"]*"/.test(challenge), response.status === 401);
  if (response.status < 400) return `${response.status}`;
  assertMatch(response.headers.get("content-type") ?? "", /^application\/json\b/);
  assertEquals(response.headers.get("cache-control"), "no-store");
  const { error, error_description } = await response.json();
  assertMatch(error_description, /^[\x20\x21\x23-\x5B\x5D-\x7E]* \[[A-Z]{2}-\d{2}\]$/);
  return `${response.status} ${error}`;
}
