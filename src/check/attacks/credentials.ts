/** The client secret in HTTP Basic (RFC 6749 §2.3.1). */

import { decodeFormValue } from "../../recorder/record_request.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { unclear } from "./conclusions.ts";
import { sent } from "./parameters.ts";

export const credentialAttacks: readonly Attack[] = [
  defineAttack({
    id: "token/secret-characters",
    fix:
      "Form-encode the client id and the secret each, before you join them with a colon and encode them with Base64.",
    level: "must-tolerate",
    needs: ["basic", "severalIssuers"],
    title: "The client secret has characters that the client must encode in the HTTP Basic header.",
    correctClient: "The client form-encodes its id and its secret before Base64, and logs in.",
    requirement: "RFC 6749 §2.3.1",
    sources: ["RFC 6749 appendix B"],
    ...sent("secret", ["a b+c", "a%2Fb", "a:b/c=d&e"], "The client secret."),
    async perform({ as, driver, journey, client }, { secret }) {
      const { client_id, ...metadata } = driver.client ?? {};
      const other = as.client({ ...metadata, client_id: `${client_id ?? client.client_id}-2`, client_secret: secret });
      const { sub } = await driver.logIn!({ ...journey, client: other });
      const { client: sentId, request } = as.log.unmasked.last("token");
      // A client that registers itself has another secret.
      if (sentId !== other.client_id) return unclear("the client does not use the credentials that it was given");
      const header = request.headers.authorization ?? "";
      // The server also accepts a secret that is not encoded, as curl sends it.
      const sent = atob(header.replace(/^basic +/i, "")).replace(/^[^:]*:/, "");
      const isEncoded = sent !== secret && decodeFormValue(sent) === secret;
      return {
        outcome: "accepted",
        passed: isEncoded,
        because: isEncoded
          ? `the client encoded its secret, and logged in ${JSON.stringify(sub)}`
          : "the client sent its secret without encoding it",
      };
    },
  }),
];
