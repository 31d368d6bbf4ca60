/** A web application that is configured with one issuer, and its check, over sockets. */

import { webApplication } from "../../src/check/web_application.ts";
import type { CheckOptions, CheckReport } from "../../src/check/mod.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { checkClient } from "./patient_check.ts";
import { type ApplicationMistake, startWebApplication } from "./small_web_application.ts";

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
