/** @jsxImportSource preact */
/** The six steps of the tour. Each page has one idea: its request, why it exists, what would go wrong without it. */

import type { VNode } from "preact";
import { Checks } from "../../../../server/pages/checks.tsx";
import { CheckItem } from "../../../../server/pages/check_item.tsx";
import { DecodedToken } from "../../../../server/pages/decoded_token.tsx";
import { formatLongDuration } from "../../../../server/pages/duration.ts";
import { Layout, Section, type Site, Stylesheet } from "../../../../server/pages/layout.tsx";
import { FlowLink } from "../../../../server/pages/page_actions.tsx";
import { Code } from "../../../../server/pages/value.tsx";
import { Message, NextForm, NextLink, TourPage } from "./parts.tsx";
import type { TourStep } from "./props.ts";

export type StepProps<K extends TourStep["step"]> = Extract<TourStep, { readonly step: K }> & { readonly site: Site };

/** Step 1: the authorization request. */
export function Request({ site, request, href }: StepProps<"request">): VNode {
  return (
    <TourPage
      site={site}
      journey="tour"
      step={1}
      heading="The client sends you to the server"
      lead="An application, the client, needs to know who you are. The client never asks for your password: it sends your browser to the server that knows the password. This tour does that for real, with the demo client."
      reasons={[
        {
          heading: "Why",
          text: "You log in only at the server, and allow only what scope names. The client never sees your password.",
        },
        {
          heading: "Without it",
          text:
            "Every client would ask for your password, and could then do whatever you can, until you change the password.",
        },
      ]}
      next={<NextLink href={href} label="send this request" />}
    >
      <Message
        heading="The authorization request"
        {...request}
        meanings={{
          response_type: "asks for a code",
          client_id: "which client asks",
          redirect_uri: "where the server sends you afterwards",
          scope: "what the client asks for; openid: who you are",
          state: "random; comes back in step 2, checked in step 3",
          nonce: "random; comes back in step 5, inside the ID token",
          code_challenge: "hash of a secret that step 4 shows",
          code_challenge_method: "the hash is SHA-256",
        }}
      />
    </TourPage>
  );
}

/** Step 2: the authorization response. */
export function Response(
  { site, request, hasLoginPages, codeLifetimeSeconds, href }: StepProps<"response">,
): VNode {
  return (
    <TourPage
      site={site}
      journey="tour"
      step={2}
      heading="The server sends you back with a code"
      lead={hasLoginPages
        ? "You have logged in and allowed the access, so the server has sent your browser back to the client. Look at the address of this page: the code is in it."
        : "Here you would log in and allow the access; this server is set up to do both without a page. It has sent your browser back to the client. Look at the address of this page: the code is in it."}
      reasons={[
        {
          heading: "Why a code, not a token",
          text:
            "An address stays in the history of the browser and in logs. The code in it is useless without the secret of step 4, and works once.",
        },
        {
          heading: "Without it",
          text: "With a token in the address, every reader of that history or of a log could act for you.",
        },
      ]}
      next={<NextLink href={href} label="check the response" />}
    >
      <Message
        heading="The authorization response"
        {...request}
        meanings={{
          code: `exchanged for tokens, once, within ${formatLongDuration(codeLifetimeSeconds)}`,
          state: "the value of step 1, unchanged",
          iss: "the server that responds",
        }}
      />
    </TourPage>
  );
}

/** Step 3: the checks of the response. */
export function Check({ site, checks, href }: StepProps<"check">): VNode {
  return (
    <TourPage
      site={site}
      journey="tour"
      step={3}
      heading="The client checks the response"
      lead="Any site can send your browser to this address with a code of its own. So before the client uses the code, it compares two values with what it sent."
      reasons={[
        {
          heading: "Why",
          text: (
            <>
              <Code text="state" /> shows that this browser started the login. <Code text="iss" />{" "}
              shows which server responded, because a client may use several.
            </>
          ),
        },
        {
          heading: "Without it",
          text:
            "An attacker could log you in to the attacker's account, and later read what you saved there (CSRF). Or the client would send the code to another server (mix-up).",
        },
      ]}
      next={<NextLink href={href} label="exchange the code" />}
    >
      <Section id="checks" heading="Two checks">
        <Checks checks={checks} />
      </Section>
    </TourPage>
  );
}

/** Step 4: the token request. */
export function Exchange({ site, request, challenge, fields }: StepProps<"exchange">): VNode {
  return (
    <TourPage
      site={site}
      journey="tour"
      step={4}
      heading="The client exchanges the code"
      lead="The client calls the server directly, not through your browser. With the code it sends code_verifier, the secret whose hash it sent in step 1."
      reasons={[
        {
          heading: "Why",
          text:
            "The server hashes code_verifier and compares the hash with that of step 1. Only the client that sent the request of step 1 knows code_verifier, so only that client gets the tokens. This is PKCE.",
        },
        {
          heading: "Without it",
          text: "Another app on your device, or a program that reads the code in a log, could exchange the code first.",
        },
      ]}
      next={<NextForm site={site} fields={fields} label="send this request" />}
    >
      <Message
        heading="The token request"
        {...request}
        meanings={{
          ...requestMeanings,
          code_verifier: "known only to the client",
        }}
      />
      <CheckItem passed expected={challenge} received={challenge} rule="RFC 7636 §4.6">
        The SHA-256 of <Code text="code_verifier" /> is the <Code text="code_challenge" /> of step 1.
      </CheckItem>
    </TourPage>
  );
}

/** The parts of a token request. */
export const requestMeanings: Readonly<Record<string, string>> = {
  Authorization: "the client's ID and secret (HTTP Basic)",
  grant_type: "exchanges a code for tokens",
  code: "from step 2",
  redirect_uri: "the same as in step 1",
  client_id: "which client asks",
};

/** Step 5: the token response. */
export function Tokens({ site, response, checks, idToken, now, fields }: StepProps<"tokens">): VNode {
  return (
    <TourPage
      site={site}
      journey="tour"
      step={5}
      heading="The client gets the tokens"
      lead="The ID token states who has logged in, for the client. The access token gives the client access to an API. The client checks the ID token before it logs you in."
      reasons={[
        {
          heading: "Why",
          text:
            "The signature proves that this server issued the ID token, aud that it is for this client, nonce that it belongs to this login.",
        },
        {
          heading: "Without it",
          text:
            "A token that was issued to another client, or stolen from an older login, would log in the wrong user.",
        },
      ]}
      next={<NextForm site={site} fields={fields} label="call an API" />}
    >
      <Message
        heading="The token response"
        {...response}
        meanings={{
          access_token: "for the API, in step 6",
          token_type: "the API accepts it from any sender",
          expires_in: "seconds that the access token works",
          scope: "what was allowed",
          id_token: "who has logged in, signed",
          refresh_token: "gets new tokens later, without a login",
        }}
      />
      <Checks checks={checks} />
      <details class="quiet">
        <summary>The ID token, decoded</summary>
        <DecodedToken name="ID token" token={idToken} now={now} />
      </details>
    </TourPage>
  );
}

/** Step 6: the call of an API. */
export function Userinfo({ site, request, response, hasClientsPage }: StepProps<"userinfo">): VNode {
  return (
    <TourPage
      site={site}
      journey="tour"
      step={6}
      heading="The client calls an API"
      lead="The client sends the access token in a header with each request. This API, userinfo, belongs to the server: it returns what scope allows the client to know about you."
      reasons={[
        {
          heading: "Why",
          text: "The API needs neither your password nor a login: it verifies the token, its expiry and its scope.",
        },
        {
          heading: "Without expiry and scope",
          text: "A copied token would work for everything, forever.",
        },
      ]}
      next={<NextLink href={`${site.base}/tour?step=mistakes`} label="a mistake, and how to read it" />}
      others={
        <>
          {site.flowLink !== undefined && <a href={site.base + site.flowLink}>See the whole flow</a>}
          {hasClientsPage && <a href={`${site.base}/clients`}>Connect your own client</a>}
          <a href={`${site.base}/`}>Back to Home</a>
        </>
      }
    >
      <Message heading="The request" {...request} meanings={{ Authorization: "the access token of step 5" }} />
      <Message
        heading="The response"
        {...response}
        meanings={{ sub: "your ID, the same at each login", name: "because scope has profile" }}
      />
    </TourPage>
  );
}

/** The server rejected the code, because it was used before. */
export function Failed({ site, response }: StepProps<"failed">): VNode {
  return (
    <TourPage
      site={site}
      journey="tour"
      step={4}
      heading="The server rejects the code"
      lead="A code works once, for a short time. This one was exchanged before, or it has expired. Start the tour again to get another one."
      reasons={[{
        heading: "Why",
        text:
          "A code that is used twice may have been stolen. So the server rejects it, and revokes the tokens of the first use.",
      }]}
      next={<a class="button" href={`${site.base}/tour`}>Start the tour again</a>}
    >
      <Message heading="The token response" {...response} meanings={{}} />
      <FlowLink site={site} />
    </TourPage>
  );
}

/** No client has requests like those that the tour explains. */
export function NoClient({ site, redirectUri, addPath }: StepProps<"no_client">): VNode {
  return (
    <Layout
      site={site}
      head={<Stylesheet site={site} name="tour" />}
      heading="The tour needs a client"
      opening={
        <>
          <p>The tour shows a real flow in six steps, but no client of this server fits. A client that fits:</p>
          <ul>
            <li>
              has the redirect URI <Code text={redirectUri} />;
            </li>
            <li>
              has no secret (<Code text="token_endpoint_auth_method" /> is <Code text="none" />), or the demo secret;
            </li>
            <li>
              may use the grant type <Code text="authorization_code" /> and the scope value <Code text="openid" />;
            </li>
            <li>sends plain requests: not pushed, not signed, without DPoP.</li>
          </ul>
          <nav class="ways" aria-label="Where to go from here">
            {addPath !== undefined && <a class="button" href={site.base + addPath}>Add a client that fits</a>}
            {site.links?.some(({ path }) => path === "/clients") && (
              <a class={addPath === undefined ? "button" : "button plain"} href={`${site.base}/clients`}>Clients</a>
            )}
            <a href={`${site.base}/`}>Back to Home</a>
          </nav>
        </>
      }
    />
  );
}
