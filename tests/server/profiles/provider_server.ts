/** A server with the profile of a provider, for the clients of that provider. */

import type { LatchkeyOptions } from "../../../src/mod.ts";
import { latchkey, type MemoryLatchkey } from "../../secret_leak_check.ts";

export const redirectUri = "https://app.example/callback";
export const secret = "a-secret-of-32-characters-or-more";

/** Callbacks of the applications of Auth.js and better-auth, for the name of a provider. */
const callbacks = (provider: string) => [
  redirectUri,
  `https://app.example/auth/callback/${provider}`,
  `https://app.example/api/auth/callback/${provider}`,
];

/** Starts a server that listens, with a public client, `spa`, a confidential one, `web`, and the user Alice. */
export async function serveProvider(
  profile: Extract<LatchkeyOptions["profile"], string>,
  options: LatchkeyOptions = {},
): Promise<MemoryLatchkey> {
  const common = { redirect_uris: callbacks(profile), grant_types: ["authorization_code", "refresh_token"] };
  const as = await latchkey({
    profile,
    clients: [
      { ...common, client_id: "spa", post_logout_redirect_uris: ["https://app.example/bye"] },
      { ...common, client_id: "web", client_secret: secret },
    ],
    users: [{
      ...{ sub: "00u1alice", name: "Alice Adams", preferred_username: "alice", given_name: "Alice" },
      ...{ family_name: "Adams", email: "alice@app.example", email_verified: true },
    }],
    ...options,
  });
  await as.listen({ port: 0 });
  return as;
}
