/** What users type into the search of the site, and where the reply is: the search knows them, and a test asks them. */

/** A question, and the sections that reply to it; the first hit must be on the page of one of them. */
export interface Question {
  readonly asks: string;
  /** Paths of pages with anchors, the best first. */
  readonly sections: readonly [best: string, ...others: readonly string[]];
}

export const questions: readonly Question[] = [
  { asks: "nextjs", sections: ["learn/recipes#nextjs-with-authjs"] },
  { asks: "express", sections: ["learn/recipes#express"] },
  { asks: "spring boot", sections: ["index#java"] },
  { asks: "flask", sections: ["index#python"] },
  { asks: "vitest", sections: ["do/test-runners#vitest"] },
  { asks: "playwright", sections: ["do/test-runners#playwright", "learn/recipes"] },
  { asks: "jest", sections: ["do/test-runners#jest-nodetest-bun-test-deno-test"] },
  { asks: "cypress", sections: ["learn/recipes#browser-tests"] },
  { asks: "github actions", sections: ["do/containers-and-ci#continuous-integration"] },
  { asks: "docker compose", sections: ["do/containers-and-ci#an-application-and-its-issuer"] },
  { asks: "kubernetes", sections: ["do/containers-and-ci#an-application-and-its-issuer"] },
  { asks: "testcontainers", sections: ["do/containers-and-ci#testcontainers"] },
  { asks: "mcp", sections: ["do/mcp"] },
  { asks: "keycloak realm", sections: ["do/providers#a-realm-of-keycloak", "look-up/provider-profiles"] },
  { asks: "azure ad", sections: ["look-up/provider-profiles#entra"] },
  { asks: "add a user", sections: ["do/configure#the-configuration-file", "look-up/settings"] },
  {
    asks: "log in as another user",
    sections: ["do/configure#login-and-consent", "do/test-in-javascript#log-in-or-let-your-client-do-it"],
  },
  { asks: "password of a user", sections: ["do/configure#passwords"] },
  { asks: "custom claim", sections: ["do/configure#claims"] },
  { asks: "email missing in the ID token", sections: ["do/configure#claims"] },
  { asks: "ID token too big", sections: ["do/configure#the-configuration-file"] },
  { asks: "expired token", sections: ["learn/in-a-test", "do/get-a-token"] },
  { asks: "change token lifetime", sections: ["look-up/settings#lifetimes"] },
  { asks: "refresh token rotation", sections: ["do/sessions#refresh-token-rotation", "look-up/settings"] },
  { asks: "disable pkce", sections: ["look-up/settings#pkce"] },
  { asks: "persist clients", sections: ["look-up/stores#clients-and-users-in-a-store"] },
  { asks: "postgres", sections: ["look-up/stores#postgresql"] },
  { asks: "self-signed", sections: ["do/containers-and-ci#the-issuer-in-a-container", "look-up/settings"] },
  { asks: "CORS", sections: ["do/troubleshooting"] },
  { asks: "invalid_grant", sections: ["do/troubleshooting"] },
  { asks: "redirect_uri mismatch", sections: ["do/troubleshooting"] },
  { asks: "port in use", sections: ["do/troubleshooting"] },
  { asks: "ECONNREFUSED", sections: ["do/troubleshooting"] },
  { asks: "validate an access token in my API", sections: ["do/verify-tokens"] },
  { asks: "provider is down", sections: ["do/break-it#scenarios"] },
  { asks: "log out", sections: ["do/sessions#log-out", "look-up/client-logout"] },
  { asks: "device flow", sections: ["look-up/device"] },
  { asks: "environment variable on Windows", sections: ["learn/start#the-command-latchkey"] },
  { asks: "health check", sections: ["do/team#health"] },
  { asks: "uninstall", sections: ["learn/start#good-to-know"] },
];
