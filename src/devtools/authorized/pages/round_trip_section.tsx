/** @jsxImportSource preact */
/** The authorization request and the response on the callback page. */

import type { VNode } from "preact";
import type { ResponseCheck } from "../../../server/pages/checks.tsx";
import { Panes, Section } from "../../../server/pages/layout.tsx";
import { Parameters } from "../../../server/pages/parameters.tsx";
import type { PkceProps } from "./pkce.tsx";
import { CodeList } from "../../../server/pages/value.tsx";

/** The authorization request and response that led to the callback page. */
export interface RoundTrip {
  /** The parameters of the authorization request, if this browser started the flow on a page of this server. */
  readonly request?: readonly (readonly [name: string, value: string])[];
  /** Whether the client pushed these parameters, so that the browser carried only a reference. Default: false. */
  readonly isPushed?: boolean;
  /** Whether the client signed these parameters. Default: false. */
  readonly isSigned?: boolean;
  /** The parameters of the response. */
  readonly redirect: readonly (readonly [name: string, value: string])[];
  /** The names of unknown parameters. Default: none. */
  readonly ignoredParameters?: readonly string[];
  /** The first checks of a client. */
  readonly checks: readonly ResponseCheck[];
  /** Absent if only the client has the verifier. */
  readonly pkce?: PkceProps;
}

/** The authorization request and the response. */
export function RoundTripSection({ request, isPushed, isSigned, redirect, ignoredParameters }: RoundTrip): VNode {
  return (
    <Section id="round-trip" heading="Authorization request and response">
      <Panes>
        <div>
          <h3>The authorization request</h3>
          {request === undefined
            ? (
              <p>
                This flow did not start on a page of this server in this browser, so this page does not know the
                request. A client compares the response with the request that it sent.
              </p>
            )
            : (
              <>
                <p>
                  {isPushed
                    ? "The client pushed these parameters to the server. The browser carried only a reference to them, request_uri."
                    : isSigned
                    ? "The client sent the browser to the authorization endpoint with one parameter, request: a JWT that contains these parameters."
                    : "The client sent the browser to the authorization endpoint with these parameters. All of them are public."}
                  {isPushed && isSigned && " They were signed: one JWT contained all of them."}
                </p>
                <Parameters fields={request} />
              </>
            )}
        </div>
        <AuthorizationResponse redirect={redirect} ignoredParameters={ignoredParameters} />
      </Panes>
    </Section>
  );
}

/** The parameters of the response. */
export function AuthorizationResponse(
  { redirect, ignoredParameters = [] }: Pick<RoundTrip, "redirect" | "ignoredParameters">,
): VNode {
  return (
    <div>
      <h3>The authorization response</h3>
      <p>The server redirected the browser to the redirect URI. A client must verify the response.</p>
      <Parameters fields={redirect} />
      {ignoredParameters.length > 0 && (
        <p>
          Ignored, because they are not parameters of an authorization response:{" "}
          <CodeList texts={ignoredParameters} between=", " />.
        </p>
      )}
    </div>
  );
}
