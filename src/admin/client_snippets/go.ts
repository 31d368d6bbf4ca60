/** Settings for Go: golang.org/x/oauth2, with go-oidc for discovery and ID tokens. */

import { authMethodUnsupportedReason, joinLines, stringLiteral, webUnsupportedReason } from "./client_info.ts";
import type { SnippetWriter } from "./client_info.ts";

const library = "Go";
const placement = "Go with golang.org/x/oauth2 and go-oidc";

/** A configuration, and the provider, which verifies ID tokens and calls userinfo. */
export const go: SnippetWriter = (info) => {
  const unsupportedReason = webUnsupportedReason(info) ??
    authMethodUnsupportedReason(info, ["none", "client_secret_basic", "client_secret_post"]);
  if (unsupportedReason !== undefined) return { library, placement, notes: [unsupportedReason] };
  const fields: readonly (readonly [string, string])[] = [
    ["ClientID", stringLiteral(info.clientId)],
    ...info.secret === undefined ? [] : [["ClientSecret", stringLiteral(info.secret)] as const],
    ["RedirectURL", stringLiteral(info.redirectUri!)],
    ["Endpoint", "endpoint"],
    ["Scopes", `[]string{${info.scope.map(stringLiteral).join(", ")}}`],
  ];
  const width = Math.max(...fields.map(([name]) => name.length)) + 2;
  const text = joinLines(
    `package login`,
    "",
    `import (`,
    `\t"context"`,
    "",
    `\t"github.com/coreos/go-oidc/v3/oidc"`,
    `\t"golang.org/x/oauth2"`,
    `)`,
    "",
    `// Config finds the endpoints by discovery.`,
    `func Config(ctx context.Context) (*oauth2.Config, *oidc.Provider, error) {`,
    `\tprovider, err := oidc.NewProvider(ctx, ${stringLiteral(info.issuer)})`,
    `\tif err != nil {`,
    `\t\treturn nil, nil, err`,
    `\t}`,
    `\tendpoint := provider.Endpoint()`,
    `\tendpoint.AuthStyle = oauth2.${
      info.authMethod === "client_secret_basic" ? "AuthStyleInHeader" : "AuthStyleInParams"
    }`,
    `\tconfig := &oauth2.Config{`,
    ...fields.map(([name, value]) => `\t\t${`${name}:`.padEnd(width)}${value},`),
    `\t}`,
    `\treturn config, provider, nil`,
    `}`,
    "",
    `// To begin, with verifier := oauth2.GenerateVerifier() and a state, both kept in the browser's session:`,
    `//   config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier))`,
    `// At the redirect URI: token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))`,
    `// The ID token: provider.Verifier(&oidc.Config{ClientID: config.ClientID}).Verify(ctx, token.Extra("id_token").(string))`,
    `// Name and e-mail address: provider.UserInfo(ctx, oauth2.StaticTokenSource(token))`,
  );
  return { library, placement, text, notes: [] };
};
