/** Open redirects after a login: who can name a page of another site as the target (RFC 9700 §4.11.1). */

import { type Attack, type Conclusion, defineAttack, type Stage } from "../define_attack.ts";
import { type ClientBrowser, type ClientJourney, type ClientSession, LoginLimitError } from "../driver.ts";
import { requestedParam } from "../requested_param.ts";
import { withParameters } from "./callback_parameters.ts";
import { conclude } from "./conclusions.ts";
import { oneOf } from "./parameters.ts";

/** Common names of parameters with the target after a login. */
const targetParameters = [
  ...["return_to", "returnTo", "return_url", "returnUrl", "return", "redirect", "redirect_to", "redirectTo"],
  ...["redirect_url", "redirectUrl", "next", "continue", "callbackUrl", "target", "target_link_uri", "url", "rd"],
];

/** Hosts of another site whose names end or begin with the name of the application's host. */
const similarHosts = (own: string, host: string) => [`latchkey${own}`, `${own}.${host}`] as const;

/** Pages of another site, by how they are written. */
function foreignPages({ origin, host: own }: URL, host: string): Readonly<Record<string, string>> {
  const [withEnd, withBeginning] = similarHosts(own, host);
  return {
    other: `https://${host}/`,
    slashes: `//${host}/`,
    backslash: `/\\${host}/`,
    "encoded twice": `/%2F${host}/`,
    "encoded backslash": `/%5C${host}/`,
    tab: `/\t/${host}/`,
    user: `${origin}@${host}/`,
    "same end": `https://${withEnd}/`,
    "same beginning": `https://${withBeginning}/`,
  };
}

/** How a page of another site is written. */
const foreignForms = Object.keys(foreignPages(new URL("https://client.test"), ""));

/** How a target is sent. */
const targetForms = [
  ...foreignForms,
  ...["referer", "own parameter", "response", "error"],
];

/** The parameters in which the application itself sends a target, in a redirect to one of its URLs. */
function ownTargetParameters({ visits }: ClientBrowser): readonly string[] {
  return visits.flatMap(({ url, location }) => {
    if (location === undefined || !URL.canParse(location) || new URL(location).origin !== new URL(url).origin) {
      return [];
    }
    const isTarget = (value: string) => URL.canParse(value, url) && /^(?:https?:|\/)/.test(value);
    return [...new URL(location).searchParams].flatMap(([name, value]) => isTarget(value) ? [name] : []);
  });
}

/** Requests the page of the user without the cookies of the login, so that the application asks for a login. */
async function openWithoutLogin({ currentUser }: ClientSession, { browser }: ClientJourney): Promise<void> {
  browser.cookies.clear();
  await currentUser?.();
}

/** Waits for a promise, and ignores its failure. @throws {LoginLimitError} If the application limits logins. */
export const untilEnded = (login: Promise<unknown>) =>
  login.catch((thrown: unknown) => {
    if (thrown instanceof LoginLimitError) throw thrown;
  });

/** Waits for a login, and concludes whether the application redirected the browser to one of these hosts. */
async function concludeTarget(
  login: Promise<unknown>,
  { visits }: ClientBrowser,
  hosts: readonly string[],
  { as }: Stage,
): Promise<Conclusion> {
  await untilEnded(login);
  const targets = visits.map(({ location }) => location);
  const redirectUris = as.log.unmasked.exchanges.map((exchange) => requestedParam(exchange, "redirect_uri"));
  const foreign = [...targets, ...redirectUris].map((url) => String(url ?? "")).find((url) =>
    URL.canParse(url) && hosts.includes(new URL(url).host)
  );
  return conclude(
    foreign && `the application redirects the browser to ${foreign}, or has the server do it`,
    "the application redirects the browser to no other site",
    "redirected",
    foreign && `named ${foreign} as the target of the browser`,
  );
}

export const targetAttacks: readonly Attack[] = [
  defineAttack({
    id: "session/return-target",
    title: "The URL that starts the login has a parameter with the URL of another site, as a target after the login.",
    correctClient: "The client redirects the browser only to the issuer and within the application.",
    needs: ["visits", "receiveCallback"],
    requirement: "RFC 9700 §4.11.1",
    sources: ["CWE-601"],
    ...oneOf(
      "how",
      targetForms,
      `How the URL is written: ${targetForms.slice(0, -4).join(", ")}; or where it is: in the header Referer, in a ` +
        "parameter that the application itself uses, in an authorization response, or in one with an error.",
    ),
    async perform(stage, { how }) {
      const { driver, journey, trap, openBrowser, startLogin } = stage;
      const { host } = new URL(trap.origin);
      const own = new URL(journey.redirectUri);
      const target = foreignPages(own, host)[how] ?? `https://${host}/`;
      const parameters = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, target]));
      const hosts = [host, ...similarHosts(own.host, host)];
      if (how === "response" || how === "error") {
        const { callback, session, respond } = await startLogin();
        const response = withParameters(callback, parameters(targetParameters));
        respond(response);
        if (how === "response") return await concludeTarget(session, journey.browser, hosts, stage);
        const link = withParameters(response, { code: undefined, state: undefined, error: "access_denied" });
        const other = openBrowser();
        return await concludeTarget(driver.receiveCallback!(other, link), other.browser, hosts, stage);
      }
      if (how === "own parameter") {
        const before = openBrowser();
        await untilEnded(openWithoutLogin(await driver.logIn!(before), before));
        const loginParameters = parameters(ownTargetParameters(before.browser));
        return await concludeTarget(driver.logIn!({ ...journey, loginParameters }), journey.browser, hosts, stage);
      }
      const changed = how === "referer"
        ? { headers: { referer: target } }
        : { loginParameters: parameters(targetParameters) };
      return await concludeTarget(driver.logIn!({ ...journey, ...changed }), journey.browser, hosts, stage);
    },
  }),
  defineAttack({
    id: "session/forwarded-host",
    level: "should-reject",
    title:
      "The requests of the browser name another host in X-Forwarded-Host and Forwarded; a cache could keep the response.",
    correctClient:
      "The client builds URLs from its configured origin, and accepts these headers only from its own proxy.",
    needs: ["visits"],
    sources: ["RFC 7239 §8.1", "CWE-601"],
    async perform(stage) {
      const { driver, journey, trap } = stage;
      const { host } = new URL(trap.origin);
      const headers = { "x-forwarded-host": host, forwarded: `host=${host}` };
      return await concludeTarget(driver.logIn!({ ...journey, headers }), journey.browser, [host], stage);
    },
  }),
];
