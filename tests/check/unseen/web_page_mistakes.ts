/** Web applications with one mistake each: accounts, sessions, redirects and pages. */

import { decodeJwt } from "jose";
import type { Entry } from "./entry.ts";
import { randomText } from "./requests.ts";
import { cookieOf, htmlPage, origin, redirect } from "./web.ts";

export const webPageMistakes: readonly Entry[] = [
  {
    kind: "web",
    name: "knows users by their email address",
    source: "CVE-2026-9084 (MISP), mcdonc/klangk#1226",
    pages: () => ({ accountKey: ({ email, sub }) => String(email ?? sub) }),
  },
  {
    kind: "web",
    name: "knows users by their preferred user name",
    source: "Bothari/Athenaeum#13, OpenID Connect Core §5.7",
    pages: () => ({ accountKey: ({ preferred_username, sub }) => String(preferred_username ?? sub) }),
  },
  {
    kind: "web",
    name: "logs in the user whom a URL names, as its own callback does",
    source: "UPDOT/payload-auth-plugin#110",
    pages: () => ({
      landing: (_, __, { id_token }, cookies) =>
        redirect(`/authentication?sub=${encodeURIComponent(decodeJwt(id_token!).sub!)}`, cookies),
      other(request, { sessions }) {
        const { pathname, searchParams } = new URL(request.url);
        const sub = searchParams.get("sub");
        if (pathname !== "/authentication" || sub === null) return undefined;
        const [id, old] = [randomText(), cookieOf(request, "__Host-session") ?? ""];
        const session = sessions.get(old) ?? { idToken: { sub }, tokens: { access_token: "" } };
        sessions.delete(old);
        sessions.set(id, { ...session, account: { sub, claims: { sub } } });
        return redirect("/", [`__Host-session=${id}; Path=/; HttpOnly; Secure; SameSite=Lax`]);
      },
    }),
  },
  {
    kind: "web",
    name: "keeps the identifier of the session that the browser had before the login",
    source: "apache/tooling-trusted-releases#733, Yeraze/meshmonitor#2034",
    pages: () => ({ newSessionId: (request) => cookieOf(request, "__Host-browser")! }),
  },
  {
    kind: "web",
    name: "redirects to a target with a backslash",
    source: "DeliciousBuding/DiffAudit-Platform#39, remix-run/remix#11449",
    foundBy: "session/return-target",
    pages: () => ({
      returnTo({ url }) {
        const target = new URL(url).searchParams.get("next") ?? "/";
        return target.startsWith("/") && !target.startsWith("//") ? target : "/";
      },
    }),
  },
  {
    kind: "web",
    name: "redirects to any target that begins with a slash",
    source: "hexpm/hexdocs#74, onfranciis/OID#28",
    foundBy: "session/return-target",
    pages: () => ({
      returnTo({ url }) {
        const target = new URL(url).searchParams.get("next") ?? "/";
        return target.startsWith("/") ? target : "/";
      },
    }),
  },
  {
    kind: "web",
    name: "builds its redirect URI from a header",
    source: "komalharshita/DevPath#1851, plotly/dash-auth#174",
    foundBy: "session/forwarded-host",
    pages: () => ({
      redirectUri: ({ headers }) => `https://${headers.get("x-forwarded-host") ?? "shop.test"}/callback`,
    }),
  },
  {
    kind: "web",
    name: "sends the user to the host that a header names after the login",
    source: "jd-oviedo/TSIA2Math#136",
    foundBy: "session/forwarded-host",
    pages: () => ({
      landing: ({ headers }, { target = "/" }, _, cookies) =>
        redirect(`https://${headers.get("x-forwarded-host") ?? new URL(origin).host}${target}`, cookies),
    }),
  },
  {
    kind: "web",
    name: "passes its tokens to its pages in the URL",
    source: "josuebrunel/ezauth#93, vstorm-co/agenticos#14",
    foundBy: "session/token-in-url",
    pages: () => ({
      landing(_, { target = "/" }, { access_token, refresh_token }, cookies) {
        const query = new URLSearchParams({ access_token, refresh_token: String(refresh_token) });
        return redirect(`${target}?${query}`, cookies);
      },
    }),
  },
  {
    kind: "web",
    name: "shows the description of an error as HTML",
    source: "mcdonc/klangk#562",
    foundBy: "session/markup",
    pages: () => ({
      errorPage: (_, error, params) =>
        htmlPage(403, `<h1>The login failed</h1><p>${params.get("error_description") ?? error.message}</p>`),
    }),
  },
];
