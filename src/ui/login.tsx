/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The question who is there: people to pick, a name and a password to type, or somebody new to make up. */

import type { VNode } from "preact";
import type { LoginProps } from "../app/pages.ts";
import { Field } from "./field.tsx";
import { Layout, Section, Sheet } from "./layout.tsx";
import { Notice } from "./notice.tsx";
import { Named } from "./user_name.tsx";
import { Hidden } from "./post_form.tsx";

/** The page at `/oauth2/login`. */
export function Login(props: LoginProps): VNode {
  const { base, client, fields, people, password, stranger, again, retry } = props;
  const action = `${base}/oauth2/login`;
  return (
    <Layout
      site={props}
      head={<Sheet site={props} name="people" />}
      heading="Who is there?"
      opening={
        <>
          <p>
            <strong>
              <bdi>{client.name ?? client.id}</bdi>
            </strong>{" "}
            {again ? "asks you to log in once more." : "asks you to log in."}{" "}
            It learns who you are, but not how you prove it: that stays here.
          </p>
          {retry?.fault !== undefined && (
            <Notice kind="bad">
              <p>{retry.fault}</p>
            </Notice>
          )}
          {people.length > 0 && <People action={action} {...props} />}
          {people.length === 0 && password === undefined && stranger === undefined && (
            <Notice kind="warn">
              <p>Nobody whom the application asks for is known here.</p>
            </Notice>
          )}
        </>
      }
    >
      {password !== undefined && <WithPassword action={action} sub={password.sub} {...props} />}
      {stranger !== undefined && <Stranger action={action} stranger={stranger} {...props} />}
      <section class="bare" aria-label="Not now">
        <form class="ways body" method="post" action={action}>
          <Hidden fields={fields} />
          <button type="submit" class="button plain" name="cancel" value="yes">Cancel</button>
          <p class="aside">The application is told that you did not log in.</p>
        </form>
      </section>
    </Layout>
  );
}

function People({ action, fields, people }: LoginProps & { readonly action: string }): VNode {
  return (
    <form method="post" action={action}>
      <Hidden fields={fields} />
      <ul class="people">
        {people.map((person) => {
          const { sub, current, passwordHref } = person;
          const inside = (
            <>
              <Named person={person} />
              {current && <span class="note">logged in</span>}
              {passwordHref !== undefined && <span class="note">password</span>}
            </>
          );
          return (
            <li key={sub}>
              {passwordHref !== undefined
                ? <a class="person" href={passwordHref}>{inside}</a>
                : <button type="submit" class="person" name="sub" value={sub}>{inside}</button>}
            </li>
          );
        })}
      </ul>
    </form>
  );
}

function WithPassword(
  { action, fields, sub, retry }: LoginProps & { readonly action: string; readonly sub: string },
): VNode {
  const here = retry?.part === "password";
  const wrong = here && retry.fault !== undefined;
  return (
    <Section id="password" heading="With a password">
      <form class="form" method="post" action={action}>
        <Hidden fields={fields} />
        <div class="field">
          <label for="sub">User name</label>
          <input
            id="sub"
            name="sub"
            type="text"
            required
            value={sub}
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
            autofocus={here && sub === ""}
            aria-invalid={wrong ? "true" : undefined}
          />
        </div>
        <div class="field">
          <label for="secret">Password</label>
          <input
            id="secret"
            name="password"
            type="password"
            required
            autocomplete="current-password"
            autofocus={here && sub !== ""}
            aria-invalid={wrong ? "true" : undefined}
          />
        </div>
        <button type="submit" class="button">Log in</button>
      </form>
    </Section>
  );
}

function Stranger(
  { action, fields, stranger, retry }: LoginProps & {
    readonly action: string;
    readonly stranger: NonNullable<LoginProps["stranger"]>;
  },
): VNode {
  return (
    <Section id="new" heading="Somebody new">
      <details class="quiet" open={retry?.part === "new"}>
        <summary>Make up a person for this test</summary>
        <form class="form" method="post" action={action}>
          <Hidden fields={fields} />
          <Field
            name="subject"
            label="Subject"
            hint="How applications will know this person: 1 to 255 printable ASCII characters."
            value={stranger.subject}
          />
          <Field
            name="claims"
            label="Claims"
            hint={`A JSON object, such as {"name": "Carol Clark", "email": "carol@example.com"}.`}
            value={stranger.claims}
            lines={4}
            optional
          />
          <button type="submit" class="button plain" name="new" value="yes">Log in as this person</button>
          <p class="aside">
            Only a server on your own machine, or one for tests, believes this.
          </p>
        </form>
      </details>
    </Section>
  );
}
