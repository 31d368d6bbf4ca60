/** What explains rejected requests: the texts of errors, and recent code challenges. */

import { recentChallenges, rememberChallenge } from "../explain/recent_challenges.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { Extension } from "../config/extension.ts";

/** Explains errors. */
export const explanations: Extension = {
  name: "explanations",
  steps: {
    beforeIssue: [{
      name: "recent code challenges",
      run(server: HostedServer, client, request) {
        if (request?.codeChallenge !== undefined) rememberChallenge(server, client, request.codeChallenge);
      },
    }],
  },
  extend: (server) => ({
    ...server,
    explainError: async (...rejection) => await (await import("../rules.ts")).explainError(...rejection),
    recentChallenges: recentChallenges(),
  }),
};
