/**
 * Clients that crash, for crashes_test.ts: a process of their own, because some test runners report crashes themselves.
 */

import { assertRejects } from "@std/assert";
import type { ClientDriver } from "../../src/check/mod.ts";
import { ConfigurationError } from "../../src/mod.ts";
import type { Plugin } from "../../src/server/hosting/options.ts";
import { onUncaughtError, uncaughtErrorsReported } from "../../src/platform/runtime/uncaught_error.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { handleCommands } from "../platform/store/run_child.ts";
import { smallClient } from "./small_client.ts";

/** Where the client crashes. */
export type Command =
  | "at the start"
  | "at a wrong nonce, rejected"
  | "at a wrong nonce, thrown"
  | "at the login after a wrong nonce"
  | "at a response for which it does not wait"
  | "in another process"
  /** The check rejects its options; then an error of the program ends the process. */
  | "after a check that cannot start";

/** What the parent receives. */
export interface Result {
  readonly text: string;
  readonly control: string;
  readonly failures: readonly string[];
  /** The errors that the program receives while it checks a client in another process. */
  readonly received: readonly string[];
}

/** The correct client, which crashes besides; `receive` is for errors of the program itself. */
function crashingClient(command: Command, receive: (error: unknown) => void): ClientDriver {
  const { name, logIn } = smallClient();
  let logins = 0;
  let late: unknown;
  return {
    name,
    logIn(journey) {
      if (command === "at the start") {
        Promise.reject(new Error("no configuration"));
        return new Promise(() => {});
      }
      if (late !== undefined) {
        Promise.reject(late);
        late = undefined;
      }
      logins++;
      if (command === "in another process") {
        if (logins === 1) onUncaughtError(receive);
        Promise.reject(new Error("of the program"));
      }
      // After the control: the logins of the attack, which run again twice because of the crash.
      if (command === "at a response for which it does not wait" && logins >= 5 && logins <= 10) {
        const impatient: Fetch = (...request) => {
          const response = journey.fetch(...request);
          if (!String(request[0]).endsWith("/token")) return response;
          response.then(() => {
            throw new Error("late response");
          });
          return Promise.reject(new Error("no response"));
        };
        return logIn!({ ...journey, fetch: impatient });
      }
      // A session without abilities, so that the control has no more logins.
      return logIn!(journey).then(({ sub }) => ({ sub })).catch((error) => {
        if (String(error).includes("wrong nonce")) {
          if (command === "at a wrong nonce, rejected") Promise.reject(error);
          if (command === "at the login after a wrong nonce") late = error;
          if (command === "at a wrong nonce, thrown") {
            setTimeout(() => {
              throw error;
            });
          }
        }
        throw error;
      });
    },
  };
}

// Not awaited: while a module waits, an error of the program does not end Bun.
handleCommands(async (command: Command): Promise<Result> => {
  if (command === "after a check that cannot start") {
    const server = { lifetimes: { code: -1 } };
    await assertRejects(() => checkClientWithEdDsa(smallClient(), { server }), ConfigurationError);
    Promise.reject(new Error("of the program"));
    await uncaughtErrorsReported();
  }
  const only = command === "at the start"
    ? undefined
    : command === "at a response for which it does not wait"
    ? ["clock/small"]
    : ["id-token/nonce-wrong", "id-token/iss-wrong", "response/state-wrong", "response/iss-missing"];
  const slow: Plugin = {
    handle: (next) => async (request, peer) => {
      const response = await next(request, peer);
      if (request.url.endsWith("/token")) await new Promise((resolve) => setTimeout(resolve, 300));
      return response;
    },
  };
  const server = command === "at a response for which it does not wait" ? { plugins: [slow] } : undefined;
  const received: string[] = [];
  const client = crashingClient(command, (error) => received.push(String(error)));
  const inProcess = command !== "in another process";
  const report = await checkClientWithEdDsa(client, { only, inProcess, server });
  return {
    text: String(report),
    control: report.control.outcome,
    failures: report.failures.map(({ attack: { id }, evidence }) => `${id} ${evidence.outcome}`),
    received,
  };
});
