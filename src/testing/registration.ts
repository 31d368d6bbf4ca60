/** Dynamic registration in one call: the request of a correct client (RFC 7591 §3.1). */

import { object, objectField, text } from "../core/policy/field.ts";
import type { ClientAuthMethod, ClientMetadata } from "../server/config/client_metadata.ts";
import { withContentLength } from "./fetch.ts";
import { type ExplainRejection, LoginError } from "./login_error.ts";
import { assertOptions } from "./options.ts";

/** @internal */
export interface RegisterOptions {
  /** The initial access token. Default: none. */
  readonly initialAccessToken?: string;
}

/** @internal A client that registered itself: the response, with the names of RFC 7591 §3.2.1 and RFC 7592 §3. */
export interface RegisteredTestClient extends ClientMetadata {
  /** The first redirect URI; absent without one. */
  readonly redirect_uri?: string;
  /** The registered method, or the default. */
  readonly token_endpoint_auth_method: ClientAuthMethod;
  /** When it registered, in seconds since the epoch. */
  readonly client_id_issued_at: number;
  /** The token for the requests of RFC 7592. */
  readonly registration_access_token: string;
  /** The URL for the requests of RFC 7592. */
  readonly registration_client_uri: string;
}

const registerField = object<RegisterOptions>("RegisterOptions", {
  initialAccessToken: text(["a-long-random-token"]),
}, {});

/** The metadata of a registration without arguments: a public client. */
const defaultMetadata = {
  redirect_uris: ["https://client.test/callback"],
  token_endpoint_auth_method: "none",
  grant_types: ["authorization_code", "refresh_token"],
};

/**
 * Creates the function that registers clients at one server.
 *
 * @param endpointUrl Returns the URL of an endpoint of the server.
 * @param fetch Sends one request to the server and follows no redirect.
 */
export function registrationClient(
  endpointUrl: (name: string) => string,
  fetch: (request: Request) => Promise<Response>,
  explain: ExplainRejection,
): (metadata?: Readonly<Record<string, unknown>>, options?: RegisterOptions) => Promise<RegisteredTestClient> {
  return async (metadata = defaultMetadata, options = {}) => {
    assertOptions("register, metadata", objectField, metadata);
    assertOptions("register", registerField, options);
    const body = JSON.stringify(metadata);
    const headers = new Headers({ "content-type": "application/json" });
    if (options.initialAccessToken !== undefined) headers.set("authorization", `Bearer ${options.initialAccessToken}`);
    const url = endpointUrl("register");
    const request = withContentLength(new Request(url, { method: "POST", headers, body }), body);
    const response = await fetch(request);
    const { status } = response;
    const parsed: unknown = await response.json().catch(() => undefined);
    const members = (typeof parsed === "object" && parsed !== null ? parsed : {}) as Readonly<Record<string, unknown>>;
    if (status !== 201 || typeof members.client_id !== "string") {
      const { error, error_description } = members;
      const what = error === undefined ? "without a registered client" : `${error}, ${error_description}`;
      throw new LoginError(`The registration endpoint responded ${status} ${what}`, {
        ...explain(request),
        status,
        error: typeof error === "string" ? error : undefined,
      });
    }
    const [redirect_uri] = Array.isArray(members.redirect_uris) ? members.redirect_uris : [];
    return { ...members, ...redirect_uri !== undefined && { redirect_uri } } as unknown as RegisteredTestClient;
  };
}
