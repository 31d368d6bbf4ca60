/** @jsxImportSource preact */
/** The form of the playground: the suggested next step with a sentence, and the other ones. */

import type { VNode } from "preact";
import { type Site, Stylesheet } from "../../../server/pages/layout.tsx";
import { type HiddenFields, HiddenInputs } from "../../../server/pages/post_form.tsx";

/** A step of the playground. */
export type PlaygroundStep =
  | "exchange"
  | "wrong_verifier"
  | "device"
  | "poll"
  | "userinfo"
  | "introspect"
  | "downscope"
  | "refresh"
  | "replay"
  | "revoke";

/** The form that runs a step; its target is `{base}/authorized/try`. */
export interface PlaygroundForm {
  /** The state of the playground without its history; the server stores nothing. */
  readonly fields: HiddenFields;
  /** The client whose secret the user must type; absent if none is necessary. */
  readonly needsSecretOf?: string;
  /** The next steps, the suggested one first. */
  readonly steps: readonly PlaygroundStep[];
  /** Whether the code is used: a second use is rejected. Default: false. */
  readonly codeUsed?: boolean;
  /** Whether the grant is revoked, so that every further use is rejected. */
  readonly grantRevoked: boolean;
}

/** The texts of the buttons. */
export const stepLabels: Readonly<Record<PlaygroundStep, string>> = {
  exchange: "Exchange the code",
  wrong_verifier: "Send a wrong verifier",
  device: "Start a device authorization",
  poll: "Poll for tokens",
  userinfo: "Call userinfo",
  introspect: "Introspect",
  downscope: "Exchange the access token",
  refresh: "Refresh tokens",
  replay: "Replay the code",
  revoke: "Revoke tokens",
};

const stepDescriptions: Readonly<Record<PlaygroundStep, string>> = {
  exchange: "Sends the token request and shows the response. A code works once.",
  wrong_verifier: "Acts as an attacker who has the code but not the verifier. The code stays valid.",
  device: "Starts the login of a device without a browser, and shows the user code.",
  poll: "Requests the tokens with the device code. A device repeats this request until the user has decided.",
  userinfo: "Requests the claims of the user with the access token.",
  introspect: "Asks the server whether the access token is active, as a resource server does.",
  downscope: "Gets a token with less access, to pass on to another service (token exchange).",
  refresh: "Gets a new access token with the refresh token, without the user.",
  replay: "Sends the used code again. The server must reject it and revoke the tokens of the first use.",
  revoke: "Revokes the tokens before they expire.",
};

const descriptionsAfterRevocation: Partial<typeof stepDescriptions> = {
  userinfo: "Shows that the access token is rejected now.",
  introspect: "Shows that the access token is inactive now.",
  refresh: "Shows that the refresh token is rejected now.",
  replay: "Sends the used code again. The tokens of the first use are already revoked.",
};

/** The style sheets of a page with a playground form, if any. */
export function ExchangeStyle(
  { site, name, form }: {
    readonly site: Site;
    readonly name: "exchange" | "callback";
    readonly form: PlaygroundForm | undefined;
  },
): VNode {
  return (
    <>
      <Stylesheet site={site} name={name} />
      {form?.needsSecretOf !== undefined && <Stylesheet site={site} name="field" />}
    </>
  );
}

/** The ID of the form, for its fields elsewhere on the page. */
export const formId = "playground";

/**
 * One form for all steps, because its fields contain the state of the playground.
 *
 * @param base The prefix of all links to this server.
 */
export function PlaygroundFormView({ form, base }: { readonly form: PlaygroundForm; readonly base: string }): VNode {
  const { fields, steps, needsSecretOf, grantRevoked } = form;
  const [main] = steps;
  return (
    <form id={formId} class="playground" method="post" action={`${base}/authorized/try`}>
      <HiddenInputs fields={fields} />
      {needsSecretOf !== undefined && (
        <div class="field">
          <label for="client_secret">
            Secret of <code class="wire">{needsSecretOf}</code>
          </label>
          <p id="client_secret-hint">The page sends it only to this server, which neither shows nor stores it.</p>
          <input
            id="client_secret"
            name="client_secret"
            type="password"
            autocomplete="off"
            aria-describedby="client_secret-hint"
          />
        </div>
      )}
      <div class="ways">
        {steps.map((step, i) => (
          <button type="submit" key={step} class={i === 0 ? "button" : "button plain"} name="step" value={step}>
            {stepLabels[step]}
          </button>
        ))}
      </div>
      {main !== undefined && (
        <p class="aside">{(grantRevoked ? descriptionsAfterRevocation[main] : undefined) ?? stepDescriptions[main]}</p>
      )}
    </form>
  );
}
