/** How `webApplication` decides whether an application accepted a login. The application is a function. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { cookieJar } from "../../../src/testing/browser/cookie_jar.ts";
import { type ClientJourney, UndecidedError, unknownUser } from "../../../src/check/driver.ts";
import { webApplication } from "../../../src/check/web_application.ts";

const application = "https://shop.test";
const issuer = "https://as.test";
const redirectTo = (location: string) => new Response(null, { status: 302, headers: { location } });

/** A login with a new browser. */
const journeyWith = (more: Partial<ClientJourney>) => ({
  ...{ issuer, redirectUri: `${application}/callback`, browser: { cookies: cookieJar(() => 0), visits: [] } },
  ...{ signal: new AbortController().signal, ...more },
} as ClientJourney);

/** Logs in once without an error, and then once to an application whose callback and page of the user respond so. */
async function logInAfterFirst(
  { callback, me, login, loggedOutStatus = 401, redirectUri = `${application}/callback` }: {
    readonly callback?: () => Response;
    readonly me?: () => Response;
    readonly login?: () => Response;
    readonly loggedOutStatus?: number;
    readonly redirectUri?: string;
  },
) {
  let isFirst = true;
  const requested: string[] = [];
  const respond = (url: string, headers: Headers): Response => {
    requested.push(url);
    const { pathname } = new URL(url);
    if (pathname === "/login") return (isFirst ? undefined : login?.()) ?? redirectTo(`${issuer}/authorize`);
    if (pathname === "/loop") return redirectTo("/loop");
    if (pathname === "/callback") {
      if (!isFirst && callback !== undefined) return callback();
      const response = redirectTo("/me");
      response.headers.set("set-cookie", "user=alice");
      return response;
    }
    if (!isFirst && me !== undefined) return me();
    const user = headers.get("cookie")?.match(/user=(\w+)/)?.[1];
    if (user === undefined) return new Response("Log in", { status: loggedOutStatus });
    return new Response(`${user} <a href="/logout">Log out</a>`);
  };
  const driver = webApplication(`${application}/login`, {
    loggedInUrl: `${application}/me`,
    loggedInText: "alice",
    fetch: (url, init) => Promise.resolve(respond(String(url), new Headers(init!.headers))),
  });
  const callbackRequest = {
    url: `${application}/callback?code=c`,
    method: "GET",
    params: new URLSearchParams(),
  } as const;
  const logIn = () => driver.logIn!(journeyWith({ redirectUri, authorize: () => Promise.resolve(callbackRequest) }));
  assertEquals((await logIn()).sub, "alice");
  isFirst = false;
  return { second: logIn(), requested };
}

const endless = () =>
  new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1 << 20).fill(97)) });

/** Error responses, each with the text of the error that the driver reports for it. */
const errors: Readonly<Record<string, readonly [(headers: HeadersInit) => Response, string]>> = {
  "status 400": [
    (headers) => new Response(`<p>${"<script ".repeat(40_000)}`, { status: 400, headers }),
    "the login failed: status 400",
  ],
  "a redirect to another site": [
    (headers) => new Response(null, { status: 302, headers: { location: "https://other.test/", ...headers } }),
    "redirects the browser to https://other.test/",
  ],
  "redirects without end": [
    (headers) => new Response(null, { status: 302, headers: { location: "/loop", ...headers } }),
    "redirects more than 30 times",
  ],
  "a page without end": [(headers) => new Response(endless(), { headers }), "at most 2000000 bytes"],
};

for (const [name, [respond, message]] of Object.entries(errors)) {
  test(`an application that responds with ${name} accepted the login if the user is logged in`, async () => {
    const accepted = await logInAfterFirst({ callback: () => respond({ "set-cookie": "user=alice" }) });
    assertEquals((await accepted.second).sub, "alice");
    const rejected = await logInAfterFirst({ callback: () => respond({}) });
    assertStringIncludes((await assertRejects(() => rejected.second, Error)).message, message);
    const unknown = await logInAfterFirst({
      callback: () => respond({}),
      me: () => {
        throw new TypeError("connection closed");
      },
    });
    await assertRejects(() => unknown.second, UndecidedError, "/me does not show who is logged in: connection closed");
  });
}

test("a page with a logout is one after a login, even if it shows no user and has the status of the page before", async () => {
  const pageOf = (text: string) => ({ loggedOutStatus: 200, me: () => new Response(text) });
  const without = await logInAfterFirst(pageOf('null <a href="/logout">Log out</a>'));
  assertEquals((await without.second).sub, unknownUser);
  const unclear = await logInAfterFirst(pageOf("no page"));
  await assertRejects(() => unclear.second, UndecidedError);
});

test("the browser opens no file, even if the redirect URI has a scheme of its own", async () => {
  const { second, requested } = await logInAfterFirst({
    redirectUri: "com.example.app:/callback",
    login: () => redirectTo("file:///etc/hostname"),
  });
  await assertRejects(
    () => second,
    Error,
    "expected a redirect to an http or https URL, received file:///etc/hostname",
  );
  assertEquals(requested.filter((url) => !url.startsWith("https://")), []);
});

test("a form is posted with the origin of its page; a redirect from another origin, or form_post, makes it null", async () => {
  const sent: string[] = [];
  const form = `<form method="post" action="https://localhost:9999/start"></form>`;
  const responses: Readonly<Record<string, () => Response>> = {
    [`GET ${application}/login`]: () => new Response(form, { headers: { "content-type": "text/html" } }),
    "POST https://localhost:9999/start": () => new Response(null, { status: 307, headers: { location: "/next" } }),
    "POST https://localhost:9999/next": () =>
      new Response(null, { status: 308, headers: { location: `${application}/begin` } }),
    [`POST ${application}/begin`]: () => redirectTo(`${issuer}/authorize`),
    [`POST ${application}/callback`]: () => new Response("alice"),
    [`GET ${application}/me`]: () => new Response("alice"),
  };
  const driver = webApplication(`${application}/login`, {
    loggedInUrl: `${application}/me`,
    fetch: (url, init) => {
      const origin = new Headers(init!.headers).get("origin");
      sent.push(`${init!.method} ${url} ${origin ?? "without"}`);
      return Promise.resolve(responses[`${init!.method} ${url}`]!());
    },
  });
  const callback = {
    url: `${application}/callback`,
    method: "POST",
    params: new URLSearchParams({ code: "c" }),
  } as const;
  await driver.logIn!(journeyWith({ authorize: () => Promise.resolve(callback) })).catch(() => {});
  assertEquals(sent.slice(0, 5), [
    `GET ${application}/login without`,
    `POST https://localhost:9999/start ${application}`,
    `POST https://localhost:9999/next ${application}`,
    `POST ${application}/begin null`,
    `POST ${application}/callback null`,
  ]);
});

test("an application on a real host sends no form to this machine", async () => {
  const sent: string[] = [];
  const driver = webApplication("https://shop.example.com/login", {
    fetch: (url) => {
      sent.push(String(url));
      const form = `<form method="post" action="http://127.0.0.1:8500/start"></form>`;
      return Promise.resolve(new Response(form, { headers: { "content-type": "text/html" } }));
    },
  });
  const journey = journeyWith({
    issuer: "https://issuer.example.com",
    redirectUri: "https://shop.example.com/callback",
  });
  await assertRejects(
    async () => await driver.logIn!(journey),
    Error,
    "the application redirects the browser to http://127.0.0.1:8500/start",
  );
  assertEquals(sent, ["https://shop.example.com/login"]);
});

test("a back-channel request has no origin, and a form of an https page posted without TLS has null", async () => {
  const sent: (string | null)[] = [];
  const page = `<form method="post" action="http://localhost:9999/start"></form>`;
  const driver = webApplication(`${application}/login`, {
    fetch: (_, init) => {
      if (init!.method === "POST") sent.push(new Headers(init!.headers).get("origin"));
      return Promise.resolve(new Response(page, { headers: { "content-type": "text/html" } }));
    },
  });
  const journey = journeyWith({});
  await driver.receive!(journey, new Request(`${application}/out`, { method: "POST", body: "x=y" }));
  await assertRejects(() => driver.logIn!(journey), Error, "did not lead to");
  assertEquals(sent, [null, "null"]);
});
