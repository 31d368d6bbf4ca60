/**
 * The pages that a server can render: props in, an HTML document out. For authors of pages, who replace them by the
 * option `pages`. Types only.
 *
 * @module
 */

import type { AccountProps } from "../login/pages/account.tsx";
import type { BackchannelProps } from "../login/pages/backchannel.tsx";
import type { CallbackProps } from "../endpoints/authorized_page.tsx";
import type { ClientEditProps } from "../../devtools/connect/pages/client_edit.tsx";
import type { ClientProps, ClientsProps } from "../../devtools/connect/pages/clients.tsx";
import type { ConsentProps } from "../login/pages/consent.tsx";
import type { DeviceProps } from "../login/pages/device.tsx";
import type { ErrorPageProps } from "./error_page.tsx";
import type { FormPostProps } from "../login/pages/form_post.tsx";
import type { HomeProps } from "../../devtools/connect/pages/home.tsx";
import type { LoggingOutProps } from "../login/pages/logging_out.tsx";
import type { LoggedOutProps } from "../login/pages/logged_out.tsx";
import type { LoginProps } from "../login/pages/login.tsx";
import type { LogoutProps } from "../login/pages/logout.tsx";
import type { UserProps, UsersProps } from "../../devtools/connect/pages/users.tsx";

export type { RuleResult } from "../oauth/explanation.ts";
export type { RecentFlow } from "../../devtools/connect/pages/recent_flows.tsx";
export type { Status, Tone } from "./status_badge.tsx";
export type { AccountProps } from "../login/pages/account.tsx";
export type { BackchannelProps } from "../login/pages/backchannel.tsx";
export type { CallbackProps, NextSteps } from "../endpoints/authorized_page.tsx";
export type { ResponseCheck } from "./checks.tsx";
export type { ClientEditProps, MetadataField, MetadataGroup } from "../../devtools/connect/pages/client_edit.tsx";
export type { ClientPage, ClientPresentation } from "../login/pages/client_links.tsx";
export type { ClientSnippet } from "../../devtools/connect/pages/client_snippets.tsx";
export type { ListedClient } from "../../devtools/connect/pages/client_details.tsx";
export type { ClientProps, ClientsProps } from "../../devtools/connect/pages/clients.tsx";
export type { ListPosition } from "./next_page.tsx";
export type { ConsentProps } from "../login/pages/consent.tsx";
export type { DeviceForm, DeviceProps, DeviceSummary } from "../login/pages/device.tsx";
export type { ErrorPageProps } from "./error_page.tsx";
export type { FixLink, SuggestedMatch } from "./rejection.tsx";
export type { TokenRequestExample } from "../endpoints/token_request_example.tsx";
export type { EditForm, FieldError } from "./field.tsx";
export type { FormPostProps } from "../login/pages/form_post.tsx";
export type { ConnectForm, HomeProps } from "../../devtools/connect/pages/home.tsx";
export type { HttpExchange, HttpMessage } from "./http_exchange.tsx";
export type { NavigationLink, Site } from "./layout.tsx";
export type { LoggingOutProps } from "../login/pages/logging_out.tsx";
export type { LoggedOutProps } from "../login/pages/logged_out.tsx";
export type { LoginProps } from "../login/pages/login.tsx";
export type { LogoutProps } from "../login/pages/logout.tsx";
export type { StartLink } from "./page_actions.tsx";
export type { HiddenFields } from "./post_form.tsx";
export type { Secret } from "./secret_value.tsx";
export type { UserSummary } from "../login/pages/user_name.tsx";
export type { ListedClaim, ListedUser, UserProps, UsersProps } from "../../devtools/connect/pages/users.tsx";

/** A style sheet, script or icon of the pages. */
export interface Asset {
  /** The media type. */
  readonly type: string;
  /** The value of the `ETag` header, quotes included. */
  readonly etag: string;
  /** The content. */
  readonly body: string;
}

/** All pages: props in, an HTML document out. The option `pages` replaces them. */
export interface Pages {
  /** The home page. */
  home(props: HomeProps): string;
  /** The list of clients. */
  clients(props: ClientsProps): string;
  /** The page of one client. */
  client(props: ClientProps): string;
  /** The page that edits the metadata of a client. */
  clientEdit(props: ClientEditProps): string;
  /** The list of users. */
  users(props: UsersProps): string;
  /** The page of one user. */
  user(props: UserProps): string;
  /** The page `/authorized`, the redirect URI of the demo clients. */
  callback(props: CallbackProps): string;
  /** The error page. */
  error(props: ErrorPageProps): string;
  /** The login page. */
  login(props: LoginProps): string;
  /** The consent page. */
  consent(props: ConsentProps): string;
  /** The page for the code of a device. */
  device(props: DeviceProps): string;
  /** The page for requests of backchannel authentication. */
  backchannel(props: BackchannelProps): string;
  /** The account page. */
  account(props: AccountProps): string;
  /** The logout page. */
  logout(props: LogoutProps): string;
  /** The page after logout, with the clients that are logged out in frames. */
  loggingOut(props: LoggingOutProps): string;
  /** The page after logout. */
  loggedOut(props: LoggedOutProps): string;
  /** An authorization response as a form that submits itself once; without script, it waits for a click. */
  formPost(props: FormPostProps): string;
  /** Style sheets, scripts and icon, by the last segment of `{base}/static/{name}`. */
  readonly assets: Readonly<Record<string, Asset>>;
}
