/** The form that adds a client. */

import type { ClientAuthMethod, ClientMetadata } from "../../server/config/client_metadata.ts";
import type { Params } from "../../core/http/params.ts";
import { randomToken } from "../../core/keys/secrets.ts";
import type { Server } from "../../core/server.ts";
import type { ClientLibrary } from "./client_snippets/library.ts";

/** The fields of the form; `retry` is hidden. */
export const connectFields = [
  ...["library", "client_id", "client_name", "redirect_uris", "client_secret"] as const,
  ...["post_logout_redirect_uris", "token_endpoint_auth_method", "retry"] as const,
];

/** The authentication methods that the form offers, if the server has them: those that need no key. */
export function formAuthMethods({ policy }: Server): readonly ClientAuthMethod[] {
  return (["none", "client_secret_basic", "client_secret_post", "client_secret_jwt"] as const).filter((method) =>
    policy.clientAuthMethods.includes(method)
  );
}

/**
 * The metadata of the form, not yet validated.
 *
 * With a secret the client is confidential, although a link proposes a public one. Without a secret, a library whose
 * applications cannot keep a secret makes it public, unless the form names a method. A client whose metadata names
 * no method may send its secret by Basic or in the body.
 */
export function addedMetadata(
  { policy, randomBytes }: Server,
  params: Params,
  library: Pick<ClientLibrary, "isPublic"> | undefined,
): ClientMetadata {
  const typed = params.get("client_secret") ?? "";
  const usesSecrets = policy.clientAuthMethods.some((method) => method.startsWith("client_secret_"));
  const chosen = params.get("token_endpoint_auth_method") as ClientAuthMethod | undefined;
  const method = typed !== ""
    ? (chosen === "none" ? undefined : chosen)
    : chosen || (library?.isPublic || !usesSecrets ? "none" : undefined);
  const secret = typed !== "" ? typed : method === "none" ? undefined : randomToken(randomBytes);
  const members: ClientMetadata = {
    client_id: params.get("client_id") ?? "",
    client_name: params.get("client_name")?.trim() || undefined,
    redirect_uris: uris(params.get("redirect_uris")),
    post_logout_redirect_uris: uris(params.get("post_logout_redirect_uris")),
    token_endpoint_auth_method: method,
    client_secret: secret,
    grant_types: ["authorization_code", "refresh_token", ...secret === undefined ? [] : ["client_credentials"]],
  };
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as unknown as ClientMetadata;
}

function uris(text: string | undefined): string[] | undefined {
  return text?.split(/,?\s+/).filter((uri) => uri !== "");
}
