/** Dynamic client registration (RFC 7591) and its management (RFC 7592): clients register themselves. */

import type { Extension } from "../../config/extension.ts";
import type { Endpoint } from "../../endpoint.ts";
import { parameters } from "../../../core/http/params.ts";
import { type RegistrationPolicy, registrationSettings, validateRegistration } from "./settings.ts";
import type { HostedClient } from "../../config/client_metadata.ts";
import type { HostedServer } from "../../hosted_server.ts";

const load = () => import("./endpoints.ts");

/** Lets clients register themselves. */
export const registration: Extension<RegistrationPolicy> = {
  name: "registration",
  settings: {
    ...registrationSettings,
    validate(policy, issuer) {
      const isOpen = !URL.canParse(issuer) || policy.allows.unknownClients;
      return validateRegistration(policy, isOpen);
    },
  },
  endpoints: (policy, { base }) => {
    const aliases = policy.defaultEndpoints ? ["/register"] : [];
    return policy.registration.mode !== "off"
      ? registrationEndpoints(base, aliases)
      : [registrationOffEndpoint(base, aliases)];
  },
  steps: {
    beforeIssue: [{
      name: "use of a registration",
      async run(server: HostedServer, client) {
        const { registration }: HostedClient = client;
        if (registration?.usedInitialAccessToken === false) await (await load()).recordUse(server, client);
      },
    }],
  },
  extend(server) {
    for (const token of server.policy.registration.initialAccessTokens) server.registeredSecrets.learn(token);
    return server;
  },
};

/** The endpoints where clients may register themselves (RFC 7591, RFC 7592). */
function registrationEndpoints(base: string, aliases: readonly string[]): Endpoint[] {
  const secrets = parameters(
    { name: "registration_access_token", secret: "registration_access_token", linksFlow: true },
    { name: "client_secret", secret: "client_secret" },
    { name: "software_statement", secret: "software_statement" },
  );
  return [
    {
      name: "register",
      metadataName: "registration_endpoint",
      path: `${base}/oauth2/register`,
      aliases,
      methods: ["POST"],
      caller: "any",
      cors: true,
      title: "Client registration",
      doneLabel: "registered",
      errors: "bearer",
      role: "step",
      checks: ["DR-05", "DR-04", "DR-09", "DR-01"],
      responseParameters: secrets,
      load: async () => (await load()).register,
    },
    {
      name: "client_configuration",
      path: `${base}/oauth2/register/*`,
      methods: ["GET", "PUT", "DELETE"],
      caller: "resource client",
      cors: true,
      title: "Client configuration",
      errors: "bearer",
      role: "step",
      checks: ["DR-06"],
      responseParameters: secrets,
      load: async () => (await load()).clientConfiguration,
    },
  ];
}

/** The registration endpoint where registration is off: metadata does not list it, and it explains a rejection. */
function registrationOffEndpoint(base: string, aliases: readonly string[]): Endpoint {
  return {
    name: "register",
    path: `${base}/oauth2/register`,
    aliases,
    methods: ["GET", "POST", "PUT", "DELETE"],
    caller: "any",
    cors: true,
    title: "Client registration",
    errors: "json",
    role: "step",
    load: async () => (await load()).registrationOff,
  };
}
