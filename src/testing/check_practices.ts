/** Checks the practices of a client in what a mock server has recorded. */

import type { Recording } from "../recorder/practices/traffic.ts";
import { object, text } from "../core/policy/field.ts";
import type { Client } from "../core/clients/clients.ts";
import { assertOptions } from "./options.ts";
import type { TestControl } from "./test_control.ts";
import { type PracticeReport, practiceReport } from "./practice_report.ts";

/** @internal A server with a log. */
export interface RecordedServer extends Pick<TestControl, "log"> {
  /** The issuer identifier. */
  readonly issuer: string;
  /** The registered clients. Default: unknown. */
  readonly clients?: { find(id: string): Client | undefined | Promise<Client | undefined> };
}

/** @internal Options of {@link checkPractices}. */
export interface PracticeOptions {
  /** The client. Default: all requests are those of one client. */
  readonly client?: string;
  /** The flow to report, by its id; other flows are compared with it. Default: everything that was recorded. */
  readonly flow?: string;
}

const optionsField = object<PracticeOptions>("PracticeOptions", { client: text(["client-1"]), flow: text(["1"]) }, {});

/**
 * Checks the practices of a client in everything that was recorded of it: PKCE, state, credentials, tokens, refreshes,
 * retries. Nothing is sent. Some practices are seen only in two logins, a refresh, a logout, or at two servers.
 *
 * @throws {TypeError} If an option is unknown.
 *
 * @example
 * ```ts ignore
 * await myApp.logIn();
 * const practices = await checkPractices(as);
 * assert(practices.passed, String(practices));
 * ```
 */
export async function checkPractices(
  servers: RecordedServer | readonly RecordedServer[],
  options: PracticeOptions = {},
): Promise<PracticeReport> {
  assertOptions("checkPractices", optionsField, options);
  const { client, flow } = options;
  const { clientsOf, exchangesOfClient, readPractices } = await import("../recorder/practices/mod.ts");
  const recordings = await Promise.all(
    ("log" in servers ? [servers] : servers).map(async ({ issuer, log, clients }): Promise<Recording> => {
      const all = log.unmasked.exchanges;
      const exchanges = client === undefined ? all : exchangesOfClient(all, client);
      const [id, ...others] = clientsOf(exchanges);
      const registered = id === undefined || others.length > 0 ? undefined : await clients?.find(id);
      return { issuer, exchanges, client: registered?.metadata };
    }),
  );
  return practiceReport(await readPractices(recordings, { flow }));
}
