/** What explains rejected requests: the texts of errors, and recent code challenges. */

import type { Server } from "../../core/server.ts";
import type { HostedServer } from "../hosted_server.ts";
import { explainError } from "../rules.ts";
import { beforeIssue } from "../token/before_issue.ts";
import { recentChallenges, rememberChallenge } from "../explain/recent_challenges.ts";

/** The server that explains errors. */
export function withExplanations<S extends Server>(
  server: S,
): S & Pick<HostedServer, "explainError" | "grants" | "recentChallenges" | "tokenIssuers"> {
  return {
    ...server,
    explainError,
    recentChallenges: recentChallenges(),
    ...beforeIssue(server, (current, client, request) => {
      if (request?.codeChallenge !== undefined) rememberChallenge(current, client, request.codeChallenge);
    }),
  };
}
