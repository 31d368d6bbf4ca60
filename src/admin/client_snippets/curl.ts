/** The whole flow in a shell: curl, and openssl for the code challenge. */

import { encodeFormValue } from "../../oauth/clients/redirect_uri.ts";
import { shellQuote } from "../../app/shell_quote.ts";
import { authMethodUnsupportedReason, joinLines } from "./client_info.ts";
import type { ClientInfo, SnippetWriter } from "./client_info.ts";

const library = "curl";
const placement = "Commands for a POSIX shell";

/** Requests tokens in a shell. */
export const curl: SnippetWriter = (info) => {
  const unsupportedReason = authMethodUnsupportedReason(info, ["none", "client_secret_basic", "client_secret_post"]);
  if (unsupportedReason !== undefined) return { library, placement, notes: [unsupportedReason] };
  const { redirectUri, scope } = info;
  const tokenRequest = (...fields: readonly string[]) =>
    [`curl ${shellQuote(info.token)}`, ...credentials(info), ...fields].join(" \\\n  ");
  if (redirectUri === undefined) {
    const text = tokenRequest("-d grant_type=client_credentials", field("scope", scope.join(" ")));
    return { library, placement, text, notes: [] };
  }
  const request: readonly (readonly [string, string])[] = [
    ["response_type", "code"],
    ["client_id", info.clientId],
    ["redirect_uri", redirectUri],
    ["scope", scope.join(" ")],
    ["code_challenge_method", "S256"],
  ];
  const authorize = info.authorize;
  const authorizationLines = info.demands.includes("par") ? pushedLines(info, request) : info.autoLogin
    ? [
      `response=$(curl -sS -G -H 'Accept: application/json' -w '%{redirect_url}' \\`,
      `  ${shellQuote(authorize)} \\`,
      ...request.map(([name, value]) => `  ${field(name, value)} \\`),
      `  -d "code_challenge=$challenge")`,
      ...codeOfResponse,
    ]
    : [
      `printf '%s\\n' ${
        shellQuote(`${authorize}?${request.map((parameter) => pair(...parameter)).join("&")}&code_challenge=`)
      }$challenge`,
      `code=THE_CODE_FROM_THE_LAST_URL`,
    ];
  const text = joinLines(
    `verifier=$(openssl rand -hex 32)`,
    `challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary |`,
    `  openssl base64 -A | tr '+/' '-_' | tr -d =)`,
    ...authorizationLines,
    tokenRequest(
      "-d grant_type=authorization_code",
      field("redirect_uri", redirectUri),
      `-d "code_verifier=$verifier"`,
      `-d "code=$code"`,
    ),
  );
  const notes = info.autoLogin
    ? ["The server logs in the first user and approves every request without a page, so the commands need no browser."]
    : ["Open the printed URL in a browser, log in, and copy the code from the last URL."];
  return { library, placement, text, notes };
};

function pushedLines(info: ClientInfo, request: readonly (readonly [string, string])[]): string[] {
  // Without Basic, the credentials have the client_id.
  const fields = request.filter(([name]) => name !== "client_id" || info.authMethod === "client_secret_basic");
  const push = [
    `curl -sS ${shellQuote(info.par)}`,
    ...credentials(info),
    ...fields.map(([name, value]) => field(name, value)),
    `-d "code_challenge=$challenge"`,
  ].join(" \\\n  ");
  return [
    `pushed=$(${push})`,
    `request_uri=$(printf %s "$pushed" | sed -n 's/.*"request_uri":"\\([^"]*\\)".*/\\1/p')`,
    `[ -n "$request_uri" ] || printf 'No request_uri: %s\\n' "$pushed" >&2`,
    ...info.autoLogin
      ? [
        `response=$(curl -sS -G -H 'Accept: application/json' -w '%{redirect_url}' \\`,
        `  ${shellQuote(info.authorize)} \\`,
        `  ${field("client_id", info.clientId)} \\`,
        `  -d "request_uri=$request_uri")`,
        ...codeOfResponse,
      ]
      : [
        `printf '%s\\n' ${
          shellQuote(`${info.authorize}?${pair("client_id", info.clientId)}&request_uri=`)
        }$request_uri`,
        `code=THE_CODE_FROM_THE_LAST_URL`,
      ],
  ];
}

/** Reads the code. A rejection is a redirect with the error, or the body of the response. */
const codeOfResponse = [
  `code=$(printf %s "$response" | sed -n 's/.*[?&]code=\\([^&]*\\).*/\\1/p')`,
  `[ -n "$code" ] || printf 'No code: %s\\n' "$response" >&2`,
];

function credentials({ authMethod, clientId, secret = "" }: ClientInfo): string[] {
  if (authMethod === "client_secret_basic") {
    return [`-u ${shellQuote(`${encodeFormValue(clientId)}:${encodeFormValue(secret)}`)}`];
  }
  return [field("client_id", clientId), ...authMethod === "none" ? [] : [field("client_secret", secret)]];
}

function field(name: string, value: string): string {
  return `-d ${shellQuote(pair(name, value))}`;
}

function pair(name: string, value: string): string {
  return `${name}=${encodeFormValue(value)}`;
}
