/** What responses and tokens of the whole server have besides those of the core. */

import type { Server } from "../../core/server.ts";
import { refreshToken } from "../../core/token/tokens/issue_refresh_token.ts";
import type { HostedServer } from "../hosted_server.ts";
import { refreshTokenWithLifetimes } from "../refresh_lifetimes.ts";
import { claimResponses } from "./claim_responses.ts";

/** Responses can be JWTs, and responses name the lifetimes of refresh tokens. */
export function withResponses<S extends Server>(
  server: S,
): S & Pick<HostedServer, "jwtResponses" | "responses" | "tokenIssuers"> {
  return {
    ...server,
    tokenIssuers: server.tokenIssuers.map((issue) => issue === refreshToken ? refreshTokenWithLifetimes : issue),
    responses: { ...server.responses, ...claimResponses },
    jwtResponses: { findEncryption: () => undefined, signIntrospection: () => undefined },
  };
}
