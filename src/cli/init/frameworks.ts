/** The client libraries that `latchkey init` writes settings for. */

import type { ClientAuthMethod } from "../../oauth/clients/client.ts";

/** What a library needs of its client. */
interface Framework {
  /** The name of the library in the settings for client libraries. */
  readonly library: string;
  /** The redirect URI of an application that follows the guide of the library. */
  readonly redirectUri: string;
  /** How a confidential client authenticates. Default: `client_secret_basic`. */
  readonly authMethod?: ClientAuthMethod;
  /** Whether an application keeps a secret unless the user decides otherwise. Default: true. */
  readonly isConfidential?: boolean;
}

/** By the name that the command takes. */
export const frameworks: Readonly<Record<string, Framework>> = {
  "openid-client": { library: "openid-client", redirectUri: "http://localhost:3000/callback" },
  oauth4webapi: { library: "oauth4webapi", redirectUri: "http://localhost:3000/callback" },
  "auth.js": { library: "Auth.js", redirectUri: "http://localhost:3000/api/auth/callback/latchkey" },
  "express-openid-connect": { library: "express-openid-connect", redirectUri: "http://localhost:3000/callback" },
  passport: {
    library: "Passport",
    redirectUri: "http://localhost:3000/auth/callback",
    authMethod: "client_secret_post",
  },
  "oidc-client-ts": {
    library: "oidc-client-ts",
    redirectUri: "http://localhost:5173/callback",
    isConfidential: false,
  },
  "mcp-sdk": {
    library: "MCP TypeScript SDK",
    redirectUri: "http://localhost:3000/callback",
    isConfidential: false,
  },
  spring: { library: "Spring Boot", redirectUri: "http://localhost:8080/login/oauth2/code/latchkey" },
  "asp.net": {
    library: "ASP.NET Core",
    redirectUri: "http://localhost:5000/signin-oidc",
    authMethod: "client_secret_post",
  },
  go: { library: "Go", redirectUri: "http://localhost:8080/callback" },
  php: { library: "PHP", redirectUri: "http://localhost:8000/callback.php" },
  python: { library: "Python", redirectUri: "http://localhost:5000/callback" },
  curl: { library: "curl", redirectUri: "http://localhost:3000/callback" },
};

/** Their names, in the order of the help. */
export const frameworkNames = Object.keys(frameworks);
