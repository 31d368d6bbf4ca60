/** @jsxImportSource preact */
/** A playground step: its lesson, its requests and responses, and the next steps. */

import type { VNode } from "preact";
import { type CheckResult, Checks } from "./checks.tsx";
import { DecodedToken } from "./decoded_token.tsx";
import { type HttpExchange, HttpExchangeView } from "./http_exchange.tsx";
import { Layout, Section, type Site } from "./layout.tsx";
import { HiddenHistory, HistoryEntry, type HistoryStep } from "./history_entry.tsx";
import { FlowLink, PageActions, type StartLink } from "./page_actions.tsx";
import { type PlaygroundForm, PlaygroundFormView, type PlaygroundStep, stepLabels } from "./playground_form.tsx";

/** The outcome of a playground step. */
export interface PlaygroundProps extends Site {
  /** The step. */
  readonly step: PlaygroundStep;
  /** `rejected`: an error, or an inactive token. `dropped`: no response. */
  readonly outcome: "done" | "rejected" | "dropped";
  /** The exchanges in order. */
  readonly exchanges: readonly (HttpExchange & { readonly step: PlaygroundStep })[];
  /** The checks of the client; empty if the response has no ID token. */
  readonly checks: readonly CheckResult[];
  /** The tokens of the response. */
  readonly tokens: readonly { readonly name: string; readonly token: string }[];
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number;
  /** The history, oldest first, in hidden fields of the page. */
  readonly history: readonly HistoryStep[];
  /** The exchanges of this page, as history for the next page. */
  readonly latest: readonly HistoryStep[];
  /** The next steps. */
  readonly form: PlaygroundForm;
  /** Links for "Start New Authorization". */
  readonly startLinks: readonly StartLink[];
}

interface Lesson {
  readonly heading: string;
  /** One fact about OAuth. */
  readonly lesson: string;
}

const doneLessons: Readonly<Record<PlaygroundStep, Lesson>> = {
  exchange: {
    heading: "Code exchanged",
    lesson:
      "The code is used: a client must never send it again. The code came through the browser; the tokens came directly from the server to the client that proved that it had sent the request.",
  },
  wrong_verifier: {
    heading: "Wrong verifier accepted",
    lesson:
      "This must not happen: a server that does not compare the verifier with the challenge issues tokens to every client that has the code.",
  },
  userinfo: {
    heading: "Userinfo returned the claims of the user",
    lesson:
      "A bearer token works for every client that has it, without client authentication. So it is sent in a header over TLS, never in a URL.",
  },
  introspect: {
    heading: "The access token is active",
    lesson:
      "A resource server can verify a JWT itself or introspect it; only introspection reports a revocation. Introspection requires client authentication, so that an attacker cannot test stolen tokens.",
  },
  refresh: {
    heading: "Tokens refreshed",
    lesson:
      "The user did not log in again. The refresh token of a public client is replaced at each use (rotation). A second use of the old one means that it was copied, so the server revokes the whole grant.",
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
};

const rejected: Readonly<Record<PlaygroundStep, Lesson>> = {
  exchange: {
    heading: "Code not exchanged",
    lesson:
      "The error_description says why. A rejected attempt does not use up the code: a valid code still works for the client that it was issued to.",
  },
  wrong_verifier: {
    heading: "Wrong verifier rejected",
    lesson:
      "One character was changed, so the hash does not match. An attacker who intercepted the code would fail in the same way. The code still works for the client with the correct verifier.",
  },
  userinfo: {
    heading: "Access token rejected",
    lesson:
      "401 means that this access token is not valid. The WWW-Authenticate header says why. The client must get another one, with its refresh token or by a new login.",
  },
  introspect: {
    heading: "The access token is not active",
    lesson:
      "Revoked, expired and unknown tokens get the same short response, so that an attacker learns nothing by testing tokens.",
  },
  refresh: {
    heading: "Refresh token rejected",
    lesson: "It is revoked, expired or already used. The client must start a new login.",
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
};

const dropped: Lesson = {
  heading: "No response",
  lesson:
    "The connection ended before the response arrived. The client cannot know whether the server processed the request. After a lost token response, it must start a new login and never use the code again.",
};

/** The page at `/authorized/try`. */
export function PlaygroundPage(props: PlaygroundProps): VNode {
  const { step, outcome, exchanges, checks, tokens, now, history, latest, form, startLinks, base } = props;
  const { heading, lesson } = outcome === "dropped" ? dropped : { done: doneLessons, rejected }[outcome][step];
  return (
    <Layout
      site={props}
      heading={heading}
      opening={
        <>
          <p>{lesson}</p>
          {step === "replay" && <ReplayOutcome ended={form.grantRevoked} tried={exchanges.length > 1} />}
          <FlowLink site={props} />
        </>
      }
    >
      <Section id="exchange" heading="Request and response">
        {exchanges.map(({ step, ...exchange }, i) => {
          const name = stepLabels[step].toLowerCase();
          return (
            <>
              {exchanges.length > 1 && <h3>{`${i === 0 ? "" : "Then: "}${i === 0 ? stepLabels[step] : name}`}</h3>}
              <HttpExchangeView
                {...exchange}
                copyLabels={{ request: `the request to ${name}`, response: `the response to ${name}` }}
              />
            </>
          );
        })}
      </Section>
      {checks.length > 0 && (
        <Section id="checks" heading="Checks of the client">
          <Checks checks={checks} />
        </Section>
      )}
      {tokens.length > 0 && (
        <Section id="tokens" heading="Decoded tokens">
          {tokens.map(({ name, token }) => <DecodedToken key={name} name={name} token={token} now={now} />)}
        </Section>
      )}
      <Section id="try" heading="Next steps">
        <PlaygroundFormView form={form} base={base} />
        <PageActions site={props} startLinks={startLinks} plain />
      </Section>
      {history.length > 0 && (
        <Section id="past" heading="History">
          <ol class="past">{history.map((entry, i) => <HistoryEntry key={i} {...entry} />)}</ol>
        </Section>
      )}
      <HiddenHistory steps={latest} />
    </Layout>
  );
}

/** The effect of a code's second use on the tokens of the first use. */
function ReplayOutcome(
  { ended: grantRevoked, tried: tokenTested }: { readonly ended: boolean; readonly tried: boolean },
): VNode | null {
  if (!tokenTested) return null;
  return grantRevoked
    ? (
      <p>
        The access token is rejected too, see below: the second use revoked every token of the grant, including the
        refresh token.
      </p>
    )
    : <p>The access token still works, see below: the code is so old that the server no longer knows its grant.</p>;
}
