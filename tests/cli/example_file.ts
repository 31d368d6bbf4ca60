/** A configuration file with the usual members. */
export const exampleFile = `{
  "issuer": "http://localhost:9000",
  "login": "auto",
  "clients": [
    {
      "client_id": "spa",
      "redirect_uris": ["http://localhost:5173/callback"]
    },
    {
      "client_id": "web",
      "client_secret": "correct-horse-battery-staple",
      "redirect_uris": ["http://localhost:3000/callback"],
      "scope": "openid read"
    }
  ],
  "users": [
    { "sub": "alice", "email": "alice@example.com", "email_verified": true }
  ],
  "scopes": ["openid", "profile", "email", "read"],
  "lifetimes": { "code": 300, "access_token": 3600 },
  "store": "sqlite:latchkey.db"
}`;
