/** The values of a login of a demo client, which `/start` starts and `/authorized` ends. */

import type { IssuedCode } from "./code.ts";

/** The secret of the confidential demo client. It is public; a server whose issuer is not on a test host rejects it. */
export const demoSecret = "demo-secret";

/** The values that a client keeps for one login. */
export interface DemoFlow {
  /** The `state` of its request. */
  readonly state: string;
  /** The `nonce` of its request. */
  readonly nonce: string;
  /** The code verifier. */
  readonly verifier: string;
  /** The digest that the key of its DPoP proofs is derived from. */
  readonly proofSecret: string;
}

/** The parameters of an authorization request. */
export type DemoRequest = Readonly<Record<string, string | undefined>> & { readonly client_id: string };

/** The authorization response at `/authorized`. */
export interface ArrivedResponse {
  /** The CSRF token of forms of this browser. */
  readonly csrfToken: string;
  /** Absent if the login failed, or if the page was opened without a response. */
  readonly code?: string;
  /** The `state` of the response. */
  readonly state?: string;
  /** The `iss` of the response (RFC 9207). */
  readonly iss?: string;
  /** Whether the response is an error. Default: false. */
  readonly failed?: boolean;
  /** The login, if this browser started it at `/start`. */
  readonly flow?: DemoFlow;
  /** The record of the code, if this server knows it. */
  readonly issued?: IssuedCode;
}
