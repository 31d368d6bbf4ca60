/** The client libraries that `latchkey init` writes settings for. */

import type { ClientAuthMethod } from "../../oauth/clients/client.ts";

/** The requirements of a library for its client. */
interface Library {
  /** The name of the library in the settings for client libraries. */
  readonly title: string;
  /** The redirect URI of an application that follows the guide of the library. */
  readonly redirectUri: string;
  /** How a confidential client authenticates. Default: `client_secret_basic`. */
  readonly authMethod?: ClientAuthMethod;
  /** Whether an application keeps a secret unless the user decides otherwise. Default: true. */
  readonly isConfidential?: boolean;
}

/** By the name that the command takes. */
export const libraries: Readonly<Record<string, Library>> = {
  "openid-client": { title: "openid-client", redirectUri: "http://localhost:3000/callback" },
  oauth4webapi: { title: "oauth4webapi", redirectUri: "http://localhost:3000/callback" },
  "auth.js": { title: "Auth.js", redirectUri: "http://localhost:3000/api/auth/callback/latchkey" },
  "express-openid-connect": { title: "express-openid-connect", redirectUri: "http://localhost:3000/callback" },
  passport: {
    title: "Passport",
    redirectUri: "http://localhost:3000/auth/callback",
    authMethod: "client_secret_post",
  },
  "oidc-client-ts": {
    title: "oidc-client-ts",
    redirectUri: "http://localhost:5173/callback",
    isConfidential: false,
  },
  "mcp-sdk": {
    title: "MCP TypeScript SDK",
    redirectUri: "http://localhost:3000/callback",
    isConfidential: false,
  },
  spring: { title: "Spring Boot", redirectUri: "http://localhost:8080/login/oauth2/code/latchkey" },
  "asp.net": {
    title: "ASP.NET Core",
    redirectUri: "http://localhost:5000/signin-oidc",
    authMethod: "client_secret_post",
  },
  go: { title: "Go", redirectUri: "http://localhost:8080/callback" },
  php: { title: "PHP", redirectUri: "http://localhost:8000/callback.php" },
  python: { title: "Python", redirectUri: "http://localhost:5000/callback" },
  curl: { title: "curl", redirectUri: "http://localhost:3000/callback" },
  env: { title: ".env", redirectUri: "http://localhost:3000/callback" },
};

/** Their names, in the order of the help. */
export const libraryNames = Object.keys(libraries);
