/** Latchkey in a container of Testcontainers. */

/** @internal A container that is configured; the part of `GenericContainer` that is used here. */
export interface ContainerBuilder {
  withExposedPorts(port: number): ContainerBuilder;
  withEnvironment(environment: Record<string, string>): ContainerBuilder;
  withWaitStrategy(strategy: unknown): ContainerBuilder;
  start(): Promise<StartedContainer>;
}

/** @internal A container that runs. */
export interface StartedContainer {
  getHost(): string;
  getMappedPort(port: number): number;
  stop(): Promise<unknown>;
}

/** @internal The exports of the package `testcontainers` that are used here. */
export interface Testcontainers {
  readonly GenericContainer: new (image: string) => ContainerBuilder;
  readonly Wait: { forHttp(path: string, port: number): unknown };
}

/** @internal Options of `startLatchkey`. */
export interface ContainerOptions {
  /** The image, with a version: `ghcr.io/OWNER/latchkey:1`. */
  readonly image: string;
  /** The content of the configuration file. Default: the demo clients and users. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** @internal A container that can be stopped. */
export interface StoppableContainer extends AsyncDisposable {
  /** Stops the container. A second call has no effect. */
  stop(): Promise<void>;
}

/** The port of the server in the container. */
const port = 9000;

/** Starts a container, and connects to the control of its server; if that fails, the container stops. */
export async function startContainer<Handle>(
  { GenericContainer, Wait }: Testcontainers,
  { image, settings }: ContainerOptions,
  connect: (issuer: string) => Promise<Handle>,
): Promise<Handle & StoppableContainer> {
  const container = await new GenericContainer(image)
    .withExposedPorts(port)
    .withEnvironment({
      // The port that the tests use is known only after the start.
      LATCHKEY_ISSUER: "from-host",
      LATCHKEY_CONTROL: "on",
      ...settings !== undefined && { LATCHKEY_CONFIG_JSON: JSON.stringify(settings) },
    })
    // The image has no shell, which the default strategy needs.
    .withWaitStrategy(Wait.forHttp("/readyz", port))
    .start();
  let stopping: Promise<unknown> | undefined;
  const stop = async () => void await (stopping ??= container.stop());
  try {
    const handle = await connect(`http://${container.getHost()}:${container.getMappedPort(port)}`);
    return { ...handle, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
