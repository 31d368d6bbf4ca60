/** What the error codes of an authorization response mean, for a reader (OAuth 2.1 §4.1.2.1, OpenID Connect Core §3.1.2.6). */

const labels: ReadonlyMap<string, string> = new Map([
  ["invalid_request", "The request lacked a parameter, repeated one, or held a value that cannot be read."],
  ["unauthorized_client", "The client may not ask for a code in this way."],
  ["access_denied", "The person, or the server on its own account, said no."],
  ["unsupported_response_type", "The server does not answer with the response type that was asked for."],
  ["invalid_scope", "A scope was asked for that is unknown, malformed, or not open to this client."],
  ["invalid_target", "A resource was asked for that no token can be issued for here."],
  ["server_error", "The server failed while it worked on the request; the request itself may have been right."],
  ["temporarily_unavailable", "The server cannot answer just now; the same request may succeed later."],
  ["login_required", "The client asked for an answer without a login page, and nobody is logged in."],
  ["consent_required", "The client asked for an answer without a consent page, and consent is missing."],
  ["interaction_required", "The client asked for an answer without any page, and a page would be needed."],
  ["account_selection_required", "The client asked for an answer without a page, and an account must be chosen."],
  ["request_not_supported", "The server does not read request objects given by value."],
  ["request_uri_not_supported", "The server does not read request objects given by reference."],
  ["registration_not_supported", "The server does not take a client's registration inside the request."],
]);

/** One sentence on what a code means, or undefined for a code that these specifications do not define. */
export function errorLabel(code: string): string | undefined {
  return labels.get(code);
}
