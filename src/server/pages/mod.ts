/**
 * The pages of this server, rendered on the server by Preact.
 *
 * Each component is a file with its props; `pages.ts` lists the pages, `flows/` has those of the inspector. A component
 * knows neither requests nor stores nor the protocol: the endpoints compute its props. Pages are complete without
 * script; `static/` has their style sheets and scripts.
 *
 * @module
 */

import type { VNode } from "preact";
import { render } from "preact-render-to-string";
import type { Pages } from "./pages.ts";
import { assets } from "./assets.gen.ts";
import { Account } from "../login/pages/account.tsx";
import { Backchannel } from "../login/pages/backchannel.tsx";
import { CallbackPage } from "../endpoints/authorized_page.tsx";
import { ClientEdit } from "../../devtools/connect/pages/client_edit.tsx";
import { Client, Clients } from "../../devtools/connect/pages/clients.tsx";
import { Consent } from "../login/pages/consent.tsx";
import { Device } from "../login/pages/device.tsx";
import { FormPost } from "../login/pages/form_post.tsx";
import { Home } from "../../devtools/connect/pages/home.tsx";
import { LoggingOut } from "../login/pages/logging_out.tsx";
import { LoggedOut } from "../login/pages/logged_out.tsx";
import { Login } from "../login/pages/login.tsx";
import { Logout } from "../login/pages/logout.tsx";
import { ErrorPage } from "./error_page.tsx";
import { User, Users } from "../../devtools/connect/pages/users.tsx";

function toDocument(page: VNode): string {
  return `<!DOCTYPE html>\n${render(page)}\n`;
}

/**
 * Renders every page. Request values are escaped and never become links; only the verified redirect URI of a form post
 * response becomes the target of a form.
 */
export const pages: Pages = {
  home: (props) => toDocument(Home(props)),
  clients: (props) => toDocument(Clients(props)),
  client: (props) => toDocument(Client(props)),
  clientEdit: (props) => toDocument(ClientEdit(props)),
  users: (props) => toDocument(Users(props)),
  user: (props) => toDocument(User(props)),
  callback: (props) => toDocument(CallbackPage(props)),
  error: (props) => toDocument(ErrorPage(props)),
  login: (props) => toDocument(Login(props)),
  consent: (props) => toDocument(Consent(props)),
  device: (props) => toDocument(Device(props)),
  backchannel: (props) => toDocument(Backchannel(props)),
  account: (props) => toDocument(Account(props)),
  logout: (props) => toDocument(Logout(props)),
  loggingOut: (props) => toDocument(LoggingOut(props)),
  loggedOut: (props) => toDocument(LoggedOut(props)),
  formPost: (props) => toDocument(FormPost(props)),
  assets,
};
