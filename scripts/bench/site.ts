/** Location of a server, and the data that a client needs to log in. */

import { publicId, rotatingId, user } from "./clients.ts";

/** A server, from the client's view. */
export interface Site {
  readonly issuer: string;
  readonly paths: { readonly authorize: string; readonly token: string; readonly jwks: string };
  /** The user that logs in. */
  readonly sub: string;
  /** Whether responses have exactly Latchkey's members. Others may add some, and omit `iss` in the redirect. */
  readonly exact: boolean;
}

/** Latchkey, or a server with the same responses. */
export function latchkeySite(issuer: string): Site {
  const paths = { authorize: "/oauth2/authorize", token: "/oauth2/token", jwks: "/oauth2/jwks" };
  return { issuer, paths, sub: user.sub, exact: true };
}

/** The measured flows: the client of each. */
export const flows = { flow: publicId, flow_with_refresh_token: rotatingId } as const;

/** The name of a flow. */
export type FlowName = keyof typeof flows;

/** A server, and the port of 127.0.0.1 at which it listens. */
export interface ServerAddress {
  readonly port: number;
  readonly site: Site;
}

/** The algorithms that are measured. Every package has them. */
export type BenchAlgorithm = "RS256" | "ES256" | "EdDSA";

/** Starts a package's server, with this algorithm and a prepared key. */
export type StartPeer = (alg: BenchAlgorithm) => Promise<ServerAddress>;
