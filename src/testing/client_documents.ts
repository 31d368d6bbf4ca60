/** URLs of clients that tests serve without a network: client ID metadata documents, and URLs that the server calls. */

import type { ClientAuthMethod, ClientMetadata } from "../server/config/client_metadata.ts";
import type { Outbound } from "../server/fetching/outbound.ts";
import type { RandomBytes } from "../core/keys/secrets.ts";
import { deriveClientKey, type KeyTestClient, type TestClient } from "./clients.ts";

/**
 * The metadata of a document. Everything has a default; `undefined` removes a member, and nothing is validated.
 *
 * @internal
 */
export interface ClientDocumentMetadata extends Partial<ClientMetadata> {
  readonly [member: string]: unknown;
}

/** @internal Publishes metadata documents. */
export interface ClientDocumentFactory {
  /** Publishes the document of a client with a private key, which is generated. */
  (
    url: string,
    metadata: ClientDocumentMetadata & {
      readonly token_endpoint_auth_method: "private_key_jwt";
      readonly jwks?: undefined;
      readonly jwks_uri?: undefined;
    },
  ): KeyTestClient;
  /**
   * Publishes a document at a URL, which is the `client_id`, or replaces it, and returns its client. The server fetches
   * it at the first request of the client, and again when its cached copy has expired: by default after 300 seconds of
   * the server's clock.
   *
   * @param metadata The metadata; or a function that returns the whole response, for headers and faults. Default: a
   *   public client with the redirect URI `https://client.test/callback`.
   *
   * @example
   * ```ts
   * import { testLatchkey } from "@latchkey/latchkey/testing";
   *
   * await using as = await testLatchkey();
   * const client = as.clientDocument("https://app.example/client.json", { client_name: "App" });
   * await as.logIn(client);
   * console.log(as.log.documentFetches.length); // 1
   * as.clientDocument(client.client_id, () => new Response("gone", { status: 410 }));
   * as.clock.advance(300); // the next request of the client is rejected
   * ```
   */
  (url: string, metadata?: ClientDocumentMetadata | (() => Response | Promise<Response>)): TestClient;
}

interface ClientDocuments {
  readonly create: ClientDocumentFactory;
  /** Serves a URL of a client by a function. */
  serve(url: string, respond: (request: Request) => Response | Promise<Response>): void;
  /** The fetch of the server: responds with the published documents, and as the served URLs do. */
  readonly outbound: Outbound;
  /** The response at a published or served URL, with any query; `undefined` at another URL. */
  respond(request: Request): Response | Promise<Response> | undefined;
  reset(): void;
}

/**
 * Creates the function that publishes documents for one server.
 *
 * @param random The random source of keys.
 * @param outbound Fetches what is not published.
 */
export function clientDocumentFactory(random: RandomBytes, outbound: Outbound): ClientDocuments {
  const published = new Map<string, (request: Request) => Response | Promise<Response>>();

  function create(
    url: string,
    document: ClientDocumentMetadata | (() => Response | Promise<Response>) = {},
  ): TestClient {
    const given: ClientDocumentMetadata = typeof document === "function" ? {} : document;
    const hasKeys = given.jwks !== undefined || given.jwks_uri !== undefined;
    const method: ClientAuthMethod = given.token_endpoint_auth_method ?? (hasKeys ? "private_key_jwt" : "none");
    const key = method === "private_key_jwt" && !hasKeys
      ? deriveClientKey(url, given.token_endpoint_auth_signing_alg, random)
      : undefined;
    const { redirect_uris = ["https://client.test/callback"], grant_types = ["authorization_code", "refresh_token"] } =
      given;
    const metadata = {
      client_id: url,
      client_name: "Test client",
      redirect_uris,
      grant_types,
      token_endpoint_auth_method: method,
      ...key && { jwks: { keys: [key.public] } },
    };
    published.set(url, typeof document === "function" ? document : () => Response.json({ ...metadata, ...given }));
    return { ...metadata, redirect_uri: redirect_uris[0] ?? "", ...key && { private_jwk: key.private } };
  }

  function respond(request: Request): Response | Promise<Response> | undefined {
    const { url } = request;
    return (published.get(url) ?? published.get(url.split("?", 1)[0]!))?.(request);
  }

  return {
    create: create as ClientDocumentFactory,
    serve: (url, respond) => void published.set(url, respond),
    outbound: async (url, init) => await (respond(new Request(url, init)) ?? outbound(url, init)),
    respond,
    reset: () => published.clear(),
  };
}
