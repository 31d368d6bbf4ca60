/** @jsxImportSource preact */
/** A mistake of a client: choose one, send it, read what the server reports. */

import type { VNode } from "preact";
import { Comparison } from "../../../../server/pages/comparison.tsx";
import { Section } from "../../../../server/pages/layout.tsx";
import { Code } from "../../../../server/pages/value.tsx";
import { Message, NextForm, NextLink, TourPage } from "./parts.tsx";
import type { Mistake as MistakeName } from "./props.ts";
import { requestMeanings, type StepProps } from "./steps.tsx";

const mistakes: Readonly<
  Record<MistakeName, { readonly name: string; readonly lead: string; readonly why: string; readonly without: string }>
> = {
  redirect_uri: {
    name: "a wrong redirect URI",
    lead:
      "The code has arrived, as in step 2 of the tour. This token request differs from a correct one in one character: redirect_uri ends with a slash.",
    why:
      "redirect_uri names the address that the code was sent to. The server compares it with that of the authorization request, character by character.",
    without:
      "An attacker could get a code sent to another address, and then have the client exchange it (code injection).",
  },
  code_verifier: {
    name: "a wrong code verifier",
    lead:
      "The code has arrived, as in step 2 of the tour. This token request differs from a correct one in one character of code_verifier, as if the client had lost the right one.",
    why:
      "The hash of code_verifier must be the code_challenge of the authorization request. A client that has several logins open must store one verifier for each.",
    without: "An attacker could exchange a stolen code.",
  },
};

/** The choice. */
export function Mistakes({ site, hrefs }: StepProps<"mistakes">): VNode {
  return (
    <TourPage
      site={site}
      journey="mistake"
      step={1}
      heading="A mistake, and how to read it"
      lead="A server rejects each request that breaks a rule. Choose one of two common mistakes: the flow is real, and its last request has one wrong character."
      reasons={[{
        heading: "Why make one on purpose",
        text:
          "For each rejection, this server states the reason, the expected and the received value, and the fix. This tour shows where to find them.",
      }]}
      next={<NextLink href={hrefs.redirect_uri} label={`try ${mistakes.redirect_uri.name}`} />}
      others={<a href={hrefs.code_verifier}>Try {mistakes.code_verifier.name}</a>}
    >
      <Section id="where" heading="Where a rejection shows">
        <ul>
          <li>
            In the response, and so in the log of your client: <Code text="error" />, <Code text="error_description" />
            {" "}
            and, on a test host, a link in <Code text="error_uri" />.
          </li>
          <li>In the terminal of this server, with the same link.</li>
          <li>
            On the page <Code text="/flows" />, where the link leads.
          </li>
        </ul>
      </Section>
    </TourPage>
  );
}

/** The wrong request, not yet sent. */
export function Mistake({ site, mistake, request, expected, received, fields }: StepProps<"mistake">): VNode {
  const { name, lead, why, without } = mistakes[mistake];
  return (
    <TourPage
      site={site}
      journey="mistake"
      step={2}
      heading={`The client is about to send ${name}`}
      lead={lead}
      reasons={[{ heading: "Why the server checks it", text: why }, { heading: "Without the check", text: without }]}
      next={<NextForm site={site} fields={fields} label="send the wrong request" />}
    >
      <Message
        heading="The token request"
        {...request}
        meanings={{ ...requestMeanings, [mistake]: "wrong in one character" }}
        wrong={mistake}
      />
      {mistake === "code_verifier" && (
        <p>
          The server will compare the SHA-256 of <Code text="code_verifier" />:
        </p>
      )}
      <Comparison expected={expected} received={received} />
    </TourPage>
  );
}

/** The rejection, and where each part of it shows. */
export function Rejection({ site, mistake, response, fields }: StepProps<"rejection">): VNode {
  const other = mistake === "redirect_uri" ? "code_verifier" : "redirect_uri";
  return (
    <TourPage
      site={site}
      journey="mistake"
      step={3}
      heading="The server rejects the request"
      lead="Your client receives this. Let it log the whole response: error is for the program, error_description and error_uri are for you."
      reasons={[{
        heading: "On the page of the flow",
        text: (
          <>
            The heading is the reason. Below: <em>Expected</em> and{" "}
            <em>Received</em>, with the first difference marked; then how to fix it; then the request as it arrived,
            with every check of the server: passed, failed, not checked.
          </>
        ),
      }]}
      next={site.flowLink === undefined
        ? <NextLink href={`${site.base}/`} label="go to Home" />
        : <NextLink href={site.base + site.flowLink} label="read the rejection in Flows" />}
      others={
        <>
          <NextForm site={site} fields={fields} label="Send the correct request" plain />
          <a href={`${site.base}/tour?step=mistakes`}>Try {mistakes[other].name}</a>
        </>
      }
    >
      <Message
        heading="The token response"
        {...response}
        meanings={{
          error: "the kind of error, defined by OAuth",
          error_description: "the reason, and in brackets the rule of this server",
          error_uri: "the page that explains it; only on test hosts",
        }}
      />
      {site.flowLink === undefined && (
        <p>
          This server records no flows. <Code text="latchkey({ plugins: [inspector()] })" /> adds the page.
        </p>
      )}
    </TourPage>
  );
}
