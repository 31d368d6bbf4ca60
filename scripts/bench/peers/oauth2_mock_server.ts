/** The npm package `oauth2-mock-server` as a subject. */

import { builtInKeys } from "../../../src/testing/built_in_keys.ts";
import type { StartPeer } from "../site.ts";
import { packageName } from "./packages.ts";

/** The used part of the package's types. */
interface Package {
  readonly OAuth2Server: new () => {
    readonly issuer: {
      readonly url: string;
      readonly keys: { add(jwk: Readonly<Record<string, unknown>>): Promise<unknown> };
    };
    start(port: number, host: string): Promise<void>;
    address(): { readonly port: number };
  };
}

/** Starts it. */
export const start: StartPeer = async (alg) => {
  const { OAuth2Server }: Package = await import(packageName("oauth2-mock-server"));
  const { kid, jwk } = builtInKeys[alg][0]!;
  const server = new OAuth2Server();
  await server.issuer.keys.add({ ...jwk, kid, alg });
  await server.start(0, "127.0.0.1");
  const paths = { authorize: "/authorize", token: "/token", jwks: "/jwks" };
  // It has no clients, and only one user.
  return { port: server.address().port, site: { issuer: server.issuer.url, paths, sub: "johndoe", exact: false } };
};
