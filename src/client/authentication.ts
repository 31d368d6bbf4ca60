/** Client authentication (OAuth 2.1 §2.4, RFC 7523 §2.2). */

import { encodeBase64url } from "../core/keys/crypto.ts";
import { importSigningKey, type JwtChanges, signClientJwt, type SigningContext, type SigningKey } from "./jwt.ts";
import { encodeParameters } from "./parameters.ts";
import type { PrivateJwk } from "./private_jwk.ts";

/** @internal A client and its credentials, with the names of RFC 7591 §2. */
export interface ClientCredentials {
  /** The registered id. */
  readonly client_id: string;
  /** The secret, for the methods that need one. */
  readonly client_secret?: string;
  /** The redirect URI to use. Default: the first registered one. */
  readonly redirect_uri?: string;
  /** The authentication method. Default: the registered one. */
  readonly token_endpoint_auth_method?: string;
  /** The algorithm of assertions with `client_secret_jwt`. Default: the registered one, or `HS256`. */
  readonly token_endpoint_auth_signing_alg?: string;
  /** The algorithm of signed authorization requests. Default: the registered one, or that of `private_jwk`. */
  readonly request_object_signing_alg?: string;
  /**
   * The private key for `private_key_jwt` and signed authorization requests, with `alg`, and with `kid` if the client
   * has several keys.
   */
  readonly private_jwk?: PrivateJwk;
}

export interface ClientAuthentication {
  readonly headers: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Authenticates a client. Without a method, or with one that does not use a secret or key, the request only names it.
 *
 * @throws {TypeError} If the client lacks the secret or key of its method.
 */
export async function clientAuthenticationOf(
  context: SigningContext,
  client: ClientCredentials,
): Promise<ClientAuthentication> {
  const { client_id, token_endpoint_auth_method: method = "none", token_endpoint_auth_signing_alg: alg } = client;
  switch (method) {
    case "client_secret_basic":
      return {
        headers: { authorization: `Basic ${btoa(basicCredentials(client_id, getSecret(client)))}` },
        params: {},
      };
    case "client_secret_post":
      return { headers: {}, params: { client_id, client_secret: getSecret(client) } };
    case "client_secret_jwt":
      return await assertionParameters(context, client_id, await signingKey(client, alg ?? "HS256"));
    case "private_key_jwt":
      return await assertionParameters(context, client_id, await signingKey(client));
    default:
      return { headers: {}, params: { client_id } };
  }
}

/** The text that HTTP Basic encodes: ID and secret, form-encoded and joined by a colon (OAuth 2.1 §2.4.1). */
export function basicCredentials(clientId: string, secret: string): string {
  // The first equals sign of the encoded text separates name and value.
  return encodeParameters({ [clientId]: secret }).replace("=", ":");
}

export async function assertionParameters(
  context: SigningContext,
  clientId: string,
  key: SigningKey,
  { header, claims }: JwtChanges = {},
): Promise<ClientAuthentication> {
  const changes = { header, claims: { sub: clientId, ...claims } };
  return {
    headers: {},
    params: {
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: await signClientJwt(context, clientId, key, "client-authentication+jwt", changes),
    },
  };
}

/**
 * The private key of a client, or its secret if the algorithm uses the secret.
 *
 * @throws {TypeError} If the client lacks it.
 */
export async function signingKey(client: ClientCredentials, algorithm?: string): Promise<SigningKey> {
  if (algorithm?.startsWith("HS")) {
    return await importSigningKey({ kty: "oct", k: encodeBase64url(getSecret(client)) }, algorithm);
  }
  const { client_id, private_jwk: jwk } = client;
  if (jwk?.alg === undefined) {
    throw new TypeError(
      `private_jwk of client ${client_id}: expected a private JWK with alg, received none; ` +
        "as.client() creates one for token_endpoint_auth_method private_key_jwt",
    );
  }
  return await importSigningKey(jwk, jwk.alg);
}

function getSecret({ client_id, client_secret, token_endpoint_auth_method: method }: ClientCredentials): string {
  if (client_secret !== undefined) return client_secret;
  throw new TypeError(
    `client_secret of client ${client_id}: expected a secret, because the method is ${method}, received none`,
  );
}
