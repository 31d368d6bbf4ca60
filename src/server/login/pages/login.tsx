/** @jsxImportSource preact */
/** The login page: accounts to select, a form for name and password, a form for a new test user. */

import type { VNode } from "preact";
import { ClientLinks, ClientMark, type ClientPresentation } from "./client_links.tsx";
import { FieldInput } from "../../pages/field.tsx";
import { Layout, Section, type Site } from "../../pages/layout.tsx";
import { Notice } from "../../pages/notice.tsx";
import { UserName, type UserSummary } from "./user_name.tsx";
import { type HiddenFields, HiddenInputs } from "../../pages/post_form.tsx";
import { CodeList } from "../../pages/value.tsx";

/** The login page. */
export interface LoginProps extends Site {
  /** The client that requests the login. */
  readonly client: ClientPresentation & { readonly id: string; readonly name?: string };
  /** The target of every form on the page. */
  readonly action: string;
  /** Hidden fields of every form on the page. */
  readonly fields: HiddenFields;
  /** The accounts to select from, the most likely first. */
  readonly accounts: readonly (UserSummary & {
    /** Whether the user is logged in. */
    readonly current: boolean;
    /** The page that asks for the password; absent if one click is enough. */
    readonly passwordHref?: string;
  })[];
  /** The form for name and password with its initial name; absent if no user has a password. */
  readonly passwordForm?: { readonly sub: string };
  /** The form for a guest user with its initial values; absent if guest users are not allowed. */
  readonly guestForm?: { readonly subject: string; readonly name: string; readonly claims: string };
  /** Whether a user is logged in, but the client requires a new login or another user. */
  readonly isReauthentication: boolean;
  /** The levels of authentication that the client accepts; absent if it accepts any, or the login has reached one. */
  readonly requiredAcr?: readonly string[];
  /** The form that was submitted and its error; absent on the first visit. */
  readonly retry?: { readonly part: "password" | "new"; readonly fault?: string };
}

/** The page at `/oauth2/login`. */
export function Login(props: LoginProps): VNode {
  const { action, client, fields, accounts, passwordForm, guestForm, isReauthentication, requiredAcr, retry } = props;
  const name = client.name ?? client.id;
  const picker = accounts.length > 0 && <AccountPicker {...props} />;
  const newUser = guestForm !== undefined && <GuestForm guestForm={guestForm} {...props} />;
  // A form that was submitted or selected comes before the accounts.
  const isFormFirst = retry?.part === "new"
    ? guestForm !== undefined
    : retry !== undefined && passwordForm !== undefined;
  return (
    <Layout
      site={props}
      variant="card"
      heading={
        <span class="clamped">
          Log in to <bdi>{name}</bdi>
        </span>
      }
      title={`Log in to ${name}`}
      opening={
        <>
          <ClientMark {...client} />
          <p>
            {isReauthentication && "The client requires you to log in again. "}{" "}
            It will see who you are, never your password.
          </p>
          {requiredAcr !== undefined && (
            <p>
              Level of authentication that the client requires: <CodeList texts={requiredAcr} between=" or " />
            </p>
          )}
          {retry?.fault !== undefined && <Notice kind="bad" text={retry.fault} />}
          {!isFormFirst && picker}
          {accounts.length === 0 && passwordForm === undefined && guestForm === undefined && (
            <Notice kind="warn" text="The client requests a user that this server does not know." />
          )}
        </>
      }
    >
      {retry?.part === "new" && newUser}
      {passwordForm !== undefined && <PasswordForm sub={passwordForm.sub} {...props} />}
      {isFormFirst && picker}
      {retry?.part !== "new" && newUser}
      <section aria-label="Cancel">
        <form class="ways" method="post" action={action}>
          <HiddenInputs fields={fields} />
          <button type="submit" class="button plain" name="cancel" value="yes">Cancel</button>
          <p class="aside">The client receives an error: you did not log in.</p>
        </form>
        <ClientLinks {...client} />
      </section>
    </Layout>
  );
}

function AccountPicker({ action, fields, accounts }: LoginProps): VNode {
  return (
    <form method="post" action={action}>
      <HiddenInputs fields={fields} />
      <ul class="people">
        {accounts.map((account) => {
          const { sub, current, passwordHref } = account;
          const inside = (
            <>
              <UserName user={account} />
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

function PasswordForm({ action, fields, sub, retry }: LoginProps & { readonly sub: string }): VNode {
  const isRetried = retry?.part === "password";
  const invalid = { "aria-invalid": isRetried && retry.fault !== undefined ? "true" : undefined } as const;
  return (
    <section aria-label="Log in with a name and a password">
      <form class="form" method="post" action={action}>
        <HiddenInputs fields={fields} />
        <FieldInput
          name="username"
          label="User name"
          value={sub}
          input={{ ...invalid, type: "text", autocomplete: "username", autofocus: isRetried && sub === "" }}
        />
        <FieldInput
          name="password"
          label="Password"
          input={{
            ...{ ...invalid, type: "password", autocomplete: "current-password" },
            autofocus: isRetried && sub !== "",
          }}
        />
        <button type="submit" class="button">Log in</button>
      </form>
    </section>
  );
}

function GuestForm({ action, fields, guestForm, retry }: LoginProps & {
  readonly guestForm: NonNullable<LoginProps["guestForm"]>;
}): VNode {
  const isRetried = retry?.part === "new";
  return (
    <Section id="new" heading="Test user">
      <details class="quiet" open={isRetried}>
        <summary>Log in as a new user</summary>
        <form class="form" method="post" action={action}>
          <HiddenInputs fields={fields} />
          <FieldInput
            name="subject"
            label="Subject"
            hint="Identifies the user for clients: 1 to 255 printable ASCII characters."
            value={guestForm.subject}
          />
          <FieldInput name="name" label="Name" hint="What the claim name contains." value={guestForm.name} optional />
          <FieldInput
            name="claims"
            label="Claims"
            hint={`A JSON object, such as {"email": "carol@example.com", "email_verified": true}.`}
            value={guestForm.claims}
            lines={3}
            optional
          />
          <button type="submit" class={isRetried ? "button" : "button plain"} name="new" value="yes">
            Log in as this user
          </button>
          <p class="aside">Only a test server accepts this login.</p>
        </form>
      </details>
    </Section>
  );
}
