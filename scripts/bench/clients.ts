/** The clients that are registered with Latchkey in the bench, and who logs in there. */

import type { ClientMetadata } from "../../src/mod.ts";

/** The first of the users that there are by default. */
export const user = { sub: "alice", name: "Alice Adams" };

/** The one redirect URI of all clients. */
export const redirectUri = "https://client.example/authorized";

/** Public; gets no refresh token. */
export const publicId = "bench-public";

/** Public, and gets refresh tokens that rotate. */
export const rotatingId = "bench-rotating";

/** All of them, as Latchkey is given them. */
export const clients: readonly ClientMetadata[] = [
  { client_id: publicId, redirect_uris: [redirectUri] },
  { client_id: rotatingId, redirect_uris: [redirectUri], grant_types: ["authorization_code", "refresh_token"] },
];
