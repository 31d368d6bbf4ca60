/** Client authentication at the token endpoint, from the client's side (OAuth 2.1 §2.4, RFC 7523 §2.2). */

import { assertionType } from "../oauth/clients/auth/assertion_type.ts";
import type { ClientAuthMethod } from "../oauth/clients/client.ts";
import { encodeFormValue } from "../oauth/clients/redirect_uri.ts";
import { randomId } from "../oauth/secrets.ts";
import { secondsNow } from "../oauth/keys/jwt.ts";
import type { Server } from "../oauth/server.ts";
import type { PrivateJwk } from "./private_jwk.ts";

/** A client and its credentials, with the names of RFC 7591 §2. */
export interface ClientCredentials {
  /** The registered id. */
  readonly client_id: string;
  /** The secret, for the methods that need one. */
  readonly client_secret?: string;
  /** The redirect URI to use. Default: the first registered one. */
  readonly redirect_uri?: string;
  /** The authentication method. Default: the registered one. */
  readonly token_endpoint_auth_method?: ClientAuthMethod;
  /**
   * The private key for `private_key_jwt` and signed authorization requests, with `alg`, and with `kid` if the client
   * has several keys.
   */
  readonly private_jwk?: PrivateJwk;
}

/** The headers and parameters that authenticate a client. */
interface ClientAuthentication {
  readonly headers: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Authenticates a client.
 *
 * @throws {TypeError} If the client lacks the secret or key of its method.
 */
export async function authenticateClient(server: Server, client: ClientCredentials): Promise<ClientAuthentication> {
  const { client_id } = client;
  const method = client.token_endpoint_auth_method ?? server.clients.findCached(client_id)?.authMethod ?? "none";
  switch (method) {
    case "none":
      return { headers: {}, params: { client_id } };
    case "client_secret_basic": {
      const credentials = [client_id, getSecret(client, method)].map(encodeFormValue);
      return { headers: { authorization: `Basic ${btoa(credentials.join(":"))}` }, params: {} };
    }
    case "client_secret_post":
      return { headers: {}, params: { client_id, client_secret: getSecret(client, method) } };
    case "client_secret_jwt": {
      const key = new TextEncoder().encode(getSecret(client, method));
      return createAssertion(
        server,
        client_id,
        { alg: server.clients.findCached(client_id)?.metadata.token_endpoint_auth_signing_alg ?? "HS256" },
        key,
      );
    }
    case "private_key_jwt": {
      const { header, key } = await signingKey(client);
      return createAssertion(server, client_id, header, key);
    }
  }
}

/** A key of a client, and the header of JWTs that it signs. */
interface SigningKey {
  readonly header: { readonly alg: string; readonly kid?: string };
  readonly key: CryptoKey | Uint8Array;
}

/**
 * The private key of a client; or its secret, if the algorithm uses that.
 *
 * @throws {TypeError} If the client lacks it.
 */
export async function signingKey(client: ClientCredentials, algorithm?: string): Promise<SigningKey> {
  if (algorithm?.startsWith("HS")) {
    return { header: { alg: algorithm }, key: new TextEncoder().encode(getSecret(client, "client_secret_jwt")) };
  }
  const { client_id, private_jwk: jwk } = client;
  if (jwk?.alg === undefined) {
    throw new TypeError(
      `private_jwk of client ${client_id}: expected a private JWK with alg, received none; ` +
        "as.client() creates one for token_endpoint_auth_method private_key_jwt",
    );
  }
  const { alg, kid } = jwk;
  const { importJWK } = await import("jose");
  return { header: { alg, kid }, key: await importJWK(jwk, alg) };
}

function getSecret({ client_id, client_secret }: ClientCredentials, method: ClientAuthMethod): string {
  if (client_secret !== undefined) return client_secret;
  throw new TypeError(
    `client_secret of client ${client_id}: expected a secret, because the method is ${method}, received none`,
  );
}

const assertionLifetimeSeconds = 60;

async function createAssertion(
  server: Server,
  clientId: string,
  header: SigningKey["header"],
  key: SigningKey["key"],
): Promise<ClientAuthentication> {
  const { SignJWT } = await import("jose");
  const now = secondsNow(server);
  const jwt = await new SignJWT({ iss: clientId, sub: clientId, aud: server.issuer, jti: randomId(server.randomBytes) })
    .setProtectedHeader(header)
    .setIssuedAt(now)
    .setExpirationTime(now + assertionLifetimeSeconds)
    .sign(key);
  return {
    headers: {},
    params: { client_assertion_type: assertionType, client_assertion: jwt },
  };
}
