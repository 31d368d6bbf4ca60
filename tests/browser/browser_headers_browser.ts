/** The header fields with which `webApplication` sends its requests are those of Chromium. */

import { assertEquals } from "@std/assert";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import type { ClientJourney } from "../../src/check/driver.ts";
import { webApplication } from "../../src/check/web_application.ts";
import { cookieJar } from "../../src/testing/browser/cookie_jar.ts";
import { until } from "../until.ts";
import { closeBrowser, executablePath, openPage } from "./harness.ts";

after(closeBrowser);

const compared = /^(?:accept|origin|upgrade-insecure-requests|sec-fetch-(?:site|mode|dest|user))$/;

async function listen(handle: RequestListener) {
  const server = createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close };
}

for (const host of ["localhost", "127.0.0.1"]) {
  for (const [start, method] of [["/login", "GET"], ["/form", "POST"]] as const) {
    test(`the requests of ${start} with a response by ${method} from ${host} are those of Chromium`, {
      skip: executablePath === undefined,
    }, async () => {
      const sent = new Map<string, unknown>();
      const handle: RequestListener = ({ method: by, url = "", headers }, response) => {
        const redirects: Readonly<Record<string, readonly [number, string]>> = {
          "/login": [302, `${issuer}/authorize`],
          "/start": [307, `${issuer}/away`],
          "/away": [307, `${application}/back`],
          "/back": [302, `${issuer}/authorize`],
          "/callback": [302, "/me"],
        };
        const form =
          `<meta name="referrer" content="no-referrer"><form method="post" action="${application}/callback">`;
        const pages: Readonly<Record<string, string>> = {
          "/form": `<form method="post" action="/start"><button>Go</button></form>`,
          "/authorize": method === "GET"
            ? `<a href="${application}/callback">Go</a>`
            : `${form}</form><script>document.forms[0].submit()</script>`,
          "/me": "<script>fetch('/api')</script>",
          "/frames": `<iframe src="${application}/out"></iframe>`,
          "/api": headers.cookie ?? "",
        };
        // The types of images differ between versions.
        const own = Object.entries(headers).filter(([name]) => compared.test(name))
          .map(([name, value]) => [name, String(value).replace(/image\/\w+,/g, "")]);
        sent.set(`${by} ${url}`, Object.fromEntries(own));
        const [status, location] = redirects[url] ?? [url === "/api" && headers.cookie === undefined ? 401 : 200];
        response.writeHead(status, {
          "content-type": url === "/api" ? "application/json" : "text/html",
          ...location !== undefined && { location },
          ...url === "/callback" && { "set-cookie": "user=alice; SameSite=None; Secure" },
        });
        response.end(pages[url] ?? "");
      };
      await using own = await listen(handle);
      await using server = await listen(handle);
      const [application, issuer] = [`http://localhost:${own.port}`, `http://${host}:${server.port}`];

      const driver = webApplication(application + start, { loggedInUrl: `${application}/api` });
      const redirectUri = `${application}/callback`;
      const journey: Partial<ClientJourney> = {
        ...{ issuer, redirectUri, signal: AbortSignal.timeout(60_000) },
        browser: { cookies: cookieJar(Date.now), visits: [] },
        authorize: () => Promise.resolve({ url: redirectUri, method, params: new URLSearchParams({ code: "c" }) }),
      };
      await driver.logIn!(journey as ClientJourney);
      await driver.receive!(journey as ClientJourney, new Request(`${application}/out`));
      const ours = Object.fromEntries(sent);
      sent.clear();

      await using opened = await openPage(application + start);
      const { page } = opened;
      if (start === "/form") await page.getByText("Go").click();
      if (method === "GET") await page.getByText("Go").click();
      await page.waitForURL(`${application}/me`);
      await until(() => sent.has("GET /api"));
      await page.goto(`${issuer}/frames`);
      await until(() => sent.has("GET /out"));
      assertEquals(ours, Object.fromEntries(Object.keys(ours).map((request) => [request, sent.get(request)])));
    });
  }
}
