/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The question what a client may do: who asks, where the answer goes, each thing with a tick to take away. */

import type { VNode } from "preact";
import type { ConsentProps } from "../app/pages.ts";
import { spanInWords } from "./duration.ts";
import { Layout, Sheet } from "./layout.tsx";
import { Named } from "./user_name.tsx";
import { Hidden } from "./post_form.tsx";
import { scopeInWords } from "./scope_labels.ts";
import { Fact, Wire } from "./value.tsx";

/** Why a consent is not remembered. */
const doubts = {
  device: "other programs on this device could impersonate this application",
  network: "the application receives the response over http, where others on the network can read it",
};

/** The page at `/oauth2/consent`. */
export function Consent(props: ConsentProps): VNode {
  const { base, client, user, fields, redirectUri, scope, claims, resources, onDevice, remembered } = props;
  const name = client.name ?? client.id;
  return (
    <Layout
      site={props}
      head={<Sheet site={props} name="people" />}
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
            <Fact label="Application">
              {client.name !== undefined && (
                <>
                  <bdi>{client.name}</bdi>,{" "}
                </>
              )}
              <Wire text={client.id} />
              <div class="aside">Registered by the operator of this server.</div>
            </Fact>
            <Fact label="You">
              <Named person={user} />
              <a href={props.otherAccountHref}>Use another account</a>
            </Fact>
            <Fact label="Sends you to">
              <Place uri={redirectUri} onDevice={onDevice} />
              <div class="aside">
                <Wire text={redirectUri} />
              </div>
            </Fact>
          </dl>
          <form class="form" method="post" action={`${base}/oauth2/consent`}>
            <Hidden fields={fields} />
            <fieldset class="grants">
              <legend>It may</legend>
              {scope.map((one) => <Scope key={one.value} {...one} />)}
            </fieldset>
            {claims.length > 0 && (
              <p>
                It asks by name to see <Words texts={claims} />.
              </p>
            )}
            {resources.length > 0 && (
              <p>
                It will do so at <Words texts={resources} />.
              </p>
            )}
            <div class="decision">
              <button type="submit" class="button plain" name="decision" value="allow">Allow</button>
              <button type="submit" class="button plain" name="decision" value="deny">Deny</button>
            </div>
          </form>
          <p class="aside">
            {typeof remembered === "number"
              ? `Your answer is remembered for ${spanInWords(remembered)}.`
              : `You are asked every time, because ${doubts[remembered]}.`}{" "}
            What you allow you can take back on the page “Account”.
          </p>
        </>
      }
    />
  );
}

function Scope({ value, fixed, known, claims }: ConsentProps["scope"][number]): VNode {
  const id = `scope-${value}`;
  return (
    <div class="choice">
      <input id={id} type="checkbox" name={fixed ? undefined : "scope"} value={value} checked disabled={fixed} />
      {fixed && <input type="hidden" name="scope" value={value} />}
      <label for={id}>
        {scopeInWords(value, claims)}
        <span class="aside">
          <code>{value}</code>
          {fixed ? ", always part of a login" : known ? ", allowed before" : ""}
        </span>
      </label>
    </div>
  );
}

/** Where the answer goes, as far as a person can judge it. */
function Place({ uri, onDevice }: { readonly uri: string; readonly onDevice: boolean }): VNode {
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

function Words({ texts }: { readonly texts: readonly string[] }): VNode {
  return (
    <>
      {texts.map((text, i) => (
        <>
          {i === 0 ? "" : i === texts.length - 1 ? " and " : ", "}
          <Wire text={text} />
        </>
      ))}
    </>
  );
}
