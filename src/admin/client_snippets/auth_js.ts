/** Settings for Auth.js, which NextAuth 5 is made of. */

import { lines, literal, unfitForWeb, unfitMethod } from "./about.ts";
import type { WriteSettings } from "./about.ts";

const library = "Auth.js";
const place = "auth.js: the list of providers";

/** A provider of its own; its id is the last word of the redirect URI. */
export const authJs: WriteSettings = (about) => {
  const unfit = unfitForWeb(about) ??
    unfitMethod(about, ["none", "client_secret_basic", "client_secret_post"]);
  if (unfit !== undefined) return { library, place, notes: [unfit] };
  const id = /\/callback\/([A-Za-z0-9_-]+)$/.exec(new URL(about.redirectUri!).pathname)?.[1];
  const text = lines(
    `export const providers = [`,
    `  {`,
    `    id: ${literal(id ?? "latchkey")},`,
    `    name: "Latchkey",`,
    `    type: "oidc",`,
    `    issuer: ${literal(about.issuer)},`,
    `    clientId: ${literal(about.clientId)},`,
    about.secret !== undefined && `    clientSecret: ${literal(about.secret)},`,
    about.authMethod !== "client_secret_basic" &&
      `    client: { token_endpoint_auth_method: ${literal(about.authMethod)} },`,
    `    idToken: false, // name and e-mail address come from userinfo`,
    `    authorization: { params: { scope: ${literal(about.scope.join(" "))} } },`,
    `    checks: ["pkce", "state", "nonce"],`,
    `  },`,
    `];`,
  );
  const notes = id === undefined
    ? [
      "Auth.js is called back at /api/auth/callback/latchkey in Next.js and at /auth/callback/latchkey elsewhere, and " +
      "no such redirect URI is registered for this client.",
    ]
    : [];
  return { library, place, text, notes };
};
