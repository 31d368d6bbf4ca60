/** The minimal server, at the listener of the whole one. */

import { core } from "../../src/core/mod.ts";
import { serve } from "../../src/platform/runtime/serve.ts";
import { clients, user } from "./clients.ts";
import { latchkeySite, type StartPeer } from "./site.ts";

/** Starts it. */
export const start: StartPeer = async (alg) => {
  const issuer = "http://localhost:9000";
  const { handle } = await core({ issuer, clients, users: [user], policy: { alg } });
  const { port } = await serve(handle, { host: "127.0.0.1", port: 0 });
  return { port, site: latchkeySite(issuer) };
};
