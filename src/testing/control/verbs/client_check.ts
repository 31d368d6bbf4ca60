/** Verbs of the check of a client, which runs in the background. */

import { anyValue, choice, flag, object, record, text, texts, whole } from "../../../server/config/field.ts";
import {
  CheckRunningError,
  type ClientCheck,
  type ClientCheckOptions,
  type ClientCheckState,
} from "../../client_check.ts";
import { ControlError } from "../control_error.ts";
import { type ControlTarget, defineVerb, noInput } from "../verb.ts";

const options = object<ClientCheckOptions>(
  "ClientCheckOptions",
  {
    client: text(["web"]),
    loginUrl: text(["http://localhost:3000/login"]),
    loggedInUrl: text(["http://localhost:3000/me"]),
    loggedInText: text(["Alice Adams"]),
    refreshUrl: text(["http://localhost:3000/refresh"]),
    verifiesIdTokenSignature: flag(),
    only: texts(["id-token"]),
    except: texts(["transport"]),
  },
  { client: "web", loginUrl: "http://localhost:3000/login", only: ["response"] },
  { required: ["client", "loginUrl"] },
);

const example: ClientCheckState = {
  ...{ status: "running", client: "web" },
  ...{ done: 12, total: 400, failed: 1, inconclusive: 0 },
};

const amount = whole(12, { expected: "a whole number" });

const state = object<ClientCheckState>("ClientCheckState", {
  status: choice(["none", "running", "ended", "stopped", "failed"]),
  client: text(["web"]),
  ...{ done: amount, total: amount, failed: amount, inconclusive: amount },
  passed: flag(),
  error: text(["expected a private JWK"]),
}, example);

/** @throws {ControlError} 409 if the server has no check of clients. */
function checkOf({ control: { clientCheck } }: ControlTarget): ClientCheck {
  if (clientCheck !== undefined) return clientCheck;
  throw new ControlError(
    409,
    "This server cannot check clients. It needs an issuer on a test host; a mock also needs the option clientCheck.",
  );
}

/** The check of a client, as `latchkey check` does it. */
export const clientCheckVerbs = [
  defineVerb<ClientCheckOptions, ClientCheckState>({
    name: "clientCheck.start",
    summary: "Starts the check of a client, as `latchkey check` does it; 409 if one is running.",
    input: options,
    result: state,
    async run(target, input) {
      try {
        return await checkOf(target).start(input, target.name.issuer);
      } catch (error) {
        if (error instanceof CheckRunningError) throw new ControlError(409, error.message);
        throw error;
      }
    },
  }),
  defineVerb({
    name: "clientCheck.state",
    summary: "Returns the status and the progress of the check of a client.",
    reads: true,
    input: noInput,
    args: [],
    result: state,
    run: (target) => checkOf(target).state(),
  }),
  defineVerb({
    name: "clientCheck.report",
    summary: "Returns the report of the last check of a client as JSON; 404 until it has ended.",
    reads: true,
    input: noInput,
    args: [],
    result: record(anyValue, { client: "http://localhost:3000", passed: true }, "an object"),
    run(target) {
      const report = checkOf(target).report();
      if (report === undefined) throw new ControlError(404, "No check of a client has ended.");
      return report.toJSON();
    },
  }),
  defineVerb({
    name: "clientCheck.stop",
    summary: "Stops the check of a client, and responds when it has ended; the report has the results so far.",
    input: noInput,
    args: [],
    result: state,
    run: (target) => checkOf(target).stop(),
  }),
];
