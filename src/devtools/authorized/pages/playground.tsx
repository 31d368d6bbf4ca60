/** @jsxImportSource preact */
/** A playground step: its lesson, its requests and responses, and the next steps. */

import type { VNode } from "preact";
import { Checks, type ResponseCheck } from "../../../server/pages/checks.tsx";
import { DecodedToken } from "../../../server/pages/decoded_token.tsx";
import { type HttpExchange, HttpExchangeView } from "../../../server/pages/http_exchange.tsx";
import { Layout, Panes, Section, type Site } from "../../../server/pages/layout.tsx";
import { HiddenHistory, HistoryEntry, type HistoryStep } from "./history_entry.tsx";
import { RoundTripStepper } from "./round_trip_stepper.tsx";
import { ShowAllSecrets } from "../../../server/pages/secret_value.tsx";
import { type Status, StatusBadge } from "../../../server/pages/status_badge.tsx";
import { CopyableValue } from "../../../server/pages/value.tsx";
import { PageActions, type StartLink } from "../../../server/pages/page_actions.tsx";
import { ExchangeStyle, type PlaygroundForm, PlaygroundFormView } from "./playground_form.tsx";
import { type PlaygroundStep, stepLabels } from "./playground_form.tsx";
import { lowerFirst } from "../../../server/pages/lower_first.ts";

/** The outcome of a playground step. */
export interface PlaygroundProps extends Site {
  /** The step. */
  readonly step: PlaygroundStep;
  /** `rejected`: an error, or an inactive token. `dropped`: no response. */
  readonly outcome: "done" | "rejected" | "dropped";
  /** Whether a poll was rejected because the user has not decided yet. Default: false. */
  readonly isPending?: boolean;
  /** The device that waits for its user. Default: none. */
  readonly device?: {
    /** The code that the device shows. */
    readonly userCode: string;
    /** The path of the page where the user enters it, with the code. */
    readonly href: string;
    /** Whether the server approved it without a user. */
    readonly isApproved: boolean;
  };
  /** The exchanges in order. */
  readonly exchanges: readonly (HttpExchange & {
    readonly step: PlaygroundStep;
    /** The page that edits the request and sends it again: a path below the base. Absent if there is none. */
    readonly editLink?: string;
  })[];
  /** Whether secrets are shown until the user hides them. */
  readonly secretsShown: boolean;
  /** The checks of the client; empty if the response has no ID token. */
  readonly checks: readonly ResponseCheck[];
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
  /** The path of the logout of the client. */
  readonly logoutHref: string;
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
  device: {
    heading: "Device authorization started",
    lesson:
      "The device has no browser. It shows the user code, which the user enters in a browser elsewhere. Until the user has decided, the device polls with the device code, which the user never sees.",
  },
  poll: {
    heading: "Tokens issued to the device",
    lesson: "The user has allowed the access, so this poll returned the tokens. The device code is used.",
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
  downscope: {
    heading: "Access token exchanged",
    lesson:
      "The new token has no more access than the first one, and expires no later. A service that received the first one calls another service with the new one. Revoking the grant revokes both.",
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
  device: {
    heading: "Device authorization rejected",
    lesson: "The error_description says why. The client must be registered for the device grant.",
  },
  poll: {
    heading: "Poll rejected",
    lesson:
      "slow_down means that the device polled too early, and must wait 5 seconds longer from now on. After any other error the device stops.",
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
  downscope: {
    heading: "Access token not exchanged",
    lesson: "The error_description says why. Only a valid access token can be exchanged, by a client that may do so.",
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
};

const dropped: Lesson = {
  heading: "No response",
  lesson:
    "The connection ended before the response arrived. The client cannot know whether the server processed the request. After a lost token response, it must start a new login and never use the code again.",
};

const pending: Lesson = {
  heading: "The user has not decided yet",
  lesson: "authorization_pending means that the device must poll again, after the interval of the first response.",
};

/** The outcome of a step at `/authorized/try`. */
export function PlaygroundPage(props: PlaygroundProps): VNode {
  const { step, outcome, isPending, device, exchanges, checks, tokens, now, history, latest, form, startLinks, base } =
    props;
  const { heading, lesson } = outcome === "dropped"
    ? dropped
    : isPending
    ? pending
    : { done: doneLessons, rejected }[outcome][step];
  const rejectsTokens = checks.some(({ passed }) => passed === false);
  const checkSection = checks.length > 0 && (
    <Section id="checks" heading="Checks of the client">
      <Checks checks={checks} />
    </Section>
  );
  return (
    <Layout
      site={props}
      head={<ExchangeStyle site={props} name="exchange" form={form} />}
      heading={heading}
      badges={
        <>
          <StatusBadge {...outcomeStatus(props)} />
          {mustFail.has(step) && outcome === "rejected" && <StatusBadge tone="good" label="expected" />}
          {rejectsTokens && <StatusBadge tone="bad" label="a check failed" />}
          {form.codeUsed && <StatusBadge tone="over" label="code used" />}
          {form.grantRevoked && <StatusBadge tone="over" label="revoked" />}
        </>
      }
      stepper={<RoundTripStepper authorized="done" history={[...history, ...latest]} current={step} />}
      opening={
        <>
          {device !== undefined && <DeviceCode {...device} />}
          <PlaygroundFormView form={form} base={base} />
          <p>{lesson}</p>
          {step === "replay" && <ReplayOutcome ended={form.grantRevoked} tried={exchanges.length > 1} />}
        </>
      }
    >
      {rejectsTokens && checkSection}
      <Section id="exchange" heading="Request and response">
        {exchanges.some(({ secrets }) => secrets.length > 0) && <ShowAllSecrets shown={props.secretsShown} />}
        {exchanges.map(({ step, editLink, ...exchange }, i) => {
          const name = lowerFirst(stepLabels[step]);
          const purpose = exchanges.length > 1 ? ` to ${name}` : "";
          return (
            <>
              {exchanges.length > 1 && <h3>{`${i === 0 ? "" : "Then: "}${i === 0 ? stepLabels[step] : name}`}</h3>}
              <HttpExchangeView
                {...exchange}
                copyLabels={{ request: `the request${purpose}`, response: `the response${purpose}` }}
              />
              {editLink !== undefined && (
                <p>
                  <a href={base + editLink}>
                    Edit and send again{purpose && <span class="unseen">{` the request${purpose}`}</span>}
                  </a>
                </p>
              )}
            </>
          );
        })}
      </Section>
      {!rejectsTokens && checkSection}
      {tokens.length > 0 && (
        <Section id="tokens" heading="Decoded tokens">
          <Panes>
            {tokens.map(({ name, token }) => <DecodedToken key={name} name={name} token={token} now={now} />)}
          </Panes>
        </Section>
      )}
      {history.length > 0 && (
        <Section id="past" heading="History">
          <ol class="past">{history.map((entry, i) => <HistoryEntry key={i} {...entry} />)}</ol>
        </Section>
      )}
      <HiddenHistory steps={latest} />
      <PageActions site={props} startLinks={startLinks} logoutHref={props.logoutHref} plain={form.steps.length > 0} />
    </Layout>
  );
}

/** Steps that a correct server rejects. */
const mustFail: ReadonlySet<PlaygroundStep> = new Set(["wrong_verifier", "replay"]);

function outcomeStatus({ outcome, isPending }: PlaygroundProps): Status {
  if (isPending) return { tone: "open", label: "pending" };
  return outcome === "done" ? { tone: "good", label: "success" } : { tone: "bad", label: "error" };
}

/** What the user of the device does now. */
function DeviceCode({ userCode, href, isApproved }: NonNullable<PlaygroundProps["device"]>): VNode {
  if (isApproved) {
    return <p>This server logs users in without a page, so it has approved the device already. Poll for the tokens.</p>;
  }
  return (
    <>
      <dl class="values">
        <CopyableValue label="User code" text={userCode} />
      </dl>
      <p>
        Now act as the user of the device: in a second tab or on your phone,{" "}
        <a href={href}>enter the code</a>, log in and allow the access. Then poll for the tokens here.
      </p>
    </>
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
