/** @jsxImportSource preact */
/** The page for requests that clients started and that wait for their user (CIBA), and the result of a decision. */

import type { VNode } from "preact";
import type { PolledFacts } from "../../stored/delivery.ts";
import { DeviceFacts, Result } from "./device.tsx";
import { Layout, type Site } from "../../pages/layout.tsx";
import { PageActions } from "../../pages/page_actions.tsx";
import { CodeItem, CodeList, DefinitionItem } from "../../pages/value.tsx";

/** The page at `/backchannel`. */
export interface BackchannelProps extends Site {
  /** The requests that wait for the user; absent without a session. */
  readonly requests?: readonly {
    /** The client that started it. */
    readonly client: { readonly id: string; readonly name?: string };
    /** The requested scope. */
    readonly scope: readonly string[];
    /** The message, and when and where it started. */
    readonly facts: PolledFacts;
    /** The link to the decision. */
    readonly href: string;
  }[];
  /** The result of a decision. */
  readonly result?: "approved" | "denied";
}

/** The page at `/backchannel`. */
export function Backchannel({ requests, result, ...site }: BackchannelProps): VNode {
  if (result !== undefined) {
    const heading = { approved: "You allowed the request", denied: "You denied the request" };
    return <Result site={site} result={result} receiver="client" heading={heading} />;
  }
  const heading = requests === undefined
    ? "You are not logged in"
    : requests.length === 0
    ? "No requests are waiting"
    : "Requests that wait for you";
  return (
    <Layout site={site} variant="card" heading={heading}>
      {requests === undefined && <p>Log in to a client in this browser, then reload this page.</p>}
      {requests?.length === 0 && <p>A request of a client stays here until you decide or it expires.</p>}
      {requests?.map(({ client, scope, facts, href }) => (
        <section key={href}>
          <h2>
            <bdi>{client.name ?? client.id}</bdi>
          </h2>
          <dl class="facts narrow">
            <CodeItem label="Client ID" text={client.id} />
            <DeviceFacts {...facts} />
            <DefinitionItem label="Scope">
              <CodeList texts={scope} between=" " />
            </DefinitionItem>
          </dl>
          <p>
            <a class="button" href={href}>Decide</a>
          </p>
        </section>
      ))}
      <PageActions site={site} />
    </Layout>
  );
}
