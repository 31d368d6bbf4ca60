/** The application of the recipe for Playwright: it shows who is logged in. */

import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import config from "./playwright.config.js";

const issuer = config.webServer[0].url;
const { baseURL } = config.use;
const redirect_uri = `${baseURL}/callback`;
const verifiers = new Map();

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, baseURL);
  const redirect = (location, cookie = []) => response.writeHead(302, { location, "set-cookie": cookie }).end();
  if (pathname === "/login") {
    const [state, verifier] = [randomUUID(), `${randomUUID()}${randomUUID()}`];
    verifiers.set(state, verifier);
    const code_challenge = createHash("sha256").update(verifier).digest("base64url");
    const params = { response_type: "code", client_id: "web", redirect_uri, scope: "openid", state, code_challenge };
    return redirect(`${issuer}/oauth2/authorize?${new URLSearchParams({ ...params, code_challenge_method: "S256" })}`);
  }
  if (pathname === "/callback") {
    const { code, state } = Object.fromEntries(searchParams);
    const body = { grant_type: "authorization_code", code, redirect_uri, code_verifier: verifiers.get(state) };
    const headers = { authorization: `Basic ${btoa("web:secret")}` };
    const tokens = await fetch(`${issuer}/oauth2/token`, { method: "POST", headers, body: new URLSearchParams(body) });
    const { id_token, error } = await tokens.json();
    if (error) return response.writeHead(502).end(`<p>Login failed: ${error}</p>`);
    const { sub } = JSON.parse(atob(id_token.split(".")[1]));
    return redirect("/", `user=${encodeURIComponent(sub)}; HttpOnly`);
  }
  const user = /user=([^;]+)/.exec(request.headers.cookie ?? "")?.[1];
  response.writeHead(200, { "content-type": "text/html" });
  response.end(user ? `<p>Hello ${decodeURIComponent(user)}</p>` : `<a href="/login">Log in</a>`);
}).listen(new URL(baseURL).port, "localhost");
