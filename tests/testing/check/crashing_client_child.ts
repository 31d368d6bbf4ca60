/** Clients that crash, for crashes_test.ts: a process of their own, because some test runners report crashes themselves. */

import type { ClientDriver } from "../../../src/testing/mod.ts";
import { checkClient } from "./patient_check.ts";
import { handleCommands } from "../../stores/run_child.ts";
import { smallClient } from "./small_client.ts";

/** Where the client crashes. */
export type Command = "at the start" | "at a wrong nonce, rejected" | "at a wrong nonce, thrown";

/** What the parent receives. */
export interface Result {
  readonly text: string;
  readonly control: string;
  readonly failures: readonly string[];
}

/** The correct client, which crashes besides. */
function crashingClient(command: Command): ClientDriver {
  const { name, logIn } = smallClient();
  return {
    name,
    logIn(journey) {
      if (command === "at the start") {
        Promise.reject(new Error("no configuration"));
        return new Promise(() => {});
      }
      return logIn!(journey).catch((error) => {
        if (String(error).includes("wrong nonce")) {
          if (command === "at a wrong nonce, rejected") Promise.reject(error);
          else {
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

await handleCommands(async (command: Command): Promise<Result> => {
  const only = command === "at the start" ? undefined : ["id-token/nonce-wrong", "id-token/iss-wrong", "response"];
  const report = await checkClient(crashingClient(command), { only, except: ["response/code-injected"] });
  return {
    text: String(report),
    control: report.control.outcome,
    failures: report.failures.map(({ attack: { id }, outcome }) => `${id} ${outcome}`),
  };
});
