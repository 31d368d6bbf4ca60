/** Checks of the clients with mistakes of frameworks, and of their correct copies. */

import { ClientSecretPost } from "openid-client";
import type { CheckOptions, CheckReport } from "../../src/check/mod.ts";
import { webApplication } from "../../src/check/web_application.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { clientSecret, correctPages } from "./broken_applications.ts";
import { correctDecisions } from "./decisions.ts";
import { deviceClient } from "./device_client.ts";
import type { FrameworkMistake } from "./framework_mistakes.ts";
import { checkClient, checkClientWithEdDsa } from "./patient_check.ts";
import { resourceClient } from "./resource_client.ts";
import { smallClient } from "./small_client.ts";
import { styledClient } from "./styled_client.ts";
import { webApplicationAt } from "./small_web_application.ts";

const application = "https://shop.test";

/** Checks the client with the mistake; `isCorrect`: the same client without it. */
export async function checkMistake(
  { name, change, client, pages, device, resource, styles }: FrameworkMistake,
  options: CheckOptions,
  isCorrect = false,
): Promise<CheckReport> {
  const given = <Mistake>(mistake: Mistake) => isCorrect ? undefined : mistake;
  if (device !== undefined) return await checkClientWithEdDsa(deviceClient(given(device)), options);
  if (resource !== undefined) return await checkClientWithEdDsa(resourceClient(given(resource)), options);
  if (styles !== undefined) {
    return await checkClientWithEdDsa(styledClient(name, styles[isCorrect ? 1 : 0]), options);
  }
  if (pages === undefined) {
    const decisions = { ...correctDecisions, ...given(change?.()) };
    const driver = smallClient(undefined, undefined, undefined, decisions);
    return await checkClientWithEdDsa({ ...driver, name, client: { ...driver.client, ...client } }, options);
  }
  const issuer = "http://localhost:9000";
  const alg = "EdDSA";
  await using as = await testLatchkey({ issuer, alg, now: Date.now });
  as.client({
    ...{ client_id: "shop", client_secret: clientSecret, redirect_uri: `${application}/callback` },
    token_endpoint_auth_method: "client_secret_post",
  });
  const { respond } = webApplicationAt(application, {
    ...{
      issuer,
      clientId: "shop",
      authentication: ClientSecretPost(clientSecret),
      alg,
      pages: { ...correctPages, ...given(pages()) },
    },
    fetch: (url, init) => as.fetch(url, init),
  });
  const driver = webApplication(`${application}/login`, {
    loggedInUrl: `${application}/me`,
    loggedInText: "alice",
    fetch: ((url, init) => respond(new Request(url, init as RequestInit))) as Fetch,
  });
  return await checkClient(driver, { as, recoveryMs: 0, ...options });
}
