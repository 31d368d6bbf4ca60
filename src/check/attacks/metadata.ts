/** Metadata documents (RFC 8414, OpenID Connect Discovery). */

import { requestedParam } from "../requested_param.ts";
import { describeError } from "../assess.ts";
import type { Assessment, Attack } from "../define_attack.ts";
import type { Observation } from "../attack.ts";
import { EndlessLoginError } from "../driver.ts";
import { gridAttacks, jsonResponse } from "./grid.ts";
import { noText, pick, type Wrong } from "./wrong_values.ts";
import { conclude, passIf } from "./conclusions.ts";

/** The members whose URLs a client requests itself. */
const usedMembers = ["token_endpoint", "userinfo_endpoint", "jwks_uri"];

const internalHosts = ["127.0.0.1", "169.254.169.254", "[::ffff:127.0.0.1]"];

/** A script, a file, a link to another program, and texts for a shell. */
const hostileUris = [
  ...["javascript:void(0)", "data:text/html,<p>marker</p>", "file:///nonexistent/marker", "vscode://marker"],
  ...["-marker", "$(true)"],
];

const document = jsonResponse("The metadata document", { isSteady: true });

/** Passes a client that completes the login without a request to the URL. */
function assessVisit({ trap, outcome }: Observation): Assessment | undefined {
  return passIf(trap.requests.length === 0 && outcome === "accepted", "the client sent no request to that URL");
}

export const metadataAttacks: readonly Attack[] = [
  ...gridAttacks(document, [
    {
      ...{
        id: "metadata/issuer-other",
        fix: "Compare issuer of the metadata with the configured issuer, character by character.",
        member: "issuer",
        requirement: "RFC 8414 §3.3",
      },
      values: ["foreign", "shortened", "extended", "path", ...noText],
      sources: ["OpenID Connect Discovery §4.3"],
    },
    {
      ...{
        id: "metadata/authorization-endpoint-hostile",
        fix: "Open the authorization endpoint only if it is an http or https URL.",
        member: "authorization_endpoint",
        by: "any",
      },
      values: Object.fromEntries(hostileUris.map((uri) => [uri, () => uri])),
      correctClient: "The client opens only http and https URLs.",
      sources: ["CVE-2025-6514", "CVE-2025-58444", "andrewyng/openworker#527"],
      async perform({ begin, journey }) {
        const opened: string[] = [];
        const authorize = (url: string | URL) => {
          opened.push(String(url));
          return Promise.reject(new Error("the browser opens no URL of this attack"));
        };
        const error = await begin({ ...journey, authorize }).then(() => undefined, (thrown: unknown) => {
          if (thrown instanceof EndlessLoginError) throw thrown;
          return thrown;
        });
        const hostile = opened.find((url) => !/^https?:/i.test(url));
        return conclude(
          hostile === undefined ? undefined : `the client opened ${hostile.slice(0, 40)}`,
          `the client reported an error: ${describeError(error)}`,
          "hostile",
          hostile && `opened ${hostile.slice(0, 40)}, a URL of the attacker`,
        );
      },
    },
    {
      ...{
        id: "metadata/plain-http",
        member: usedMembers,
        needs: ["httpsIssuer"],
        stop: undefined,
      },
      values: { "an http URL": (_, { trap }) => `${trap.origin.replace("https:", "http:")}/other` },
      correctClient: "The client sends no request to the http URL.",
      sources: ["OpenID Connect Discovery §3", "RFC 6749 §3.2"],
      assess: (observation) =>
        observation.trap.requests.length === 0 ? assessVisit(observation) : {
          ...{ passed: false, because: "the client sent a request to the http URL", seen: "unencrypted" },
          harm: "sent a request that is not encrypted",
        },
    },
    {
      ...{
        id: "metadata/endpoint-internal",
        fix: "On a server, do not connect to private or local addresses that the metadata names.",
        level: "should-reject",
        member: usedMembers,
        needs: ["anyOrigin"],
      },
      values: Object.fromEntries(
        internalHosts.map((host): [string, Wrong] => [host, (_, { trap }) => {
          trap.addOrigin(`https://${host}`);
          return `https://${host}/internal`;
        }]),
      ),
      correctClient: "The client does not connect to the address, if the client runs on a server.",
      stop: undefined,
      sources: ["RFC 9728 §7.7", "vercel/ai#20578", "docker/docker-agent#3034"],
      assess: assessVisit,
    },
    {
      ...{
        id: "metadata/pkce-unsupported",
        fix: "Send a code challenge with S256 in every login, or stop if the metadata does not list S256.",
        member: "code_challenge_methods_supported",
        needs: ["pkce"],
      },
      values: { ...pick("absent", "empty"), "only plain": () => ["plain"] },
      stop: undefined,
      correctClient: "The client stops, or sends a code challenge with S256 nevertheless.",
      requirement: { source: "RFC 9700 §2.1.1", unless: ["basic", "secretInBody", "assertion"] },
      sources: ["RFC 7636 §7.2"],
      assess: ({ exchanges, outcome }) => {
        const requests = exchanges.filter((exchange) => requestedParam(exchange, "response_type") !== undefined);
        const isWeak = requests.some((exchange) => requestedParam(exchange, "code_challenge_method") !== "S256");
        return {
          passed: !isWeak && outcome !== "hung",
          seen: "downgraded",
          because: isWeak
            ? "the client sent an authorization request without S256"
            : requests.length === 0
            ? "the client stopped"
            : "the client still used S256",
        };
      },
    },
    {
      id: "metadata/endpoint-query",
      fix: "Add parameters to the authorization endpoint with &, if it has a query.",
      by: "logIn",
      level: "must-tolerate",
      stop: undefined,
      title: "The URL of the authorization endpoint has a query.",
      member: "authorization_endpoint",
      values: { "a query": (url) => `${url}?tenant=1` },
      correctClient: "The client keeps the query, and adds its parameters.",
      sources: ["RFC 6749 §3.1"],
    },
  ]),
];
