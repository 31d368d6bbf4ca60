/** @jsxImportSource preact */
/** The document around the form of a provider: Latchkey's own look, and at the foot what the page is. */

import type { ComponentChildren, VNode } from "preact";
import type { Site } from "../../pages/layout.tsx";
import { HiddenInputs } from "../../pages/post_form.tsx";
import type { LogoutProps } from "../pages/logout_page.tsx";
import type { ScreenProps } from "./provider_page.ts";

/** What the document needs of a page; without a login, it lists no account. */
type FootProps = Site & Partial<Pick<ScreenProps, "accounts" | "acceptsAnyName">>;

interface DocumentProps {
  readonly props: FootProps;
  /** The whole title: nothing is added. */
  readonly title: string;
  /** Whether the page has a button that submits its form by script. Default: false. */
  readonly script?: boolean;
  readonly children: ComponentChildren;
}

/** The most accounts that the foot lists. */
const maxAccounts = 10;

/**
 * The document. Before the form it has nothing that a test could take for a part of it: no link, no button, no field.
 */
export function Document({ props, title, script = false, children }: DocumentProps): VNode {
  const { base } = props;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href={`${base}/static/icon.svg`} />
        <Stylesheets base={base} />
        {script && <script type="module" src={`${base}/static/continue.js`}></script>}
      </head>
      <body class="card provider">
        <main>{children}</main>
        <Foot {...props} />
      </body>
    </html>
  );
}

/** The style of the page; a shadow root has its own. */
export function Stylesheets({ base }: { readonly base: string }): VNode {
  return (
    <>
      <link rel="stylesheet" href={`${base}/static/style.css`} />
      <link rel="stylesheet" href={`${base}/static/people.css`} />
    </>
  );
}

/** The form of a page that asks whether to log out. */
export function LogoutForm(
  { props, id, children }: { readonly props: LogoutProps; readonly id?: string; readonly children: ComponentChildren },
): VNode {
  return (
    <form id={id} class="form form-actions" action={props.action} method="post">
      <HiddenInputs fields={props.fields} />
      {children}
    </form>
  );
}

/**
 * What the page is, and who can log in. Its words are none that a test looks for in a form, such as "password", "sign
 * in" or "email", because a locator that matches twice fails.
 */
function Foot({ accounts = [], acceptsAnyName }: FootProps): VNode {
  const whoTypes = (hasOwn: boolean, what: string) => {
    const named = accounts.filter(({ hasPassword }) => hasPassword === hasOwn).slice(0, maxAccounts);
    const names = named.map(({ name }, i) => [i > 0 && ", ", <bdi key={name}>{name}</bdi>]);
    return names.length > 0 && <p>For {names}, type {what}.</p>;
  };
  return (
    <footer class="aside">
      <p>This is Latchkey, a test server.</p>
      {whoTypes(true, "what the configuration sets")}
      {whoTypes(false, "anything")}
      {acceptsAnyName && <p>Any other name works, too.</p>}
    </footer>
  );
}
