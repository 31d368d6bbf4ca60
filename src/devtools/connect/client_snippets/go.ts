/** Go: golang.org/x/oauth2, with go-oidc for discovery and ID tokens. */

import type { SnippetText } from "./snippet_text.ts";

export const go: SnippetText = {
  name: "go",
  library: "Go",
  placement: "Go with golang.org/x/oauth2 and go-oidc",
  aliases: ["golang"],
  redirectUri: "http://localhost:8080/callback",
  methods: ["client_secret_basic", "client_secret_post", "none"],
  webScope: ["openid"],
  text: `
package login

import (
\t"context"

\t"github.com/coreos/go-oidc/v3/oidc"
\t"golang.org/x/oauth2"
)

// Config finds the endpoints by discovery.
func Config(ctx context.Context) (*oauth2.Config, *oidc.Provider, error) {
\tprovider, err := oidc.NewProvider(ctx, {{issuer}})
\tif err != nil {
\t\treturn nil, nil, err
\t}
\tendpoint := provider.Endpoint()
\tendpoint.AuthStyle = oauth2.{{?client_secret_basic}}AuthStyleInHeader{{/}}{{?!client_secret_basic}}AuthStyleInParams{{/}}
\tconfig := &oauth2.Config{
\t\tClientID:    {{?secret}} {{/}}{{clientId}},
{{?secret}}\t\tClientSecret: {{secret}},{{/}}
\t\tRedirectURL: {{?secret}} {{/}}{{redirectUri}},
\t\tEndpoint:    {{?secret}} {{/}}endpoint,
\t\tScopes:      {{?secret}} {{/}}[]string{{{scopes}}},
\t}
\treturn config, provider, nil
}

// To begin, with verifier := oauth2.GenerateVerifier() and a state, both kept in the browser's session:
//   config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier))
// At the redirect URI: token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
// The ID token: verifier.Verify(ctx, token.Extra("id_token").(string)), with
//   verifier := provider.Verifier(&oidc.Config{ClientID: config.ClientID})
// Name and e-mail address: provider.UserInfo(ctx, oauth2.StaticTokenSource(token))`,
};
