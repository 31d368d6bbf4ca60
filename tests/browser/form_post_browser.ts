/** The pages that post an authorization response, to programs that wait for a page to load. */

import { assertEquals } from "@std/assert";
import { after, test } from "node:test";
import { core } from "../../src/core/mod.ts";
import { authorizeParameters, encode } from "../core/kit.ts";
import { closeBrowser, executablePath, openPage } from "./harness.ts";
import { latchkey } from "./server.ts";

after(closeBrowser);

/** An application: a page with the login, and the redirect URI. */
function serveApplication(loginUrl: (redirectUri: string) => string) {
  const server = Deno.serve({ port: 0, hostname: "localhost", onListen: () => {} }, async (request) => {
    const { pathname, origin } = new URL(request.url);
    const page = pathname === "/callback"
      ? `<h1>Welcome back with ${Object.keys(Object.fromEntries(new URLSearchParams(await request.text())))}</h1>`
      : `<a href="${loginUrl(`${origin}/callback`)}">Log in</a>`;
    return new Response(page, { headers: { "content-type": "text/html" } });
  });
  return { url: `http://localhost:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

const users = [{ sub: "alice" }];

interface Server {
  fetch(request: Request): Promise<Response>;
  close?(): Promise<void>;
}

/** Each server that has such a page. */
const servers: Readonly<Record<string, (redirectUri: string) => Promise<Server>>> = {
  "the minimal server": (redirectUri: string) =>
    core({ issuer: "http://localhost:9000", clients: [{ client_id: "spa", redirect_uris: [redirectUri] }], users }),
  "the whole server": (redirectUri: string) =>
    latchkey({ clients: [{ client_id: "spa", redirect_uris: [redirectUri] }], users }),
};

for (const [name, open] of Object.entries(servers)) {
  test(`[FP-01] a form_post response leaves after the load event of its page: ${name}`, {
    skip: executablePath === undefined,
  }, async () => {
    let login = "";
    await using application = serveApplication(() => login);
    const redirect_uri = `${application.url}/callback`;
    const server = await open(redirect_uri);
    const listener = Deno.serve({ port: 0, hostname: "localhost", onListen: () => {} }, (request) => {
      const url = new URL(request.url);
      return server.fetch(new Request(new URL(url.pathname + url.search, "http://localhost:9000"), request));
    });
    try {
      const query = encode({ ...authorizeParameters, redirect_uri, response_mode: "form_post" });
      login = `http://localhost:${listener.addr.port}/oauth2/authorize?${query.replaceAll("&", "&amp;")}`;
      await using opened = await openPage(application.url);
      const { page, problems } = opened;
      const loaded: string[] = [];
      page.on("load", () => loaded.push(new URL(page.url()).pathname));
      await page.getByText("Log in").click();
      await page.getByRole("heading", { name: "Welcome back with code,state,iss" }).waitFor();
      await page.waitForLoadState("load");
      assertEquals(loaded, ["/oauth2/authorize", "/callback"]);
      assertEquals(problems, []);
    } finally {
      await listener.shutdown();
      await server.close?.();
    }
  });
}
