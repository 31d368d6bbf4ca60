/** Settings for Authlib, in Python with Flask. */

import { urlOf } from "../../app/endpoint.ts";
import { lines, literal, unfitForWeb, unfitMethod } from "./about.ts";
import type { WriteSettings } from "./about.ts";

const library = "Python";
const place = "Authlib with Flask";

/** A registration, and the two lines that use it. */
export const python: WriteSettings = (about) => {
  const unfit = unfitForWeb(about) ??
    unfitMethod(about, ["none", "client_secret_basic", "client_secret_post"]);
  if (unfit !== undefined) return { library, place, notes: [unfit] };
  const text = lines(
    `from authlib.integrations.flask_client import OAuth`,
    "",
    `oauth = OAuth(app)`,
    `oauth.register(`,
    `    "latchkey",`,
    `    client_id=${literal(about.clientId)},`,
    about.secret !== undefined && `    client_secret=${literal(about.secret)},`,
    `    server_metadata_url=${literal(urlOf(about.issuer, "/.well-known/openid-configuration"))},`,
    `    client_kwargs={`,
    `        "scope": ${literal(about.scope.join(" "))},`,
    `        "code_challenge_method": "S256",`,
    `        "token_endpoint_auth_method": ${literal(about.authMethod)},`,
    `    },`,
    `)`,
    `redirect_uri = ${literal(about.redirectUri!)}`,
    "",
    `# To begin: return oauth.latchkey.authorize_redirect(redirect_uri)`,
    `# At the redirect URI: tokens = oauth.latchkey.authorize_access_token()`,
    `# Name and e-mail address: user = oauth.latchkey.userinfo(token=tokens)`,
  );
  return { library, place, text, notes: [] };
};
