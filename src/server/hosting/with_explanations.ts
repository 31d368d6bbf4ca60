/** What explains the requests of a server: the texts of errors, and warnings and notes about accepted requests. */

import type { CoreExtension } from "../../core/extension.ts";
import type { Server } from "../../core/server.ts";
import type { HostedServer } from "../hosted_server.ts";
import { addTexts } from "../rules.ts";
import { beforeIssue } from "../token/before_issue.ts";
import { acceptedRequests } from "../explain/accepted_request.ts";
import { recentChallenges, rememberChallenge } from "../explain/recent_challenges.ts";

/** The extensions with the explained ones. @param hasListener Whether something receives warnings and notes. */
export function explainedExtensions<E extends CoreExtension>(extensions: readonly E[], hasListener: boolean) {
  return hasListener ? [...extensions, acceptedRequests] : extensions;
}

/** Adds texts to errors. */
export function withExplanations<S extends Server>(
  server: S,
): S & Pick<HostedServer, "addTexts" | "grants" | "recentChallenges" | "tokenIssuers"> {
  return {
    ...server,
    addTexts,
    recentChallenges: recentChallenges(),
    ...beforeIssue(server, (current, client, request) => {
      if (request?.codeChallenge !== undefined) rememberChallenge(current, client, request.codeChallenge);
    }),
  };
}
