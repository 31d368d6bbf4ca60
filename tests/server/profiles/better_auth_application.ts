/** An application with better-auth, at `https://app.example/api/auth`, and one browser in front of it. */

import { assert } from "@std/assert";
import { betterAuth, type BetterAuthOptions } from "better-auth";
import { genericOAuth, type GenericOAuthConfig } from "better-auth/plugins/generic-oauth";
import { getRedirectLocation, openBrowser } from "../applications.ts";
import { getForm } from "../browser.ts";

/** Logs in with a provider of the plugin for others; returns the user of the session. */
export function loginWithBetterAuth(provider: GenericOAuthConfig): Promise<Record<string, unknown>> {
  return logIn(provider.providerId, { plugins: [genericOAuth({ config: [provider] })] });
}

/** Logs in with a provider that better-auth has itself; returns the user of the session. */
export function loginWithOwnProvider(
  socialProviders: NonNullable<BetterAuthOptions["socialProviders"]>,
): Promise<Record<string, unknown>> {
  return logIn(Object.keys(socialProviders)[0]!, { socialProviders });
}

async function logIn(provider: string, options: BetterAuthOptions): Promise<Record<string, unknown>> {
  const auth = betterAuth({
    baseURL: "https://app.example",
    secret: "the secret of the application itself",
    logger: { disabled: true },
    // The form of Apple comes from there.
    trustedOrigins: ["https://appleid.apple.com"],
    ...options,
  });
  const cookies = new Map<string, string>();
  const send = async (url: string, body?: object | URLSearchParams) => {
    const headers = new Headers({ cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") });
    const isForm = body instanceof URLSearchParams;
    if (body !== undefined) headers.set("origin", isForm ? "https://appleid.apple.com" : "https://app.example");
    if (body !== undefined && !isForm) headers.set("content-type", "application/json");
    const init = body === undefined
      ? { headers }
      : { method: "POST", body: isForm ? body : JSON.stringify(body), headers };
    const response = await auth.handler(new Request(url, init));
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    return response;
  };
  const started = await send("https://app.example/api/auth/sign-in/social", {
    provider,
    callbackURL: "/home",
  });
  const { url } = await started.json();
  const response = await openBrowser()(url);
  const home = await getRedirectLocation(
    response.status === 200
      ? await postForm(await response.text(), send)
      : await send(await getRedirectLocation(response)),
  );
  assert(new URL(home, "https://app.example").pathname === "/home", home);
  const session = await (await send("https://app.example/api/auth/get-session")).json();
  return session.user;
}

/** Posts the form of a page; a browser follows the redirect that better-auth then sends. */
async function postForm(
  page: string,
  send: (url: string, body?: URLSearchParams) => Promise<Response>,
): Promise<Response> {
  const { action, fields } = getForm(page);
  const posted = await send(action, new URLSearchParams(fields.map(([name, value]) => [name, value])));
  const location = await getRedirectLocation(posted);
  return new URL(location).pathname.includes("/callback/") ? await send(location) : posted;
}
