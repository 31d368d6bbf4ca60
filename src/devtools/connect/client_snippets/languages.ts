/** Settings for libraries of other languages, for a shell, and as environment variables. */

import { shellQuote } from "../../../core/http/quote_value.ts";
import { encodeFormValue } from "../../../core/clients/redirect_uri.ts";
import type { ClientLibrary } from "./library.ts";

const envText = `
OIDC_ISSUER={{issuer}}
OIDC_CLIENT_ID={{client_id}}
OIDC_SCOPE={{scope}}
OIDC_TOKEN_ENDPOINT_AUTH_METHOD={{auth}}`;

const withSecret = (method: string) =>
  `${method}
OIDC_CLIENT_SECRET={{client_secret}}`;

export const otherLibraries: readonly ClientLibrary[] = [
  {
    name: "spring",
    library: "Spring Boot",
    placement: "The file application.yml",
    redirectUris: ["http://localhost:8080/login/oauth2/code/latchkey"],
    methods: {
      client_secret_basic: `client-authentication-method: client_secret_basic
            client-secret: {{client_secret}}`,
      client_secret_post: `client-authentication-method: client_secret_post
            client-secret: {{client_secret}}`,
      none: "client-authentication-method: none",
    },
    needsOpenid: true,
    quote: (text, name) => JSON.stringify(name === "issuer" ? `\${OIDC_ISSUER:${text}}` : text),
    unreadable: {
      isOne: (text, name) => name === "redirect_uri" ? /[{}]/.test(text) : text.includes("${"),
      reason: "Spring replaces text between braces",
    },
    text: `
spring:
  security:
    oauth2:
      client:
        registration:
          latchkey:
            client-id: {{client_id}}
            {{auth}}
            authorization-grant-type: authorization_code
            redirect-uri: {{redirect_uri}}
            scope: [{{scopes}}]
        provider:
          latchkey:
            issuer-uri: {{issuer}}`,
    notes: [
      "Spring listens at /login/oauth2/code/latchkey; for another path, set the base URI of the redirection endpoint.",
    ],
  },
  {
    name: "asp.net",
    library: "ASP.NET Core",
    placement: "The file Program.cs",
    aliases: ["dotnet"],
    redirectUris: ["http://localhost:5000/signin-oidc", "https://localhost:5001/signin-oidc"],
    methods: {
      client_secret_post: `
        options.ClientSecret = {{client_secret}};`,
      none: "",
    },
    demands: { par: "from .NET 9 on it does so by itself" },
    needsOpenid: true,
    text: `
builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
    })
    .AddCookie()
    .AddOpenIdConnect(options =>
    {
        options.Authority = builder.Configuration["OIDC_ISSUER"] ?? {{issuer}};
        options.RequireHttpsMetadata = options.Authority.StartsWith("https:");
        options.ClientId = {{client_id}};{{auth}}
        options.ResponseType = "code";
        options.ResponseMode = "query";
        options.CallbackPath = PathString.FromUriComponent(new Uri({{redirect_uri}}));
        options.GetClaimsFromUserInfoEndpoint = true;
        options.MapInboundClaims = false;
        options.TokenValidationParameters.NameClaimType = "name";
        options.Scope.Clear();
        foreach (var scope in new[] { {{scopes}} }) options.Scope.Add(scope);
    });`,
    notes: ["The application must listen on the host and port of the redirect URI."],
  },
  {
    name: "go",
    library: "Go",
    placement: "Go with golang.org/x/oauth2 and go-oidc",
    aliases: ["golang"],
    redirectUris: ["http://localhost:8080/callback"],
    methods: {
      client_secret_basic: `oauth2.AuthStyleInHeader
\tconfig.ClientSecret = {{client_secret}}`,
      client_secret_post: `oauth2.AuthStyleInParams
\tconfig.ClientSecret = {{client_secret}}`,
      none: "oauth2.AuthStyleInParams",
    },
    needsOpenid: true,
    text: `
package login

import (
\t"cmp"
\t"context"
\t"os"

\t"github.com/coreos/go-oidc/v3/oidc"
\t"golang.org/x/oauth2"
)

// Config finds the endpoints by discovery.
func Config(ctx context.Context) (*oauth2.Config, *oidc.Provider, error) {
\tprovider, err := oidc.NewProvider(ctx, cmp.Or(os.Getenv("OIDC_ISSUER"), {{issuer}}))
\tif err != nil {
\t\treturn nil, nil, err
\t}
\tconfig := &oauth2.Config{
\t\tClientID:    {{client_id}},
\t\tRedirectURL: {{redirect_uri}},
\t\tEndpoint:    provider.Endpoint(),
\t\tScopes:      []string{{{scopes}}},
\t}
\tconfig.Endpoint.AuthStyle = {{auth}}
\treturn config, provider, nil
}

// To begin, with verifier := oauth2.GenerateVerifier() and a state, both kept in the browser's session:
//   config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier))
// At the redirect URI: token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
// The ID token: verifier.Verify(ctx, token.Extra("id_token").(string)), with
//   verifier := provider.Verifier(&oidc.Config{ClientID: config.ClientID})
// Name and e-mail address: provider.UserInfo(ctx, oauth2.StaticTokenSource(token))`,
  },
  {
    name: "php",
    library: "PHP",
    placement: "PHP with jumbojett/openid-connect-php",
    redirectUris: ["http://localhost:8000/callback.php", "http://localhost:8000/callback"],
    methods: {
      client_secret_basic: ", {{client_secret}});",
      client_secret_post: `, {{client_secret}});
$oidc->setTokenEndpointAuthMethodsSupported(['client_secret_post']);`,
      none: ");",
    },
    needsOpenid: true,
    // PHP replaces nothing between single quotes.
    quote: (text) => `'${text.replaceAll(/[\\']/g, "\\$&")}'`,
    text: `
<?php
require 'vendor/autoload.php';
$oidc = new Jumbojett\\OpenIDConnectClient(getenv('OIDC_ISSUER') ?: {{issuer}}, {{client_id}}{{auth}}
$oidc->setRedirectURL({{redirect_uri}});
$oidc->addScope([{{scopes}}]);
$oidc->setCodeChallengeMethod('S256');
$oidc->authenticate();
$user = $oidc->requestUserInfo();`,
  },
  {
    name: "python",
    library: "Python",
    placement: "Python with Authlib and Flask",
    aliases: ["authlib", "flask", "fastapi", "django"],
    redirectUris: ["http://localhost:5000/callback", "http://localhost:8000/callback"],
    methods: {
      client_secret_basic: `"token_endpoint_auth_method": "client_secret_basic",
    },
    client_secret={{client_secret}},`,
      client_secret_post: `"token_endpoint_auth_method": "client_secret_post",
    },
    client_secret={{client_secret}},`,
      none: `"token_endpoint_auth_method": "none",
    },`,
    },
    needsOpenid: true,
    text: `
import os

from authlib.integrations.flask_client import OAuth

issuer = os.environ.get("OIDC_ISSUER", {{issuer}})
oauth = OAuth(app)
oauth.register(
    "latchkey",
    client_id={{client_id}},
    server_metadata_url=issuer.rstrip("/") + "/.well-known/openid-configuration",
    client_kwargs={
        "scope": {{scope}},
        "code_challenge_method": "S256",
        {{auth}}
)
redirect_uri = {{redirect_uri}}

# To begin: return oauth.latchkey.authorize_redirect(redirect_uri)
# At the redirect URI: tokens = oauth.latchkey.authorize_access_token()
# Name and e-mail address: user = oauth.latchkey.userinfo(token=tokens)`,
  },
  {
    name: "curl",
    library: "curl",
    placement: "Commands for a POSIX shell",
    redirectUris: ["http://localhost:3000/callback"],
    methods: {
      client_secret_basic: "-u '{{client_id}}:{{client_secret}}'",
      client_secret_post: "-d 'client_id={{client_id}}' -d 'client_secret={{client_secret}}'",
      none: "-d 'client_id={{client_id}}'",
    },
    demands: { par: "send the parameters there, then only client_id and the request_uri of the response" },
    // An encoded value has no quotation mark, so the text can quote it.
    quote: (text, name) => name === "issuer" || name.endsWith("_endpoint") ? shellQuote(text) : encodeFormValue(text),
    belowIssuer: (path) => '"${issuer%/}"' + shellQuote(path),
    text: String.raw`
issuer=${"$"}{OIDC_ISSUER:-{{issuer}}}
verifier=$(openssl rand -hex 32)
challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary |
  openssl base64 -A | tr '+/' '-_' | tr -d =)
url={{authorization_endpoint}}'?response_type=code&client_id={{client_id}}&redirect_uri={{redirect_uri}}&scope={{scope}}&code_challenge_method=S256&code_challenge='$challenge
response=$(curl -sS -H 'Accept: application/json' -w '%{redirect_url}' "$url")
code=$(printf %s "$response" | sed -n 's/.*[?&]code=\([^&]*\).*/\1/p')
[ -n "$code" ] || printf 'No code: %s\nOpen %s\n' "$response" "$url" >&2
curl {{token_endpoint}} \
  {{auth}} \
  -d grant_type=authorization_code \
  -d 'redirect_uri={{redirect_uri}}' \
  -d "code_verifier=$verifier" \
  -d "code=$code"`,
    machineText: String.raw`
issuer=${"$"}{OIDC_ISSUER:-{{issuer}}}
curl {{token_endpoint}} \
  {{auth}} \
  -d grant_type=client_credentials \
  -d 'scope={{scope}}'`,
    notes: [
      "With automatic login they need no browser. Otherwise open the printed URL, log in, set code to that of the last " +
      "URL, and repeat the last command.",
    ],
  },
  {
    name: "env",
    library: ".env",
    placement: "Environment variables",
    redirectUris: ["http://localhost:3000/callback"],
    methods: {
      client_secret_basic: withSecret("client_secret_basic"),
      client_secret_post: withSecret("client_secret_post"),
      client_secret_jwt: withSecret("client_secret_jwt"),
      private_key_jwt: "private_key_jwt",
      none: "none",
    },
    demands: { par: "", jar: "", jarm: "", dpop: "" },
    quote: (text) => text.includes("'") ? `"${text}"` : `'${text}'`,
    // dotenv and Node know no escape of a quotation mark, python-dotenv replaces \\, and dotenv-expand replaces $.
    unreadable: {
      isOne: (text) => /[$\\]/.test(text) || text.includes("'") && /["`]/.test(text),
      reason: "Shells and the libraries that read .env files differ about $, backslashes and mixed quotation marks",
    },
    text: `${envText}
OIDC_REDIRECT_URI={{redirect_uri}}`,
    machineText: envText,
  },
];
