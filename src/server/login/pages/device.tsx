/** @jsxImportSource preact */
/** The page for the code that a device shows: typed, confirmed, and the result. */

import type { VNode } from "preact";
import type { PolledFacts } from "../../stored/delivery.ts";
import { FieldInput } from "../../pages/field.tsx";
import { Layout, type Site } from "../../pages/layout.tsx";
import { Notice } from "../../pages/notice.tsx";
import { PageActions } from "../../pages/page_actions.tsx";
import { type HiddenFields, HiddenInputs } from "../../pages/post_form.tsx";
import { Code, CodeItem, CodeList, DefinitionItem } from "../../pages/value.tsx";

/** The page at `/device`: one of its parts. */
export interface DeviceProps extends Site {
  /** The form for the code. */
  readonly codeForm?: DeviceForm & {
    /** The initial value. */
    readonly userCode: string;
    /** Why the code was rejected. */
    readonly error?: string;
  };
  /** The question whether to connect the device, where no other page asks it. */
  readonly confirmation?: DeviceForm & {
    /** The client on the device. */
    readonly client: { readonly id: string; readonly name?: string };
    /** The requested scope. */
    readonly scope: readonly string[];
    /** The device. */
    readonly device: PolledFacts;
  };
  /** The result. */
  readonly result?: "approved" | "denied";
}

/** @internal A form of the page. */
export interface DeviceForm {
  /** The target of the form. */
  readonly action: string;
  /** Hidden fields of the form. */
  readonly fields: HiddenFields;
}

/** The page at `/device`. */
export function Device({ codeForm, confirmation, result, ...site }: DeviceProps): VNode {
  if (result !== undefined) {
    const heading = { approved: "The device is connected", denied: "You denied the device" };
    return <Result site={site} result={result} receiver="device" heading={heading} />;
  }
  if (confirmation !== undefined) return <Confirmation site={site} {...confirmation} />;
  const { action, fields, userCode, error } = codeForm!;
  return (
    <Layout site={site} variant="card" heading="Connect a device">
      {error !== undefined && <Notice kind="bad" text={error} />}
      <form class="form" method="post" action={action}>
        <HiddenInputs fields={fields} />
        <FieldInput
          name="user_code"
          label="Code"
          hint="The eight letters that the device shows."
          value={userCode}
          input={{
            ...{ type: "text", class: "user-code", size: 12, maxLength: 40, autocapitalize: "characters" },
            ...{ "aria-invalid": error === undefined ? undefined : "true", autofocus: true },
          }}
        />
        <button type="submit" class="button">Continue</button>
      </form>
      <p class="aside">The next page shows what the device requests. You decide there.</p>
    </Layout>
  );
}

/** What the device shows, and when and where it started. */
export function DeviceFacts({ userCode, message, startedAt, address, isSameAddress }: PolledFacts): VNode {
  const started = new Date(startedAt).toISOString();
  return (
    <>
      {userCode !== undefined && (
        <DefinitionItem label="Code">
          <code class="user-code">{userCode}</code>
          <div class="aside">The device must show the same code.</div>
        </DefinitionItem>
      )}
      {message !== undefined && (
        <DefinitionItem label="Message">
          <bdi>{message}</bdi>
          <div class="aside">The client must show the same message.</div>
        </DefinitionItem>
      )}
      <DefinitionItem label="Started">
        <time datetime={started}>{started.slice(0, 19).replace("T", " ")} UTC</time>
        {address !== undefined && (
          <>
            , from <Code text={address} />
            {isSameAddress && ", the network of this browser"}
          </>
        )}
      </DefinitionItem>
    </>
  );
}

/** The warning against phishing (RFC 8628 §5.4). */
export function DeviceWarning(): VNode {
  return (
    <Notice kind="warn">
      <p>
        Allow this request only if you started it yourself, on a device in front of you. If you received the code or a
        link in a message, deny the request: the sender would get access to your account.
      </p>
    </Notice>
  );
}

function Confirmation(
  { site, action, fields, client, scope, device }: { readonly site: Site } & NonNullable<DeviceProps["confirmation"]>,
): VNode {
  const name = client.name ?? client.id;
  return (
    <Layout
      site={site}
      variant="card"
      heading={
        <>
          Connect <bdi>{name}</bdi> on a device?
        </>
      }
      title={`Connect ${name} on a device?`}
    >
      <DeviceWarning />
      <form class="form" method="post" action={action}>
        <HiddenInputs fields={fields} />
        <dl class="facts narrow">
          <CodeItem label="Client ID" text={client.id} />
          <DeviceFacts {...device} />
          <DefinitionItem label="Scope">
            <CodeList texts={scope} between=" " />
          </DefinitionItem>
        </dl>
        <div class="decision">
          <button type="submit" class="button" name="decision" value="allow">Allow</button>
          <button type="submit" class="button plain" name="decision" value="deny">Deny</button>
        </div>
      </form>
    </Layout>
  );
}

/** What the user decided. @param receiver Who waits for the decision, without the article. */
export function Result({ site, result, receiver, heading }: {
  readonly site: Site;
  readonly result: "approved" | "denied";
  readonly receiver: "client" | "device";
  readonly heading: Readonly<Record<"approved" | "denied", string>>;
}): VNode {
  const outcome = result === "approved" ? "continues by itself within a few seconds" : "gets no access to your account";
  return (
    <Layout site={site} variant="card" heading={heading[result]}>
      <p>The {receiver} {outcome}. You can close this window.</p>
      <PageActions site={site} />
    </Layout>
  );
}
