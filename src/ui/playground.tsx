/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A step that was tried from the callback page: what it teaches, what was sent and answered, and what to try next. */

import type { VNode } from "preact";
import type { PlaygroundProps, PlaygroundStep } from "../app/pages.ts";
import { Checks } from "./checks.tsx";
import { DecodedToken } from "./decoded_token.tsx";
import { HttpExchangeView } from "./http_exchange.tsx";
import { Layout, Section } from "./layout.tsx";
import { HiddenHistory, HistoryEntry } from "./history_entry.tsx";
import { FlowLink, PageActions } from "./page_actions.tsx";
import { PlaygroundFormView, stepLabels } from "./playground_form.tsx";

interface Lesson {
  readonly heading: string;
  /** One true thing about OAuth. */
  readonly lesson: string;
}

const doneLessons: Readonly<Record<PlaygroundStep, Lesson>> = {
  exchange: {
    heading: "The code was exchanged",
    lesson:
      "The code came by way of the browser; the tokens came straight from the server, to the one client that could " +
      "prove the request was its own. From here on the code is worth nothing, and must never be sent again.",
  },
  wrong_verifier: {
    heading: "The wrong verifier was accepted",
    lesson: "That must not happen: a server that does not compare the verifier with the challenge gives tokens to " +
      "whoever has the code.",
  },
  userinfo: {
    heading: "The server says who logged in",
    lesson:
      "Nobody asked who is calling. Whoever bears a bearer token may use it, so it travels in a header, over TLS, " +
      "and never in an address.",
  },
  introspect: {
    heading: "The access token is active",
    lesson:
      "A resource server can check a JWT by itself, or ask: only the answer knows of a revocation. Asking is for " +
      "servers that authenticate, so that nobody can try out tokens they found.",
  },
  refresh: {
    heading: "The refresh token bought new tokens",
    lesson:
      "Nobody had to log in again. A public client's refresh token is replaced each time: if the old one ever comes " +
      "back, somebody copied it, and everything of this approval ends.",
  },
  replay: {
    heading: "The code was accepted a second time",
    lesson: "That must not happen: a code is for one use, since whoever overheard it could come second.",
  },
  revoke: {
    heading: "The tokens were given back",
    lesson:
      "With a refresh token ends all that its approval bought. The access token still looks good, its signature holds " +
      "and its time has not come: only who asks the server learns that it is over.",
  },
};

const rejected: Readonly<Record<PlaygroundStep, Lesson>> = {
  exchange: {
    heading: "The code was not exchanged",
    lesson:
      "The description says why. A try that fails uses nothing up, so a code that is still good stays good for the " +
      "client that can prove itself.",
  },
  wrong_verifier: {
    heading: "A wrong verifier is refused",
    lesson: "One character was changed, so the hash is another one, and the code stays shut. This is what happens to " +
      "somebody who overheard the code. For the client with the right verifier it still works.",
  },
  userinfo: {
    heading: "The access token is refused",
    lesson:
      "401 says: not with this token. The challenge in the header tells a client to get another one, by its refresh " +
      "token or by a new login.",
  },
  introspect: {
    heading: "The access token is not active",
    lesson:
      "A token that has ended, expired or never was gets the same short answer, so that nothing can be learned from " +
      "trying.",
  },
  refresh: {
    heading: "The refresh token buys nothing",
    lesson:
      "It was revoked, has expired, or was used before. The client has to send the person through the login again.",
  },
  replay: {
    heading: "The second use was refused",
    lesson:
      "When a code comes twice, somebody has overheard it, and the server cannot tell who came first: the client or " +
      "the thief. So it refuses the second, and ends what the first one bought.",
  },
  revoke: {
    heading: "Nothing was revoked",
    lesson: "Only the client that a token was issued to may give it back, and it must say who it is.",
  },
};

const dropped: Lesson = {
  heading: "There was no answer",
  lesson:
    "The connection ended before an answer came. A client cannot know whether the server acted; that is why a lost " +
    "token answer costs a new login, and never a second use of the code.",
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
      <Section id="exchange" heading="On the wire">
        {exchanges.map(({ step, ...exchange }, i) => {
          const name = stepLabels[step].toLowerCase();
          return (
            <>
              {exchanges.length > 1 && <h3>{`${i === 0 ? "" : "Then: "}${i === 0 ? stepLabels[step] : name}`}</h3>}
              <HttpExchangeView
                {...exchange}
                copyLabels={{ request: `the request to ${name}`, response: `the answer to ${name}` }}
              />
            </>
          );
        })}
      </Section>
      {checks.length > 0 && (
        <Section id="checks" heading="What the client checks">
          <Checks checks={checks} />
        </Section>
      )}
      {tokens.length > 0 && (
        <Section id="tokens" heading="The tokens, taken apart">
          {tokens.map(({ name, token }) => <DecodedToken key={name} name={name} token={token} now={now} />)}
        </Section>
      )}
      <Section id="try" heading="What to try next">
        <PlaygroundFormView form={form} base={base} />
        <PageActions site={props} startLinks={startLinks} plain />
      </Section>
      {history.length > 0 && (
        <Section id="past" heading="What was tried before">
          <ol class="past">
            {history.map((entry, i) => <HistoryEntry key={i} {...entry} />)}
          </ol>
        </Section>
      )}
      <HiddenHistory steps={latest} />
    </Layout>
  );
}

/** What the second use of a code did to what the first one bought. */
function ReplayOutcome(
  { ended: grantRevoked, tried: tokenTested }: { readonly ended: boolean; readonly tried: boolean },
): VNode | null {
  if (!tokenTested) return null;
  return grantRevoked
    ? (
      <p>
        Below, the access token is tried, and it is refused: a second use ends all that the first one bought, and the
        refresh token with it.
      </p>
    )
    : (
      <p>
        Below, the access token is tried, and it still works: the code is so old that the server has forgotten what it
        bought.
      </p>
    );
}
