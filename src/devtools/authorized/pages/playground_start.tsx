/** @jsxImportSource preact */
/** The start page of the playground: an authorization request with the extensions that the server has, and a device. */

import type { ComponentChildren, VNode } from "preact";
import { Field } from "../../../server/pages/field.tsx";
import { Layout, Panes, Section, type Site, Stylesheet } from "../../../server/pages/layout.tsx";
import { NoDemoFlow, PageActions } from "../../../server/pages/page_actions.tsx";
import { type HiddenFields, PostForm } from "../../../server/pages/post_form.tsx";
import { Code, CodeList } from "../../../server/pages/value.tsx";

/** The start page of the playground, `/authorized/try`. */
export interface PlaygroundStartProps extends Site {
  /** The clients whose redirect URI is this server's `/authorized`; the first is the main one. Empty: no form. */
  readonly clientIds: readonly string[];
  /** The form that adds such a client; absent if the visitor may not. */
  readonly addPath?: string;
  /** Whether clients may push requests. */
  readonly par: boolean;
  /** The clients that the page can sign requests for. */
  readonly signingClientIds: readonly string[];
  /** Adds such a client; absent if the page may not, or has one. */
  readonly addKeyClient?: HiddenFields;
  /** Whether clients may send DPoP proofs. */
  readonly dpop: boolean;
  /** The response modes whose responses the page can show. */
  readonly responseModes: readonly string[];
  /** The levels of authentication; empty: none. */
  readonly acrValues: readonly string[];
  /** An object of each type of authorization details, as JSON; absent: the server has no types. */
  readonly authorizationDetails?: string;
  /** Starts a device authorization, for each client that may; empty: none. */
  readonly devices: readonly { readonly clientId: string; readonly fields: HiddenFields }[];
}

/** The page at `/authorized/try`, before the first step. */
export function PlaygroundStart(props: PlaygroundStartProps): VNode {
  const {
    base,
    clientIds,
    addPath,
    par,
    signingClientIds,
    addKeyClient,
    dpop,
    responseModes,
    acrValues,
    authorizationDetails,
    devices,
  } = props;
  return (
    <Layout
      site={props}
      head={<Stylesheet site={props} name="people" />}
      heading="Try an authorization request"
      opening={clientIds.length === 0 ? <NoDemoFlow site={props} addPath={addPath} /> : (
        <>
          <p>
            The response arrives on a page of this server, which exchanges the code and shows each request as a client
            sends it.
          </p>
          <form class="form" method="get" action={`${base}/start`}>
            <div class="topic">
              <Choices legend="Client" name="client_id" values={clientIds} />
              <fieldset>
                <legend>Protection of the request</legend>
                {par && (
                  <Checkbox name="par" label="Push the request (PAR)">
                    The client sends the parameters directly to the server; the browser carries only a reference.
                  </Checkbox>
                )}
                {signingClientIds.length > 0 && (
                  <Checkbox name="jar" label="Sign the request (JAR)">
                    One signed JWT contains all parameters. Only for{" "}
                    <CodeList texts={signingClientIds} between=", " />: this page has the key of no other client.
                  </Checkbox>
                )}
                {dpop && (
                  <Checkbox name="dpop" label="Bind code and tokens to a key (DPoP)">
                    Each request to the token endpoint and to userinfo has a signed proof.
                  </Checkbox>
                )}
              </fieldset>
              {responseModes.length > 1 && (
                <Choices legend="Response mode" name="response_mode" values={responseModes} />
              )}
              {acrValues.length > 0 && (
                <Field
                  name="acr_values"
                  label="Levels of authentication"
                  hint={`acr_values, separated by spaces; this server has ${acrValues.join(" ")}`}
                  optional
                />
              )}
              {authorizationDetails !== undefined && (
                <Field
                  name="authorization_details"
                  label="Authorization details"
                  hint={`A JSON array, such as ${authorizationDetails}`}
                  lines={4}
                  optional
                />
              )}
            </div>
            <p class="ways">
              <button type="submit" class="button">Send the request</button>
            </p>
          </form>
        </>
      )}
    >
      {(addKeyClient !== undefined || devices.length > 0) && (
        <Panes>
          {addKeyClient !== undefined && (
            <Section id="signed" heading="Signed requests">
              <p>
                The server accepts signed requests (JAR) from clients with a key. This page can sign for a demo client
                whose private key is public.
              </p>
              <PostForm
                action={`${base}/authorized/try`}
                fields={addKeyClient}
                button="Add a demo client with a key"
                plain
              />
            </Section>
          )}
          {devices.length > 0 && (
            <Section id="device" heading="A device without a browser">
              <p>The device shows a code, and its user logs in on another device.</p>
              {devices.map(({ clientId, fields }) => (
                <PostForm
                  key={clientId}
                  action={`${base}/authorized/try`}
                  fields={fields}
                  button="Log in on a device"
                  plain
                >
                  <span>
                    as <Code text={clientId} />
                  </span>
                </PostForm>
              ))}
            </Section>
          )}
        </Panes>
      )}
      <PageActions site={props} />
    </Layout>
  );
}

/** One of several values; the first one is checked. */
function Choices(
  { legend, name, values }: { readonly legend: string; readonly name: string; readonly values: readonly string[] },
): VNode {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {values.map((value, i) => {
        const id = `${name}-${i}`;
        return (
          <div class="choice" key={value}>
            <input id={id} type="radio" name={name} value={value} checked={i === 0} />
            <label for={id}>
              <Code text={value} />
            </label>
          </div>
        );
      })}
    </fieldset>
  );
}

function Checkbox(
  { name, label, children }: {
    readonly name: string;
    readonly label: string;
    readonly children: ComponentChildren;
  },
): VNode {
  return (
    <div class="choice">
      <input id={name} type="checkbox" name={name} value="on" />
      <label for={name}>
        {label}
        <span class="aside">{children}</span>
      </label>
    </div>
  );
}
