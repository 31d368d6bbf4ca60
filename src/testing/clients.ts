/** Clients for a test: registered in one call, handed back with all that is needed to be one (RFC 7591 §2). */

import type { ClientAuthMethod, ClientMetadata } from "../oauth/clients/client.ts";
import type { ClientRepository } from "../oauth/clients/repository.ts";
import { randomToken } from "../oauth/secrets.ts";
import type { RandomBytes } from "../oauth/secrets.ts";
import { ecKeyFrom } from "./es256.ts";
import type { PrivateJwk } from "./private_jwk.ts";

/** What a test's client is to be; everything has a default. */
export interface TestClientOptions extends Partial<ClientMetadata> {
  /** Whether it can keep a secret. Default: only if a method of authentication, a secret or keys are given. */
  readonly confidential?: boolean;
  /** Its one redirect URI, for those who do not want to write a list. Default: `https://client.test/callback`. */
  readonly redirect_uri?: string;
}

/** A registered client, and what it proves itself with. */
export interface TestClient extends ClientMetadata {
  /** The first of its redirect URIs. */
  readonly redirect_uri: string;
  /** As registered. */
  readonly redirect_uris: readonly string[];
  /**
   * The method it is registered for. Where the options name none, a client with a secret is registered without one: it
   * may send the secret by Basic, as is said here, or in the body.
   */
  readonly token_endpoint_auth_method: ClientAuthMethod;
  /** The grants it may use. */
  readonly grant_types: readonly string[];
  /** The private key of `private_key_jwt`, for ES256, where none was given. */
  readonly private_jwk?: PrivateJwk;
}

/** A client with a secret. */
export interface SecretTestClient extends TestClient {
  /** Drawn from the server's dice, unless it was given. */
  readonly client_secret: string;
}

/** A client with a key. */
export interface KeyTestClient extends TestClient {
  /** Follows from the server's dice; for ES256. */
  readonly private_jwk: PrivateJwk;
}

/** Registers clients. */
export interface ClientFactory {
  /** Registers a client that proves itself with a private key, which is made for it. */
  (
    options: TestClientOptions & {
      readonly token_endpoint_auth_method: "private_key_jwt";
      readonly jwks?: undefined;
      readonly jwks_uri?: undefined;
    },
  ): KeyTestClient;
  /** Registers a client with a secret, which is drawn unless it is given. */
  (
    options:
      & TestClientOptions
      & (
        | { readonly token_endpoint_auth_method: "client_secret_basic" | "client_secret_post" | "client_secret_jwt" }
        | { readonly confidential: true; readonly token_endpoint_auth_method?: undefined }
        | { readonly client_secret: string }
      ),
  ): SecretTestClient;
  /** Registers a client; a public one, unless the options say more. @throws {ConfigurationError} When they have faults. */
  (options?: TestClientOptions): TestClient;
}

/**
 * Makes clients for one server.
 *
 * @param clients Where they are registered.
 * @param random Draws secrets and keys.
 */
export function clientFactory(clients: () => ClientRepository, random: RandomBytes): ClientFactory & { reset(): void } {
  let clientCount = 0;

  function unusedId(): string {
    const id = `client-${++clientCount}`;
    return clients().find(id) === undefined ? id : unusedId();
  }

  function createClient({ confidential, redirect_uri, ...requested }: TestClientOptions = {}): TestClient {
    const method = requested.token_endpoint_auth_method ?? inferAuthMethod(requested, confidential);
    if (confidential !== undefined && confidential === (method === "none")) {
      throw new TypeError(
        `A client cannot be ${confidential ? "confidential" : "public"} and authenticate by ${method}. ` +
          "Leave out confidential, or token_endpoint_auth_method and what goes with it.",
      );
    }
    const redirect_uris = requested.redirect_uris ?? [redirect_uri ?? "https://client.test/callback"];
    const client_id = requested.client_id ?? unusedId();
    const key = method === "private_key_jwt" && requested.jwks === undefined && requested.jwks_uri === undefined
      ? deriveKey(client_id, requested.token_endpoint_auth_signing_alg, random)
      : undefined;
    const metadata = {
      post_logout_redirect_uris: ["https://client.test/logged-out"],
      ...requested,
      client_id,
      redirect_uris,
      token_endpoint_auth_method: method,
      grant_types: requested.grant_types ?? [
        "authorization_code",
        "refresh_token",
        ...method === "none" ? [] : ["client_credentials"],
      ],
      ...method.startsWith("client_secret_") && { client_secret: requested.client_secret ?? randomToken(random) },
      ...key && { jwks: { keys: [key.public] } },
    };
    // Without a named method the client is registered without one, because libraries send secrets in different ways.
    clients().set({ ...metadata, token_endpoint_auth_method: requested.token_endpoint_auth_method });
    return { ...metadata, redirect_uri: redirect_uris[0] ?? "", ...key && { private_jwk: key.private } };
  }

  return Object.assign(createClient as ClientFactory, { reset: () => void (clientCount = 0) });
}

/** As the server concludes from the metadata, but a confidential client without anything gets a secret. */
function inferAuthMethod(requested: Partial<ClientMetadata>, confidential: boolean | undefined): ClientAuthMethod {
  if (requested.client_secret !== undefined) return "client_secret_basic";
  if (requested.jwks !== undefined || requested.jwks_uri !== undefined) return "private_key_jwt";
  return confidential ? "client_secret_basic" : "none";
}

function deriveKey(
  clientId: string,
  alg = "ES256",
  random: RandomBytes,
): { readonly public: Record<string, string>; readonly private: PrivateJwk } {
  if (alg !== "ES256") {
    throw new TypeError(
      `Keys of test clients are made for ES256, and token_endpoint_auth_signing_alg is ${alg}. ` +
        "Leave it out, or give the client's own public keys as jwks.",
    );
  }
  const { d, ...members } = ecKeyFrom(random(32));
  const publicJwk = { ...members, kid: `${clientId}-key`, alg, use: "sig" };
  return { public: publicJwk, private: { ...publicJwk, d } };
}
