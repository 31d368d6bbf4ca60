/** @jsxImportSource preact */
/**
 * ZITADEL, login version 1, two pages: zitadel/zitadel internal/api/ui/login/static/templates/{login,password}.html, and
 * internal/api/ui/login/static/i18n/en.yaml for its words.
 */

import { loginPage } from "./login_screen.tsx";

const field = { class: "lgn-input", labelAttributes: { class: "lgn-label" }, autocomplete: undefined };
const button = () => <button id="submit-button" class="lgn-raised-button lgn-primary" type="submit">Next</button>;

export const zitadel = loginPage(
  "authRequestID",
  {
    path: () => "/ui/login/loginname",
    rejectsUnknown: true,
    title: "Welcome Back!",
    above: [() => <h1>Welcome Back!</h1>, () => <p>Enter your login data.</p>],
    username: { ...field, label: "Login Name", id: "loginName", name: "loginName" },
    fault: { text: "User could not be found", class: "lgn-error-message" },
    button,
  },
  {
    path: () => "/ui/login/password",
    isInPlace: true,
    title: "Password",
    above: [() => <h1>Password</h1>, ({ username }) => <p>{username}</p>],
    password: { ...field, label: "Password", id: "password", name: "password" },
    fault: { text: "Username or Password is invalid", class: "lgn-error-message" },
    button,
  },
);
