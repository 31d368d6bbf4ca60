/** Test clients: registered in one call, and returned with their credentials (RFC 7591 §2). */

import { assertNoIssues } from "../core/rules/configuration_error.ts";
import { type Field, type FieldsOf, flag, text } from "../core/policy/field.ts";
import { validate } from "../server/config/config_issue.ts";
import { extendedClientField } from "../server/hosting/extensions.ts";
import { grantTypesFor } from "../core/clients/client.ts";
import type { ClientAuthMethod, ClientMetadata } from "../server/config/client_metadata.ts";
import { tightenPolicy } from "../server/config/server_policy.ts";
import { type RandomBytes, randomToken } from "../core/keys/secrets.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import { isObject } from "../core/http/json_value.ts";
import { deviceCodeType } from "../server/extensions/device/settings.ts";
import { p256KeyFrom } from "../platform/runtime/p256_key.ts";
import { assertArgument } from "./options.ts";
import type { PrivateJwk } from "../client/private_jwk.ts";

/** @internal Options of a test client: any client metadata, and shortcuts. Everything has a default. */
export interface TestClientOptions extends Partial<ClientMetadata> {
  /** Whether the client is confidential. Default: only with an authentication method, a secret or keys. */
  readonly confidential?: boolean;
  /** The only redirect URI, instead of `redirect_uris`. Default: `https://client.test/callback`. */
  readonly redirect_uri?: string;
}

/** The description of the options of a test client. */
export const testClientField: Field<TestClientOptions> & { readonly members: FieldsOf<TestClientOptions> } = {
  ...extendedClientField,
  documentedBy: "TestClientOptions",
  required: [],
  members: {
    ...extendedClientField.members,
    confidential: flag(),
    redirect_uri: text(["https://client.test/callback"]),
  },
};

/** A registered client with its credentials. */
export interface TestClient extends ClientMetadata {
  /** The first redirect URI. */
  readonly redirect_uri: string;
  /** As registered. */
  readonly redirect_uris: readonly string[];
  /**
   * The authentication method. If the options name none, a client with a secret is registered without a method: it may
   * send the secret by Basic, which this member then names, or in the body.
   */
  readonly token_endpoint_auth_method: ClientAuthMethod;
  /** The grant types that the client may use. */
  readonly grant_types: readonly string[];
  /**
   * The generated private key for ES256, of a client of `private_key_jwt` or one that must sign its authorization
   * requests. Absent if the options have public keys.
   */
  readonly private_jwk?: PrivateJwk;
}

/** @internal */
export interface SecretTestClient extends TestClient {
  /** From the random source of the server, unless the options have one. */
  readonly client_secret: string;
}

/** @internal A client with a private key. */
export interface KeyTestClient extends TestClient {
  /** From the random source of the server, for ES256. */
  readonly private_jwk: PrivateJwk;
}

/** @internal Registers clients. */
export interface ClientFactory {
  /** Registers a client that authenticates with a private key, which is generated. */
  (
    options: TestClientOptions & {
      readonly token_endpoint_auth_method: "private_key_jwt";
      readonly jwks?: undefined;
      readonly jwks_uri?: undefined;
    },
  ): KeyTestClient;
  /** Registers a client with a secret, which is generated unless the options have one. */
  (
    options:
      & TestClientOptions
      & (
        | { readonly token_endpoint_auth_method: "client_secret_basic" | "client_secret_post" | "client_secret_jwt" }
        | { readonly confidential: true; readonly token_endpoint_auth_method?: undefined }
        | { readonly client_secret: string }
      ),
  ): SecretTestClient;
  /** Registers a client, by default a public one. @throws {ConfigurationError} If the metadata is invalid. */
  (options?: TestClientOptions): TestClient;
}

/**
 * Creates the function that registers clients at one server.
 *
 * @param server The server at this moment.
 * @param random The random source of secrets and keys.
 */
export function clientFactory(server: () => HostedServer, random: RandomBytes): ClientFactory & { reset(): void } {
  const clients = () => server().clients;
  let clientCount = 0;

  function unusedId(): string {
    const id = `client-${++clientCount}`;
    return clients().known().has(id) ? unusedId() : id;
  }

  function createClient(options: TestClientOptions = {}): TestClient {
    assertArgument(isObject(options), "client", "an object", options, "Write it like {}.");
    assertNoIssues(validate(testClientField, options));
    const { confidential, redirect_uri, ...requested } = options;
    const { clientAuthMethods } = tightenPolicy(server().policy, requested);
    const method = requested.token_endpoint_auth_method ??
      inferAuthMethod(requested, confidential, clientAuthMethods);
    if (confidential !== undefined && confidential === (method === "none")) {
      throw new TypeError(
        `client: expected a method for a ${confidential ? "confidential" : "public"} client, received ${method}. ` +
          "Remove confidential, or token_endpoint_auth_method with its credentials.",
      );
    }
    const redirect_uris = requested.redirect_uris ?? [redirect_uri ?? "https://client.test/callback"];
    const client_id = requested.client_id ?? unusedId();
    const needsKey = method === "private_key_jwt" || requested.require_signed_request_object === true;
    const key = needsKey && requested.jwks === undefined && requested.jwks_uri === undefined
      ? deriveClientKey(
        client_id,
        requested.token_endpoint_auth_signing_alg ?? requested.request_object_signing_alg,
        random,
      )
      : undefined;
    const metadata = {
      post_logout_redirect_uris: ["https://client.test/logged-out"],
      ...requested,
      client_id,
      redirect_uris,
      token_endpoint_auth_method: method,
      grant_types: requested.grant_types ?? [
        ...new Set(["authorization_code", ...grantTypesFor(requested.response_types ?? [])]),
        "refresh_token",
        ...method === "none" ? [] : ["client_credentials"],
        ...server().grantTypes.some(({ type }) => type === deviceCodeType) ? [deviceCodeType] : [],
      ],
      ...method.startsWith("client_secret_") && { client_secret: requested.client_secret ?? randomToken(random) },
      ...key && { jwks: { keys: [key.public] } },
    };
    // Libraries send secrets in different ways, so a client is only restricted to a method that the options name.
    const registeredMethod = key === undefined ? requested.token_endpoint_auth_method : method;
    clients().set({ ...metadata, token_endpoint_auth_method: registeredMethod });
    return { ...metadata, redirect_uri: redirect_uris[0] ?? "", ...key && { private_jwk: key.private } };
  }

  return Object.assign(createClient as ClientFactory, { reset: () => void (clientCount = 0) });
}

/**
 * The method that the server infers from the metadata. A client without credentials is public, or has a secret if it is
 * confidential; where the server offers neither, it has a key.
 */
function inferAuthMethod(
  requested: Partial<ClientMetadata>,
  confidential: boolean | undefined,
  offered: readonly ClientAuthMethod[],
): ClientAuthMethod {
  if (requested.client_secret !== undefined) return "client_secret_basic";
  if (requested.jwks !== undefined || requested.jwks_uri !== undefined) return "private_key_jwt";
  const preferred = confidential ? "client_secret_basic" : "none";
  return offered.includes(preferred) || !offered.includes("private_key_jwt") ? preferred : "private_key_jwt";
}

/** Derives a key pair for ES256 from a random source. @throws {TypeError} For another algorithm. */
export function deriveClientKey(
  clientId: string,
  alg = "ES256",
  random: RandomBytes,
): { readonly public: Record<string, string>; readonly private: PrivateJwk } {
  if (alg !== "ES256") {
    throw new TypeError(
      `The signing algorithm of the client: expected ES256, for which keys of test clients are generated, received ${alg}. ` +
        "Remove it, or set jwks to the client's public keys.",
    );
  }
  const { d, ...members } = p256KeyFrom(random(32));
  const publicJwk = { ...members, kid: `${clientId}-key`, alg, use: "sig" };
  return { public: publicJwk, private: { ...publicJwk, d } };
}
