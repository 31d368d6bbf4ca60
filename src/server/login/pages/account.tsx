/** @jsxImportSource preact */
/** The clients that a user allowed, and the buttons that revoke their access. */

import type { VNode } from "preact";
import { Layout, Section, type Site } from "../../pages/layout.tsx";
import { UserName, type UserSummary } from "./user_name.tsx";
import { type HiddenFields, HiddenInputs } from "../../pages/post_form.tsx";
import { Code, CodeItem, DefinitionItem } from "../../pages/value.tsx";

/** The account page. */
export interface AccountProps extends Site {
  /** Its title at a provider. Default: that of this server. */
  readonly documentTitle?: string;
  /** Absent without a session. Times in milliseconds since the epoch. */
  readonly account?: {
    readonly user: UserSummary;
    /** The time of the login. */
    readonly since: number;
    /** The logout endpoint. */
    readonly logoutHref: string;
    /** One per allowed client. */
    readonly consents: readonly {
      readonly client: { readonly id: string; readonly name?: string };
      /** Scope values by resource; a row without resource is the default audience. */
      readonly allowed: readonly { readonly scope: readonly string[]; readonly resource?: string }[];
      readonly claims: readonly string[];
      /** The time of the last consent. */
      readonly at: number;
      /** When the consent expires; absent if the server asks at every request of the client. */
      readonly validUntil?: number;
      /** Hidden fields of the form that revokes it; its target is `{base}/account`. */
      readonly fields: HiddenFields;
    }[];
    /** Whether the consents of all clients are listed. */
    readonly isComplete: boolean;
  };
}

/** The page at `/account`. */
export function AccountView(props: AccountProps): VNode {
  const { base, account, documentTitle } = props;
  if (account === undefined) {
    return (
      <Layout site={props} variant="card" path="/account" heading="You are not logged in">
        <p>
          This browser has no session with this server. A session starts when a client sends you here and you log in.
        </p>
        <nav class="ways" aria-label="Where to go from here">
          <a href={`${base}/`}>Back to Home</a>
        </nav>
      </Layout>
    );
  }
  const { user, since, logoutHref, consents, isComplete } = account;
  return (
    <Layout
      site={props}
      variant="card"
      path="/account"
      heading="Your account"
      documentTitle={documentTitle}
      opening={
        <>
          <dl class="facts">
            <DefinitionItem label="You">
              <UserName user={user} />
            </DefinitionItem>
            <DefinitionItem label="Logged in since">{timestamp(since)}</DefinitionItem>
          </dl>
          <nav class="ways" aria-label="Where to go from here">
            <a class="button" href={logoutHref}>Log out</a>
          </nav>
        </>
      }
    >
      <Section id="consents" heading="Clients you allowed">
        {consents.length === 0 && isComplete && <p>No client has access to your account.</p>}
        {!isComplete && (
          <p>
            This server has more clients than this page searches, so a client that is not listed may have access, too.
          </p>
        )}
        {consents.map((consent) => <ConsentItem key={consent.client.id} action={`${base}/account`} {...consent} />)}
        {consents.length > 0 && (
          <p class="aside">
            Revoking access revokes the refresh tokens of the client, and the client must ask you again. Its access
            tokens work until they expire.
          </p>
        )}
      </Section>
    </Layout>
  );
}

type Consent = NonNullable<AccountProps["account"]>["consents"][number];

function ConsentItem({ action, client, allowed, claims, at, validUntil, fields }: Consent & { action: string }): VNode {
  const name = client.name ?? client.id;
  return (
    <article class="consent">
      <div class="heading">
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <form method="post" action={action}>
          <HiddenInputs fields={fields} />
          <button type="submit" class="button plain">
            Revoke access<span class="unseen">
              of <bdi>{name}</bdi>
            </span>
          </button>
        </form>
      </div>
      <dl class="facts">
        <CodeItem label="Client ID" text={client.id} />
        {allowed.map(({ scope, resource }) => (
          <DefinitionItem key={resource} label="Scope">
            <Code text={scope.join(" ")} />
            {resource !== undefined && (
              <>
                {" "}
                at <Code text={resource} />
              </>
            )}
          </DefinitionItem>
        ))}
        {claims.length > 0 && <CodeItem label="Claims by name" text={claims.join(" ")} />}
        <DefinitionItem label="Allowed">{timestamp(at)}</DefinitionItem>
        {validUntil === undefined
          ? <DefinitionItem label="The server asks you again">every time</DefinitionItem>
          : <DefinitionItem label="The server asks you again after">{timestamp(validUntil)}</DefinitionItem>}
      </dl>
    </article>
  );
}

/** A time, to the minute. */
function timestamp(at: number): VNode {
  const text = new Date(at).toISOString();
  return <time datetime={text}>{text.slice(0, 16).replace("T", " ")} UTC</time>;
}
