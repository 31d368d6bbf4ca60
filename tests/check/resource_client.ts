/**
 * A small client of protected resources (RFC 9728), as of MCP servers, which registers itself; and copies of it, each
 * with one mistake.
 */

import { randomBytes } from "../../src/core/keys/crypto.ts";
import { authorizationRequest, newFlowValues } from "../../src/client/authorization_request.ts";
import { readCallback } from "../../src/client/callback.ts";
import { encodeParameters, type RequestParameters } from "../../src/client/parameters.ts";
import { codeExchange } from "../../src/client/token_request.ts";
import type { ClientDriver, ClientSession, ResourceJourney } from "../../src/check/mod.ts";

/** A mistake of a copy. */
export type ResourceMistake =
  | "knows no well-known address"
  | "does not compare the resource"
  | "compares the resource by its beginning"
  | "compares the origin of the resource"
  | "does not look for PKCE"
  | "opens every authorization endpoint"
  | "does not compare iss"
  | "sends no resource in the token request"
  | "uses one registration for all servers"
  | "asks the user without a limit"
  | "requests only the missing scope"
  | "follows redirects with the token"
  | "checks nothing";

type Members = Record<string, unknown>;

/** A login at an authorization server. */
interface Login {
  readonly metadata: Record<string, string>;
  readonly clientId: string;
  readonly scope: readonly string[];
  accessToken: string;
  refreshToken?: string;
}

/** The parameters of the Bearer challenge (RFC 9110 §11.6.1). */
export function readChallenge(header: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  const part = /\s*,?\s*([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+)))?/gy;
  let scheme = "";
  for (let found = part.exec(header); found !== null; found = part.exec(header)) {
    const [, name, quoted, token] = found;
    if (quoted === undefined && token === undefined) scheme = name!.toLowerCase();
    else if (scheme === "bearer") parameters.set(name!.toLowerCase(), token ?? quoted!.replace(/\\(.)/g, "$1"));
  }
  return parameters;
}

/**
 * The driver of the correct client, or of a copy with a mistake, or with another way to read challenges.
 *
 * @param refreshes Whether it refreshes its tokens before it logs in again.
 * @param logins How many logins one request may need.
 */
export function resourceClient(
  mistake?: ResourceMistake,
  read = readChallenge,
  { refreshes = true, logins: allowed = 2 } = {},
): ClientDriver {
  const has = (...mistakes: ResourceMistake[]) =>
    mistake === "checks nothing" || mistakes.some((name) => name === mistake);

  async function readJson(response: Response): Promise<Members> {
    const value: unknown = await response.json();
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("expected a JSON object");
    if (!response.ok) throw new Error(`${(value as Members).error}, status ${response.status}`);
    return value as Members;
  }

  /** The client in one journey, with what it keeps for the resource. */
  function connect(journey: ResourceJourney) {
    const { resource, fetch, redirectUri, authorize } = journey;
    const registrations = new Map<string, string>();
    let login: Login | undefined;

    const getJson = async (url: string) => await readJson(await fetch(url));

    async function findResourceMetadata(parameters: ReadonlyMap<string, string>): Promise<Members> {
      const { origin, pathname } = new URL(resource);
      const wellKnown = `${origin}/.well-known/oauth-protected-resource${pathname}`;
      const address = parameters.get("resource_metadata");
      if (address === undefined && has("knows no well-known address")) throw new Error("no resource_metadata");
      const document = await getJson(address ?? wellKnown);
      const named = String(document.resource);
      const isOwn = has("compares the resource by its beginning") && resource.startsWith(named) ||
        has("compares the origin of the resource") && URL.canParse(named) && new URL(named).origin === origin;
      if (named !== resource && !isOwn && !has("does not compare the resource")) {
        throw new Error(`the metadata is about ${document.resource}`);
      }
      return document;
    }

    async function findServer({ authorization_servers: issuers = [] }: Members): Promise<Record<string, string>> {
      for (const issuer of issuers as string[]) {
        const metadata = await getJson(`${issuer}/.well-known/oauth-authorization-server`).catch(() => undefined);
        const methods = metadata?.code_challenge_methods_supported as string[] | undefined;
        if (!methods?.includes("S256") && !has("does not look for PKCE")) continue;
        if (metadata?.issuer === issuer) return metadata as Record<string, string>;
      }
      throw new Error("the resource names no authorization server that has metadata");
    }

    async function register({ issuer, registration_endpoint }: Record<string, string>): Promise<string> {
      const kept = has("uses one registration for all servers") ? "every issuer" : issuer!;
      const known = registrations.get(kept);
      if (known !== undefined) return known;
      const metadata = { redirect_uris: [redirectUri], token_endpoint_auth_method: "none", scope: "read write" };
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(metadata) };
      const { client_id } = await readJson(await fetch(registration_endpoint!, init));
      registrations.set(kept, String(client_id));
      return String(client_id);
    }

    async function logIn(challenge: ReadonlyMap<string, string>, scope: readonly string[]): Promise<Login> {
      const metadata = await findServer(await findResourceMetadata(challenge));
      const clientId = await register(metadata);
      const values = newFlowValues(randomBytes);
      const requested = { client_id: clientId, redirect_uri: redirectUri, scope: scope.join(" ") };
      const url = new URL(metadata.authorization_endpoint!);
      if (!/^https?:$/.test(url.protocol) && !has("opens every authorization endpoint")) throw new Error("no URL");
      url.search = encodeParameters({ ...await authorizationRequest(requested, values), resource });
      const received = readCallback((await authorize(url)).url);
      const isFromIssuer = received.iss === metadata.issuer || has("does not compare iss");
      if (received.state !== values.state || !isFromIssuer) throw new Error("wrong state or iss");
      if (received.error !== undefined || !received.code) throw new Error(`error ${received.error}`);
      const parameters = codeExchange(received.code, redirectUri, values.verifier);
      return await requestTokens({ metadata, clientId, scope, accessToken: "" }, parameters);
    }

    async function requestTokens(of: Login, parameters: RequestParameters): Promise<Login> {
      const body = new URLSearchParams(
        encodeParameters({
          ...parameters,
          ...!has("sends no resource in the token request") && { resource },
          client_id: of.clientId,
        }),
      );
      const tokens = await readJson(await fetch(of.metadata.token_endpoint!, { method: "POST", body }));
      const refreshToken = tokens.refresh_token === undefined ? of.refreshToken : String(tokens.refresh_token);
      return { ...of, accessToken: String(tokens.access_token), refreshToken };
    }

    async function send(url: string): Promise<Response> {
      const params = { name: "whoami", arguments: {} };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const headers = new Headers({ "content-type": "application/json" });
      if (login !== undefined) headers.set("authorization", `Bearer ${login.accessToken}`);
      const response = await fetch(url, { method: "POST", headers, body, redirect: "manual" } as RequestInit);
      const location = response.headers.get("location");
      return location !== null && has("follows redirects with the token") ? await send(location) : response;
    }

    /** Sends the request, and logs in or asks for more scope where the resource says so. */
    async function request(): Promise<string> {
      let refreshed = false;
      const maxLogins = has("asks the user without a limit") ? 25 : allowed;
      for (let logins = 0;;) {
        const response = await send(resource);
        if (response.status !== 401 && response.status !== 403) {
          const { result } = await readJson(response) as { readonly result: { readonly structuredContent: Members } };
          return String(result.structuredContent.sub);
        }
        const challenge = read(response.headers.get("www-authenticate") ?? "");
        if (refreshes && response.status === 401 && login?.refreshToken !== undefined && !refreshed) {
          refreshed = true;
          const grant = { grant_type: "refresh_token", refresh_token: login.refreshToken };
          login = await requestTokens(login, grant).catch(() => undefined);
          continue;
        }
        if (logins++ === maxLogins) throw new Error(`${challenge.get("error")}, after ${maxLogins} logins`);
        const demanded = challenge.get("scope")?.split(" ") ?? ["read"];
        const kept = has("requests only the missing scope") ? [] : login?.scope ?? [];
        login = await logIn(challenge, [...new Set([...kept, ...demanded])]);
      }
    }

    return { request };
  }

  return {
    name: mistake ?? "client of a resource",
    async requestResource(journey): Promise<ClientSession> {
      const { request } = connect(journey);
      return { sub: await request(), request: async () => void await request() };
    },
  };
}
