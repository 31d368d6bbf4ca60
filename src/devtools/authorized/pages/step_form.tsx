/** @jsxImportSource preact */
/** The steps after an authorization response: their texts, the stepper, and the form that sends the next one. */

import type { VNode } from "preact";
import { StartButtons, type StartLink } from "../../../core/pages/ways.tsx";
import { type HiddenFields, HiddenInputs } from "../../../server/pages/post_form.tsx";

/** The steps in their order; `edit` exchanges the code with parameters that the user has changed. */
export const allSteps = ["exchange", "edit", "userinfo", "introspect", "refresh", "replay", "revoke"] as const;

export type FormStep = (typeof allSteps)[number];

/** How a step ended. */
export interface PastStep {
  readonly step: FormStep;
  readonly done: boolean;
}

/** The form that runs a step; its target is `{base}/authorized/try`. */
export interface StepFormState {
  /** The state of the login; the server stores nothing. */
  readonly fields: HiddenFields;
  /** The client whose secret the user must type; absent if none is necessary. */
  readonly needsSecretOf?: string;
  /** The suggested step; absent after the last one. */
  readonly main?: FormStep;
  /** The other possible steps, in their order. */
  readonly others: readonly FormStep[];
  /** Whether the tokens are revoked, so that each use of them is rejected. */
  readonly grantRevoked: boolean;
  /** Links for "Start New Authorization", the primary button after the last step. */
  readonly startLinks: readonly StartLink[];
}

interface StepText {
  /** In the stepper. */
  readonly label: string;
  readonly button: string;
  /** What the step does, and why; before it is sent. */
  readonly does: string;
  /** The same if the tokens are revoked. Default: `does`. */
  readonly doesAfterRevocation?: string;
}

/** The texts of each step before it is sent. */
export const stepTexts: Readonly<Record<FormStep, StepText>> = {
  exchange: {
    label: "Exchange",
    button: "Exchange the code",
    does:
      "The client sends the code and the code verifier directly to the server. Only the client that sent the request knows the verifier, so only that client gets the tokens.",
  },
  edit: { label: "Exchange", button: "Send the edited request", does: "" },
  userinfo: {
    label: "Userinfo",
    button: "Call userinfo",
    does: "The client sends the access token in a header. The API needs no login: it checks the token and its scope.",
    doesAfterRevocation: "Shows that the access token is rejected now.",
  },
  introspect: {
    label: "Introspect",
    button: "Introspect",
    does:
      "A resource server asks whether the access token is active. Only introspection reports a revocation immediately.",
    doesAfterRevocation: "Shows that the access token is inactive now.",
  },
  refresh: {
    label: "Refresh",
    button: "Refresh tokens",
    does: "The client gets a new access token without the user, so access tokens can have a short lifetime.",
    doesAfterRevocation: "Shows that the refresh token is rejected now.",
  },
  replay: {
    label: "Replay",
    button: "Replay the code",
    does: "Sends the used code again, as an attacker would. The server must reject it and revoke the tokens.",
    doesAfterRevocation: "Sends the used code again. The tokens are already revoked.",
  },
  revoke: {
    label: "Revoke",
    button: "Revoke tokens",
    does: "The client ends its access before the tokens expire, for example when the user logs out.",
    doesAfterRevocation: "The tokens are already revoked, and the response is the same: 200 for any token.",
  },
};

/** The outcome of a step, and what it teaches. */
export interface StepLesson {
  readonly heading: string;
  /** One fact about OAuth. */
  readonly lesson: string;
}

const codeRejected: StepLesson = {
  heading: "Code not exchanged",
  lesson:
    "A rejected attempt does not use up the code: an attacker who intercepted it would fail in the same way, and the code still works for the client that it was issued to.",
};

const codeExchanged: StepLesson = {
  heading: "Code exchanged",
  lesson:
    "The code came through the browser; the tokens came directly from the server, to the client that proved that it had sent the request. The ID token states who logged in. The client must verify its signature, that aud is the client itself, and that nonce is the one it sent.",
};

/** The texts of each step after its response. */
export const stepLessons: Readonly<Record<"done" | "rejected", Readonly<Record<FormStep, StepLesson>>>> = {
  done: {
    exchange: codeExchanged,
    edit: codeExchanged,
    userinfo: {
      heading: "Userinfo returned the claims of the user",
      lesson:
        "A bearer token works for every sender, without client authentication. So it is sent in a header over TLS, never in a URL.",
    },
    introspect: {
      heading: "The access token is active",
      lesson:
        "A resource server can verify a JWT itself or introspect it; only introspection reports a revocation. Introspection requires client authentication, so that an attacker cannot test stolen tokens.",
    },
    refresh: {
      heading: "Tokens refreshed",
      lesson:
        "The user did not log in again. The server replaces the refresh token of a public client at each use (rotation). An old token that is used again was copied, so the server revokes the whole grant.",
    },
    replay: {
      heading: "Second use of the code accepted",
      lesson: "This must not happen: a code works once, because an attacker may have intercepted it.",
    },
    revoke: {
      heading: "Tokens revoked",
      lesson:
        "Revoking a refresh token revokes the whole grant. The access token still has a valid signature and is not expired: only a request to this server shows that it is revoked.",
    },
  },
  rejected: {
    exchange: codeRejected,
    edit: codeRejected,
    userinfo: {
      heading: "Access token rejected",
      lesson:
        "The WWW-Authenticate header says why. The client must get another access token, with its refresh token or by a new login.",
    },
    introspect: {
      heading: "The access token is not active",
      lesson:
        "Revoked, expired and unknown tokens get the same short response, so that an attacker learns nothing by testing tokens.",
    },
    refresh: {
      heading: "Refresh token rejected",
      lesson: "The refresh token is revoked, expired or already used. The client must start a new login.",
    },
    replay: {
      heading: "Second use of the code rejected",
      lesson:
        "A code that is used twice may have been intercepted, and the server cannot distinguish the client from the attacker. So it rejects the second use and revokes the tokens of the first.",
    },
    revoke: {
      heading: "Nothing revoked",
      lesson: "Only the client that a token was issued to may revoke it, and the client must authenticate.",
    },
  },
};

/**
 * The steps from the authorization to the revocation, each with the outcome of its last try.
 *
 * @param current The step that the page shows. Default: the authorization.
 */
export function LoginStepper({ authorized, past, current }: {
  /** How the authorization ended: `undefined` before it has. */
  readonly authorized: "done" | "failed" | undefined;
  readonly past: readonly PastStep[];
  readonly current?: FormStep;
}): VNode {
  const labels = [...new Set(allSteps.map((step) => stepTexts[step].label))];
  return (
    <Stepper
      label="Steps of the flow"
      items={[
        { label: "Authorize", outcome: authorized, current: current === undefined },
        ...labels.map((label) => {
          const last = past.findLast(({ step }) => stepTexts[step].label === label);
          return {
            label,
            outcome: last && (last.done ? "done" as const : "failed" as const),
            current: current !== undefined && stepTexts[current].label === label,
          };
        }),
      ]}
    />
  );
}

/** The primary button of the page and the quiet ones, always at the same place; then what the primary one does. */
export function StepForm({ form, base }: { readonly form: StepFormState; readonly base: string }): VNode {
  const { fields, main, others, needsSecretOf, grantRevoked, startLinks } = form;
  const text = main && stepTexts[main];
  return (
    <form class="next-step" method="post" action={`${base}/authorized/try`}>
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
        {main === undefined && <StartButtons label="Start New Authorization" links={startLinks.slice(0, 1)} />}
        {[...main === undefined ? [] : [main], ...others].map((step) => (
          <button type="submit" key={step} class={step === main ? "button" : "button plain"} name="step" value={step}>
            {stepTexts[step].button}
          </button>
        ))}
      </div>
      {text && <p class="aside">{grantRevoked ? text.doesAfterRevocation ?? text.does : text.does}</p>}
    </form>
  );
}

/** One step in the row of steps. */
interface StepperItem {
  /** One word or two. */
  readonly label: string;
  /** How it ended; absent if it has not. */
  readonly outcome?: "done" | "failed";
  /** Whether the page shows this step. Default: false. */
  readonly current?: boolean;
}

/** Stays in view while the page scrolls. `label` names the list for screen readers. */
function Stepper({ label, items }: { readonly label: string; readonly items: readonly StepperItem[] }): VNode {
  return (
    <ol class="stepper" aria-label={label}>
      {items.map(({ label, outcome, current = false }, i) => (
        <li key={label} aria-current={current ? "step" : undefined}>
          <b class={outcome && { done: "good", failed: "bad" }[outcome]} aria-hidden="true">
            {outcome === undefined ? i + 1 : { done: "✓", failed: "✗" }[outcome]}
          </b>
          <span>
            {label}
            {outcome !== undefined && <span class="unseen">, {outcome}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}
