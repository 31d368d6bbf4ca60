/** Error codes of an authorization response in words (OAuth 2.1 §4.1.2.1, OpenID Connect Core §3.1.2.6). */
export const errorLabels: ReadonlyMap<string, string> = new Map([
  ["invalid_request", "A parameter is missing, repeated or malformed."],
  ["unauthorized_client", "The client is not allowed to request a code this way."],
  ["access_denied", "The user or the server denied the request."],
  ["unsupported_response_type", "The server does not support the requested response type."],
  ["invalid_scope", "The requested scope is unknown, malformed, or not allowed for this client."],
  ["invalid_target", "The server issues no tokens for the requested resource."],
  ["invalid_authorization_details", "An object of authorization_details does not match the definition of its type."],
  ["server_error", "The server failed while it processed the request. The request itself may be correct."],
  ["temporarily_unavailable", "The server cannot process the request now. The same request may succeed later."],
  ["login_required", "The client requested a response without a login page, and no user is logged in."],
  ["consent_required", "The client requested a response without a consent page, and the user has not consented."],
  ["interaction_required", "The client requested a response without any page, and a page is necessary."],
  [
    "account_selection_required",
    "The client requested a response without a page, and the user must select an account.",
  ],
  [
    "unmet_authentication_requirements",
    "The client requires a level of authentication that the server or the login cannot reach.",
  ],
  ["request_not_supported", "The server does not support request objects passed by value."],
  ["request_uri_not_supported", "The server does not support request objects passed by reference."],
  ["registration_not_supported", "The server does not support client metadata inside the request."],
]);
