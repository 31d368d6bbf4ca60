/** Verbs of the clock. */

import { flag, object, text, whole } from "../../../core/policy/field.ts";
import type { TestClock } from "../../clock.ts";
import { type ControlTarget, defineVerb, noInput } from "../verb.ts";

/** The state of the clock. */
interface ClockState {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The same time in ISO 8601. */
  readonly time: string;
  /** Whether the clock is stopped. */
  readonly frozen: boolean;
}

const result = object<ClockState>("ClockState", {
  now: whole(1_767_225_600_000, { expected: "milliseconds since the epoch" }),
  time: text(["2026-01-01T00:00:00.000Z"]),
  frozen: flag(),
}, { now: 1_767_225_600_000, time: "2026-01-01T00:00:00.000Z", frozen: true });

function stateOf(clock: TestClock): ClockState {
  const now = clock.now();
  return { now, time: new Date(now).toISOString(), frozen: clock.frozen };
}

/** Creates a verb function that changes the clock and returns its state. */
function withClock<Input>(act: (clock: TestClock, input: Input) => void) {
  return ({ control: { clock } }: ControlTarget, input: Input): ClockState => {
    act(clock, input);
    return stateOf(clock);
  };
}

/** How far the clock moves. */
interface Advance {
  /** Seconds; a negative number sets the clock back. */
  readonly seconds: number;
}

/** The time of the clock. */
interface Time {
  /** A time such as `2027-01-01` or `2027-01-01T12:00:00Z`. */
  readonly time: string;
}

/** The time at which the clock stands still. */
interface Freeze {
  /** A time such as `2027-01-01T12:00:00Z`. Default: now. */
  readonly time?: string;
}

const time = text(["2027-01-01T12:00:00Z"]);

/** Time for the whole server: expiry, `iat`, `auth_time`, the log. */
export const clockVerbs = [
  defineVerb({
    name: "clock.now",
    summary: "Returns the time of the server.",
    reads: true,
    ...noInput,
    result,
    returns: "now",
    run: withClock(() => {}),
  }),
  defineVerb({
    name: "clock.advance",
    summary: "Advances the clock by `seconds`; codes and tokens expire accordingly.",
    input: object<Advance>("Advance", { seconds: whole(3600, { expected: "a whole number of seconds" }) }, {
      seconds: 3600,
    }, { required: ["seconds"] }),
    args: ["seconds"],
    result,
    run: withClock<Advance>((clock, { seconds }) => clock.advance(seconds)),
  }),
  defineVerb({
    name: "clock.set",
    summary: "Sets the clock; it keeps running, or stays frozen.",
    input: object<Time>("Time", { time }, { time: "2027-01-01T12:00:00Z" }, { required: ["time"] }),
    args: ["time"],
    result,
    run: withClock<Time>((clock, input) => clock.set(input.time)),
  }),
  defineVerb({
    name: "clock.freeze",
    summary: "Stops the clock now, or sets it to `time` and stops it.",
    input: object<Freeze>("Freeze", { time }, {}),
    args: ["time"],
    result,
    run: withClock<Freeze>((clock, input) => clock.freeze(input.time)),
  }),
  defineVerb({
    name: "clock.resume",
    summary: "Lets a frozen clock run again.",
    ...noInput,
    result,
    run: withClock((clock) => clock.resume()),
  }),
  defineVerb({
    name: "clock.reset",
    summary: "Returns the clock to its initial state.",
    ...noInput,
    result,
    run: withClock((clock) => clock.reset()),
  }),
];
