/** The OpenID Connect handler of ASP.NET Core: a cookie session, with this server as the challenge scheme. */

import type { SnippetText } from "./snippet_text.ts";

export const aspnet: SnippetText = {
  name: "asp.net",
  library: "ASP.NET Core",
  placement: "The file Program.cs",
  aliases: ["dotnet"],
  redirectUri: "http://localhost:5000/signin-oidc",
  otherRedirectUris: ["https://localhost:5001/signin-oidc"],
  methods: ["client_secret_post", "none"],
  // It pushes each request if metadata has the endpoint, from .NET 9 on.
  demands: ["par"],
  webScope: ["openid"],
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
        options.Authority = {{issuer}};
{{?isHttp}}        options.RequireHttpsMetadata = false; // the issuer is http{{/}}
        options.ClientId = {{clientId}};
{{?secret}}        options.ClientSecret = {{secret}};{{/}}
        options.ResponseType = "code";
        options.ResponseMode = "query";
        options.CallbackPath = {{callbackPath}};
        options.GetClaimsFromUserInfoEndpoint = true;
        options.MapInboundClaims = false;
        options.TokenValidationParameters.NameClaimType = "name";
        options.Scope.Clear();
        foreach (var scope in new[] { {{scopes}} }) options.Scope.Add(scope);
    });`,
  notes: "The application must listen on the host and port of the redirect URI.",
};
