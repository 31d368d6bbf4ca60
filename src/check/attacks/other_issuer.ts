/** A second, honest issuer: mix-up, and metadata that names its endpoints (RFC 9700 §4.4, RFC 9207). */

import { body } from "../../testing/faults/mod.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { oneOf } from "./parameters.ts";

/** The honest issuer sends iss; none of its codes may reach the server of the journey. */
const rejected = {
  level: "must-reject",
  stop: "callback",
  requirement: { source: "RFC 9700 §4.4", binds: ["severalIssuers"] },
  correctClient: "The client rejects the response because of iss, and does not send the code to any server.",
} as const;

export const otherIssuerAttacks: readonly Attack[] = [
  defineAttack({
    ...rejected,
    id: "response/mix-up",
    fix: "Compare iss of the response with the issuer to which this login was sent, before the token request.",
    title: "The authorization endpoint redirects the browser to a second, honest issuer with the same state (mix-up).",
    endpoints: ["authorize", "discovery"],
    sources: ["RFC 9207 §1"],
    ...oneOf("advertised", ["yes", "no"], "Whether the metadata of the first server announces iss: yes or no."),
    async start({ as, openOtherIssuer }, { advertised }) {
      const other = await openOtherIssuer();
      const response = await other.fetch(`${other.issuer}/.well-known/openid-configuration`);
      const { authorization_endpoint: endpoint } = await response.json();
      if (advertised === "no") {
        as.on("discovery").always(body.edited({ authorization_response_iss_parameter_supported: null }));
      }
      as.on("authorize").always({
        name: "redirect to another issuer",
        handle: () => ({ url }) =>
          Promise.resolve({
            status: 302,
            headers: { location: `${endpoint}${new URL(url, as.issuer).search}` },
            body: null,
          }),
      });
    },
  }),
];
