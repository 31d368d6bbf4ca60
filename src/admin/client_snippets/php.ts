/** Settings for jumbojett/openid-connect-php. */

import { authMethodUnsupportedReason, joinLines, webUnsupportedReason } from "./client_info.ts";
import type { SnippetWriter } from "./client_info.ts";

const library = "PHP";
const placement = "PHP with jumbojett/openid-connect-php";

/** The script at the redirect URI, which also starts the login. */
export const php: SnippetWriter = (info) => {
  const unsupportedReason = webUnsupportedReason(info) ??
    authMethodUnsupportedReason(info, ["none", "client_secret_basic", "client_secret_post"]);
  if (unsupportedReason !== undefined) return { library, placement, notes: [unsupportedReason] };
  const credentials = [info.issuer, info.clientId, ...info.secret === undefined ? [] : [info.secret]].map(phpString);
  const text = joinLines(
    `<?php`,
    `require 'vendor/autoload.php';`,
    `$oidc = new Jumbojett\\OpenIDConnectClient(${credentials.join(", ")});`,
    `$oidc->setRedirectURL(${phpString(info.redirectUri!)});`,
    `$oidc->addScope([${info.scope.map(phpString).join(", ")}]);`,
    `$oidc->setCodeChallengeMethod('S256');`,
    info.authMethod === "client_secret_post" &&
      `$oidc->setTokenEndpointAuthMethodsSupported(['client_secret_post']);`,
    `$oidc->authenticate();`,
    `$user = $oidc->requestUserInfo();`,
  );
  return { library, placement, text, notes: [] };
};

/** A literal of PHP in single quotes, in which nothing is replaced. */
function phpString(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
