/** Observations of accepted requests: a check names what it saw, and `server/explain/` makes the texts. */

/** The facts of each observation, by the rule that a strict server rejects such a request by. */
export interface Observations {
  /** A public client sent no code challenge. */
  readonly "PK-01": undefined;
  /** The code challenge is the code verifier itself. */
  readonly "PK-04": undefined;
  /** A code challenge was sent without its method. */
  readonly "PK-05": undefined;
  /** The code challenge of an earlier request whose code may still be valid was sent again. */
  readonly "PK-14": undefined;
}

/** @internal Receives an observation of a request of a client. */
export type Observe<Server> = <Name extends keyof Observations>(
  server: Server,
  client: string | undefined,
  name: Name,
  facts: Observations[Name],
) => void;

/** Reports what was seen in an accepted request; nothing happens if nothing listens. */
export function observe<Name extends keyof Observations, Server extends { readonly observe?: Observe<Server> }>(
  server: Server,
  client: { readonly id: string } | undefined,
  name: Name,
  ...[facts]: undefined extends Observations[Name] ? [facts?: Observations[Name]] : [facts: Observations[Name]]
): void {
  server.observe?.(server, client?.id, name, facts as Observations[Name]);
}
