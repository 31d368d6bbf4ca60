/** A login with several users. */

import type { LatchkeyOptions } from "../../../src/mod.ts";
import { assertTokenResponse, type Fields, type TestServer } from "../../kit.ts";

export const refreshing = {
  redirect_uris: ["https://spa.example/cb"],
  grant_types: ["authorization_code", "refresh_token"],
};

export const severalUsers: LatchkeyOptions = {
  login: "interactive",
  clients: [
    { client_id: "spa", client_name: "The shop", ...refreshing },
    { client_id: "other", redirect_uris: ["https://other.example/cb"] },
  ],
  users: [
    { sub: "alice", name: "Alice Adams", email: "alice@example.com" },
    { sub: "bob", name: "Bob Brown" },
    { sub: "carol" },
  ],
};

export const other: Fields = { client_id: "other", redirect_uri: "https://other.example/cb", state: "another" };

export async function tokens(b: TestServer, code: string, fields: Fields = {}) {
  const response = await assertTokenResponse(await b.token({ code, ...fields }));
  return response as typeof response & { refresh_token: string };
}
