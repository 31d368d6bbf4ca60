/** The props of the tour's pages. */

import type { ResponseCheck } from "../../../../server/pages/checks.tsx";
import type { Site } from "../../../../server/pages/layout.tsx";
import type { HiddenFields } from "../../../../server/pages/post_form.tsx";

/** A request of the client, as shown by the tour. */
export interface TourRequest {
  /** The method and the URL without its query. */
  readonly line: string;
  /** Its parameters, and headers with credentials. */
  readonly parts: HiddenFields;
}

/** A response, as shown by the tour. */
export interface TourResponse {
  /** The status line; absent if the connection ended without a response. */
  readonly line?: string;
  /** Its JSON members. */
  readonly parts: HiddenFields;
}

/** The six steps of a flow, and two steps of a mistake. Each is one page. */
export type TourStep =
  | { readonly step: "request"; readonly request: TourRequest; readonly href: string }
  | {
    readonly step: "response";
    readonly request: TourRequest;
    /** Whether the user has logged in on a page. */
    readonly hasLoginPages: boolean;
    readonly codeLifetimeSeconds: number;
    readonly href: string;
  }
  | { readonly step: "check"; readonly checks: readonly ResponseCheck[]; readonly href: string }
  | {
    readonly step: "exchange";
    readonly request: TourRequest;
    /** The hash of the code verifier. */
    readonly challenge: string;
    readonly fields: HiddenFields;
  }
  | {
    readonly step: "tokens";
    readonly response: TourResponse;
    readonly checks: readonly ResponseCheck[];
    readonly idToken: string;
    /** The server's clock, in milliseconds since the epoch. */
    readonly now: number;
    readonly fields: HiddenFields;
  }
  | {
    readonly step: "userinfo";
    readonly request: TourRequest;
    readonly response: TourResponse;
    /** Whether the server lists its clients for this visitor. */
    readonly hasClientsPage: boolean;
  }
  | {
    readonly step: "mistakes";
    /** The authorization requests of the flows with each mistake. */
    readonly hrefs: Readonly<Record<Mistake, string>>;
  }
  | {
    readonly step: "mistake";
    readonly mistake: Mistake;
    readonly request: TourRequest;
    /** The right and the wrong value of the parameter; of `code_verifier`, their hashes. */
    readonly expected: string;
    readonly received: string;
    readonly fields: HiddenFields;
  }
  | {
    readonly step: "rejection";
    readonly mistake: Mistake;
    readonly response: TourResponse;
    readonly fields: HiddenFields;
  }
  /** The code was used or is expired. */
  | { readonly step: "failed"; readonly response: TourResponse }
  /** No client fits. */
  | {
    readonly step: "no_client";
    readonly redirectUri: string;
    /** The form that adds a client that fits, below the base; absent if the visitor may not add clients. */
    readonly addPath?: string;
  };

/** The parameter of the token request that is wrong. */
export type Mistake = "redirect_uri" | "code_verifier";

/** A page of the tour. */
export interface TourProps extends Site {
  readonly page: TourStep;
}
