/** @jsxImportSource preact */
/** The page that stands for the login at another service. */

import type { VNode } from "preact";
import { Layout, type Site } from "../server/pages/layout.tsx";
import { type HiddenFields, HiddenInputs } from "../server/pages/post_form.tsx";
import { Code } from "../server/pages/value.tsx";

/** A request that asks a user to connect an account. */
export interface ConnectAccountProps extends Site {
  readonly service: string;
  readonly tool: string;
  /** The name of the MCP client. */
  readonly client: string;
  readonly state: "pending" | "connected" | "declined";
  /** The target of the form. */
  readonly action: string;
  readonly fields: HiddenFields;
}

/** Asks the user; after the decision, says how to continue. */
export function ConnectAccount(props: ConnectAccountProps): VNode {
  const { service, tool, client, state, action, fields } = props;
  if (state !== "pending") {
    return (
      <Layout
        site={props}
        variant="card"
        heading={state === "connected" ? `${service} is connected` : `You declined to connect ${service}`}
      >
        <p>
          Return to <bdi>{client}</bdi>, which calls the tool <Code text={tool} /> again.
        </p>
      </Layout>
    );
  }
  return (
    <Layout site={props} variant="card" heading={`Connect ${service}`}>
      <p>
        <bdi>{client}</bdi> called the tool <Code text={tool} />, which needs your account at {service}.
      </p>
      <p class="aside">This page takes the place of the login there. Nothing is sent to another server.</p>
      <form class="ways" method="post" action={action}>
        <HiddenInputs fields={fields} />
        <button type="submit" class="button" name="decision" value="allow">Connect</button>
        <button type="submit" class="button plain" name="decision" value="deny">Decline</button>
      </form>
    </Layout>
  );
}
