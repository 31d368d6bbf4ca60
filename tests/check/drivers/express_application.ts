/** A web application with Express and express-openid-connect, as its documentation describes it, on a free port. */

import express from "express";
import { auth } from "express-openid-connect";
import { serveSample } from "../../server/profiles/samples/web_sample.ts";

/** A running application. */
export interface ExpressApplication extends AsyncDisposable {
  /** Its origin; `/login` starts a login, `/me` responds with 401 without one. */
  readonly url: string;
  /** Forgets everything, like a restart. */
  restart(): Promise<void>;
}

/**
 * Starts the application.
 *
 * @param register Receives its URL, and returns the client.
 * @param flow `default`: that of the library, an ID token that is posted to the callback.
 */
export async function startExpressApplication(
  issuer: string,
  register: (url: string) => { readonly client_id: string; readonly client_secret?: string },
  flow: "code" | "default" = "code",
): Promise<ExpressApplication> {
  const app = express();
  const sample = await serveSample(app);
  const { url } = sample;
  const { client_id: clientID, client_secret: clientSecret } = register(url);
  const newMiddleware = () =>
    auth({
      authRequired: false,
      baseURL: url,
      issuerBaseURL: issuer,
      clientID,
      clientSecret,
      secret: "the secret of the application itself",
      ...flow === "code" && { authorizationParams: { response_type: "code", scope: "openid profile email" } },
    });
  let middleware = newMiddleware();
  app.use((request: unknown, response: unknown, next: unknown) => middleware(request, response, next));
  // deno-lint-ignore no-explicit-any
  app.get("/me", (request: any, response: any) => {
    if (!request.oidc.isAuthenticated()) return response.status(401).send("no login");
    response.json(request.oidc.user);
  });
  app.get("/", (_: unknown, response: { send(text: string): void }) => response.send("Welcome"));
  // deno-lint-ignore no-explicit-any
  app.use((error: any, _request: unknown, response: any, _next: unknown) => {
    const message = String(error.message).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    response.status(error.status ?? 500).send(`<h1>${error.name}</h1><p>${message}</p>`);
  });
  return { ...sample, restart: () => Promise.resolve(void (middleware = newMiddleware())) };
}
