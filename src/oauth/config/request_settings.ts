/** Settings of the form of authorization requests and responses. */

import { type ResponseMode, responseModeNames } from "../authorize/response_mode.ts";
import { choice, type Fields, list } from "./field.ts";

/** Settings of the form of authorization requests and responses. */
export interface RequestSettings {
  /**
   * The accepted values of `response_mode`. In the modes with `jwt`, authorization responses are signed (JARM); `jwt`
   * alone means `query.jwt`. Without `query`, every request must name a mode. Default: `query form_post`.
   */
  readonly responseModes?: readonly ResponseMode[];
}

/** The description of {@link RequestSettings}. */
export const requestFields = {
  responseModes: list(choice(responseModeNames), [["query", "jwt"]], {
    min: 1,
    expected: "an array of response modes, at least one",
    default: ["query", "form_post"],
  }),
} satisfies Fields<RequestSettings>;
