/** Metadata documents (RFC 8414, OpenID Connect Discovery). */

import type { Fault } from "../../testing/faults/fault.ts";
import { body, metadata, status } from "../../testing/faults/mod.ts";
import { textParameter } from "../../testing/faults/parameters.ts";
import { readBodyText, withBody } from "../../testing/faults/response_body.ts";
import { requestedParam } from "../requested_param.ts";
import { withMembers } from "./changed_members.ts";
import { describeError, describeOutcome } from "../assess.ts";
import { type Assessment, type Attack, defineAttack } from "../define_attack.ts";
import { exchangesOf, type Observation } from "../attack.ts";
import { equivalentIssuers, nearIssuers } from "./near_misses.ts";
import { oneOf, sent } from "./parameters.ts";
import { conclude, passIf, undecided } from "./conclusions.ts";
import type { HostedServer } from "../../server/hosted_server.ts";

/** The members whose URLs a client requests itself. */
const usedMembers = ["token_endpoint", "userinfo_endpoint", "jwks_uri"];

const memberParameter = textParameter("member", "token_endpoint", "The member with the URL.");

/** Passes a client that completes the login without a request to the URL. */
function assessVisit({ trap, outcome }: Observation): Assessment | undefined {
  return passIf(trap.requests.length === 0 && outcome === "accepted", "the client sent no request to that URL");
}

/** The attacks of the category `metadata`. */
export const metadataAttacks: readonly Attack[] = [
  defineAttack({
    id: "metadata/issuer-other",
    title: "The metadata document has the issuer of another server.",
    duty: "RFC 8414 §3.3",
    sources: ["OpenID Connect Discovery §4.3"],
    ...oneOf("how", ["other", "shortened", "extended", "path"]),
    always: ({ how }, { as }) => withMembers(`issuer ${how}`, { issuer: nearIssuers(as.issuer)[how] }),
  }),
  defineAttack({
    id: "metadata/issuer-missing",
    title: "The metadata document has no issuer, or one that is empty or not a string.",
    duty: "RFC 8414 §3.3",
    sources: ["RFC 8414 §2"],
    ...sent("value", [null, "", 7], "The issuer; null removes it."),
    always: ({ value }) => withMembers("no issuer", { issuer: value ?? undefined }),
  }),
  defineAttack({
    id: "metadata/issuer-equivalent",
    title:
      "The issuer in the metadata differs from the configured issuer only in letter case or in how the port is written.",
    correctClient: "The client rejects the document, and sends no authorization request.",
    stop: "discovery",
    level: "should-reject",
    sources: ["RFC 8414 §3.3", "github/copilot-cli#4490"],
    ...oneOf("how", ["case", "port"]),
    always: ({ how }, { as }) =>
      withMembers(`issuer with another ${how}`, { issuer: equivalentIssuers(as.issuer)[how] }),
  }),
  defineAttack({
    id: "metadata/member-missing",
    by: "logIn",
    title: "The metadata document lacks an endpoint that the client needs.",
    correctClient: "The client reports the missing member; it does not guess the path.",
    stop: undefined,
    sources: ["RFC 8414 §2", "OpenID Connect Discovery §3"],
    ...sent("member", ["authorization_endpoint", "token_endpoint"], "The missing member."),
    always: ({ member }) => metadata.without(member),
  }),
  defineAttack({
    id: "metadata/member-shape",
    title: "The token endpoint in the metadata is a number, null, or a relative URL.",
    correctClient: "The client reports the invalid member.",
    stop: undefined,
    sources: ["RFC 8414 §2"],
    ...sent("value", [7, null, "/oauth2/token"], "The value of token_endpoint."),
    always: ({ value }) => withMembers("token_endpoint of a wrong type", { token_endpoint: value }),
  }),
  defineAttack({
    id: "metadata/plain-http",
    title: "The metadata of an https issuer has an http URL for the token endpoint, userinfo or the keys.",
    correctClient: "The client sends no request to the http URL.",
    stop: undefined,
    needs: ["httpsIssuer"],
    sources: ["RFC 6749 §3.2", "RFC 8414 §2"],
    parameters: [memberParameter],
    variants: usedMembers.map((member) => ({ member })),
    always: ({ member }, { trap }) =>
      withMembers(`${member} without TLS`, { [member]: `${trap.origin.replace("https:", "http:")}/${member}` }),
    assess: assessVisit,
  }),
  defineAttack({
    id: "metadata/pkce-unsupported",
    needs: ["pkce"],
    stop: undefined,
    title: "The metadata announces no code challenge method, or only plain.",
    correctClient: "The client stops, or sends a code challenge with S256 nevertheless.",
    duty: { source: "RFC 9700 §2.1.1", unless: ["basic", "secretInBody", "assertion"] },
    sources: ["RFC 7636 §7.2"],
    ...sent("methods", [null, [], ["plain"]], "code_challenge_methods_supported; null removes it."),
    always: ({ methods }) =>
      withMembers("no code challenge method S256", { code_challenge_methods_supported: methods ?? undefined }),
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
  }),
  defineAttack({
    id: "metadata/members-unknown",
    title: "The metadata document has members and values that no specification defines.",
    correctClient: "The client ignores these members and values.",
    level: "must-tolerate",
    sources: ["RFC 8414 §2"],
    always: () =>
      withMembers("unknown members", {
        example_feature: { nested: [1, null] },
        grant_types_supported: ["authorization_code", "refresh_token", "urn:example:unknown"],
      }),
  }),
  defineAttack({
    id: "metadata/redirected",
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
    id: "metadata/auth-methods-odd",
    title: "The metadata announces no client authentication methods, or methods that the client does not know.",
    correctClient:
      "The client uses its method, or reports that none is supported; without the member, the default of RFC 8414 applies.",
    level: "must-tolerate",
    sources: ["RFC 8414 §2"],
    ...oneOf("how", ["absent", "with-unknown", "only-unknown"]),
    always: ({ how }) =>
      body.edited((document) => ({
        ...document,
        token_endpoint_auth_methods_supported: how === "absent" ? undefined : [
          "urn:example:unknown",
          ...how === "with-unknown" ? document.token_endpoint_auth_methods_supported as readonly string[] : [],
        ],
      }), `authentication methods ${how}`),
    assess: (observation) => {
      const [{ response: { body: document = "{}" } = {} } = {}] = exchangesOf(observation, "discovery");
      const { token_endpoint_auth_methods_supported: methods } = JSON.parse(document);
      return passIf(
        observation.outcome === "rejected" && methods?.length === 1,
        "the client reported that its method is not announced",
      );
    },
  }),
  defineAttack({
    id: "metadata/elsewhere",
    title:
      "The first request for the metadata fails; a request to the other well-known URL, or a later request, succeeds.",
    correctClient: "The client tries the other well-known URL, or reports the failure; it does not cache the failure.",
    level: "must-recover",
    sources: ["RFC 8414 §3.1", "RFC 8414 §5"],
    ...oneOf("how", ["404", "500", "html", "redirect"]),
    once: ({ how }, { trap }) =>
      how === "html"
        ? body.html()
        : how === "redirect"
        ? metadata.redirecting(`${trap.origin}/.well-known/openid-configuration`)
        : status(Number(how)),
  }),
  defineAttack({
    id: "metadata/authorization-endpoint-hostile",
    title:
      "The metadata has an authorization endpoint that is a script, a file, a link to another program, or text for a shell.",
    correctClient: "The client opens only http and https URLs.",
    sources: ["CVE-2025-6514", "CVE-2025-58444", "andrewyng/openworker#527"],
    ...sent("value", [
      ...["javascript:void(0)", "data:text/html,<p>marker</p>", "file:///nonexistent/marker"],
      ...["vscode://marker", "-marker", "$(true)"],
    ], "The member authorization_endpoint."),
    always: ({ value }) => withMembers("hostile authorization endpoint", { authorization_endpoint: value }),
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
  }),
  defineAttack({
    id: "metadata/endpoint-internal",
    title:
      "The metadata of a public issuer has an address in an internal network for the token endpoint, userinfo or the keys.",
    correctClient: "The client does not connect to the address, if the client runs on a server.",
    level: "should-reject",
    stop: undefined,
    needs: ["anyOrigin"],
    sources: ["RFC 9728 §7.7", "vercel/ai#20578", "docker/docker-agent#3034"],
    parameters: [textParameter("host", "169.254.169.254", "The host in the URL."), memberParameter],
    variants: [
      ...["127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]"].map((host) => ({
        host,
      })),
      ...usedMembers.slice(1).map((member) => ({ host: "127.0.0.1", member })),
    ],
    always({ host, member }, { trap }) {
      trap.addOrigin(`https://${host}`);
      return withMembers(`${member} in an internal network`, { [member]: `https://${host}/${member}` });
    },
    assess: assessVisit,
  }),
  defineAttack({
    id: "metadata/moved",
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
      if (countRequests("discovery") === 0) return undecided("the client requests no metadata");
      earlier!.passTime?.(86_400);
      const passed = await logInAgain();
      return {
        passed,
        isInconclusive: !passed && earlier!.passTime === undefined,
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
      const document = JSON.parse(await readBodyText(response));
      const moved = ["token_endpoint", "jwks_uri"].map((name) => [name, `${document[name]}${query}`]);
      return withBody(response, JSON.stringify({ ...document, ...Object.fromEntries(moved) }));
    },
  };
}
