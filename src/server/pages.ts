/**
 * The pages of the server that an embedding program can replace by the option `pages`: props in, an HTML document out.
 * Types only.
 *
 * @module
 */

import type { LoggedOutProps } from "./login/pages/logged_out_page.tsx";
import type { LoggingOutProps } from "./login/pages/logging_out_page.tsx";
import type { LogoutProps } from "./login/pages/logout_page.tsx";
import type { AccountProps } from "./login/pages/account.tsx";
import type { BackchannelProps } from "./login/pages/backchannel.tsx";
import type { ConsentProps } from "./login/pages/consent.tsx";
import type { DeviceProps } from "./login/pages/device.tsx";
import type { LoginProps } from "./login/pages/login.tsx";
import type { ErrorPageProps } from "./pages/error_page.tsx";

export type { LoggedOutProps } from "./login/pages/logged_out_page.tsx";
export type { LoggingOutProps } from "./login/pages/logging_out_page.tsx";
export type { LogoutProps } from "./login/pages/logout_page.tsx";
export type { AccountProps } from "./login/pages/account.tsx";
export type { BackchannelProps } from "./login/pages/backchannel.tsx";
export type { ConsentProps } from "./login/pages/consent.tsx";
export type { DeviceProps } from "./login/pages/device.tsx";
export type { LoginProps } from "./login/pages/login.tsx";
export type { ErrorPageProps } from "./pages/error_page.tsx";
export type { Site } from "./pages/layout.tsx";

/**
 * Pages for users that replace those of the server: props in, an HTML document out. A page that is absent stays as it
 * is. Pages for developers cannot be replaced.
 */
export interface Pages {
  /** The error page. */
  readonly error?: (props: ErrorPageProps) => string;
  /** The login page. */
  readonly login?: (props: LoginProps) => string;
  /** The consent page. */
  readonly consent?: (props: ConsentProps) => string;
  /** The page for the code of a device. */
  readonly device?: (props: DeviceProps) => string;
  /** The page for requests of backchannel authentication. */
  readonly backchannel?: (props: BackchannelProps) => string;
  /** The account page. */
  readonly account?: (props: AccountProps) => string;
  /** The logout page, which asks for a confirmation. */
  readonly logout?: (props: LogoutProps) => string;
  /** The page after logout, with the clients that are logged out in frames. */
  readonly loggingOut?: (props: LoggingOutProps) => string;
  /** The page after logout. */
  readonly loggedOut?: (props: LoggedOutProps) => string;
}
