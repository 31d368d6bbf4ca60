/** A client that is stricter than its server, and its authorization requests. */

import type { ClientMetadata, ProfileName } from "../../src/mod.ts";
import { type Fields, getRedirectParams, type TestServer } from "../kit.ts";

/** A confidential client with this profile. */
export const strict = (profile: ProfileName, others: Partial<ClientMetadata> = {}): ClientMetadata => ({
  client_id: "strict",
  client_secret: "web-secret",
  redirect_uris: ["https://strict.example/cb"],
  profile,
  ...others,
});

export const ofStrict: Fields = { client_id: "strict", redirect_uri: "https://strict.example/cb" };
export const ofWeb: Fields = { client_id: "web", redirect_uri: "https://web.example/cb" };

/** The description of the error, or `code`. */
export async function ask({ authorize }: TestServer, fields: Fields): Promise<string> {
  const response = await authorize(fields);
  if (response.headers.get("location") === null) return await response.text();
  const params = getRedirectParams(response);
  return params.get("error_description") ?? (params.has("code") ? "code" : "nothing");
}
