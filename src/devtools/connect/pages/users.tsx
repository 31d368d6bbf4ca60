/** @jsxImportSource preact */
/** The list of users, the page of each user, and the forms that add and change them. */

import type { VNode } from "preact";
import { ChangeLifetime, type ConfigurationFile, ConfigurationLines } from "./configuration_lines.tsx";
import { type EditForm, FieldInput, FormErrors, OlderForm, VersionField } from "../../../server/pages/field.tsx";
import { Layout, Panes, Section, type Site } from "../../../server/pages/layout.tsx";
import { type ListPosition, NextPage } from "../../../server/pages/next_page.tsx";
import { ConfirmationNotice } from "../../../server/pages/notice.tsx";
import { RemoveSection } from "../../../server/pages/confirmed_action.tsx";
import { Code, CodeItem, CodeList, DefinitionItem } from "../../../server/pages/value.tsx";

/** A claim of a user, and the conditions for its release. */
export interface ListedClaim {
  readonly name: string;
  readonly json: string;
  /** The scope values of the server that release it; empty if none does. */
  readonly releasedBy: readonly string[];
  /** Whether access tokens for at least one resource contain it. */
  readonly inAccessTokens: boolean;
}

/** A user, as pages show it. */
export interface ListedUser {
  readonly sub: string;
  readonly name?: string;
  /** The path of its page. */
  readonly href: string;
  /** Every claim except `sub`. */
  readonly claims: readonly ListedClaim[];
  /** Whether ID tokens have the claims of userinfo. */
  readonly inIdTokens: boolean;
  /** Why clients cannot use some of the claims. */
  readonly warnings: readonly string[];
}

export interface UsersProps extends Site {
  /** A page of the list. On the first page, the first one is the default user, whom `login: "auto"` logs in. */
  readonly users: readonly ListedUser[];
  /** The place of the page in the list. */
  readonly position: ListPosition;
  /** The form that adds a user; absent if the list is read-only. */
  readonly form?: EditForm;
}

export interface UserProps extends Site {
  readonly user: ListedUser;
  /** Whether this is the default user. */
  readonly isFirst: boolean;
  /** The form that changes or removes it; absent if users are read-only. */
  readonly form?: EditForm;
  /** The user as a configuration file; absent if users are read-only. */
  readonly lines?: ConfigurationFile;
}

/** The fields of a user: the name, the e-mail address, and all other claims as JSON. */
function ClaimFields({ form, emailHint, hint }: {
  readonly form: EditForm;
  readonly emailHint?: string;
  readonly hint: string;
}): VNode {
  const { values: { name, email, claims = "{}" }, errors } = form;
  const lines = Math.min(30, Math.max(3, claims.split("\n").length));
  return (
    <>
      <FieldInput name="name" label="Name" value={name} errors={errors} optional />
      <FieldInput name="email" label="E-mail" hint={emailHint} value={email} errors={errors} optional />
      <FieldInput name="claims" label="More claims" hint={hint} value={claims} errors={errors} lines={lines} optional />
    </>
  );
}

/** The page at `/users`. */
export function UsersView(props: UsersProps): VNode {
  const { base, users, position, form } = props;
  return (
    <Layout
      site={props}
      path="/users"
      styles={["form"]}
      heading="Users"
      badges={form && <a class="button plain" href="#add">Add a user</a>}
      opening={
        <>
          <ConfirmationNotice text={form?.confirmation} />
          <p>
            A client identifies a user by the subject,{" "}
            <Code text="sub" />, which never changes and is never reused. All other claims may change.
          </p>
          {form !== undefined && <FormErrors faults={form.errors} heading="Nothing was changed." />}
        </>
      }
    >
      <Panes>
        <Section id="known" heading="All users">
          {users.length > 0
            ? users.map((user, i) => (
              <article key={user.sub}>
                <h3>
                  <a href={user.href}>
                    <bdi>{user.name ?? user.sub}</bdi>
                  </a>
                </h3>
                {i === 0 && position.isFirst && <FirstUserNote />}
                <ClaimList user={user} />
              </article>
            ))
            : <p>No user is configured, so no user can log in.</p>}
          <NextPage position={position} firstHref={`${base}/users`} entries="users" />
        </Section>
        {form !== undefined && (
          <Section id="add" heading="Add a user">
            <p>
              {form.isPersistent
                ? "The store keeps the user across restarts, and every instance on the store knows the user."
                : "The server keeps the user in memory until it stops."}
            </p>
            <form class="form" method="post" action={`${base}/users`}>
              <input type="hidden" name="form_token" value={form.csrfToken} />
              <FieldInput
                name="sub"
                label="Subject"
                hint="1 to 255 printable ASCII characters, without spaces."
                value={form.values.sub}
                errors={form.errors}
              />
              <ClaimFields
                form={form}
                emailHint="The address counts as verified, unless email_verified below says otherwise."
                hint='A JSON object, such as {"groups": ["staff"]}. The page of each user shows which scope value releases each claim.'
              />
              <p class="ways">
                <button type="submit" class="button">Add the user</button>
              </p>
            </form>
          </Section>
        )}
      </Panes>
      {form !== undefined && <ClaimPlacesForm action={`${base}/users`} form={form} />}
    </Layout>
  );
}

/** The form that chooses which tokens have claims of users. */
function ClaimPlacesForm({ action, form }: { readonly action: string; readonly form: EditForm }): VNode {
  return (
    <Section id="tokens" heading="Claims in tokens">
      <p>
        For all users, until the server stops. To keep it, set <Code text="idTokenClaims" /> and{" "}
        <Code text="accessTokenClaims" /> in the configuration file.
      </p>
      <form class="form" method="post" action={action}>
        <input type="hidden" name="form_token" value={form.csrfToken} />
        <FieldInput
          name="id_token_claims"
          label="ID tokens"
          hint="like-userinfo: they have each claim that userinfo has for the scope. minimal: they have none."
          choices={["minimal", "like-userinfo"]}
          value={form.values.id_token_claims}
        />
        <FieldInput
          name="access_token_claims"
          label="Access tokens"
          hint="The names of their claims, separated by spaces, such as groups."
          value={form.values.access_token_claims}
          errors={form.errors}
          optional
        />
        <p class="ways">
          <button type="submit" class="button plain" name="action" value="places">Save for all users</button>
        </p>
      </form>
    </Section>
  );
}

/** The form that chooses the user of automatic login; nothing if there is no choice. */
export function UserSwitch(
  { action, subs, csrfToken }: {
    readonly action: string;
    /** The subjects, the default user first. */
    readonly subs: readonly string[];
    readonly csrfToken: string;
  },
): VNode | null {
  if (subs.length < 2) return null;
  return (
    <form class="ways" method="post" action={action}>
      <input type="hidden" name="form_token" value={csrfToken} />
      <label for="login-as">Automatic login as</label>
      <select id="login-as" name="sub">
        {subs.map((sub, i) => <option key={sub} value={sub} selected={i === 0}>{sub}</option>)}
      </select>
      <button type="submit" class="button plain" name="action" value="first">Switch user</button>
    </form>
  );
}

function FirstUserNote(): VNode {
  return (
    <p class="aside">
      Default user: automatic login logs in this user, unless <Code text="login_hint" /> names another.
    </p>
  );
}

function ClaimList({ user }: { readonly user: ListedUser }): VNode {
  return (
    <dl class="facts">
      <CodeItem label={<Code text="sub" />} text={user.sub} />
      {user.claims.map(({ name, json, ...release }) => (
        <DefinitionItem key={name} label={<Code text={name} />}>
          <Code text={json} />
          <ReleaseConditions inIdTokens={user.inIdTokens} {...release} />
        </DefinitionItem>
      ))}
    </dl>
  );
}

/** The conditions for the release of a claim to a client, and where the client receives it. */
function ReleaseConditions(
  { releasedBy, inAccessTokens, inIdTokens }: Omit<ListedClaim, "name" | "json"> & Pick<ListedUser, "inIdTokens">,
): VNode {
  if (releasedBy.length === 0) {
    return <i>{inAccessTokens ? "in access tokens only" : "released to no client"}</i>;
  }
  return (
    <i>
      with scope <CodeList texts={releasedBy} between=" or " />
      {`, from userinfo${inIdTokens ? " and in ID tokens" : ""}${inAccessTokens ? ", also in access tokens" : ""}`}
    </i>
  );
}

/** The page at `/users/{sub}`. */
export function UserView(props: UserProps): VNode {
  const { base, user, isFirst, form, lines } = props;
  return (
    <Layout
      site={props}
      path={`/users/${user.sub}`}
      styles={["form"]}
      heading={user.name ?? user.sub}
      opening={
        <>
          <ConfirmationNotice text={form?.confirmation} />
          {isFirst && <FirstUserNote />}
          {form !== undefined && <FormErrors faults={form.errors} heading="Nothing was changed." />}
          {form !== undefined && <OlderForm form={form} name={user.name ?? user.sub} />}
        </>
      }
    >
      <Panes>
        {form !== undefined && (
          <Section id="change" heading="Change this user">
            <form class="form" method="post" action={user.href}>
              <input type="hidden" name="form_token" value={form.csrfToken} />
              <VersionField form={form} />
              <ClaimFields
                form={form}
                hint="A JSON object. “What clients receive” shows which scope value releases each claim."
              />
              <p class="ways">
                <button type="submit" class="button" name="action" value="save">Save the claims</button>
                {!isFirst && (
                  <button type="submit" class="button plain" name="action" value="first">
                    Make this user the default
                  </button>
                )}
              </p>
            </form>
            <p>
              <ChangeLifetime isPersistent={form.isPersistent === true} />
            </p>
            {lines !== undefined && (
              <ConfigurationLines file={lines} isPersistent={form.isPersistent === true} isOne>
                this user
              </ConfigurationLines>
            )}
          </Section>
        )}
        <Section id="released" heading="What clients receive">
          {user.warnings.map((warning) => <p class="aside" key={warning}>{warning}</p>)}
          <ClaimList user={user} />
          {form !== undefined && (
            <p class="ways">
              <a href={`${base}/users#tokens`}>Which tokens have claims of users</a>
            </p>
          )}
        </Section>
      </Panes>
      {form !== undefined && (
        <RemoveSection
          kind="user"
          id={user.sub}
          href={user.href}
          form={form}
          listHref={`${base}/users`}
          consequence="This user can no longer log in, and all sessions of the user end."
        />
      )}
    </Layout>
  );
}
