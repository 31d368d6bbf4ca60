/**
 * The npm package `oidc-provider` as a subject, configured to respond without interaction: a logged-in session, an
 * existing grant, and an adapter that is cheaper than its own.
 */

import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { builtInKeys } from "../../../src/testing/built_in_keys.ts";
import { publicId, redirectUri, rotatingId, user } from "../clients.ts";
import type { StartPeer } from "../site.ts";
import { packageName } from "./packages.ts";

/** The used part of the package's types. */
interface Provider {
  readonly Session: new (start: Readonly<Record<string, unknown>>) => {
    readonly jti: string;
    grantIdFor(clientId: string, grantId: string): void;
    save(seconds: number): Promise<string>;
  };
  readonly Grant: new (start: Readonly<Record<string, unknown>>) => {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    save(seconds: number): Promise<string>;
  };
  callback(): RequestListener;
  use(middleware: (context: { readonly req: IncomingMessage }, next: () => Promise<void>) => Promise<void>): void;
}

/** The used part of a client. */
interface Client {
  grantTypeAllowed(type: string): boolean;
}

interface Package {
  readonly default: new (issuer: string, configuration: unknown) => Provider;
}

const { sub } = user;
const resource = "https://api.example";

/** Starts it. */
export const start: StartPeer = async (alg) => {
  const { default: Provider }: Package = await import(packageName("oidc-provider"));
  const { kid, jwk } = builtInKeys[alg][0]!;

  async function prepare(issuer: string): Promise<RequestListener> {
    const clientMetadata = {
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      id_token_signed_response_alg: alg,
    };
    const provider = new Provider(issuer, {
      adapter: mapAdapter(),
      jwks: { keys: [{ ...jwk, kid, alg, use: "sig" }] },
      clients: [
        { ...clientMetadata, client_id: publicId },
        { ...clientMetadata, client_id: rotatingId, grant_types: ["authorization_code", "refresh_token"] },
      ],
      // Its own condition also demands the scope offline_access of some clients.
      issueRefreshToken: (_: unknown, client: Client) => client.grantTypeAllowed("refresh_token"),
      claims: { openid: ["sub"], profile: ["name"] },
      findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, name: user.name }) }),
      interactions: { policy: [] },
      expiresWithSession: () => false,
      features: {
        devInteractions: { enabled: false },
        // Access tokens are JWTs only for a resource.
        resourceIndicators: {
          enabled: true,
          defaultResource: () => resource,
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({
            scope: "read",
            audience: resource,
            accessTokenFormat: "jwt",
            jwt: { sign: { alg } },
          }),
        },
      },
      ttl: {
        ...{ AccessToken: 3600, AuthorizationCode: 60, IdToken: 3600 },
        ...{ Grant: 86_400, RefreshToken: 86_400, Session: 86_400 },
      },
    });
    const session = new provider.Session({ accountId: sub, loginTs: Math.floor(Date.now() / 1000) });
    for (const clientId of [publicId, rotatingId]) {
      const grant = new provider.Grant({ accountId: sub, clientId });
      grant.addOIDCScope("openid profile");
      grant.addResourceScope(resource, "read");
      session.grantIdFor(clientId, await grant.save(86_400));
    }
    await session.save(86_400);
    provider.use(async ({ req }, next) => {
      req.headers.cookie = `_session=${session.jti}`;
      await next();
    });
    return provider.callback();
  }

  let handle: RequestListener = () => {};
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const issuer = `http://localhost:${port}`;
  handle = await prepare(issuer);
  const paths = { authorize: "/auth", token: "/token", jwks: "/jwks" };
  return { port, site: { issuer, paths, sub, exact: false } };
};

/** Maximum number of records. */
const kept = 20_000;

/** The package's own adapter visits all codes of a grant at each write; this one is a Map. */
function mapAdapter() {
  const records = new Map<string, Record<string, unknown>>();
  return (kind: string) => ({
    upsert(id: string, payload: Record<string, unknown>) {
      records.set(`${kind} ${id}`, payload);
      if (records.size > kept) {
        // Both grants and the session were stored first, and stay.
        const [, , , fourth] = records.keys();
        records.delete(fourth!);
      }
      return Promise.resolve();
    },
    find: (id: string) => Promise.resolve(records.get(`${kind} ${id}`)),
    findByUid: () => Promise.resolve(undefined),
    findByUserCode: () => Promise.resolve(undefined),
    consume(id: string) {
      const record = records.get(`${kind} ${id}`);
      if (record !== undefined) record.consumed = Math.floor(Date.now() / 1000);
      return Promise.resolve();
    },
    destroy: (id: string) => Promise.resolve(void records.delete(`${kind} ${id}`)),
    revokeByGrantId: () => Promise.resolve(),
  });
}
