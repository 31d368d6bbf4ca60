/** A web application that is configured with one issuer, and its check: as a function, or over sockets. */

import { applicationDriver } from "../../src/check/open_check.ts";
import { webApplication } from "../../src/check/web_application.ts";
import type { CheckOptions, CheckReport } from "../../src/check/mod.ts";
import type { User } from "../../src/mod.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import type { TestLatchkey } from "../../src/testing/test_latchkey.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { checkClient } from "./patient_check.ts";
import {
  type ApplicationMistake,
  type Configuration,
  startWebApplication,
  type WebApplication,
  webApplicationAt,
} from "./small_web_application.ts";

/** The origin of the application that is a function. */
export const shop = "https://shop.test";

const issuer = "http://localhost:9000";

/** How an application that is a function is checked. */
export interface FunctionOptions extends Omit<CheckOptions, "as" | "restart"> {
  /** What differs from the correct application. */
  readonly application?:
    | Partial<Configuration>
    | ((as: TestLatchkey) => Partial<Configuration> | Promise<Partial<Configuration>>);
  /** The users of the server. Default: those of every test. */
  readonly users?: readonly User[];
  /** How the client is registered. Default: as a public one. */
  readonly client?: Parameters<TestLatchkey["client"]>[0];
  readonly driver?: Parameters<typeof applicationDriver>[2];
  /** Responds to a request in the place of the application. */
  respond?(request: Request, respond: WebApplication["respond"], as: TestLatchkey): Promise<Response>;
  /** Receives how the application forgets everything. Default: no restart. */
  restart?(forget: () => Promise<void>): Promise<void>;
}

/** Checks the application, which is a function: requests need no socket. */
export async function checkInProcess(
  { application = {}, users, client, driver, respond = (request, respond) => respond(request), restart, ...options }:
    FunctionOptions,
): Promise<CheckReport> {
  const alg = "EdDSA";
  await using as = await testLatchkey({ issuer, alg, users, now: Date.now });
  as.client({ client_id: "shop", redirect_uri: `${shop}/callback`, ...client });
  const small = webApplicationAt(shop, {
    ...{ issuer, clientId: "shop", alg },
    fetch: (url, init) => (url.startsWith(issuer) ? as.fetch : globalThis.fetch)(url, init),
    ...typeof application === "function" ? await application(as) : application,
  });
  const checked = await applicationDriver(as, `${shop}/login`, {
    ...{ loggedInUrl: `${shop}/me`, loggedInText: "alice" },
    fetch: ((url, init) => respond(new Request(url, init as RequestInit), small.respond, as)) as Fetch,
    ...driver,
  });
  return await checkClient(checked, {
    ...{ recoveryMs: 0, ...options, as },
    restart: restart && (() => restart(small.restart)),
  });
}

/** Checks a copy of the application. */
export async function checkFixedIssuer(
  { mistake, discoversAtStart, keyPauseMs, restarts, asksAfterLogin, loggedInUrl = "/me", ...options }: CheckOptions & {
    readonly mistake?: ApplicationMistake;
    readonly discoversAtStart?: boolean;
    readonly keyPauseMs?: number;
    readonly restarts?: boolean;
    readonly asksAfterLogin?: boolean;
    readonly loggedInUrl?: string;
  },
): Promise<CheckReport> {
  const alg = "EdDSA";
  await using as = await testLatchkey({ alg });
  const { url: issuer } = await as.listen();
  await using application = await startWebApplication((url) => {
    as.client({ client_id: "shop", redirect_uri: `${url}/callback` });
    const variants = asksAfterLogin ? ["asks after the login"] as const : [];
    return { issuer, clientId: "shop", alg, mistake, variants, discoversAtStart, keyPauseMs };
  });
  const driver = webApplication(`${application.url}/login`, {
    loggedInUrl: `${application.url}${loggedInUrl}`,
    loggedInText: ["Alice Adams", "alice"],
    refreshUrl: `${application.url}/refresh`,
    apiUrl: `${application.url}/api`,
    logoutUrl: `${application.url}/logout`,
  });
  return await checkClient(driver, {
    recoveryMs: 250,
    ...options,
    as,
    restart: restarts ? application.restart : undefined,
  });
}

/** The attacks of results, each once. */
export const idsOf = (results: CheckReport["results"]) => [...new Set(results.map(({ attack: { id } }) => id))];

/** The attacks with this verdict, each once. */
export const withVerdict = ({ results }: CheckReport, verdict: string) =>
  idsOf(results.filter((result) => result.verdict === verdict));
