/** What the embedded part measures: a server in the process of a test, however it is reached from there. */

import type { Fetch } from "../connection.ts";

/** A package that gives tests an authorization server. */
export interface Subject {
  /** Makes a server; it is ready to be logged in at when the promise resolves. */
  start(): Promise<Started>;
}

/** A server that can be logged in at. */
export interface Started {
  readonly issuer: string;
  readonly paths: { readonly authorize: string; readonly token: string; readonly jwks: string };
  readonly clientId: string;
  /** Who logs in. */
  readonly sub: string;
  /** What a client is given: the global fetch, or one that is called like it. */
  readonly fetch: Fetch;
  /** Where it listens, if it has to. */
  readonly port?: number;
  /** A login in the subject's own way, where it has one. */
  readonly logIn?: () => Promise<unknown>;
  stop(): Promise<void>;
}

/** Loads a subject's package, and gives what makes servers that sign by an algorithm with a ready key. */
export type Load = (alg: "RS256" | "ES256") => Promise<Subject>;
