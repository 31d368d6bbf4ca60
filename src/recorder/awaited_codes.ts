/** The codes that a recorder waits for: it notes each that no token request has named in time (CI-12). */

import type { HttpRequest } from "../core/http/message.ts";
import { storageKey } from "../core/keys/secrets.ts";
import type { App } from "../server/app.ts";
import { noteUnexchangedCode } from "../server/explain/notes.ts";
import { serverOrigins } from "../server/config/server_origins.ts";
import type { TraceEvent } from "../server/trace.ts";
import type { Exchange } from "./exchange.ts";
import { type ExchangeDraft, toExchange } from "./exchange_draft.ts";
import { sentCode } from "./issued_tokens.ts";

/** How long a client has for its token request, in milliseconds by the server's clock. */
const waitMs = 10_000;

/** Maximum number of codes to wait for; under load, further ones are not. */
const maxAwaited = 1000;

/** Waits for token requests. Nothing here has a timer: {@link AwaitedCodes.noteOverdue} is called often enough. */
export interface AwaitedCodes {
  /** Waits for the token request with the code of an exchange. */
  add(draft: ExchangeDraft, request: HttpRequest, issued: Extract<TraceEvent, { type: "code_issued" }>): void;
  /** Traces a note for each code whose token request is overdue. It returns immediately and never throws. */
  noteOverdue(): void;
}

/** @param onNote Called after the note about an exchange was traced. */
export function awaitedCodes(app: App, onNote: (draft: ExchangeDraft) => void): AwaitedCodes {
  const { server } = app;
  const awaited = new Map<
    ExchangeDraft,
    { readonly request: HttpRequest; readonly at: number; readonly client: string }
  >();

  async function note(draft: ExchangeDraft, request: HttpRequest, client: string): Promise<void> {
    if (!await isUnused(toExchange(draft)) || isNoted(draft)) return;
    app.traceFor(request, { type: "note", at: server.now(), client, explanation: noteUnexchangedCode().note });
    onNote(draft);
  }

  /** Whether a client other than the pages of this server has the code, and no instance has exchanged it. */
  async function isUnused(exchange: Exchange): Promise<boolean> {
    const code = sentCode(exchange);
    const { uri = "" } = exchange.response?.authorizationResponse ?? {};
    if (code === undefined || URL.canParse(uri) && serverOrigins(server).includes(new URL(uri).origin)) return false;
    const record = await server.store.get("code", await storageKey(server, code));
    return record !== undefined && record.consumedAt === undefined;
  }

  return {
    add(draft, request, { at, client }) {
      if (server.policy.allows.explanations && awaited.size < maxAwaited) awaited.set(draft, { request, at, client });
    },
    noteOverdue() {
      for (const [draft, { request, at, client }] of awaited) {
        const age = server.now() - at;
        if (age >= 0 && age < waitMs) return;
        awaited.delete(draft);
        // The clock was set back, so the age of the code is unknown.
        if (age < 0 || draft.faults.length > 0 || isNamedLater(draft)) continue;
        server.background.start("recorder", () => note(draft, request, client));
      }
    },
  };
}

/** Whether another recorder of the server has noted it. */
function isNoted({ events }: ExchangeDraft): boolean {
  return events.some((event) => event.type === "note" && event.explanation.rule === "CI-12");
}

/** Whether a later token request belongs to the flow, or the flow was deleted. */
function isNamedLater({ group, number }: ExchangeDraft): boolean {
  return group === undefined || group.drafts.some((other) => other.endpoint?.name === "token" && other.number > number);
}
