/** Settings for Authlib, in Python with Flask. */

import { issuerUrl } from "../../app/endpoint.ts";
import { authMethodUnsupportedReason, joinLines, stringLiteral, webUnsupportedReason } from "./client_info.ts";
import type { SnippetWriter } from "./client_info.ts";

const library = "Python";
const placement = "Python with Authlib and Flask";

/** A registration, and the two lines that use it. */
export const python: SnippetWriter = (info) => {
  const unsupportedReason = webUnsupportedReason(info) ??
    authMethodUnsupportedReason(info, ["none", "client_secret_basic", "client_secret_post"]);
  if (unsupportedReason !== undefined) return { library, placement, notes: [unsupportedReason] };
  const text = joinLines(
    `from authlib.integrations.flask_client import OAuth`,
    "",
    `oauth = OAuth(app)`,
    `oauth.register(`,
    `    "latchkey",`,
    `    client_id=${stringLiteral(info.clientId)},`,
    info.secret !== undefined && `    client_secret=${stringLiteral(info.secret)},`,
    `    server_metadata_url=${stringLiteral(issuerUrl(info.issuer, "/.well-known/openid-configuration"))},`,
    `    client_kwargs={`,
    `        "scope": ${stringLiteral(info.scope.join(" "))},`,
    `        "code_challenge_method": "S256",`,
    `        "token_endpoint_auth_method": ${stringLiteral(info.authMethod)},`,
    `    },`,
    `)`,
    `redirect_uri = ${stringLiteral(info.redirectUri!)}`,
    "",
    `# To begin: return oauth.latchkey.authorize_redirect(redirect_uri)`,
    `# At the redirect URI: tokens = oauth.latchkey.authorize_access_token()`,
    `# Name and e-mail address: user = oauth.latchkey.userinfo(token=tokens)`,
  );
  return { library, placement, text, notes: [] };
};
