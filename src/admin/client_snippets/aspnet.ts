/** Settings for the OpenID Connect handler of ASP.NET Core. */

import {
  authMethodUnsupportedReason,
  isHttpIssuer,
  joinLines,
  stringLiteral,
  webUnsupportedReason,
} from "./client_info.ts";
import type { SnippetWriter } from "./client_info.ts";

const library = "ASP.NET Core";
const placement = "The file Program.cs";

/** A cookie session, with this server as the challenge scheme. */
export const aspnet: SnippetWriter = (info) => {
  const unsupportedReason = webUnsupportedReason(info) ??
    authMethodUnsupportedReason(info, ["none", "client_secret_post"]);
  if (unsupportedReason !== undefined) return { library, placement, notes: [unsupportedReason] };
  const text = joinLines(
    `builder.Services`,
    `    .AddAuthentication(options =>`,
    `    {`,
    `        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;`,
    `        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;`,
    `    })`,
    `    .AddCookie()`,
    `    .AddOpenIdConnect(options =>`,
    `    {`,
    `        options.Authority = ${stringLiteral(info.issuer)};`,
    isHttpIssuer(info) && `        options.RequireHttpsMetadata = false; // the issuer is http`,
    `        options.ClientId = ${stringLiteral(info.clientId)};`,
    info.secret !== undefined && `        options.ClientSecret = ${stringLiteral(info.secret)};`,
    `        options.ResponseType = "code";`,
    `        options.ResponseMode = "query";`,
    `        options.CallbackPath = ${stringLiteral(decodeURI(new URL(info.redirectUri!).pathname))};`,
    `        options.GetClaimsFromUserInfoEndpoint = true;`,
    `        options.MapInboundClaims = false;`,
    `        options.TokenValidationParameters.NameClaimType = "name";`,
    `        options.Scope.Clear();`,
    ...info.scope.map((token) => `        options.Scope.Add(${stringLiteral(token)});`),
    `    });`,
  );
  return {
    library,
    placement,
    text,
    notes: ["The application must listen on the host and port of the redirect URI."],
  };
};
