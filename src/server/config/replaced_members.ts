/** Members that configurations of other products have, and what to write here. */

type Hints = Readonly<Record<string, string>>;

function named(names: readonly string[], hint: string): Hints {
  return Object.fromEntries(names.map((name) => [name, hint]));
}

const origins = ["cors", "corsOrigins", "cors_origins", "allowedCorsOrigins", "allowed_cors_origins", "webOrigins"];
const accessTokenLifetimes = [
  ...["accessTokenLifetime", "access_token_lifetime", "accessTokenTtl", "accessTokenTTL", "accessTokenLifespan"],
  ...["tokenLifetime", "token_lifetime", "tokenExpiry", "tokenTtl", "expiresIn", "expires_in", "ttl"],
];
const scopeLists = ["allowedScopes", "allowed_scopes", "supportedScopes", "supported_scopes", "defaultScopes"];

/** At the top of a configuration. */
export const replacedSettings: Hints = {
  ...named(origins, 'Write "allowedOrigins": ["https://app.example.com"].'),
  ...named(accessTokenLifetimes, 'Write "lifetimes": { "access_token": 3600 }, in seconds.'),
  ...named(scopeLists, 'Write "scopes": ["openid", "profile", "read"].'),
  ...named(
    ["client", "client_id", "client_secret", "redirect_uri", "redirect_uris", "callbackUrl"],
    'Write "clients": [{ "client_id": "app", "redirect_uris": ["http://localhost:3000/callback"] }].',
  ),
  ...named(
    ["requirePKCE", "requirePkce", "require_pkce", "pkceRequired"],
    'Write "pkce": { "requireForConfidential": true }: public clients must use PKCE anyway.',
  ),
  ...named(
    ["issuers", "tenants"],
    'Write "issuer": "http://localhost:9000", and start a process for each issuer, or start with a JSON_CONFIG of ' +
      "mock-oauth2-server, which has an issuer for each path.",
  ),
};

/** In client metadata. */
export const replacedClientMembers: Hints = {
  ...named(origins, 'Write "allowedOrigins": ["https://app.example.com"] beside clients: it is of the server.'),
  ...named(
    accessTokenLifetimes,
    'Write "lifetimes": { "access_token": 3600 } beside clients, in seconds: they are of the server.',
  ),
  ...named(scopeLists, 'Write "scope": "openid profile read", one text with spaces.'),
  ...named(
    ["audience", "audiences", "allowed_audiences"],
    'Write "resources": [{ "uri": "https://api.example" }] beside clients, and let the client request one by the ' +
      "parameter resource.",
  ),
  ...named(["public", "isPublic", "publicClient"], 'Write "token_endpoint_auth_method": "none".'),
  ...named(["allowedGrantTypes", "grants"], 'Write "grant_types": ["authorization_code", "refresh_token"].'),
};
