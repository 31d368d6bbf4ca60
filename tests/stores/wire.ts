/** A wire between a store and its database, which a test can leave lying dead, cut and mend. */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A wire; `to` is where it leads. */
export interface Wire {
  readonly port: number;
  /** Nothing passes any more, and nobody is told: as with a cable that was pulled. */
  stall(): void;
  /** Every connection breaks, and no new one is taken. */
  cut(): void;
  /** New connections lead elsewhere; those that there are stay. */
  lead(to: number): void;
  /** New connections pass, to another port if one is named; those from before are gone. */
  mend(to?: number): void;
  close(): void;
}

/** Lays a wire to a port of this machine. */
export async function layWire(to: number): Promise<Wire> {
  let state: "passes" | "stalled" | "cut" = "passes";
  const ends = new Set<Socket>();
  const hangUp = () => {
    for (const end of ends) end.destroy();
    ends.clear();
  };
  const server = createServer((near) => {
    if (state === "cut") return void near.destroy();
    ends.add(near);
    near.on("error", () => {});
    if (state === "stalled") return;
    const far = connect(to, "127.0.0.1");
    ends.add(far);
    far.on("error", () => {});
    for (const [one, other] of [[near, far], [far, near]] as const) {
      one.setNoDelay(true).on("data", (bytes) => {
        // What is on its way when the cable is pulled never arrives.
        if (state === "passes") other.write(bytes);
      });
      one.on("close", () => {
        if (state === "passes") other.destroy();
        ends.delete(one);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    stall: () => void (state = "stalled"),
    cut() {
      state = "cut";
      hangUp();
    },
    lead: (other) => void (to = other),
    mend(other = to) {
      hangUp();
      to = other;
      state = "passes";
    },
    close() {
      hangUp();
      server.close();
    },
  };
}
