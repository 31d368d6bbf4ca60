/** Location of a server, and the data that a client needs to log in. */

import { publicId, user } from "./clients.ts";
import type { Fetch } from "./connection.ts";

/** A server, from the client's view. */
export interface Site {
  readonly issuer: string;
  readonly paths: { readonly authorize: string; readonly token: string; readonly jwks: string };
  /** A public client. */
  readonly clientId: string;
  /** The user that logs in. */
  readonly sub: string;
  /** Whether responses have exactly Latchkey's members. Others may add some, and omit `iss` in the redirect. */
  readonly exact: boolean;
}

/** Latchkey, or a server with the same responses. */
export function latchkeySite(issuer: string): Site {
  const paths = { authorize: "/oauth2/authorize", token: "/oauth2/token", jwks: "/oauth2/jwks" };
  return { issuer, paths, clientId: publicId, sub: user.sub, exact: true };
}

/** A package with an authorization server. */
export interface Subject {
  /** Creates a server that is ready for logins. */
  start(): Promise<Started>;
}

/** A server in this process. */
export interface Started {
  readonly site: Site;
  /** The global fetch, or a function with its signature. */
  readonly fetch: Fetch;
  /** URL, if it listens. */
  readonly port?: number;
  /** The package's own login function, if it has one. */
  readonly logIn?: () => Promise<unknown>;
  stop(): Promise<void>;
}

/** Loads a package, and returns a factory of servers with this algorithm and a prepared key. */
export type Load = (alg: "RS256" | "ES256" | "EdDSA") => Promise<Subject>;
