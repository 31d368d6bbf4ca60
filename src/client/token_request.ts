/** Token requests (OAuth 2.1 §4.1.3, §4.3.1), and the forms that carry them. */

import type { ClientAuthentication } from "./authentication.ts";
import { encodeParameters, type RequestParameters } from "./parameters.ts";

export function codeExchange(
  code: string | undefined,
  redirect_uri: string | undefined,
  code_verifier: string | undefined,
): RequestParameters {
  return { grant_type: "authorization_code", code, redirect_uri, code_verifier };
}

export function refreshRequest(refresh_token: string | undefined): RequestParameters {
  return { grant_type: "refresh_token", refresh_token };
}

export interface FormRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * A form of an authenticated client, for any endpoint. The parameters replace parameters of the authentication with the
 * same name.
 */
export function formRequest(authentication: ClientAuthentication, params: RequestParameters): FormRequest {
  return {
    headers: { "content-type": "application/x-www-form-urlencoded", ...authentication.headers },
    // They are spread twice, so that the parameters also come first.
    body: encodeParameters({ ...params, ...authentication.params, ...params }),
  };
}
