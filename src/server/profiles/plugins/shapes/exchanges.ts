/** What the server says about a request in progress: its context, its rejection, and the code that it issued. */

import type { Context } from "../../../assembly/context.ts";
import type { Plugin } from "../../../assembly/plugin.ts";
import type { RequestLike } from "../../../../platform/http/message.ts";
import type { TraceEvent } from "../../../oauth/trace.ts";

/** A request in progress. */
export interface Exchange {
  readonly context: Context;
  rejection?: Extract<TraceEvent, { type: "rejected" }>;
  issued?: Extract<TraceEvent, { type: "code_issued" }>;
}

/** Finds the exchange of a request, and the functions of a plugin that record it. */
export function trackExchanges(): {
  readonly find: (request: RequestLike) => Exchange | undefined;
  readonly hooks: Required<Pick<Plugin, "extend" | "onEvent">>;
} {
  const exchanges = new WeakMap<RequestLike, Exchange>();
  const find = (request: RequestLike) => exchanges.get(request);
  return {
    find,
    hooks: {
      extend(server, context) {
        const exchange: Exchange = { context };
        // Each plugin finds the exchange by the request that it received.
        for (
          let request: RequestLike | undefined = context.request;
          request !== undefined;
          request = request.original
        ) {
          exchanges.set(request, exchange);
        }
        return server;
      },
      onEvent(event, context) {
        const exchange = context && find(context.request);
        if (exchange === undefined) return;
        if (event.type === "rejected") exchange.rejection = event;
        if (event.type === "code_issued") exchange.issued = event;
      },
    },
  };
}
