/** @jsxImportSource preact */
/** The page that checks a client: a form, and how far the check is. */

import type { VNode } from "preact";
import { type EditForm, FieldInput, FormErrors } from "../../server/pages/field.tsx";
import { Layout, Section, type Site } from "../../server/pages/layout.tsx";
import { Notice } from "../../server/pages/notice.tsx";
import type { ClientCheckState } from "../client_check.ts";

export interface ClientCheckProps extends Site {
  /** The client: its ID, the name on pages and the path of its page. */
  readonly client: { readonly id: string; readonly name?: string; readonly href: string };
  readonly form: EditForm;
  /** Why no check could start, or why it ended without a report. Absent: nothing happened. */
  readonly problem?: string;
  /** The path of the report of the last check of the client, below the base. Absent: there is none. */
  readonly reportPath?: string;
  /** How far the check is. Absent: none is running. */
  readonly progress?: Pick<ClientCheckState, "done" | "total" | "failed" | "skipped">;
}

/** A label and a hint for each field of the verb that starts a check. */
const texts: Readonly<Record<string, readonly [label: string, hint: string]>> = {
  loginUrl: [
    "Login URL",
    "The URL of the application that starts a login and redirects to this server. The application must run on this machine.",
  ],
  loggedInUrl: [
    "Page of the user",
    "A URL whose response differs after a login, best by its status, such as 401 and 200. Default: the page where the login ends.",
  ],
  loggedInText: [
    "Text of the user",
    "A text that only the page of the logged-in user contains. Default: the e-mail address, name or sub of the user.",
  ],
  refreshUrl: [
    "Page that refreshes tokens",
    "The application refreshes its tokens when this page is requested. Default: the attacks on refreshes are skipped.",
  ],
  apiUrl: [
    "Page that uses the access token",
    "The application sends its access token to an API or to userinfo when this page is requested. Default: the attacks on that are skipped.",
  ],
  logoutUrl: [
    "Logout URL",
    "The application ends the session at this URL. Default: the attacks on logout are skipped.",
  ],
  only: [
    "Only these attacks",
    "Attacks or categories to run, separated by spaces or commas, such as id-token response/state-wrong. Default: all.",
  ],
  except: [
    "Without these attacks",
    "Attacks or categories to leave out, separated by spaces or commas, such as keys. Default: none.",
  ],
};

function StartForm({ client, form: { values, errors, csrfToken } }: ClientCheckProps): VNode {
  const [first, second, ...others] = Object.entries(texts).map(([name, [label, hint]]) => (
    <FieldInput
      key={name}
      {...{ name, label, hint, errors }}
      value={values[name]}
      optional={name !== "loginUrl"}
    />
  ));
  const { loginUrl: _, loggedInUrl: __, ...more } = values;
  const isChanged = Object.values(more).some((value) => value !== "");
  return (
    <Section id="check" heading="The application">
      <form class="form" method="post" action={`${client.href}/check`}>
        <input type="hidden" name="form_token" value={csrfToken} />
        {first}
        {second}
        <details open={isChanged}>
          <summary>More about the application, and which attacks to run</summary>
          <div class="topic">{others}</div>
        </details>
        <p class="ways">
          <button type="submit" class="button" name="do" value="start">Start the check</button>
        </p>
      </form>
    </Section>
  );
}

/** How far the check is; the script replaces the counts until it ends. */
function Progress({ client, form, progress }: ClientCheckProps): VNode {
  const { done, total, failed, skipped } = progress!;
  return (
    <Section id="check" heading="The check is running">
      <p id="progress">
        {total === 0 ? "The first login, without an attack, is running." : (
          <>
            <progress max={total} value={done} aria-label="Logins"></progress>{" "}
            {`${done} of ${total} logins, ${failed} failed, ${skipped} skipped`}
          </>
        )}
      </p>
      <p class="aside">
        Until the check ends, only this client can log in, and the server responds to it as each attack requires.
        Afterwards the server revokes the tokens of the check.
      </p>
      <form class="ways" method="post" action={`${client.href}/check`}>
        <input type="hidden" name="form_token" value={form.csrfToken} />
        <a class="button plain" href={`${client.href}/check?progress`}>Reload</a>
        <button type="submit" class="button plain" name="do" value="stop">Stop and show the report</button>
      </form>
    </Section>
  );
}

export function ClientCheckPage(props: ClientCheckProps): VNode {
  const { client, form, problem, progress, base, reportPath } = props;
  const { id, name = id, href } = client;
  return (
    <Layout
      site={props}
      path={`/clients/${id}`}
      styles={["form"]}
      scripts={["script", ...progress === undefined ? [] : ["check/check"]]}
      heading={`Check ${name}`}
      opening={
        <>
          <FormErrors faults={form.errors} heading="No check was started." />
          {problem !== undefined && <Notice kind="bad" text={problem} />}
          {progress === undefined && (
            <p>
              The check logs in to the application as a browser does: once without an attack, and then once for each
              attack. During the check, this server responds to requests of applications as each attack requires. The
              check does not change the records, the clock and the faults of this server.
            </p>
          )}
          <p class="ways">
            <a href={href}>Back to the client</a>
            {reportPath !== undefined && <a href={base + reportPath}>Report of the last check</a>}
          </p>
        </>
      }
    >
      {progress === undefined ? <StartForm {...props} /> : <Progress {...props} />}
    </Layout>
  );
}
