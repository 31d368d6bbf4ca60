/** The cause of a failure says what the client did, and its gravity agrees with the verdict. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { CheckOptions, CheckReport, ClientDriver } from "../../src/check/mod.ts";
import { attacks } from "../../src/check/attacks/mod.ts";
import { seenText } from "../../src/check/traits.ts";
import { correctDecisions } from "./decisions.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { smallClient } from "./small_client.ts";

/** The causes of a check, with the verdict and the gravity of each. */
async function causesOf(client: ClientDriver, options: CheckOptions): Promise<string[]> {
  const report: CheckReport = await checkClientWithEdDsa(client, options);
  return report.causes.map(({ cause, verdict, severity }) => `${verdict}, ${severity}: ${cause}`);
}

test("a client that accepts unknown keys does not verify signatures, and does not repeat requests", async () => {
  const only = ["keys/unknown-often", "id-token/signed-by-stranger"];
  assertEquals(await causesOf(smallClient("does not verify the ID token"), { only }), [
    "failed, high: does not verify the signature of the ID token",
  ]);
  assertEquals(await causesOf(smallClient("fetches the JWKS for each unknown key"), { only }), [
    "warning, medium: repeats requests in an endless loop",
  ]);
});

test("a client that accepts the state of an ended login and relies on the code verifier has a warning", async () => {
  const client = smallClient(undefined, undefined, undefined, { ...correctDecisions, keepsStates: true });
  assertEquals(await causesOf(client, { only: ["response/state-used", "response/state-wrong"] }), [
    "warning, low: relies on code_verifier or nonce in place of state",
  ]);
});

test("a client that rejects a token response after a request to userinfo has a warning that is not grave", async () => {
  const { logIn, ...driver } = smallClient();
  const client: ClientDriver = {
    ...driver,
    async logIn(journey) {
      let authorization = "";
      const fetch: typeof journey.fetch = async (input, init) => {
        const response = await journey.fetch(input, init);
        const { access_token } = await response.clone().json().catch(() => ({}));
        if (access_token !== undefined) authorization = `Bearer ${access_token}`;
        return response;
      };
      return await logIn!({ ...journey, fetch }).catch(async (error: unknown) => {
        await journey.fetch(`${journey.issuer}/oauth2/userinfo`, { headers: { authorization } });
        throw error;
      });
    },
  };
  assertEquals(await causesOf(client, { only: ["id-token/sub-missing"] }), [
    "warning, low: uses the access token before it has validated the ID token",
  ]);
});

test("an attack that can only be a warning is neither critical nor high", () => {
  const grave = attacks.filter(({ level, severity }) => level === "should-reject" && /critical|high/.test(severity));
  assertEquals(grave.map(({ id }) => id), []);
  assert(attacks.some(({ level }) => level === "should-reject"));
});

test("every duty says in words why it binds a client", () => {
  const named = attacks.flatMap(({ duty }) => [...duty?.binds ?? [], ...duty?.unless ?? []]);
  assert(named.length > 5);
  for (const trait of named) assert(seenText(trait) !== trait, `${trait} has no words`);
});
