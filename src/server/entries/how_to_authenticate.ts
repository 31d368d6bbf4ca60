/** What a client sends to authenticate. */

/** How a client authenticates by its registered method: a sentence for a fix. */
export function howToAuthenticate({ authMethod }: { readonly authMethod: string }): string {
  switch (authMethod) {
    case "client_secret_basic":
      return "Send client_id and client_secret in the header Authorization: Basic, and no client_secret in the body.";
    case "client_secret_post":
      return "Send client_id and client_secret in the body, and no header Authorization.";
    case "none":
      return "Send client_id in the body, and no secret.";
    case "tls_client_auth":
    case "self_signed_tls_client_auth":
      return "Send client_id in the body, over a connection with the certificate of the client, and no secret.";
    default:
      return "Send client_assertion and client_assertion_type in the body, and no secret.";
  }
}
