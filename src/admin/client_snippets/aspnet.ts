/** Settings for the OpenID Connect handler of ASP.NET Core. */

import { isPlainHttp, lines, literal, unfitForWeb, unfitMethod } from "./about.ts";
import type { WriteSettings } from "./about.ts";

const library = "ASP.NET Core";
const place = "Program.cs";

/** Cookies for the application's own session, and this server as the challenge. */
export const aspnet: WriteSettings = (about) => {
  const unfit = unfitForWeb(about) ?? unfitMethod(about, ["none", "client_secret_post"]);
  if (unfit !== undefined) return { library, place, notes: [unfit] };
  const text = lines(
    `builder.Services`,
    `    .AddAuthentication(options =>`,
    `    {`,
    `        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;`,
    `        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;`,
    `    })`,
    `    .AddCookie()`,
    `    .AddOpenIdConnect(options =>`,
    `    {`,
    `        options.Authority = ${literal(about.issuer)};`,
    isPlainHttp(about) && `        options.RequireHttpsMetadata = false; // the issuer is http`,
    `        options.ClientId = ${literal(about.clientId)};`,
    about.secret !== undefined && `        options.ClientSecret = ${literal(about.secret)};`,
    `        options.ResponseType = "code";`,
    `        options.ResponseMode = "query";`,
    `        options.CallbackPath = ${literal(decodeURI(new URL(about.redirectUri!).pathname))};`,
    `        options.GetClaimsFromUserInfoEndpoint = true;`,
    `        options.MapInboundClaims = false;`,
    `        options.TokenValidationParameters.NameClaimType = "name";`,
    `        options.Scope.Clear();`,
    ...about.scope.map((token) => `        options.Scope.Add(${literal(token)});`),
    `    });`,
  );
  return {
    library,
    place,
    text,
    notes: ["Host and port of the redirect URI are those that the application listens on."],
  };
};
