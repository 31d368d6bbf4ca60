/** The events of oauth2-mock-server, before a successful response is sent. A rejected request has no event. */

import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import type { TestLatchkey } from "../test_latchkey.ts";
import type { OAuth2Issuer } from "./issuer.ts";
import { type AugmentedRequest, Events, type MutableResponse, type OAuth2Endpoints } from "./types.ts";

/** The endpoint of a request, and what its service has. */
interface Exchange {
  readonly path: string;
  readonly endpoints: OAuth2Endpoints;
  readonly issuer: OAuth2Issuer;
  readonly mock: Pick<TestLatchkey, "issuer">;
  /** How to fix a rejected request; absent if it was accepted. */
  readonly fix?: string;
  /** Calls the listeners of an event. */
  emit(event: Events, value: object, request: AugmentedRequest): void;
}

/** Inserts the issuer that the suite has set, passes the response to the listeners, and explains a rejection. */
export async function exchangeEvents(
  response: Response,
  request: AugmentedRequest,
  { path, endpoints, issuer, mock, fix, emit }: Exchange,
): Promise<Response> {
  const named = (text: string) => nameIssuer(text, mock.issuer, issuer.url);
  const { status, headers } = response;
  const location = headers.get("location");
  if (location !== null) {
    const event = path === endpoints.authorize
      ? Events.BeforeAuthorizeRedirect
      : path === endpoints.endSession
      ? Events.BeforePostLogoutRedirect
      : undefined;
    if (event === undefined || new URL(location, mock.issuer).origin === new URL(mock.issuer).origin) return response;
    const redirect = { url: new URL(location) };
    const { searchParams } = redirect.url;
    if (searchParams.has("iss")) searchParams.set("iss", named(searchParams.get("iss")!));
    if (fix !== undefined) searchParams.set("error_description", explain(searchParams.get("error_description"), fix));
    emit(event, redirect, request);
    return withHeader(response, null, status, { location: redirect.url.href });
  }
  const isJson = /^application\/json\b/.test(headers.get("content-type") ?? "");
  if (status !== 200) {
    if (fix === undefined || !isJson) return response;
    const error: Record<string, unknown> = await response.json();
    return withJson(response, { ...error, error_description: explain(error.error_description, fix) }, status);
  }
  if (path === endpoints.jwks) return withJson(response, { keys: issuer.keys.toJSON() }, 200);
  if (path === endpoints.revoke) {
    const revoked = { statusCode: status };
    emit(Events.BeforeRevoke, revoked, request);
    return withHeader(response, await response.text(), revoked.statusCode);
  }
  const event = jsonEvents(endpoints)[path];
  if (event === undefined || !isJson) return response;
  const members: Record<string, unknown> = await response.json();
  const body = Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, typeof value === "string" ? named(value) : value]),
  );
  if (event === Events.BeforeWellKnownOpenIdConfiguration) {
    const algorithms = new Set(issuer.keys.toJSON().map(({ alg }) => alg));
    // Suites read metadata before they generate the first key.
    body.id_token_signing_alg_values_supported = algorithms.size === 0 ? ["RS256"] : [...algorithms];
  }
  // The claims of the token that the suite received: the mock knows only the claims of its own token.
  if (event === Events.BeforeIntrospect && body.active === true) {
    Object.assign(body, decodeJwtPart(String(request.body.token), 1));
  }
  const changed: MutableResponse = { body, statusCode: status };
  emit(event, changed, request);
  return withJson(response, changed.body, changed.statusCode);
}

function jsonEvents(endpoints: OAuth2Endpoints): Readonly<Record<string, Events>> {
  return {
    [endpoints.wellKnownDocument]: Events.BeforeWellKnownOpenIdConfiguration,
    [endpoints.token]: Events.BeforeResponse,
    [endpoints.userinfo]: Events.BeforeUserinfo,
    [endpoints.introspect]: Events.BeforeIntrospect,
  };
}

/** A description with a fix, in the characters that descriptions may have (OAuth 2.1 §3.2.4). */
function explain(description: unknown, fix: string): string {
  return `${description}. ${fix}`.replace(/["\\]/g, "'").replace(/[^ -~]/g, "-");
}

/** The issuer, or a URL below it, under the name that the suite has set. */
function nameIssuer(text: string, issuer: string, name = issuer): string {
  if (text === issuer) return name;
  return text.startsWith(`${issuer}/`) ? name.replace(/\/$/, "") + text.slice(issuer.length) : text;
}

function withJson(response: Response, body: unknown, status: number): Response {
  return withHeader(response, JSON.stringify(body), status);
}

function withHeader(
  { headers }: Response,
  body: string | null,
  status: number,
  changed: Readonly<Record<string, string>> = {},
): Response {
  const allHeaders = new Headers(headers);
  allHeaders.delete("content-length");
  for (const [name, value] of Object.entries(changed)) allHeaders.set(name, value);
  return new Response([204, 304].includes(status) ? null : body, { status, headers: allHeaders });
}
