/** A connection within one process, with the functions of a socket that HTTP clients and servers of Node call. */

import { Duplex } from "node:stream";
import { timers } from "../../core/http/timers.ts";

/** One end of a connection. */
export class Connection extends Duplex {
  #peer: Connection | undefined;
  #idleMs = 0;
  #isRef = true;
  #timer: NodeJS.Timeout | undefined;

  /** Creates both ends. */
  static pair(): readonly [Connection, Connection] {
    const [one, other] = [new Connection(), new Connection()];
    one.#peer = other;
    other.#peer = one;
    return [one, other];
  }

  /** Emits `timeout` when nothing was sent or received for that long; 0 stops it. */
  setTimeout(milliseconds: number, listener?: () => void): this {
    if (listener !== undefined) this.once("timeout", listener);
    this.#idleMs = milliseconds;
    this.#restartTimer();
    return this;
  }

  /** No effect: the connection sends bytes immediately. */
  setNoDelay(): this {
    return this;
  }

  /** No effect: the other end is in the same process, so the connection cannot be lost. */
  setKeepAlive(): this {
    return this;
  }

  /** Lets the timer of the connection keep the process running, which is the default. */
  ref(): this {
    this.#isRef = true;
    this.#timer?.ref();
    return this;
  }

  /** Lets the process end although the timer of the connection runs. */
  unref(): this {
    this.#isRef = false;
    this.#timer?.unref();
    return this;
  }

  override _read(): void {}

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.#restartTimer();
    this.#peer!.#receive(chunk);
    done();
  }

  override _final(done: () => void): void {
    this.#peer!.#receive(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    timers.clearTimeout(this.#timer);
    this.#peer!.#receive(null);
    done(error);
  }

  #receive(chunk: Uint8Array | null): void {
    if (this.readableEnded || this.destroyed) return;
    this.#restartTimer();
    this.push(chunk);
  }

  #restartTimer(): void {
    timers.clearTimeout(this.#timer);
    if (this.#idleMs === 0 || this.destroyed) return;
    this.#timer = timers.setTimeout(() => this.emit("timeout"), this.#idleMs);
    if (!this.#isRef) this.#timer.unref();
  }
}
