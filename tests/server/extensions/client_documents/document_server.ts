/** A server that fetches metadata documents without a network. */

import type { LatchkeyOptions } from "../../../../src/mod.ts";
import { type TestServer, testServer } from "../../../kit.ts";

/** A valid document. */
export const url = "https://client.example/oauth/client.json";

export const document = {
  client_id: url,
  client_name: "Example client",
  redirect_uris: ["https://spa.example/cb"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

export interface DocumentServer extends TestServer {
  /** The URLs that were fetched. */
  readonly fetched: string[];
  /** Responds to every fetch. */
  respond: (url: string) => Response | Promise<Response>;
}

/** A server that fetches the document, without a network. */
export async function documentServer(options: LatchkeyOptions = {}): Promise<DocumentServer> {
  const fetched: string[] = [];
  const server = await testServer({
    outbound: async (target) => {
      fetched.push(target);
      return await self.respond(target);
    },
    ...options,
  });
  const self: DocumentServer = { ...server, fetched, respond: () => Response.json(document) };
  return self;
}

/** A server on a real host. */
export const real: LatchkeyOptions = {
  issuer: "https://auth.corp.com",
  insecure: ["auto-login"],
  users: [{ sub: "alice" }],
  audience: "https://api.corp.com",
};
