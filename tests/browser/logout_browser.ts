/** Front-channel logout in a real Chromium: frames of clients on other sites, one of which never responds. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { after, test } from "node:test";
import { latchkey } from "./server.ts";
import { closeBrowser, executablePath, type OpenedPage, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;

/** A client: it remembers the URLs that were requested; those below `/hang` never get a response. */
function startClient() {
  const seen: URL[] = [];
  const hanging = new Set<() => void>();
  const server = Deno.serve({ port: 0, hostname: "localhost", onListen: () => {} }, (request) => {
    const url = new URL(request.url);
    if (url.pathname !== "/favicon.ico") seen.push(url);
    const response = new Response(`<!DOCTYPE html><title>Client</title><h1>Bye from ${url.pathname}</h1>`, {
      headers: { "content-type": "text/html" },
    });
    if (url.pathname !== "/hang") return response;
    return new Promise((resolve) => hanging.add(() => resolve(response)));
  });
  const close = async () => {
    for (const respond of hanging) respond();
    await server.shutdown();
  };
  return { seen, close, origin: `http://localhost:${server.addr.port}` };
}

const clients = { shop: startClient(), wiki: startClient() };
const timeout = 2;
const as = await latchkey({
  clientLogout: { timeout },
  clients: Object.entries(clients).flatMap(([name, { origin }]) =>
    ["front", "hang"].map((path) => ({
      client_id: `${name}-${path}`,
      client_name: path === "hang" ? `The slow ${name}` : `The ${name}`,
      redirect_uris: [`${origin}/cb`],
      post_logout_redirect_uris: [`${origin}/bye`],
      frontchannel_logout_uri: `${origin}/${path}?tenant=7`,
      client_secret: "a-secret",
    }))
  ),
});
const { url } = await as.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await as.close();
  for (const { close } of Object.values(clients)) await close();
});

/** Logs in to a client in the browser, and returns the ID token. */
async function logIn({ page }: OpenedPage, client_id: string): Promise<string> {
  const { origin, seen } = clients[client_id.split("-")[0] as "shop"];
  const redirect_uri = `${origin}/cb`;
  const query = { response_type: "code", client_id, redirect_uri, scope: "openid" };
  await page.goto(`${url}/oauth2/authorize?${new URLSearchParams(query)}`);
  const code = seen.at(-1)!.searchParams.get("code")!;
  const body = new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri, client_id });
  body.set("client_secret", "a-secret");
  return (await (await fetch(`${url}/oauth2/token`, { method: "POST", body })).json()).id_token;
}

function logoutUrl(id_token_hint: string, fields: Record<string, string> = {}): string {
  return `${url}/oauth2/logout?${new URLSearchParams({ id_token_hint, ...fields })}`;
}

const post_logout_redirect_uri = `${clients.shop.origin}/bye`;

test("[FC-02, FC-04] all frames load, and then the browser continues to the client", { skip }, async () => {
  await using opened = await openPage(`${url}/`);
  const { page, problems } = opened;
  await logIn(opened, "wiki-front");
  const id_token = await logIn(opened, "shop-front");
  for (const { seen } of Object.values(clients)) seen.length = 0;
  // The page must not wait for its limit: no timer of it fires.
  await page.addInitScript("globalThis.setTimeout = () => 0;");
  await page.goto(logoutUrl(id_token, { post_logout_redirect_uri, state: "s" }));
  await page.getByRole("heading", { name: "Bye from /bye" }).waitFor();
  assertEquals(page.url(), `${post_logout_redirect_uri}?state=s`);
  assertEquals(clients.wiki.seen.map(({ pathname }) => pathname), ["/front"]);
  const [frame, bye] = clients.shop.seen;
  assertEquals([frame!.pathname, bye!.pathname], ["/front", "/bye"]);
  assertEquals([...frame!.searchParams.keys()], ["tenant", "iss", "sid"]);
  assertEquals(frame!.searchParams.get("iss"), url);
  assertEquals(problems, []);
});

test("[FC-04] a frame that never responds holds the browser up for the limit alone", { skip }, async () => {
  await using opened = await openPage(`${url}/`);
  const { page } = opened;
  await logIn(opened, "shop-front");
  await logIn(opened, "wiki-hang");
  const id_token = await logIn(opened, "shop-hang");
  await page.goto(logoutUrl(id_token, { post_logout_redirect_uri }), { waitUntil: "commit" });
  await page.getByRole("link", { name: "Continue" }).waitFor();
  await takeScreenshot(opened, "logging-out-hanging");
  assertStringIncludes(await page.locator("main").innerText(), "The slow wiki");
  await page.getByRole("heading", { name: "Bye from /bye" }).waitFor();
});

test("[FC-04] without script the page has a link, and its frames load all the same", { skip }, async () => {
  await using opened = await openPage(`${url}/`, { javaScriptEnabled: false });
  const { page } = opened;
  await logIn(opened, "wiki-front");
  const id_token = await logIn(opened, "shop-front");
  for (const { seen } of Object.values(clients)) seen.length = 0;
  await page.goto(logoutUrl(id_token, { post_logout_redirect_uri }));
  assertEquals([clients.shop.seen.length, clients.wiki.seen.length], [1, 1]);
  assertEquals(await findPageProblems(opened), []);
  await takeScreenshot(opened, "logging-out-bare");
  await page.getByRole("link", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Bye from /bye" }).waitFor();
});

test("[FC-04] without a post_logout_redirect_uri the user stays on the page", { skip }, async () => {
  await using opened = await openPage(`${url}/`, { viewport: { width: 320, height: 700 }, colorScheme: "dark" });
  const { page } = opened;
  const id_token = await logIn(opened, "shop-front");
  await page.goto(logoutUrl(id_token));
  assertEquals(await page.locator("h1").innerText(), "You are logged out");
  assertEquals(await findPageProblems(opened), []);
  await takeScreenshot(opened, "logging-out-stays");
  assertEquals(page.url(), logoutUrl(id_token));
});
