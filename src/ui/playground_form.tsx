/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** What can be tried next: a button for each step, and one sentence on what it shows. */

import type { VNode } from "preact";
import type { PlaygroundForm as PlaygroundFormData, PlaygroundStep } from "../app/pages.ts";

/** What the buttons say. */
export const stepLabels: Readonly<Record<PlaygroundStep, string>> = {
  exchange: "Exchange the code",
  wrong_verifier: "Send a wrong verifier",
  userinfo: "Call userinfo",
  introspect: "Introspect",
  refresh: "Refresh",
  replay: "Replay the code",
  revoke: "Revoke",
};

const stepDescriptions: Readonly<Record<PlaygroundStep, string>> = {
  exchange: "Sends the token request and shows what comes back. A code works once.",
  wrong_verifier: "Plays a thief who has the code but not the verifier. The code stays good.",
  userinfo: "Asks who logged in. The access token is all it takes.",
  introspect: "Asks the server what the access token is worth, as a resource server would.",
  refresh: "Buys a new access token with the refresh token, without the person.",
  replay: "Sends the used code again. That must be refused, and must end what it bought.",
  revoke: "Gives the tokens back before they expire.",
};

const descriptionsAfterRevocation: Partial<typeof stepDescriptions> = {
  userinfo: "Shows that the access token is refused now.",
  introspect: "Shows that the server calls the access token inactive now.",
  refresh: "Shows that the refresh token buys nothing any more.",
  replay: "Sends the used code again. There is nothing left to end.",
};

/** The id of the form, for what it sends from elsewhere on the page. */
export const formId = "trial";

/** What the form is drawn from. */
export interface PlaygroundFormProps {
  readonly form: PlaygroundFormData;
  /** The path that links on this server begin with. */
  readonly base: string;
}

/** One form for all steps: what the page remembers is sent whichever button is pressed. */
export function PlaygroundFormView({ form, base }: PlaygroundFormProps): VNode {
  const { fields, steps, needsSecretOf, grantRevoked } = form;
  return (
    <form id={formId} class="trial" method="post" action={`${base}/authorized/try`}>
      {fields.map(([name, value], i) => <input key={i} type="hidden" name={name} value={value} />)}
      {needsSecretOf !== undefined && (
        <div class="field">
          <label for="client_secret">
            Secret of <code class="wire">{needsSecretOf}</code>
          </label>
          <p id="client_secret-hint">Sent to this server alone, never shown, and forgotten after the step.</p>
          <input
            id="client_secret"
            name="client_secret"
            type="password"
            autocomplete="off"
            aria-describedby="client_secret-hint"
          />
        </div>
      )}
      <ul>
        {steps.map((step, i) => (
          <li key={step}>
            <button type="submit" class={i === 0 ? "button" : "button plain"} name="step" value={step}>
              {stepLabels[step]}
            </button>
            <span>{(grantRevoked ? descriptionsAfterRevocation[step] : undefined) ?? stepDescriptions[step]}</span>
          </li>
        ))}
      </ul>
    </form>
  );
}
