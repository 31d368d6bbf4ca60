/** Pages of other sites in a real Chromium: what one gets, and the silent renewal of a page on this machine. */

import { assertEquals } from "@std/assert";
import { after, test } from "node:test";
import { readPackageFile } from "../installed.ts";
import { latchkey } from "./server.ts";
import { closeBrowser, executablePath, openPage } from "./harness.ts";

const skip = executablePath === undefined;
const library = executablePath && await readPackageFile("oidc-client-ts/dist/browser/oidc-client-ts.min.js");

/** The pages of every site of these tests: blank, with the library of a client. */
const sites = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === "/oidc-client-ts.js") {
    return new Response(library, { headers: { "content-type": "text/javascript" } });
  }
  const callback = pathname === "/silent" ? "new oidc.UserManager(settings).signinSilentCallback();" : "";
  return new Response(
    `<!DOCTYPE html><title>Page</title><script src="/oidc-client-ts.js"></script>
    <script>const settings = JSON.parse(localStorage.getItem("settings")); ${callback}</script>`,
    { headers: { "content-type": "text/html" } },
  );
});
const { port } = sites.addr;
const [app, sameSite] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
/** The other site, by a name for documentation and by one that could be real. */
const hosts = ["evil.example", "www.evil.example.com"];
const rejected: string[] = [];
/** The documents that the server fetched. */
const fetched: string[] = [];
const as = await latchkey({
  clients: [
    { client_id: "spa", redirect_uris: [app, sameSite].flatMap((origin) => [`${origin}/cb`, `${origin}/silent`]) },
    {
      client_id: "demo-confidential",
      client_secret: "demo-secret",
      grant_types: ["client_credentials"],
    },
  ],
  outbound: (target) => {
    fetched.push(target);
    return Promise.resolve(Response.json({
      client_id: target,
      redirect_uris: hosts.map((host) => `https://${host}:${port}/cb`),
      token_endpoint_auth_method: "none",
    }));
  },
  trace: (event) => void (event.type === "rejected" && rejected.push(event.explanation.rule ?? "")),
});
const { url } = await as.listen({ port: 0 });
after(async () => {
  await closeBrowser();
  await as.close();
  await sites.shutdown();
});

/** The URL of an authorization request. */
function authorizationUrl(fields: Readonly<Record<string, string>>): string {
  return `${url}/oauth2/authorize?` + new URLSearchParams({
    response_type: "code",
    scope: "openid email",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    ...fields,
  });
}

/** Renews a login in a frame by oidc-client-ts at a page of this origin; returns the user, or the error. */
async function renew(origin: string, override: object): Promise<string> {
  await using opened = await openPage(`${origin}/`);
  const { page } = opened;
  await page.goto(authorizationUrl({ client_id: "spa", redirect_uri: `${origin}/cb` }));
  await page.goto(`${origin}/`);
  const settings = {
    ...{ authority: url, client_id: "spa", redirect_uri: `${origin}/cb`, silent_redirect_uri: `${origin}/silent` },
    ...{ scope: "openid profile", automaticSilentRenew: false },
  };
  await page.evaluate((text) => localStorage.setItem("settings", text), JSON.stringify(settings));
  await page.reload();
  return await page.evaluate(
    `new oidc.UserManager(settings).signinSilent(${JSON.stringify(override)}).then((user) => user.profile.sub, String)`,
  );
}

test("[UI-30] oidc-client-ts renews a login in a frame of a page on this machine", { skip }, async () => {
  assertEquals(await renew(sameSite, {}), "alice");
  // Across sites the frame has no cookie, so that prompt=none finds no session.
  assertEquals(await renew(app, { prompt: "" }), "alice");
});

/** What the page of the other site does: it calls endpoints, and opens logins in frames. Returns what it could read. */
async function attack({ as, frames }: { readonly as: string; readonly frames: readonly string[] }): Promise<string[]> {
  const read = (path: string, init: RequestInit) =>
    fetch(as + path, { method: "POST", ...init }).then((response) => response.text(), String);
  const metadata = JSON.stringify({ redirect_uris: [`${location.origin}/cb`], token_endpoint_auth_method: "none" });
  const secret = { client_id: "demo-confidential", client_secret: "demo-secret" };
  const form = (fields: Record<string, string>) => ({ body: new URLSearchParams(fields) });
  const texts = await Promise.all([
    read("/oauth2/register", { body: metadata, headers: { "content-type": "application/json" } }),
    read("/oauth2/register", { body: metadata, mode: "no-cors", headers: { "content-type": "text/plain" } }),
    read("/oauth2/token", form({ ...secret, grant_type: "client_credentials" })),
    read("/oauth2/introspect", form({ ...secret, token: "x" })),
    read("/oauth2/userinfo", { headers: { authorization: "Bearer x" } }),
  ]);
  await Promise.all(frames.map((src) =>
    new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.onload = resolve;
      frame.src = src;
      document.body.append(frame);
    })
  ));
  return texts;
}

test("[HT-22, MC-05, UI-30] a page of another site gets no token and no code", { skip }, async () => {
  for (const host of hosts) {
    const origin = `http://${host}:${port}`;
    const client = `https://www.evil.example.com/${host}.json`;
    const own = { client_id: client, redirect_uri: `https://${host}:${port}/cb` };
    await using opened = await openPage(`${origin}/`);
    const { page } = opened;
    const urls: string[] = [];
    page.context().on("request", (request) => urls.push(request.url()));
    const underOtherName = authorizationUrl({ client_id: "spa", redirect_uri: `${app}/cb` })
      .replace("localhost", "me.evil.example.com");
    const rejectedOfAttack = async () => {
      rejected.length = 0;
      const texts = await page.evaluate(attack, {
        as: url,
        frames: [
          authorizationUrl({ ...own, login_hint: "bob" }),
          authorizationUrl({ client_id: "spa", redirect_uri: `${app}/cb` }),
          underOtherName,
        ],
      });
      assertEquals(texts.filter((text) => /token"|client_id|active|Bob|bob/.test(text)), []);
      return rejected.toSorted();
    };
    const always = ["HT-22", "HT-22", "HT-22", "HT-22", "HT-22"];
    // A frame does not make the server fetch the document of a client.
    assertEquals(await rejectedOfAttack(), [...always, "MC-05", "UI-20", "UI-30"]);
    assertEquals(fetched.includes(client), false);
    // In the window itself.
    rejected.length = 0;
    const arrived = page.waitForRequest((request) => request.url().startsWith(own.redirect_uri));
    // Nothing listens there, so the visit ends at the browser's own page for errors.
    const ended = page.waitForEvent("framenavigated", (frame) => frame === page.mainFrame());
    await page.evaluate((target) => void (location.href = target), authorizationUrl({ ...own, login_hint: "bob" }));
    await arrived;
    await ended;
    assertEquals(rejected, ["UI-30"]);
    assertEquals(fetched.includes(client), true);
    // In frames again, now that the server knows the client.
    await page.goto(`${origin}/`);
    assertEquals(await rejectedOfAttack(), [...always, "UI-20", "UI-30", "UI-30"]);
    assertEquals(urls.filter((target) => target.includes(host) && target.includes("code=")), []);
    assertEquals([...as.clients.known().values()].map(({ id }) => id).filter((id) => !id.startsWith("https:")), [
      ...["spa", "demo-confidential"],
    ]);
  }
});
