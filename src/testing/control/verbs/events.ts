/** The verb that sends security events. */

import { object, whole } from "../../../core/policy/field.ts";
import { sentEventField } from "../../security_events.ts";
import { defineVerb, type Verb } from "../verb.ts";

/** How many streams have the event. */
interface Streams {
  /** The number of streams. */
  readonly streams: number;
}

/** An event to the streams of clients. */
export const eventVerbs: readonly Verb[] = [
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
