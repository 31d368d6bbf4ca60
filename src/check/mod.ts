/**
 * The check of clients: {@link checkClient} runs the attacks of a catalogue against a client, and
 * {@link checkPractices} reads what was recorded of a client in any test. {@link webApplication} drives an application;
 * every other client has a {@link ClientDriver} of its own.
 *
 * @example
 * ```ts ignore
 * import { checkClient, webApplication } from "@latchkey/latchkey/check";
 *
 * const report = await checkClient(webApplication("http://localhost:3000/login"), { as });
 * console.log(String(report));
 * ```
 *
 * @module
 */

export { checkPractices } from "../testing/check_practices.ts";
export type { PracticeReport } from "../testing/practice_report.ts";
export type { PracticeResult } from "../recorder/practices/mod.ts";
export type { Practice } from "../recorder/practices/practice.ts";
export { webApplication } from "./web_application.ts";
export type { UserTexts } from "./user_texts.ts";
export type { WebApplicationOptions } from "./web_application.ts";
export { checkClient } from "./check_client.ts";
export { fault } from "./fault.ts";
export type { CheckOptions } from "./check_options.ts";
export type { AttackResult, CheckReport, Verdict } from "./report.ts";
export {
  type BackchannelJourney,
  type BrowserVisit,
  type ClientBrowser,
  type ClientDriver,
  type ClientJourney,
  type ClientSession,
  type DeviceJourney,
  type ResourceJourney,
  type TokenJourney,
  UndecidedError,
  unknownUser,
} from "./driver.ts";
export type { Attack } from "./attack.ts";
