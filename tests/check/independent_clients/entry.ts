/** A client of this folder, and how it is checked. */

import { checkClient, type CheckOptions, type CheckReport, type ClientDriver } from "../../../src/check/mod.ts";
import { webApplication } from "../../../src/check/web_application.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import type { TestClientOptions } from "../../../src/testing/clients.ts";
import type { Fetch } from "../../../src/testing/fetch.ts";
import { codeClient, correctSteps, type Steps } from "./code_client.ts";
import { correctDevice, deviceClient, type DeviceSteps } from "./device.ts";
import { correctMcp, mcpClient, type McpSteps } from "./mcp.ts";
import { correctProtocol, type Protocol } from "./protocol.ts";
import { correctJwtResource, correctResource, resourceServer, type ResourceSteps } from "./resource_server.ts";
import { correctPages, createShop, origin, type Pages, webClient } from "./web.ts";

export const kinds = ["web", "spa", "cli", "device", "mcp", "resource server"] as const;

type Kind = typeof kinds[number];

type Change<Steps> = (correct: Steps) => Partial<Steps>;

/** One client. Everything that the entry does not change is as in the correct client of its kind. */
export interface Entry {
  readonly kind: Kind;
  /** What the client does, after "a client that". */
  readonly name: string;
  /** The section of a specification that allows it, or the application that does it. */
  readonly source: string;
  readonly protocol?: Change<Protocol>;
  readonly pages?: Change<Pages>;
  readonly steps?: Change<Steps>;
  readonly device?: Change<DeviceSteps>;
  readonly mcp?: Change<McpSteps>;
  readonly introspecting?: Change<ResourceSteps>;
  readonly verifying?: Change<ResourceSteps>;
  /** How the client is registered, if not as usual. */
  readonly client?: TestClientOptions;
  /** What the server does, if not as usual. */
  readonly server?: CheckOptions["server"];
}

const alg = "EdDSA";

const changed = <Steps>(correct: Steps, change?: Change<Steps>): Steps => ({ ...correct, ...change?.(correct) });

/** The driver of a client that is no web application. */
function createDriver({ kind, name, ...entry }: Entry): ClientDriver {
  const protocol = changed(correctProtocol, entry.protocol);
  switch (kind) {
    case "web":
      throw new TypeError("a web application is checked at one server");
    case "spa":
      return codeClient(name, protocol, changed(correctSteps, entry.steps));
    case "cli": {
      const client = { redirect_uri: "http://127.0.0.1:8765/callback" };
      const correct: Steps = { ...correctSteps, client, logsInSilently: false };
      return codeClient(name, protocol, changed(correct, entry.steps));
    }
    case "device":
      return deviceClient(name, protocol, changed(correctDevice, entry.device));
    case "mcp":
      return mcpClient(name, changed(correctMcp, entry.mcp));
    case "resource server":
      return entry.verifying === undefined
        ? resourceServer(name, changed(correctResource, entry.introspecting))
        : resourceServer(name, changed(correctJwtResource, entry.verifying));
  }
}

/** Checks a web application, which is a function, at one server. */
async function checkWeb(entry: Entry, options: CheckOptions): Promise<CheckReport> {
  const issuer = "http://localhost:9000";
  const client = { ...webClient, ...entry.client };
  await using as = await testLatchkey({ issuer, alg, now: Date.now });
  const registered = as.client(client);
  const respond = createShop(changed(correctProtocol, entry.protocol), changed(correctPages, entry.pages), {
    ...{ issuer, clientId: "shop", clientSecret: registered.client_secret, redirectUri: `${origin}/callback`, alg },
    fetch: ((url, init) => as.fetch(url, init)) as Fetch,
    now: Date.now,
    keyPauseMs: 1000,
    kept: {},
  });
  const driver = webApplication(`${origin}/login`, {
    name: entry.name,
    loggedInUrl: `${origin}/me`,
    loggedInText: "alice",
    refreshUrl: `${origin}/refresh`,
    fetch: ((url, init) => respond(new Request(url, init as RequestInit))) as Fetch,
  });
  return await checkClient({ ...driver, client }, { as, recoveryMs: 10_000, ...options });
}

/** Checks the client of an entry. */
export async function checkEntry(entry: Entry, given: CheckOptions = {}): Promise<CheckReport> {
  const options = { timeoutMs: 60_000, ...given };
  if (entry.kind === "web") return await checkWeb(entry, options);
  const driver = createDriver(entry);
  const client = { ...driver.client, ...entry.client, id_token_signed_response_alg: alg } as const;
  return await checkClient({ ...driver, client }, {
    server: { alg, ...entry.server },
    ...options,
  });
}
