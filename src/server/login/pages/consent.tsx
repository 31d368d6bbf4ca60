/** @jsxImportSource preact */
/** The consent page: the client, the redirect target, and a checkbox for each scope value. */

import type { VNode } from "preact";
import type { PolledFacts } from "../../stored/delivery.ts";
import { ClientLinks, ClientMark, type ClientPresentation } from "./client_links.tsx";
import { DeviceFacts, DeviceWarning } from "./device.tsx";
import { formatLongDuration } from "../../pages/duration.ts";
import { Layout, type Site } from "../../pages/layout.tsx";
import { Notice } from "../../pages/notice.tsx";
import { UserName, type UserSummary } from "./user_name.tsx";
import { type HiddenFields, HiddenInputs } from "../../pages/post_form.tsx";
import { Code, CodeList, DefinitionItem } from "../../pages/value.tsx";

/** The consent page. */
export interface ConsentProps extends Site {
  /** The client that requests access. */
  readonly client: ClientPresentation & {
    readonly id: string;
    readonly name?: string;
    readonly confidential: boolean;
    /** The host of its metadata document; absent if the operator registered it. */
    readonly documentHost?: string;
    /** Whether it registered itself, without the operator. Default: false. */
    readonly registeredItself?: boolean;
    /** Whether no one registered it: the server accepts every client. Default: false. */
    readonly isUnregistered?: boolean;
    /** Whether every redirect URI of a client that the operator did not register leads to the user's own device. */
    readonly isOnDeviceOnly?: boolean;
  };
  /** The user who decides. */
  readonly user: UserSummary;
  /** The target of the form. */
  readonly action: string;
  /** Hidden fields of the form. */
  readonly fields: HiddenFields;
  /** The verified redirect URI; absent for a device. */
  readonly redirectUri?: string;
  /** The device that waits for the decision; absent for a redirect. */
  readonly device?: PolledFacts;
  /** The requested scope. */
  readonly scope: readonly {
    readonly value: string;
    /** Whether it cannot be deselected. */
    readonly required: boolean;
    /** Whether the user allowed it before. */
    readonly previouslyAllowed: boolean;
    /** The claims that it releases. */
    readonly claims: readonly string[];
  }[];
  /** The requested authorization details (RFC 9396). */
  readonly details: readonly {
    /** The value of its checkbox. */
    readonly choice: string;
    readonly type: string;
    /** The name of the type. */
    readonly title?: string;
    readonly fields: readonly { readonly label: string; readonly values: readonly string[] }[];
  }[];
  /** Individually requested claims. */
  readonly claims: readonly string[];
  /** The requested resources (RFC 8707). */
  readonly resources: readonly string[];
  /** Whether the redirect URI leads to a program on the user's own device. */
  readonly redirectsToDevice: boolean;
  /**
   * Seconds for which the consent is remembered; or why it is not: another program on the device, an attacker on the
   * network, or an attacker with a code of their own could impersonate the client.
   */
  readonly remembered: number | "code" | "device" | "network";
  /** The login page, for another account. */
  readonly otherAccountHref: string;
}

/** Why the server does not remember a consent. */
const riskReasons = {
  code: "each device needs your permission",
  device: "other programs on this device could impersonate this client",
  network: "the client receives the response over http, where others on the network can read it",
};

/** Who chose the name and the redirect URIs of the client. */
function Registrant({ documentHost, registeredItself, isUnregistered }: ConsentProps["client"]): VNode {
  if (isUnregistered) return <>Not registered: this server accepts every client.</>;
  if (documentHost === undefined && !registeredItself) return <>Registered by the operator of this server.</>;
  return (
    <>
      Not registered by the operator of this server:{" "}
      {documentHost === undefined ? "the client itself" : <strong>{documentHost}</strong>}{" "}
      chose the name and the redirect URIs.
    </>
  );
}

/** The page at `/oauth2/consent`. */
export function Consent(props: ConsentProps): VNode {
  const { action, client, user, fields, redirectUri, device, scope, details, claims, resources } = props;
  const { redirectsToDevice, remembered } = props;
  const name = client.name ?? client.id;
  return (
    <Layout
      site={props}
      variant="card"
      heading={
        <>
          Allow <bdi>{name}</bdi> to access your account?
        </>
      }
      title={`Allow ${name} to access your account?`}
    >
      {/* The form names the host of a client without a logo. */}
      <ClientMark logo={client.logo} />
      <p>Its token will carry only the permissions you allow below.</p>
      {device !== undefined && <DeviceWarning />}
      {device === undefined && client.isOnDeviceOnly && (
        <Notice kind="warn">
          <p>
            Any program on this device can pretend to be this client. Allow access only if you have just started this
            client yourself.
          </p>
        </Notice>
      )}
      <form class="form" method="post" action={action}>
        <HiddenInputs fields={fields} />
        <dl class="facts narrow">
          <DefinitionItem label="Client ID">
            <Code text={client.id} />
            <div class="aside">
              <Registrant {...client} />
            </div>
          </DefinitionItem>
          <DefinitionItem label="You">
            <UserName user={user} />
            <a href={props.otherAccountHref}>Use another account</a>
          </DefinitionItem>
          {device !== undefined && <DeviceFacts {...device} />}
          {redirectUri !== undefined && (
            <DefinitionItem label="Redirects to">
              <RedirectTarget uri={redirectUri} onDevice={redirectsToDevice} />
              <div class="aside">
                <Code text={redirectUri} />
              </div>
            </DefinitionItem>
          )}
        </dl>
        <fieldset class="grants">
          <legend>The client may</legend>
          {scope.map((item) => <ScopeChoice key={item.value} {...item} />)}
          {details.map((detail) => <DetailChoice key={detail.choice} {...detail} />)}
        </fieldset>
        {claims.length > 0 && (
          <p>
            The client requests these claims by name: <CodeList texts={claims} between=", " last=" and " />.
          </p>
        )}
        {resources.length > 0 && (
          <p>
            The token will be valid at <CodeList texts={resources} between=", " last=" and " />.
          </p>
        )}
        <div class="decision">
          <button type="submit" class="button" name="decision" value="allow">Allow</button>
          <button type="submit" class="button plain" name="decision" value="deny">Deny</button>
        </div>
      </form>
      <p class="aside">
        {typeof remembered === "number"
          ? `The server remembers your decision for ${formatLongDuration(remembered)}${
            details.length > 0 ? ", except for permissions with details" : ""
          }.`
          : `The server asks you every time, because ${riskReasons[remembered]}.`} You can revoke access on the page
        {" "}
        <a href={`${props.base}/account`}>Account</a>.
      </p>
      <ClientLinks {...client} />
    </Layout>
  );
}

function ScopeChoice({ value, required, previouslyAllowed, claims }: ConsentProps["scope"][number]): VNode {
  const id = `scope-${value}`;
  return (
    <div class="choice">
      <input id={id} type="checkbox" name={required ? undefined : "scope"} value={value} checked disabled={required} />
      {required && <input type="hidden" name="scope" value={value} />}
      <label for={id}>
        {scopeLabel(value, claims)}
        <span class="aside">
          <code>{value}</code>
          {required ? ", part of every login" : previouslyAllowed ? ", allowed before" : ""}
        </span>
      </label>
    </div>
  );
}

function DetailChoice({ choice, type, title, fields }: ConsentProps["details"][number]): VNode {
  const id = `detail-${choice.slice(0, choice.indexOf(" "))}`;
  return (
    <div class="choice">
      <input id={id} type="checkbox" name="detail" value={choice} checked aria-describedby={`${id}-fields`} />
      <label for={id}>
        <bdi>{title ?? type}</bdi>
        {title !== undefined && (
          <span class="aside">
            <code>{type}</code>
          </span>
        )}
      </label>
      <dl class="facts" id={`${id}-fields`}>
        {fields.map(({ label, values }, i) => (
          <DefinitionItem key={i} label={<bdi>{label}</bdi>}>
            {values.length === 0 ? "none" : <CodeList texts={values} between=", " />}
          </DefinitionItem>
        ))}
      </dl>
    </div>
  );
}

/** The target of the redirect, in words for users. */
function RedirectTarget({ uri, onDevice }: { readonly uri: string; readonly onDevice: boolean }): VNode {
  const { protocol, host } = new URL(uri);
  if (!/^https?:$/.test(protocol)) {
    return (
      <>
        the app on this device that handles <strong>{protocol}</strong>
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

const labels: ReadonlyMap<string, string> = new Map([
  ["openid", "Know who you are"],
  ["profile", "See your profile: name, picture and other details"],
  ["email", "See your e-mail address"],
  ["address", "See your postal address"],
  ["phone", "See your telephone number"],
  ["offline_access", "Keep access while you are away, even after you log out"],
  ["read", "Read your data"],
  ["write", "Change your data"],
]);

/**
 * A phrase that follows "The client may". A scope value without a description is shown with its name and its claims.
 *
 * @param claims The claims that it releases.
 */
function scopeLabel(value: string, claims: readonly string[]): string {
  return labels.get(value) ?? (claims.length > 0 ? `See ${claims.join(", ")}` : `Use the scope ${value}`);
}
