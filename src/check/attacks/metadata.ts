/** Metadata documents (RFC 8414, OpenID Connect Discovery). */

import type { Fault } from "../../testing/faults/fault.ts";
import { metadata } from "../../testing/faults/mod.ts";
import { responseText, withBodyText } from "../../testing/faults/response_body.ts";
import { requestedParam } from "../requested_param.ts";
import { describeError, describeOutcome } from "../assess.ts";
import { type Assessment, type Attack, defineAttack } from "../define_attack.ts";
import { exchangesOf, type Observation } from "../attack.ts";
import { gridAttacks, jsonResponse } from "./grid.ts";
import { noText, pick, type Wrong } from "./wrong_values.ts";
import { conclude, passIf, unclear } from "./conclusions.ts";
import type { HostedServer } from "../../server/hosted_server.ts";

/** The members whose URLs a client requests itself. */
const usedMembers = ["token_endpoint", "userinfo_endpoint", "jwks_uri"];

/** Hosts of internal networks. */
const internalHosts = ["127.0.0.1", "169.254.169.254", "[::ffff:127.0.0.1]"];

/** A script, a file, a link to another program, and texts for a shell. */
const hostileUris = [
  ...["javascript:void(0)", "data:text/html,<p>marker</p>", "file:///nonexistent/marker", "vscode://marker"],
  ...["-marker", "$(true)"],
];

const document = jsonResponse("the metadata document", { isSteady: true });

/** Passes a client that completes the login without a request to the URL. */
function assessVisit({ trap, outcome }: Observation): Assessment | undefined {
  return passIf(trap.requests.length === 0 && outcome === "accepted", "the client sent no request to that URL");
}

/** The attacks of the category `metadata`. */
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
      ...{ id: "metadata/issuer-equivalent", member: "issuer", values: ["case", "port"], level: "should-reject" },
      sources: ["RFC 8414 §3.3", "github/copilot-cli#4490"],
    },
    {
      ...{
        id: "metadata/member-shape",
        fix: "Check that each endpoint of the metadata is present and a URL before you use it.",
        member: "token_endpoint",
        by: "logIn",
      },
      values: { ...pick("absent"), "a path": () => "/oauth2/token" },
      correctClient: "The client reports the invalid member; it does not guess the path.",
      stop: undefined,
      sources: ["RFC 8414 §2", "OpenID Connect Discovery §3"],
    },
    {
      ...{
        id: "metadata/authorization-endpoint-hostile",
        fix: "Open the authorization endpoint only if it is an http or https URL.",
        member: "authorization_endpoint",
        by: "logIn",
      },
      values: Object.fromEntries(hostileUris.map((uri) => [uri, () => uri])),
      correctClient: "The client opens only http and https URLs.",
      sources: ["CVE-2025-6514", "CVE-2025-58444", "andrewyng/openworker#527"],
      async perform({ driver, journey }) {
        const opened: string[] = [];
        const authorize = (url: string | URL) => {
          opened.push(String(url));
          return Promise.reject(new Error("the browser opens no URL of this attack"));
        };
        const error = await driver.logIn!({ ...journey, authorize }).then(() => undefined, (thrown: unknown) => thrown);
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
        fix: "Send requests only to https URLs, and reject metadata with an http endpoint.",
        member: usedMembers,
        needs: ["httpsIssuer"],
        stop: undefined,
      },
      values: { "an http URL": (_, { trap }) => `${trap.origin.replace("https:", "http:")}/other` },
      correctClient: "The client sends no request to the http URL.",
      sources: ["RFC 6749 §3.2", "RFC 8414 §2"],
      assess: assessVisit,
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
  defineAttack({
    id: "metadata/redirected",
    fix: "Fetch the metadata without following redirects.",
    title: "The metadata URL redirects to another origin.",
    correctClient: "The client does not follow the redirect, or rejects the document at the other origin.",
    stop: "discovery",
    sources: ["RFC 8414 §6.2"],
    always: (_, { trap }) => metadata.redirecting(`${trap.origin}/.well-known/openid-configuration`),
    // A client may follow it: the request has no secret, and the client rejects the document of the other origin.
    assess: (observation) =>
      passIf(
        observation.outcome === "rejected" && exchangesOf(observation, "authorize").length === 0,
        describeOutcome(observation),
      ),
  }),
  defineAttack({
    id: "metadata/moved",
    fix: "Fetch the metadata again after a failed login.",
    title:
      "The token endpoint and the keys have moved to other URLs since the first login; the old URLs respond with 404.",
    correctClient:
      "The client fetches the metadata again, at the latest after a login has failed, and completes the next login.",
    level: "must-recover",
    journey: "second login",
    sources: ["RFC 8414 §3.2", "OpenID Connect Discovery §4"],
    on: "any",
    always: () => movedEndpoints(),
    assess: async (observation) => {
      const { outcome, earlier, countRequests, logInAgain } = observation;
      if (outcome !== "rejected") return undefined;
      if (countRequests("discovery") === 0) return unclear("the client requests no metadata");
      earlier!.passTime?.(86_400);
      const passed = await logInAgain();
      return {
        passed,
        isUnclear: !passed && earlier!.passTime === undefined,
        seen: "kept",
        because: passed
          ? "the client reported an error, and found the new URLs at its next login"
          : "the client kept the metadata after the failure, and a day later",
      };
    },
  }),
];

/** A fault that moves the token endpoint and the keys to URLs with a query. */
function movedEndpoints(): Fault {
  const query = "?moved=1";
  return {
    name: "moved endpoints",
    waitsFor: "requested the metadata or a moved endpoint",
    // The audience of an assertion may be the URL of the token endpoint.
    extend: (server: HostedServer): HostedServer => ({
      ...server,
      assertionAudiences: server.assertionAudiences.flatMap((url) => [url, `${url}${query}`]),
    }),
    handle: (next, context) => async (request, peer) => {
      const { endpoint } = context.request;
      if ((endpoint === "token" || endpoint === "jwks") && !request.url.endsWith(query)) {
        context.consume();
        return { status: 404, headers: {}, body: null };
      }
      const response = await next(request, peer);
      if (endpoint !== "discovery" || response.status !== 200) return response;
      context.consume();
      const document = JSON.parse(await responseText(response));
      const moved = ["token_endpoint", "jwks_uri"].map((name) => [name, `${document[name]}${query}`]);
      return withBodyText(response, JSON.stringify({ ...document, ...Object.fromEntries(moved) }));
    },
  };
}
