/** The whole flow in a shell: curl, and openssl for the code challenge. */

import { encodeFormValue } from "../../../server/oauth/clients/redirect_uri.ts";
import type { SnippetText } from "./snippet_text.ts";

const credentials = String.raw`{{?client_secret_basic}}  -u '{{clientId}}:{{secret}}' \{{/}}
{{?!client_secret_basic}}  -d 'client_id={{clientId}}' \{{/}}
{{?client_secret_post}}  -d 'client_secret={{secret}}' \{{/}}`;

const request = String.raw`  -d 'redirect_uri={{redirectUri}}' \
  -d 'scope={{scope}}' \
  -d 'code_challenge_method=S256' \
  -d "code_challenge=$challenge")`;

export const curl: SnippetText = {
  name: "curl",
  library: "curl",
  placement: "Commands for a POSIX shell",
  redirectUri: "http://localhost:3000/callback",
  methods: ["client_secret_basic", "client_secret_post", "none"],
  demands: ["par"],
  // An encoded value has no quotation mark, so that it may stand between two.
  quote: encodeFormValue,
  text: String.raw`
{{?!redirectUri}}
curl {{tokenUrl:shell}} \
${credentials}
  -d grant_type=client_credentials \
  -d 'scope={{scope}}'
{{/}}
{{?redirectUri}}
verifier=$(openssl rand -hex 32)
challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary |
  openssl base64 -A | tr '+/' '-_' | tr -d =)
{{?par}}
pushed=$(curl -sS {{parUrl:shell}} \
${credentials}
  -d 'response_type=code' \
{{?client_secret_basic}}  -d 'client_id={{clientId}}' \{{/}}
${request}
request_uri=$(printf %s "$pushed" | sed -n 's/.*"request_uri":"\([^"]*\)".*/\1/p')
[ -n "$request_uri" ] || printf 'No request_uri: %s\n' "$pushed" >&2
{{/}}
{{?autoLogin}}
response=$(curl -sS -G -H 'Accept: application/json' -w '%{redirect_url}' \
  {{authorizeUrl:shell}} \
  -d 'client_id={{clientId}}' \
{{?par}}  -d "request_uri=$request_uri"){{/}}
{{?!par}}
  -d 'response_type=code' \
${request}
{{/}}
code=$(printf %s "$response" | sed -n 's/.*[?&]code=\([^&]*\).*/\1/p')
[ -n "$code" ] || printf 'No code: %s\n' "$response" >&2
{{/}}
{{?!autoLogin par}}
printf '%s\n' {{authorizeUrl:shell}}'?client_id={{clientId}}&request_uri='$request_uri
{{/}}
{{?!autoLogin !par}}
printf '%s\n' {{authorizeUrl:shell}}'?response_type=code&client_id={{clientId}}&redirect_uri={{redirectUri}}&scope={{scope}}&code_challenge_method=S256&code_challenge='$challenge
{{/}}
{{?!autoLogin}}code=THE_CODE_FROM_THE_LAST_URL{{/}}
curl {{tokenUrl:shell}} \
${credentials}
  -d grant_type=authorization_code \
  -d 'redirect_uri={{redirectUri}}' \
  -d "code_verifier=$verifier" \
  -d "code=$code"
{{/}}`,
  notes: `
{{?redirectUri autoLogin}}The server logs in the first user and approves every request without a page, so the commands need no browser.{{/}}
{{?redirectUri !autoLogin}}Open the printed URL in a browser, log in, and copy the code from the last URL.{{/}}`,
};
