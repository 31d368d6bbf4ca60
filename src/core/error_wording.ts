/** How a server words its errors. */

import type { Context } from "./context.ts";
import type { OAuthError } from "./errors.ts";
import type { HttpResponse } from "./http/message.ts";
import { detailHeaders, type ErrorMembers, toOAuthError } from "./json_error.ts";

/** An error to show to the user. */
export interface ShownError {
  /** The value that was thrown. */
  readonly thrown: unknown;
  /** The error that it was converted to. */
  readonly error: OAuthError;
  /** The status of the page. */
  readonly status: number;
  /** The client that the user may send the error to; absent if there is none. */
  readonly client?: {
    /** The host of the redirect URI. */
    readonly host: string;
    /** The redirect with the error; absent if it would be a form. */
    readonly href?: string;
  };
}

/** How a server words its errors. */
export interface ErrorWording {
  /** Adds texts to a thrown value, before it is sent. Default: none. */
  explain?(context: Context, thrown: unknown): Promise<unknown>;
  /** Converts a thrown value to an OAuth error, and traces it. */
  toError(context: Context, thrown: unknown): OAuthError;
  /** The members of an error response. */
  members(context: Context, error: OAuthError): ErrorMembers;
  /** The page of an error. */
  page(context: Context, shown: ShownError): Promise<HttpResponse>;
}

/** The wording without explanations: code, message and rule. */
export const plainWording: ErrorWording = {
  toError(context, thrown) {
    const { server, target, clientId } = context;
    const error = toOAuthError(server, target.path, thrown);
    const event = { type: "rejected", at: server.now(), endpoint: target.path, client: clientId } as const;
    server.trace({ ...event, error: error.code, explanation: error.explain() });
    return error;
  },
  members: ({ server }, error) => ({
    error: error.code,
    error_description: server.settings.allows.explanations ? error.openDescription : error.description,
  }),
  async page({ site }, { error, status, client }) {
    const [{ plainPage }, { PlainErrorPage }] = await Promise.all([
      import("./pages/plain_response.ts"),
      import("./pages/plain_pages.tsx"),
    ]);
    const { code, message, details: { rule } } = error;
    return await plainPage(
      status,
      PlainErrorPage,
      { issuer: site.issuer, error: code, message, rule, client },
      detailHeaders(error),
    );
  },
};
