/** Authlib, in Python with Flask: a registration, and the two lines that use it. */

import type { SnippetText } from "./snippet_text.ts";

export const python: SnippetText = {
  name: "python",
  library: "Python",
  placement: "Python with Authlib and Flask",
  aliases: ["authlib", "flask", "fastapi", "django"],
  redirectUri: "http://localhost:5000/callback",
  otherRedirectUris: ["http://localhost:8000/callback"],
  methods: ["client_secret_basic", "client_secret_post", "none"],
  webScope: ["openid"],
  text: `
from authlib.integrations.flask_client import OAuth

oauth = OAuth(app)
oauth.register(
    "latchkey",
    client_id={{clientId}},
{{?secret}}    client_secret={{secret}},{{/}}
    server_metadata_url={{discoveryUrl}},
    client_kwargs={
        "scope": {{scope}},
        "code_challenge_method": "S256",
        "token_endpoint_auth_method": {{authMethod}},
    },
)
redirect_uri = {{redirectUri}}

# To begin: return oauth.latchkey.authorize_redirect(redirect_uri)
# At the redirect URI: tokens = oauth.latchkey.authorize_access_token()
# Name and e-mail address: user = oauth.latchkey.userinfo(token=tokens)`,
};
