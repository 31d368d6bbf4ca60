/** Response modes: how an authorization response is sent to the client. */

/**
 * How a response is sent. `query`: in the query of the redirect URI; `form_post`: in a form that submits itself there.
 * The modes with `jwt` are signed, by an extension.
 */
export type ResponseMode = "query" | "form_post" | "jwt" | "query.jwt" | "fragment.jwt" | "form_post.jwt";

/** The names of all response modes. A server has those of {@link ownResponseModes} and of its extensions. */
export const responseModeNames: readonly ResponseMode[] = [
  ...["query", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"] as const,
];

/** The parameters of an authorization response. */
export type ResponseFields = readonly (readonly [name: string, value: string])[];

/** One response mode. */
export interface ResponseModeDescription<Server> {
  /** The value of `response_mode`. */
  readonly name: ResponseMode;
  /** The part of the request to the redirect URI that has the parameters. */
  readonly carrier: "query" | "fragment" | "form";
  /**
   * Replaces the parameters, which contain `iss` in every case, with others. Default: they are sent unchanged.
   *
   * @param clientId The client that receives them.
   */
  replace?(server: Server, clientId: string, fields: ResponseFields): Promise<ResponseFields>;
}

/** The response modes of a server, by name. */
export type ResponseModes<Server> = ReadonlyMap<ResponseMode, ResponseModeDescription<Server>>;

/** The response modes of every server. */
export const ownResponseModes: readonly ResponseModeDescription<unknown>[] = [
  { name: "query", carrier: "query" },
  { name: "form_post", carrier: "form" },
];

/**
 * The response modes of a server.
 *
 * @param added Those of extensions.
 */
export function responseModes<Server>(added: readonly ResponseModeDescription<Server>[]): ResponseModes<Server> {
  return new Map([...ownResponseModes, ...added].map((mode) => [mode.name, mode]));
}
