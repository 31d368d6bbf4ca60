/** jumbojett/openid-connect-php: the script at the redirect URI, which also starts the login. */

import type { SnippetText } from "./snippet_text.ts";

export const php: SnippetText = {
  name: "php",
  library: "PHP",
  placement: "PHP with jumbojett/openid-connect-php",
  redirectUri: "http://localhost:8000/callback.php",
  otherRedirectUris: ["http://localhost:8000/callback"],
  methods: ["client_secret_basic", "client_secret_post", "none"],
  webScope: ["openid"],
  // PHP replaces nothing between single quotes.
  quote: (text) => `'${text.replaceAll(/[\\']/g, "\\$&")}'`,
  text: String.raw`
<?php
require 'vendor/autoload.php';
$oidc = new Jumbojett\OpenIDConnectClient({{issuer}}, {{clientId}}{{?secret}}, {{secret}}{{/}});
$oidc->setRedirectURL({{redirectUri}});
$oidc->addScope([{{scopes}}]);
$oidc->setCodeChallengeMethod('S256');
{{?client_secret_post}}$oidc->setTokenEndpointAuthMethodsSupported(['client_secret_post']);{{/}}
$oidc->authenticate();
$user = $oidc->requestUserInfo();`,
};
