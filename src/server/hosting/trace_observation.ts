/**
 * Traces observations of accepted requests. The texts of an observation that is named by its rule stand in the row of
 * the rule; those of the others stand here.
 */

import type { Explanation } from "../../core/rules/errors.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { HostedObservations } from "../config/observations.ts";
import type { RuleId } from "../../core/rules/rule.ts";
import { acceptedByAny, findAcceptedText, traceWarnings } from "../explain/accepted_texts.ts";
import { type Note, noteMinimalIdToken, noteResource, recordUserinfoCall } from "../explain/notes.ts";

/** Traces what an observation means. */
export const traceObservation: HostedServer["observe"] = (server, client, name, facts) => {
  const explainAccepted = findAcceptedText(name)?.explainAccepted;
  if (explainAccepted === undefined) {
    return traceWarnings(server, client, phrases[name as Phrase](facts as never, server));
  }
  const texts = explainAccepted(facts as never, server);
  if (texts !== undefined) {
    traceWarnings(server, client, ["note" in texts ? texts : { ...texts, rule: name as RuleId }]);
  }
};

/** An observation that is named by a phrase, because it has no rule of its own. */
type Phrase = Exclude<keyof HostedObservations, RuleId>;

const phrases: {
  readonly [Name in Phrase]: (facts: HostedObservations[Name], server: HostedServer) => readonly (Explanation | Note)[];
} = {
  "unregistered client": ({ rule, id }) => [
    acceptedByAny("clients", {
      rule,
      reason: "client_id is not registered",
      expected: "the client_id of a registered client",
      received: id,
      fix: "Register the client. Other servers reject a client that is not registered.",
    }),
  ],
  resource: noteResource,
  "minimal ID token": noteMinimalIdToken,
  userinfo: recordUserinfoCall,
};
