/** The texts of warnings about accepted requests, made from the facts of observations. */

import type { Explanation } from "../oauth/explanation.ts";
import type { Observations, Observe } from "../oauth/observe.ts";
import type { Server } from "../oauth/server.ts";
import { missingMethod } from "./pkce.ts";

type Texts = { readonly [Name in keyof Observations]: (facts: Observations[Name], server: Server) => Explanation };

/** Traces a warning for each observation. */
export const traceObservation: Observe<Server> = (server, client, name, facts) => {
  const explanation = texts[name](facts, server);
  server.trace({ type: "warning", at: server.now(), ...client !== undefined && { client }, explanation });
};

const texts: Texts = {
  "PK-01": (_, server) => ({
    rule: "PK-01",
    reason: `a public client sent no code_challenge: ${letsPass(server, "insecureAllowMissing")}`,
    expected: "code_challenge and code_challenge_method=S256",
    received: "no code_challenge",
  }),
  "PK-04": (_, server) => ({
    rule: "PK-04",
    reason: `code_challenge is the code_verifier itself, which the address of the page shows: ${
      letsPass(server, "insecureAllowPlain")
    }`,
    expected: "code_challenge_method=S256",
    received: "code_challenge_method=plain",
  }),
  "PK-05": () => ({ rule: "PK-05", ...missingMethod }),
  "PK-14": () => ({
    rule: "PK-14",
    reason: "code_challenge repeats that of an earlier authorization request whose code may still be valid",
    expected: "a new code_verifier for each authorization request",
    received: "a repeated code_challenge",
  }),
};

function letsPass({ settings: { providers } }: Server, setting: string): string {
  return `${providers.join(", ") || `pkce.${setting}`} lets this pass; OAuth 2.1 does not`;
}
