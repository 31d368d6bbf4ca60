/** Verbs that send security events, and revoke tokens at applications. */

import { object, text, whole } from "../../../core/policy/field.ts";
import { sentEventField } from "../../security_events.ts";
import { globalTokenRevocationField, type GlobalTokenRevocationOptions } from "../../global_token_revocation.ts";
import { ControlError } from "../control_error.ts";
import { defineVerb, type Verb } from "../verb.ts";

/** How many streams have the event. */
interface Streams {
  /** The number of streams. */
  readonly streams: number;
}

/** A user at an application. */
interface UserAtApplication {
  /** The URL of the endpoint of the application. */
  readonly url: string;
  /** The user. */
  readonly sub: string;
  /** How the request names the user. */
  readonly options?: GlobalTokenRevocationOptions;
}

/** The response of the application. */
interface ResponseStatus {
  /** Its status: 204 is success. */
  readonly status: number;
}

const globalTokenRevocation = defineVerb<UserAtApplication, ResponseStatus>({
  name: "globalTokenRevocation",
  summary: "Calls the endpoint of an application that revokes all tokens of a user; 409 without a response.",
  input: object<UserAtApplication>(
    "UserAtApplication",
    {
      url: text(["http://localhost:3000/global-token-revocation"]),
      sub: text(["bob"]),
      options: globalTokenRevocationField,
    },
    { url: "http://localhost:3000/global-token-revocation", sub: "bob" },
    { required: ["url", "sub"] },
  ),
  args: ["url", "sub", "options"],
  result: object<ResponseStatus>("ResponseStatus", { status: whole(204, { expected: "a whole number" }) }, {
    status: 204,
  }),
  returns: "status",
  async run({ control }, { url, sub, options }) {
    try {
      return { status: await control.globalTokenRevocation(url, sub, options) };
    } catch (error) {
      if (error instanceof TypeError && error.message.startsWith("globalTokenRevocation")) throw error;
      throw new ControlError(409, `No response: ${error instanceof Error ? error.message : error}`);
    }
  },
});

/** The call of an application, and an event to the streams of clients. */
export const eventVerbs: readonly Verb[] = [
  globalTokenRevocation,
  defineVerb({
    name: "sendEvent",
    summary: "Sends a security event about a user to the streams that deliver it.",
    input: sentEventField,
    args: ["type", "sub", "options"],
    result: object<Streams>("Streams", { streams: whole(1, { expected: "a whole number" }) }, { streams: 1 }),
    returns: "streams",
    run: async ({ control }, { type, sub, options }) => ({ streams: await control.sendEvent(type, sub, options) }),
  }),
];
