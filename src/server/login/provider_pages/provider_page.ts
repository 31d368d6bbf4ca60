/** The login page of a provider, as data: its screens in order, the fields of each, and how it looks. */

import type { VNode } from "preact";
import type { Site } from "../../pages/layout.tsx";
import type { LoggedOutProps } from "../pages/logged_out_page.tsx";
import type { LogoutProps } from "../pages/logout_page.tsx";

export interface ScreenProps extends Site {
  /** The URL that the form is posted to: absolute, with all state in its query, so that a form needs no other field. */
  readonly action: string;
  /** The last segment of the issuer, such as the name of a realm; without a path, its host. */
  readonly realm: string;
  /** The name of the client, or its ID. */
  readonly client: string;
  /** The requested scope values. */
  readonly scope: readonly string[];
  /** The name of the user: as typed, or as the client hints at. */
  readonly username: string;
  /** The e-mail addresses, or names, of users that the browser has logged in before, if the request asks for a choice. */
  readonly recent: readonly string[];
  /**
   * Why the screen is shown again: the user does not exist, the name is no e-mail address, the password is wrong, or a
   * field is empty. Absent: it is not.
   */
  readonly error?: "username" | "malformed" | "password" | "empty";
  /** Whether the form that was sent has a password. Default: false. */
  readonly isPasswordTyped?: boolean;
  /** What the provider would not say: too many attempts, or a login that the client does not accept. Default: none. */
  readonly reason?: string;
  /** The URLs of the screens of the login, in order. */
  readonly screens: readonly string[];
  /** Who can log in here. */
  readonly accounts: readonly Account[];
  /** Whether any other name logs in, too. */
  readonly acceptsAnyName: boolean;
}

/** A user, as the foot of the page lists them. */
export interface Account {
  readonly name: string;
  /** Whether the user has a password; any other user logs in with any. */
  readonly hasPassword: boolean;
}

/** One screen. Paths are on the host; `base` is the path of the issuer. */
export interface Screen {
  /** Where the screen is shown, unless `isInPlace`, and where its form is posted. */
  path(base: string): string;
  /** Where its form is posted, if that is another path. */
  action?(base: string): string;
  /** Whether it is shown at the URL before it, without a redirect. Default: false. */
  readonly isInPlace?: boolean;
  readonly Page: (props: ScreenProps) => VNode;
  /** The field, and its value, with which the user denies. Absent: the user cannot. */
  readonly deny?: readonly [name: string, value: string];
}

/** A screen that asks who the user is. */
export interface LoginScreen extends Screen {
  /** The field with the name of the user. Absent: another screen asks. */
  readonly username?: string;
  /** The field with the password. Absent: a later screen asks. */
  readonly password?: string;
  /**
   * Whether a `login_hint` that names a user skips this screen, unless the client asks for a choice. Default: false.
   */
  readonly isSkippedByHint?: boolean;
  /** Whether it says that a user does not exist; others leave that to the screen of the password. Default: false. */
  readonly rejectsUnknown?: boolean;
  /** Whether a name that is no e-mail address is rejected, unless it is, or may become, a user's. Default: false. */
  readonly rejectsMalformed?: boolean;
  /** The HTTP status of the screen with an error, if no other applies. Default: 200. */
  readonly errorStatus?: number;
  /** Whether it lists the users of the browser, if the request asks for a choice; its field is `account`. Default: false. */
  readonly hasChoice?: boolean;
}

/** A screen after the login. */
export interface ApprovalScreen extends Screen {
  /** Whether it asks for consent, which is remembered. Otherwise it is shown after each login, with the name as typed. */
  readonly isConsent: boolean;
}

export interface ProviderPage {
  /** The parameter in the query of its pages that carries the authorization request. */
  readonly state: string;
  /** More query parameters, which programs read. Default: none. @param interaction Its name. */
  readonly parameters?: (interaction: string) => Readonly<Record<string, string>>;
  /** The screens of the login; the last one asks for the password. */
  readonly screens: readonly [LoginScreen, ...LoginScreen[]];
  /** The screen after the login. Default: none. */
  readonly approval?: ApprovalScreen;
  /** The page that asks whether to log out. Default: that of this server. */
  readonly Logout?: (props: LogoutProps & { readonly account: string }) => VNode;
  /** The title of the account page. Default: that of this server. */
  readonly accountTitle?: string;
  /** Whether that page also asks if an ID token names the session. Default: false. */
  readonly alwaysAsksToLogOut?: boolean;
  /** The page after a logout. Default: that of this server. */
  readonly LoggedOut?: (props: LoggedOutProps & { readonly client?: string }) => VNode;
  /** Whether that page links to the application, instead of a redirect to it. Default: false. */
  readonly linksAfterLogout?: boolean;
  /**
   * Whether its form is posted to the URL of the authorization request, without cookies, and logs in any subject each
   * time. Default: false.
   */
  readonly isStateless?: boolean;
}
