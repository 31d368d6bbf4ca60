/** The clock of a server under test: it can be stopped, set and moved, and everything in that server goes by it. */

/** A moment: a Date, milliseconds since the epoch, or a text that `Date` reads, such as `2026-01-01T00:00:00Z`. */
export type Moment = Date | number | string;

/** A clock that a test moves. It ticks with the machine's, unless it is frozen. */
export interface TestClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Moves it by that many seconds, backwards where they are negative. @throws {RangeError} When it is no number. */
  advance(seconds: number): void;
  /** Sets it; if it ticks, it goes on ticking. @throws {RangeError} When that is no moment. */
  set(moment: Moment): void;
  /** Stops it, where it is or at that moment. @throws {RangeError} When that is no moment. */
  freeze(moment?: Moment): void;
  /** Lets it tick again. */
  resume(): void;
  /** Whether it stands still. */
  readonly frozen: boolean;
}

/** How a clock starts. */
export interface TestClockOptions {
  /** Default: what the machine's clock says. */
  readonly startsAt?: Moment;
  /** Whether it stands still at first. Default: false. */
  readonly frozen?: boolean;
  /**
   * What it ticks with, in milliseconds since the epoch. Default: `Date.now`, asked anew each time, so that the fake
   * timers of a test framework move it too.
   */
  readonly timeSource?: () => number;
}

/** A clock that can be put back to how it started. */
export interface ResettableClock extends TestClock {
  /** Puts it back. */
  reset(): void;
}

/** Makes a clock. */
export function testClock(options: TestClockOptions = {}): ResettableClock {
  const { startsAt, frozen = false, timeSource = () => Date.now() } = options;
  const start = startsAt === undefined ? undefined : parseMoment(startsAt);
  let stoppedAt: number | undefined;
  /** How far it is ahead of what it ticks with. */
  let offsetMs = 0;

  const self: ResettableClock = {
    now: () => stoppedAt ?? timeSource() + offsetMs,
    advance(seconds) {
      const deltaMs = Math.round(seconds * 1000);
      if (!Number.isFinite(deltaMs)) {
        throw new RangeError(`clock.advance: expected a number of seconds, found ${seconds}`);
      }
      set(self.now() + deltaMs);
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

function parseMoment(moment: Moment): number {
  const time = new Date(moment).getTime();
  if (!Number.isNaN(time)) return time;
  throw new RangeError(
    `clock: expected a Date, milliseconds since the epoch, or a text such as 2026-01-01T00:00:00Z, found ${moment}`,
  );
}
