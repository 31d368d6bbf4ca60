/** A TCP proxy between a store and its database, which a test can stall, cut and restore. */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A wire; `to` is where it leads. */
export interface TcpProxy {
  readonly port: number;
  /** Forwards nothing any more, without closing: like a pulled cable. */
  stall(): void;
  /** Every connection breaks, and no new one is taken. */
  cut(): void;
  /** New connections lead elsewhere; those that there are stay. */
  redirect(to: number): void;
  /** New connections pass, to another port if one is named; those from before are gone. */
  restore(to?: number): void;
  close(): void;
}

/** Starts a proxy to a port of this machine. */
export async function tcpProxy(to: number): Promise<TcpProxy> {
  let state: "passes" | "stalled" | "cut" = "passes";
  const sockets = new Set<Socket>();
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const server = createServer((clientSocket) => {
    if (state === "cut") return void clientSocket.destroy();
    sockets.add(clientSocket);
    clientSocket.on("error", () => {});
    if (state === "stalled") return;
    const serverSocket = connect(to, "127.0.0.1");
    sockets.add(serverSocket);
    serverSocket.on("error", () => {});
    for (const [one, other] of [[clientSocket, serverSocket], [serverSocket, clientSocket]] as const) {
      one.setNoDelay(true).on("data", (bytes) => {
        // What is on its way when the cable is pulled never arrives.
        if (state === "passes") other.write(bytes);
      });
      one.on("close", () => {
        if (state === "passes") other.destroy();
        sockets.delete(one);
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
      destroyAll();
    },
    redirect: (other) => void (to = other),
    restore(other = to) {
      destroyAll();
      to = other;
      state = "passes";
    },
    close() {
      destroyAll();
      server.close();
    },
  };
}
