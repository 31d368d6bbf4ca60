/** Clients and users that can be added, replaced and removed while the server runs. */

import type { User } from "../../core/clients/client.ts";
import type { Server } from "../../core/server.ts";
import type { ClientMetadata } from "../config/client_metadata.ts";
import { serverClaimRules } from "../config/received_claims.ts";
import { reject } from "../../core/rules/reject.ts";
import type { ServerPolicy } from "../config/server_policy.ts";
import type { HostedServer } from "../hosted_server.ts";
import { describeGrantType, isPermitted } from "../standing.ts";
import type { Trace } from "../trace.ts";
import { accessTokenFunctions } from "./access_tokens.ts";
import { clientRepository } from "./client_repository.ts";
import { generationFunctions } from "./generations.ts";
import type { CreateRepository } from "./repository.ts";
import { serverClients } from "./server_clients.ts";
import { type OnSessionsOver, userRepository, type UserWarnings } from "./user_repository.ts";

/** What the clients and users of a server depend on. */
interface EntryOptions extends Pick<Server, "audience" | "now"> {
  readonly settings: ServerPolicy;
  readonly trace: Trace;
  /** The clients at the start. */
  readonly clients: readonly ClientMetadata[];
  /** The users at the start. */
  readonly users: readonly User[];
  /** The prefix of the ids of their records. */
  readonly recordPrefix: string;
  /** Whether users log in on pages. */
  readonly hasPages: boolean;
  /** Whether users without a password can log in on pages. */
  readonly openLogin: boolean;
  /** Absent if nothing listens. */
  readonly userWarnings?: UserWarnings;
  readonly onSessionsOver: OnSessionsOver;
  /** Creates the repositories. Default: in memory. */
  readonly createRepository?: CreateRepository;
}

/** The clients and users of a server, and the claims that are released about users. */
export function createEntries(options: EntryOptions): Pick<HostedServer, "claims" | "clients" | "users"> {
  const { settings, clients, users, audience, recordPrefix, hasPages, openLogin, createRepository } = options;
  const claims = serverClaimRules(settings);
  const changes = {
    ...options,
    claims,
    requirePasswords: hasPages && !openLogin,
    acceptsGuests: hasPages && openLogin || settings.unknownLoginHint === "create",
  };
  return {
    claims,
    clients: serverClients(clientRepository(settings, { clients, audience }, createRepository), recordPrefix),
    users: userRepository(settings, users, changes, createRepository),
  };
}

/** What was issued ends with its client and user; a client may do what its standing permits. */
export function withEntries<S extends Server>(
  server: S,
): S & Pick<HostedServer, "grantTypes" | "grants" | "responses"> {
  const { grants, responses } = server;
  return {
    ...server,
    grants: {
      ...{ ...grants, ...generationFunctions, ...accessTokenFunctions },
      async mayInspect(current, client, token) {
        const isOwn = token.claims.client_id === client.id;
        return (isOwn || isPermitted(current, client, "inspectTokensOfOthers")) &&
          await grants.mayInspect(current, client, token);
      },
    },
    grantTypes: server.grantTypes.map(describeGrantType),
    responses: {
      ...responses,
      async token(current, request) {
        const { client, parameters } = request;
        const type = parameters.get("grant_type");
        const grantType = current.grantTypes.find((supported) => supported.type === type);
        if (grantType !== undefined && !isPermitted(current, client, grantType)) {
          throw reject("TK-06", { client, grantType });
        }
        return await responses.token(current, request);
      },
    },
  };
}
