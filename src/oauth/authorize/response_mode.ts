/** Response modes: how an authorization response is sent to the client. To add one, add its name and its entry. */

/**
 * How a response is sent. `query`: in the query of the redirect URI; `form_post`: in a form that submits itself there.
 */
export type ResponseMode = "query" | "form_post" | "jwt" | "query.jwt" | "fragment.jwt" | "form_post.jwt";

interface ResponseModeDescription {
  /** The part of the request to the redirect URI that has the parameters. */
  readonly carrier: "query" | "fragment" | "form";
  /** Whether the only parameter is `response`, a JWT of all others (JARM §2). */
  readonly isSigned: boolean;
}

/** Every response mode, by its name. */
export const responseModes: Readonly<Record<ResponseMode, ResponseModeDescription>> = {
  query: { carrier: "query", isSigned: false },
  form_post: { carrier: "form", isSigned: false },
  // The default for the response type `code` (JARM §2.3.4).
  jwt: { carrier: "query", isSigned: true },
  "query.jwt": { carrier: "query", isSigned: true },
  "fragment.jwt": { carrier: "fragment", isSigned: true },
  "form_post.jwt": { carrier: "form", isSigned: true },
};

/** The names of all response modes. */
export const responseModeNames = Object.keys(responseModes) as ResponseMode[];
