/** Every page outside of flows, drawn from props alone. */

import { ClientEdit } from "../src/devtools/connect/pages/client_edit.tsx";
import { ClientsView, ClientView } from "../src/devtools/connect/pages/clients.tsx";
import { Home } from "../src/devtools/connect/pages/home.tsx";
import { UsersView, UserView } from "../src/devtools/connect/pages/users.tsx";
import { ConnectAccount } from "../src/resource/connect_page.tsx";
import { CallbackPage } from "../src/server/pages/authorized_page.tsx";
import { LoggedOut } from "../src/server/login/pages/logged_out_page.tsx";
import { LoggingOut } from "../src/server/login/pages/logging_out_page.tsx";
import { Logout } from "../src/server/login/pages/logout_page.tsx";
import { FormPost } from "../src/server/pages/form_post.tsx";
import { AccountView } from "../src/server/login/pages/account.tsx";
import { Backchannel } from "../src/server/login/pages/backchannel.tsx";
import { Consent } from "../src/server/login/pages/consent.tsx";
import { Device } from "../src/server/login/pages/device.tsx";
import { Login } from "../src/server/login/pages/login.tsx";
import { ErrorPage } from "../src/server/pages/error_page.tsx";
import { renderPage } from "../src/core/pages/render_page.ts";

const drawn = <Props>(Page: Parameters<typeof renderPage<Props>>[0]) => (props: Props): string =>
  renderPage(Page, props);

/** Props in, an HTML document out. */
export const pages = {
  home: drawn(Home),
  clients: drawn(ClientsView),
  client: drawn(ClientView),
  clientEdit: drawn(ClientEdit),
  users: drawn(UsersView),
  user: drawn(UserView),
  callback: drawn(CallbackPage),
  error: drawn(ErrorPage),
  login: drawn(Login),
  consent: drawn(Consent),
  device: drawn(Device),
  backchannel: drawn(Backchannel),
  account: drawn(AccountView),
  logout: drawn(Logout),
  loggingOut: drawn(LoggingOut),
  loggedOut: drawn(LoggedOut),
  connectAccount: drawn(ConnectAccount),
  formPost: drawn(FormPost),
} as const;

/** The functions of {@link pages}. */
export type Pages = typeof pages;
