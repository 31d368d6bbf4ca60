/** The npm package `oauth2-mock-server` as a subject. */

import { builtInKeys } from "../../../src/testing/built_in_keys.ts";
import { publicId } from "../clients.ts";
import type { Load } from "../site.ts";
import { packageName } from "./packages.ts";

/** The used part of the package's types. */
interface Package {
  readonly OAuth2Server: new () => {
    readonly issuer: {
      readonly url: string;
      readonly keys: { add(jwk: Readonly<Record<string, unknown>>): Promise<unknown> };
    };
    start(port: number, host: string): Promise<void>;
    stop(): Promise<void>;
    address(): { readonly port: number };
  };
}

/** Loads the package. */
export const load: Load = async (alg) => {
  const { OAuth2Server }: Package = await import(packageName("oauth2-mock-server"));
  const { kid, jwk } = builtInKeys[alg][0]!;
  return {
    async start() {
      const server = new OAuth2Server();
      await server.issuer.keys.add({ ...jwk, kid, alg });
      await server.start(0, "127.0.0.1");
      const { port } = server.address();
      return {
        site: {
          issuer: server.issuer.url,
          paths: { authorize: "/authorize", token: "/token", jwks: "/jwks" },
          // It has no clients, and only one user.
          clientId: publicId,
          sub: "johndoe",
          exact: false,
        },
        fetch,
        port,
        stop: () => server.stop(),
      };
    },
  };
};
