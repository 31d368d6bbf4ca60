/**
 * A small client of the extensions: pushed and signed authorization requests, signed responses, DPoP and registration;
 * and copies of it with one mistake each.
 */

import { createLocalJWKSet, jwtVerify } from "jose";
import { signingKey } from "../../src/client/authentication.ts";
import { authorizationRequest, newFlowValues } from "../../src/client/authorization_request.ts";
import { encodeParameters, type RequestParameters } from "../../src/client/parameters.ts";
import { createProofKey, signProof } from "../../src/client/proof.ts";
import { signedRequest } from "../../src/client/request_object.ts";
import { codeExchange, refreshRequest } from "../../src/client/token_request.ts";
import { decodeJwtPart } from "../../src/platform/http/jwt_part.ts";
import { generateKey } from "../../src/core/keys/crypto.ts";
import { systemRandomBytes } from "../../src/platform/runtime/random_bytes.ts";
import type { ClientDriver, ClientJourney, ClientSession } from "../../src/check/mod.ts";

/** The clock and the random source of the client. */
const clock = { now: () => Date.now(), randomBytes: systemRandomBytes };

/** What the client uses. */
export type Extension = "par" | "jar" | "jarm" | "dpop" | "registration";

/** A mistake of a copy. */
export type ExtensionMistake =
  | "sends the request plainly when the push fails"
  | "sends the request unsigned when it is rejected"
  | "does not verify signed responses"
  | "accepts plain responses"
  | "repeats without a limit"
  | "has one nonce for all servers"
  | "does not read nonces"
  | "accepts bearer tokens"
  | "believes any registration"
  | "never registers again"
  | "checks nothing";

type Members = Record<string, unknown>;

/** The driver of the correct client, or of a copy with a mistake. */
export function extendedClient(uses: readonly Extension[], mistake?: ExtensionMistake): ClientDriver {
  const has = (...mistakes: ExtensionMistake[]) =>
    mistake === "checks nothing" || mistakes.some((name) => name === mistake);
  const maxAttempts = has("repeats without a limit") ? 25 : 2;
  const registrations = new Map<string, Members>();
  const noncesOfAllLogins = new Map<string, string>();

  function assert(condition: boolean, message: string): void {
    if (!condition && mistake !== "checks nothing") throw new Error(message);
  }

  async function readJson(response: Response): Promise<Members> {
    const value: unknown = await response.json();
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("expected a JSON object");
    const members = value as Members;
    if (!response.ok) throw new Error(`${members.error}, status ${response.status}`);
    return members;
  }

  /** One login: the key of its proofs, and the requests with them. */
  async function openConnection({ fetch }: ClientJourney) {
    const key = await createProofKey(await generateKey("ES256"));
    // Of one login: otherwise the order of the attacks would decide which of them find the mistake.
    const nonces = has("has one nonce for all servers") ? new Map<string, string>() : noncesOfAllLogins;

    async function proof(method: string, url: string, accessToken?: string): Promise<string> {
      const nonce = has("does not read nonces")
        ? undefined
        : nonces.get(has("has one nonce for all servers") ? "" : url);
      return await signProof(clock, key, { method, url, accessToken, nonce });
    }

    /** Sends a request with a proof, and repeats it once if the server demands a nonce or another proof. */
    async function send(url: string, params?: RequestParameters, accessToken?: string): Promise<Members> {
      const body = params && new URLSearchParams(encodeParameters(params));
      for (let attempt = 1;; attempt++) {
        const method = body === undefined ? "GET" : "POST";
        const headers = new Headers();
        if (uses.includes("dpop")) headers.set("dpop", await proof(method, url, accessToken));
        const scheme = uses.includes("dpop") ? "DPoP" : "Bearer";
        if (accessToken !== undefined) headers.set("authorization", `${scheme} ${accessToken}`);
        const response = await fetch(url, { method, headers, body, redirect: "manual" } as RequestInit);
        const nonce = response.headers.get("dpop-nonce");
        const isKept = nonce !== null && !(has("has one nonce for all servers") && nonces.has(""));
        if (isKept) nonces.set(has("has one nonce for all servers") ? "" : url, nonce);
        const { error } = response.ok ? {} : await response.clone().json();
        const isRepeated = error === "use_dpop_nonce"
          ? nonce !== null && !has("does not read nonces")
          : has("repeats without a limit") && error !== undefined;
        if (!isRepeated || attempt >= maxAttempts) return await readJson(response);
      }
    }

    return { send };
  }

  async function discover({ fetch, issuer }: ClientJourney): Promise<Record<string, string>> {
    const metadata = await readJson(await fetch(`${issuer}/.well-known/oauth-authorization-server`));
    if (metadata.issuer !== issuer) throw new Error("wrong issuer");
    return metadata as Record<string, string>;
  }

  /** Registers the client, or returns the registration of an earlier login. */
  async function register({ fetch, issuer, redirectUri }: ClientJourney, endpoint: string): Promise<Members> {
    const kept = registrations.get(issuer);
    if (kept !== undefined) return kept;
    const metadata = {
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      scope: "openid profile offline_access",
    };
    const headers = { "content-type": "application/json" };
    let response: Response;
    for (let attempt = 1;; attempt++) {
      response = await fetch(endpoint, { method: "POST", headers, body: JSON.stringify(metadata) });
      if (response.ok || attempt === maxAttempts) break;
    }
    const registration = await readJson(response);
    const { client_id, redirect_uris } = registration;
    if (!has("believes any registration")) {
      assert(typeof client_id === "string" && client_id !== "", "no client_id");
      assert((redirect_uris as string[]).includes(redirectUri), "another redirect URI was registered");
    }
    registrations.set(issuer, registration);
    return registration;
  }

  /** The client: registered before, or by itself. */
  async function identify(journey: ClientJourney, metadata: Record<string, string>): Promise<Members> {
    if (uses.includes("registration")) return await register(journey, metadata.registration_endpoint!);
    return { client_id: journey.client.client_id };
  }

  /** The parameters of the authorization response; those of a signed one are inside of the JWT. */
  async function readResponse(
    journey: ClientJourney,
    metadata: Record<string, string>,
    client_id: string,
    url: string,
  ) {
    const received = Object.fromEntries(new URL(url).searchParams);
    if (!uses.includes("jarm")) return received;
    const { response } = received;
    if (response === undefined) {
      if (!has("accepts plain responses")) throw new Error("the response is not signed");
      return received;
    }
    const plain = has("accepts plain responses") ? received : {};
    if (has("does not verify signed responses")) return { ...decodeJwtPart(response, 1), ...plain };
    const { keys } = await readJson(await journey.fetch(metadata.jwks_uri!)) as { keys: never[] };
    const { payload } = await jwtVerify(response, createLocalJWKSet({ keys }), {
      algorithms: [journey.client.id_token_signed_response_alg ?? "RS256"],
      issuer: journey.issuer,
      audience: client_id,
      requiredClaims: ["iss", "aud", "exp"],
    });
    return { ...payload, ...plain };
  }

  return {
    name: mistake ?? "client of the extensions",
    client: {
      ...uses.includes("jar") && { require_signed_request_object: true },
    },
    async logIn(journey): Promise<ClientSession> {
      const { issuer, redirectUri, authorize } = journey;
      const { send } = await openConnection(journey);
      const metadata = await discover(journey);
      const registration = await identify(journey, metadata);
      const client_id = String(registration.client_id);
      const values = newFlowValues(systemRandomBytes);
      const requested = { client_id, redirect_uri: redirectUri, scope: "openid profile offline_access" };
      const parameters = {
        ...await authorizationRequest(requested, values),
        client_id,
        ...uses.includes("jarm") && { response_mode: "jwt" },
      };
      const request: RequestParameters = uses.includes("jar")
        ? await signedRequest({ issuer, ...clock }, await signingKey(journey.client), parameters)
        : parameters;

      async function push(): Promise<RequestParameters> {
        if (!uses.includes("par")) return request;
        const { pushed_authorization_request_endpoint: endpoint } = metadata;
        try {
          const { request_uri } = await send(endpoint!, request);
          const isText = typeof request_uri === "string" && request_uri !== "";
          if (!isText) throw new Error("no request_uri");
          return { client_id, request_uri: request_uri as string };
        } catch (error) {
          if (has("sends the request plainly when the push fails")) return request;
          throw error;
        }
      }

      async function open(sent: RequestParameters): Promise<Members> {
        const url = new URL(metadata.authorization_endpoint!);
        url.search = encodeParameters(sent);
        return await readResponse(journey, metadata, client_id, (await authorize(url)).url);
      }

      async function requestCode(): Promise<string> {
        let response: Members | undefined;
        for (let attempt = 1; response === undefined; attempt++) {
          try {
            response = await open(await push());
            if (response.error !== undefined && has("sends the request unsigned when it is rejected")) {
              response = await open(parameters);
            }
          } catch (error) {
            if (has("sends the request unsigned when it is rejected")) response = await open(parameters);
            else if (!has("repeats without a limit") || attempt === maxAttempts) throw error;
          }
        }
        assert(response.state === values.state && response.iss === issuer, "wrong state or iss");
        assert(response.error === undefined && typeof response.code === "string", `error ${response.error}`);
        return String(response.code);
      }

      try {
        const tokenRequest = async (fields: RequestParameters) => {
          const { client_secret } = has("believes any registration") ? {} : registration;
          const form = { ...fields, client_id, ...typeof client_secret === "string" && { client_secret } };
          const tokens = await send(metadata.token_endpoint!, form);
          const type = uses.includes("dpop") && !has("accepts bearer tokens") ? /^dpop$/i : /^(?:bearer|dpop)$/i;
          assert(type.test(String(tokens.token_type)), "wrong token_type");
          return tokens;
        };
        const code = await requestCode();
        const tokens = await tokenRequest(codeExchange(code, redirectUri, values.verifier));
        const { sub } = await send(metadata.userinfo_endpoint!, undefined, String(tokens.access_token));
        let refreshToken = String(tokens.refresh_token);
        return {
          sub: String(sub),
          async refresh() {
            const refreshed = await tokenRequest(refreshRequest(refreshToken));
            refreshToken = String(refreshed.refresh_token ?? refreshToken);
          },
        };
      } catch (error) {
        // The server may have forgotten the client: the next login registers it again.
        if (!has("never registers again")) registrations.delete(issuer);
        throw error;
      }
    },
  };
}
