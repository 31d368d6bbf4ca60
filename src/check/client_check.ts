/**
 * The check of a client of a running server, one at a time: for the page of the client, the tools of an agent, and the
 * command, which starts a server for it.
 *
 * 1. {@link clientCheck} creates the plugin, which does nothing until a check starts.
 * 2. `open_check.ts` opens a mock with the issuer, the keys, the settings and the users of the server, because the
 *    attacks move the clock, break keys and metadata, and begin each journey without records, which no server can do
 *    for one client alone. It is loaded for the first check.
 * 3. Until the check ends, the plugin passes all protocol requests to the mock, but registrations, and requests of
 *    another client of the server: it rejects their logins, and the server serves the rest, such as refreshes and
 *    userinfo. A client that registered itself, with a redirect URI at the origin of the login, takes part. Pages and
 *    the HTTP control remain those of the server, whose records, clock, faults and log do not change.
 */

import type { App } from "../server/app.ts";
import type { LatchkeyOptions, Plugin } from "../server/hosting/options.ts";
import { isForm } from "../core/http/form.ts";
import { peekForm } from "../platform/http/changed_request.ts";
import { type HttpRequest, type HttpResponse, withHeaders } from "../core/http/message.ts";
import { plainText } from "../platform/http/response.ts";
import { parseTarget, type RequestHandler } from "../core/http/router.ts";
import { claimedIds } from "../core/token/client_auth.ts";
import { paramsFromFields } from "../core/http/params.ts";
import type { OpenCheck } from "./open_check.ts";
import type { ClientCheckOptions, OperatorOptions } from "./check_options.ts";
import type { CheckReport } from "./report.ts";
import { readAccessToken } from "../core/token/tokens/read_access_token.ts";

/** @internal How far a check is. */
export interface ClientCheckState {
  /** `none`: no check was started; `failed`: the check itself failed, and there is no report. */
  readonly status: "none" | "running" | "ended" | "stopped" | "failed";
  /** The ID of the client; absent if no check was started. */
  readonly client?: string;
  /** The journeys that have a result. */
  readonly done: number;
  /** The journeys of the check; 0 until the first one has a result. */
  readonly total: number;
  /** The journeys in which an attack succeeded. */
  readonly failed: number;
  /** The journeys that showed nothing. */
  readonly skipped: number;
  /** Whether the report has no failure; absent until there is a report. */
  readonly passed?: boolean;
  /** Why the check itself failed, or why a login without an attack failed, so that most journeys showed nothing. */
  readonly error?: string;
}

export class CheckRunningError extends Error {
  /** Creates the error; `client` is the one that is checked. */
  constructor(client: string) {
    super(`A check of ${client} is running. Stop it, or wait until it ends.`);
    this.name = "CheckRunningError";
  }
}

/** @internal The check of the clients of one server. */
export interface ClientCheck {
  /** Passes requests to the private mock while a check runs. It must wrap every plugin that stores requests. */
  readonly plugin: Plugin;
  /**
   * Starts a check.
   *
   * @param issuer The issuer that the client is configured with.
   * @throws {ConfigurationError} If an option is invalid.
   * @throws {CheckRunningError} If a check is running.
   */
  start(options: ClientCheckOptions, issuer: string): Promise<ClientCheckState>;
  /**
   * Starts a check of the configured clients for the operator of the machine, who may name any URL. Resolves with the
   * report.
   *
   * @throws {Error} If the check itself failed.
   */
  run(options: Omit<ClientCheckOptions, "client">, issuer: string, operator: OperatorOptions): Promise<CheckReport>;
  /** The options of the last check; `undefined` if none was started. */
  options(): ClientCheckOptions | undefined;
  /** The status and progress of the last check. */
  state(): ClientCheckState;
  /** The report of the last check; `undefined` until it ended. */
  report(): CheckReport | undefined;
  /** Stops the check, if one is running. Its report has the results until then. */
  stop(): Promise<ClientCheckState>;
}

/** @internal The settings of {@link clientCheck}. */
export interface ClientCheckSettings {
  /**
   * Whether other machines reach the pages. A check then sends requests only to the origins of the
   * issuer and of the redirect URIs that the client has in the options of the server: a visitor can change all others
   * (SSRF). Default: false.
   */
  readonly exposed?: boolean;
  /** The command that starts the program in a shell, for the report. Default: `latchkey`. */
  readonly program?: string;
}

/** The last check. */
interface Run {
  readonly options: ClientCheckOptions;
  readonly stopping: AbortController;
  state: ClientCheckState;
  opened?: OpenCheck;
  report?: CheckReport;
  readonly ended: Promise<void>;
}

const noCheck: ClientCheckState = { status: "none", done: 0, total: 0, failed: 0, skipped: 0 };

/** Asks the user of another client to try again in a minute. */
function waitResponse(client: string): HttpResponse | Response {
  const text =
    `A check of ${client} is running. Until it ends, only ${client} can log in. Try again later, or stop the ` +
    "check on its page.";
  return withHeaders(plainText(503, text), { "retry-after": "60" });
}

/** Creates the check of one server. */
export function clientCheck(
  { exposed = false, program = "latchkey" }: ClientCheckSettings = {},
): ClientCheck {
  let app: App | undefined;
  let settings: LatchkeyOptions = {};
  let last: Run | undefined;

  /** Whether a request is one of a protocol; also one for a path that only the private mock has. */
  function isProtocol(url: string): boolean {
    const { role = "page" } = app!.findEndpoint(parseTarget(url, {}).path) ?? { role: "step" };
    return role === "step" || role === "document";
  }

  /** The other client of the server that sends a request, which the mock does not have; `undefined`: none. */
  async function findOtherClient(request: HttpRequest, endpoint: string | undefined): Promise<string | undefined> {
    const { server } = app!;
    const { clients } = server;
    const form = request.method === "POST" && isForm(request) ? await peekForm(request).catch(() => []) : [];
    const params = paramsFromFields(form);
    const authorization = request.headers.get("authorization");
    const { query } = parseTarget(request.url, {});
    const token = /^(?:bearer|dpop) +(\S+)$/i.exec(authorization ?? "")?.[1] ?? params.get("access_token");
    const ids = endpoint === "authorize"
      ? [new URLSearchParams(query).get("client_id") ?? params.get("client_id")]
      : token === undefined
      ? claimedIds(server, { authorization, params, connection: {}, header: () => null })
      // Tokens of the check are revoked at the server.
      : [(await readAccessToken(server, token))?.claims.client_id];
    for (const id of ids) {
      if (id === undefined || id === last?.options.client) continue;
      const other = clients.known().get(id) ?? await clients.registered.find(id);
      if (other !== undefined && !await last!.opened!.adopt(other)) return id;
    }
    return undefined;
  }

  /** Passes a protocol request to the mock, and those of other clients to the server. */
  async function handle(
    dispatch: RequestHandler,
    next: RequestHandler,
    ...[request, peer]: Parameters<RequestHandler>
  ): Promise<HttpResponse | Response> {
    const { client } = last!.options;
    const endpoint = app!.findEndpoint(parseTarget(request.url, {}).path)?.name;
    // Without a client the check is that of the command, for every client. One that is configured does not register.
    const isOther = client !== undefined &&
      (endpoint === "register" || endpoint === "client_configuration" ||
        await findOtherClient(request, endpoint) !== undefined);
    if (!isOther) return await dispatch(request, peer);
    return endpoint === "authorize" ? waitResponse(client) : await next(request, peer);
  }

  async function perform(run: Run, { perform, close }: OpenCheck, operator?: OperatorOptions): Promise<void> {
    let end: Partial<ClientCheckState>;
    try {
      run.report = await perform({
        signal: run.stopping.signal,
        onResult(result, total) {
          operator?.onResult?.(result, total);
          const { verdict } = result;
          const { done, failed, skipped } = run.state;
          run.state = {
            ...run.state,
            ...{ done: done + 1, total },
            failed: failed + (verdict === "failed" ? 1 : 0),
            skipped: skipped + (verdict === "skipped" ? 1 : 0),
          };
        },
      });
      const { passed, controlFailure } = run.report;
      end = { status: run.stopping.signal.aborted ? "stopped" : "ended", passed, error: controlFailure?.error };
    } catch (error) {
      end = { status: "failed", error: error instanceof Error ? error.message : String(error) };
    }
    run.opened = undefined;
    await close();
    run.state = { ...run.state, ...end };
  }

  async function begin(options: Partial<ClientCheckOptions>, issuer: string, operator?: OperatorOptions): Promise<Run> {
    const former = last;
    if (former?.state.status === "running") throw new CheckRunningError(former.state.client ?? "a client");
    const state = { ...noCheck, status: "running", client: options.client } as const;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const run: Run = { options: options as ClientCheckOptions, stopping: new AbortController(), state, ended };
    last = run;
    try {
      const { openCheck } = await import("./open_check.ts");
      const opened = await openCheck({ app: app!, settings, issuer, exposed, program, operator }, run.options);
      run.opened = opened;
      perform(run, opened, operator).then(end);
    } catch (error) {
      last = former;
      end();
      throw error;
    }
    return run;
  }

  return {
    plugin: {
      name: "check of a client, while it runs",
      configure(options) {
        settings = options;
        return {};
      },
      setup: (assembled) => void (app = assembled),
      handle: (next) => (request, peer) => {
        const dispatch = last?.opened?.dispatch;
        if (dispatch === undefined || !isProtocol(request.url)) return next(request, peer);
        return handle(dispatch, next, request, peer);
      },
      close: () => last?.stopping.abort(new Error("The server is closing.")),
    },
    start: async (options, issuer) => (await begin(options, issuer)).state,
    async run(options, issuer, operator) {
      const run = await begin(options, issuer, operator);
      await run.ended;
      if (run.report === undefined) throw new Error(run.state.error);
      return run.report;
    },
    options: () => last?.options,
    state: () => last?.state ?? noCheck,
    report: () => last?.report,
    async stop() {
      last?.stopping.abort(new Error("The check was stopped."));
      await last?.ended;
      return last?.state ?? noCheck;
    },
  };
}
