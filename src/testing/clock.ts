/** The clock of a test server, which tests freeze, set and advance. */

/**
 * A point in time: a Date, milliseconds since the epoch, or a string such as `2026-01-01T00:00:00Z`. A string without a
 * zone is in UTC.
 *
 * @internal
 */
export type Moment = Date | number | string;

/** A clock that a test controls. It runs with the system clock, unless it is frozen. */
export interface TestClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Advances the clock by `seconds`; a negative number sets it back.
   *
   * @throws {RangeError} For other values, and for a time outside of the years 1970 to 9999.
   */
  advance(seconds: number): void;
  /** Sets the clock, which keeps running or stays frozen. @throws {RangeError} For an invalid time or year. */
  set(moment: Moment): void;
  /** Stops the clock now, or sets it to `moment` and stops it. @throws {RangeError} For an invalid time or year. */
  freeze(moment?: Moment): void;
  /** Lets a frozen clock run again. */
  resume(): void;
  /** Whether the clock is stopped. */
  readonly frozen: boolean;
  /** Returns to the initial state. */
  reset(): void;
}

/** The system clock, looked up at each call, so that the fake timers of a test framework apply. */
export const systemClock = (): number => Date.now();

interface TestClockOptions {
  /** The time at the start, in the years 1970 to 9999. Default: the time of the system clock. */
  readonly startsAt?: Moment;
  /** Whether the clock is stopped at the start. Default: false. */
  readonly frozen?: boolean;
  /**
   * The clock that it runs with, in milliseconds since the epoch. Default, also while it returns `undefined`:
   * `Date.now`, looked up at each call, so that the fake timers of a test framework apply.
   */
  readonly timeSource?: () => number | undefined;
}

export function testClock(options: TestClockOptions = {}): TestClock {
  const { startsAt, frozen = false } = options;
  const timeSource = () => options.timeSource?.() ?? Date.now();
  const start = startsAt === undefined ? undefined : parseMoment(startsAt);
  let stoppedAt: number | undefined;
  /** How far the clock is ahead of the time source. */
  let offsetMs = 0;

  const self: TestClock = {
    now: () => stoppedAt ?? timeSource() + offsetMs,
    advance(seconds) {
      const deltaMs = Math.round(seconds * 1000);
      if (typeof seconds !== "number" || !Number.isFinite(deltaMs)) {
        throw new RangeError(
          `clock.advance: expected a number of seconds, received ${
            typeof seconds === "string" ? JSON.stringify(seconds) : seconds
          }`,
        );
      }
      set(assertYear(self.now() + deltaMs));
    },
    set: (moment) => set(parseMoment(moment)),
    freeze(moment) {
      stoppedAt = moment === undefined ? self.now() : parseMoment(moment);
    },
    resume() {
      if (stoppedAt === undefined) return;
      offsetMs = stoppedAt - timeSource();
      stoppedAt = undefined;
    },
    get frozen() {
      return stoppedAt !== undefined;
    },
    reset() {
      stoppedAt = undefined;
      offsetMs = start === undefined ? 0 : start - timeSource();
      if (frozen) self.freeze(start);
    },
  };

  function set(time: number): void {
    if (stoppedAt !== undefined) stoppedAt = time;
    else offsetMs = time - timeSource();
  }

  self.reset();
  return self;
}

/** ISO 8601, without a zone. */
const withoutZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

/** A date alone, which is in UTC, or a text that ends with its zone. The zone of the machine never counts. */
const withZone = /^\d{4}(?:-\d\d){0,2}$|(?:Z|UTC|GMT|\d:\d\d(?::[\d.]+)? ?[+-]\d\d:?\d\d)$/i;

/**
 * Reads a point in time.
 *
 * @returns Milliseconds since the epoch; `NaN` if it is none, or its zone is unknown.
 */
export function readMoment(moment: Moment): number {
  if (typeof moment !== "string") return new Date(moment).getTime();
  if (withoutZone.test(moment)) return Date.parse(`${moment.replace(" ", "T")}Z`);
  return withZone.test(moment) ? Date.parse(moment) : NaN;
}

function parseMoment(moment: Moment): number {
  const time = readMoment(moment);
  if (!Number.isNaN(time)) return assertYear(time);
  throw new RangeError(
    `clock: expected a Date, milliseconds since the epoch, or a string such as 2026-01-01T00:00:00Z, received ${moment}`,
  );
}

/** The last millisecond of the year 9999, after which dates have no common text form. */
const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** @throws {RangeError} If the time is outside of the years that dates in tokens and headers can have. */
function assertYear(time: number): number {
  if (time >= 0 && time <= latest) return time;
  const received = Number.isNaN(new Date(time).getTime()) ? `${time} ms since the epoch` : new Date(time).toISOString();
  throw new RangeError(`clock: expected a time in the years 1970 to 9999, received ${received}`);
}
