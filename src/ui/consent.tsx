/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The question what a client may do: who asks, where the answer goes, each thing with a tick to take away. */

import type { VNode } from "preact";
import type { ConsentProps } from "../app/pages.ts";
import { formatLongDuration } from "./duration.ts";
import { Layout, Stylesheet } from "./layout.tsx";
import { UserName } from "./user_name.tsx";
import { HiddenInputs } from "./post_form.tsx";
import { scopeLabel } from "./scope_labels.ts";
import { Code, DefinitionItem } from "./value.tsx";

/** Why a consent is not remembered. */
const riskReasons = {
  device: "other programs on this device could impersonate this application",
  network: "the application receives the response over http, where others on the network can read it",
};

/** The page at `/oauth2/consent`. */
export function Consent(props: ConsentProps): VNode {
  const { base, client, user, fields, redirectUri, scope, claims, resources, redirectsToDevice, remembered } = props;
  const name = client.name ?? client.id;
  return (
    <Layout
      site={props}
      head={<Stylesheet site={props} name="people" />}
      heading="May it act for you?"
      opening={
        <>
          <p>
            <strong>
              <bdi>{name}</bdi>
            </strong>{" "}
            asks for access. What you allow here is written into the token it gets, and it gets no more than that.
          </p>
          <dl class="facts narrow">
            <DefinitionItem label="Application">
              {client.name !== undefined && (
                <>
                  <bdi>{client.name}</bdi>,{" "}
                </>
              )}
              <Code text={client.id} />
              <div class="aside">Registered by the operator of this server.</div>
            </DefinitionItem>
            <DefinitionItem label="You">
              <UserName user={user} />
              <a href={props.otherAccountHref}>Use another account</a>
            </DefinitionItem>
            <DefinitionItem label="Sends you to">
              <RedirectTarget uri={redirectUri} onDevice={redirectsToDevice} />
              <div class="aside">
                <Code text={redirectUri} />
              </div>
            </DefinitionItem>
          </dl>
          <form class="form" method="post" action={`${base}/oauth2/consent`}>
            <HiddenInputs fields={fields} />
            <fieldset class="grants">
              <legend>It may</legend>
              {scope.map((item) => <ScopeChoice key={item.value} {...item} />)}
            </fieldset>
            {claims.length > 0 && (
              <p>
                It asks by name to see <CodeList texts={claims} />.
              </p>
            )}
            {resources.length > 0 && (
              <p>
                It will do so at <CodeList texts={resources} />.
              </p>
            )}
            <div class="decision">
              <button type="submit" class="button plain" name="decision" value="allow">Allow</button>
              <button type="submit" class="button plain" name="decision" value="deny">Deny</button>
            </div>
          </form>
          <p class="aside">
            {typeof remembered === "number"
              ? `Your answer is remembered for ${formatLongDuration(remembered)}.`
              : `You are asked every time, because ${riskReasons[remembered]}.`}{" "}
            What you allow you can take back on the page “Account”.
          </p>
        </>
      }
    />
  );
}

function ScopeChoice(
  { value, required, previouslyAllowed, claims }: ConsentProps["scope"][number],
): VNode {
  const id = `scope-${value}`;
  return (
    <div class="choice">
      <input id={id} type="checkbox" name={required ? undefined : "scope"} value={value} checked disabled={required} />
      {required && <input type="hidden" name="scope" value={value} />}
      <label for={id}>
        {scopeLabel(value, claims)}
        <span class="aside">
          <code>{value}</code>
          {required ? ", always part of a login" : previouslyAllowed ? ", allowed before" : ""}
        </span>
      </label>
    </div>
  );
}

/** Where the answer goes, as far as a person can judge it. */
function RedirectTarget({ uri, onDevice }: { readonly uri: string; readonly onDevice: boolean }): VNode {
  const { protocol, host } = new URL(uri);
  if (!/^https?:$/.test(protocol)) {
    return (
      <>
        the app on this device that opens <strong>{protocol}</strong>
      </>
    );
  }
  if (onDevice) {
    return (
      <>
        a program on this device, at <strong>{host}</strong>
      </>
    );
  }
  return <strong>{host}</strong>;
}

function CodeList({ texts }: { readonly texts: readonly string[] }): VNode {
  return (
    <>
      {texts.map((text, i) => (
        <>
          {i === 0 ? "" : i === texts.length - 1 ? " and " : ", "}
          <Code text={text} />
        </>
      ))}
    </>
  );
}
