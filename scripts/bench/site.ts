/** Where a server is, and what a client must know to log in there. */

import { publicId, user } from "./clients.ts";
import type { Fetch } from "./connection.ts";

/** A server, as a client sees it. */
export interface Site {
  readonly issuer: string;
  readonly paths: { readonly authorize: string; readonly token: string; readonly jwks: string };
  /** A public client. */
  readonly clientId: string;
  /** Who logs in. */
  readonly sub: string;
  /** Whether answers are Latchkey's to the last member; others may add some, and leave out `iss` in the redirect. */
  readonly exact: boolean;
}

/** Latchkey, or what answers as it does. */
export function latchkeySite(issuer: string): Site {
  const paths = { authorize: "/oauth2/authorize", token: "/oauth2/token", jwks: "/oauth2/jwks" };
  return { issuer, paths, clientId: publicId, sub: user.sub, exact: true };
}

/** A package that offers an authorization server. */
export interface Subject {
  /** Makes a server; it is ready to be logged in at when the promise resolves. */
  start(): Promise<Started>;
}

/** A server in this process. */
export interface Started {
  readonly site: Site;
  /** What a client is given: the global fetch, or one that is called like it. */
  readonly fetch: Fetch;
  /** Where it listens, if it has to. */
  readonly port?: number;
  /** A login in the subject's own way, where it has one. */
  readonly logIn?: () => Promise<unknown>;
  stop(): Promise<void>;
}

/** Loads a subject's package, and gives what makes servers that sign by an algorithm with a ready key. */
export type Load = (alg: "RS256" | "ES256" | "EdDSA") => Promise<Subject>;
