/** A client of MCP servers: it finds the server of a resource, and registers. */

import type { ClientDriver, ResourceJourney } from "../../../src/check/mod.ts";
import { correctProtocol, type Metadata } from "./protocol.ts";
import {
  assert,
  digest,
  isAccessToken,
  isSecure,
  type Members,
  randomText,
  requestJson,
  toBase64url,
} from "./requests.ts";

/** The parameters of a challenge (RFC 9110 §11.6.1), by lower-case name. */
type Challenge = ReadonlyMap<string, string>;

interface McpTokens {
  readonly issuer: string;
  readonly clientId: string;
  readonly tokenEndpoint: string;
  readonly scope: readonly string[];
  readonly accessToken: string;
  readonly refreshToken?: string;
}

/** The steps of the client. */
export interface McpSteps {
  metadataUrl(challenge: Challenge, resource: string): string;
  checkResource(document: Members, resource: string): void;
  /** The URLs at which the metadata of a server may be, in order. */
  serverUrls(issuer: string): readonly string[];
  checkServer(metadata: Members, issuer: string): void;
  registrationKey(issuer: string, resource: string): string;
  checkIssuer(params: URLSearchParams, metadata: Members): void;
  /** The scope to ask for. */
  scope(challenge: Challenge, document: Members, granted: readonly string[]): readonly string[];
  tokenParameters(parameters: Record<string, string>, resource: string): Record<string, string>;
  mergeTokens(old: McpTokens, received: Members): McpTokens;
  /** Whether the client refreshes its tokens before it logs in again. */
  refreshesAfter(status: number): boolean;
  /** How many logins one request may need. */
  readonly maxLogins: number;
}

export const correctMcp: McpSteps = {
  metadataUrl(challenge, resource) {
    const { origin, pathname } = new URL(resource);
    const named = challenge.get("resource_metadata");
    if (named === undefined) return `${origin}/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}`;
    assert(URL.canParse(named) && new URL(named).origin === origin, "the metadata is at another origin");
    return named;
  },
  checkResource: (document, resource) =>
    assert(document.resource === resource, "the metadata is that of another resource"),
  serverUrls(issuer) {
    const { origin, pathname } = new URL(issuer);
    const path = pathname === "/" ? "" : pathname;
    return [
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ];
  },
  checkServer(metadata, issuer) {
    assert(metadata.issuer === issuer, "the metadata is that of another issuer");
    const methods = metadata.code_challenge_methods_supported;
    assert(Array.isArray(methods) && methods.includes("S256"), "the server does not support PKCE");
    for (const name of ["authorization_endpoint", "token_endpoint", "registration_endpoint"]) {
      assert(isSecure(metadata[name], issuer), `no ${name}`);
    }
  },
  registrationKey: (issuer) => issuer,
  checkIssuer(params, metadata) {
    const iss = params.get("iss");
    const isNeeded = metadata.authorization_response_iss_parameter_supported === true;
    assert(iss === metadata.issuer || iss === null && !isNeeded, "the response is from another server");
  },
  scope(challenge, { scopes_supported }, granted) {
    const demanded = challenge.get("scope")?.split(" ");
    const supported = Array.isArray(scopes_supported) ? scopes_supported.map(String) : [];
    return [...new Set([...granted, ...demanded ?? (granted.length > 0 ? [] : supported)])];
  },
  tokenParameters: (parameters, resource) => ({ ...parameters, resource }),
  mergeTokens: (old, { access_token, refresh_token }) => ({
    ...old,
    accessToken: String(access_token),
    refreshToken: typeof refresh_token === "string" && refresh_token !== "" ? refresh_token : old.refreshToken,
  }),
  refreshesAfter: (status) => status === 401,
  maxLogins: 2,
};

/** The parameters of the Bearer challenge. */
function readChallenge(header: string): Challenge {
  const parameters = new Map<string, string>();
  const part = /[\s,]*([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+)))?/gy;
  let scheme = "";
  for (const [, name, quoted, token] of header.matchAll(part)) {
    if (quoted === undefined && token === undefined) scheme = name!.toLowerCase();
    else if (scheme === "bearer") parameters.set(name!.toLowerCase(), token ?? quoted!.replace(/\\(.)/g, "$1"));
  }
  return parameters;
}

/** A driver of the client. */
export function mcpClient(name: string, steps: McpSteps): ClientDriver {
  const servers = new Map<string, Members>();
  /** Client IDs, by issuer. */
  const registrations = new Map<string, string>();

  function connect({ resource, fetch, redirectUri, authorize }: ResourceJourney) {
    let tokens: McpTokens | undefined;

    async function findServer({ authorization_servers }: Members): Promise<Metadata> {
      assert(Array.isArray(authorization_servers), "the resource names no server");
      let problem: unknown = new Error("the resource names no server");
      for (const issuer of authorization_servers.map(String).filter((issuer) => isSecure(issuer, issuer))) {
        for (const url of steps.serverUrls(issuer)) {
          const metadata = servers.get(issuer) ?? await requestJson({ fetch }, url).catch((error) => {
            if (error.status === undefined) throw error;
            problem = error;
          });
          if (metadata === undefined) continue;
          steps.checkServer(metadata, issuer);
          servers.set(issuer, metadata);
          return metadata as Metadata;
        }
      }
      throw problem;
    }

    async function register(metadata: Metadata): Promise<string> {
      const key = steps.registrationKey(metadata.issuer, resource);
      const known = registrations.get(key);
      if (known !== undefined) return known;
      const { client_id } = await requestJson({ fetch }, String(metadata.registration_endpoint), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          ...{
            client_name: "Assistant",
            application_type: "web",
            redirect_uris: [redirectUri],
            token_endpoint_auth_method: "none",
          },
          ...{ grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] },
        }),
      });
      assert(typeof client_id === "string", "no client_id");
      registrations.set(key, client_id);
      return client_id;
    }

    async function requestTokens(
      at: Pick<McpTokens, "clientId" | "tokenEndpoint">,
      parameters: Record<string, string>,
    ) {
      const body = new URLSearchParams(steps.tokenParameters({ ...parameters, client_id: at.clientId }, resource));
      const received = await requestJson({ fetch }, at.tokenEndpoint, { method: "POST", body });
      const { access_token, token_type } = received;
      assert(isAccessToken(access_token), "no access token");
      assert(String(token_type).toLowerCase() === "bearer", "unknown type of token");
      return received;
    }

    async function logIn(challenge: Challenge): Promise<McpTokens> {
      const document = await requestJson({ fetch }, steps.metadataUrl(challenge, resource));
      steps.checkResource(document, resource);
      const metadata = await findServer(document);
      const clientId = await register(metadata);
      const scope = steps.scope(challenge, document, tokens?.scope ?? []);
      const [state, verifier] = [randomText(), randomText()];
      const url = new URL(metadata.authorization_endpoint);
      const parameters = {
        ...{ response_type: "code", client_id: clientId, redirect_uri: redirectUri, state, resource },
        ...scope.length > 0 && { scope: scope.join(" ") },
        code_challenge: toBase64url(await digest("SHA-256", verifier)),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      const { params } = await authorize(url);
      steps.checkIssuer(params, metadata);
      // The check of the issuer was a step of the client.
      const server = { ...metadata, authorization_response_iss_parameter_supported: false };
      const own = new URLSearchParams([...params].filter(([name]) => name !== "iss"));
      const login = { state, verifier, nonce: "", startedAt: 0, redirectUri };
      const code = correctProtocol.readResponse(own, login, server);
      const at = { issuer: metadata.issuer, clientId, tokenEndpoint: metadata.token_endpoint, scope, accessToken: "" };
      return steps.mergeTokens(
        at,
        await requestTokens(at, {
          grant_type: "authorization_code",
          ...{ code, redirect_uri: redirectUri, code_verifier: verifier },
        }),
      );
    }

    async function refresh(old: McpTokens): Promise<McpTokens | undefined> {
      const { refreshToken } = old;
      if (refreshToken === undefined) return undefined;
      const parameters = { grant_type: "refresh_token", refresh_token: refreshToken };
      return await requestTokens(old, parameters).then((received) => steps.mergeTokens(old, received), () => undefined);
    }

    /** Calls the tool, and logs in or refreshes where the resource says so. */
    async function callTool(): Promise<string> {
      let hasRefreshed = false;
      for (let logins = 0;;) {
        const headers = new Headers({
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-11-25",
        });
        if (tokens !== undefined) headers.set("authorization", `Bearer ${tokens.accessToken}`);
        const params = { name: "whoami", arguments: {} };
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
        const response = await fetch(resource, { method: "POST", headers, body, redirect: "manual" } as RequestInit);
        if (response.status !== 401 && response.status !== 403) {
          assert(response.ok, `status ${response.status}`);
          const { result } = await response.json() as { result: { structuredContent: Members } };
          return String(result.structuredContent.sub);
        }
        const challenge = readChallenge(response.headers.get("www-authenticate") ?? "");
        if (tokens !== undefined && !hasRefreshed && steps.refreshesAfter(response.status)) {
          hasRefreshed = true;
          const refreshed = await refresh(tokens);
          if (refreshed !== undefined) {
            tokens = refreshed;
            continue;
          }
        }
        const isScope = challenge.get("error") === "insufficient_scope";
        assert(response.status === 401 || isScope, "the resource forbids the request");
        assert(logins++ < steps.maxLogins, `${challenge.get("error")} after ${logins - 1} logins`);
        tokens = await logIn(challenge).catch((error) => {
          servers.clear();
          if ((error as { code?: string }).code === "invalid_client") registrations.clear();
          throw error;
        });
      }
    }

    return callTool;
  }

  return {
    name,
    async requestResource(journey) {
      const callTool = connect(journey);
      return { sub: await callTool(), request: async () => void await callTool() };
    },
  };
}
