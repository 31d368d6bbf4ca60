/** @jsxImportSource preact */
/**
 * ZITADEL, two pages. Login version 1: zitadel/zitadel internal/api/ui/login/static/templates/{login,password}.html, and
 * internal/api/ui/login/static/i18n/en.yaml for its words. Version 2: apps/login/src/components/{username,password}-form.tsx
 * and apps/login/locales/en.json.
 */

import { loginPage } from "./login_screen.tsx";

const field = { class: "lgn-input", labelAttributes: { class: "lgn-label" }, autocomplete: undefined };
const button = () => <button id="submit-button" class="lgn-raised-button lgn-primary" type="submit">Next</button>;

const version1 = loginPage(
  "authRequestID",
  {
    path: () => "/ui/login/loginname",
    rejectsUnknown: true,
    title: "Welcome Back!",
    above: [() => <h1>Welcome Back!</h1>, () => <p>Enter your login data.</p>],
    username: { ...field, label: "Login Name", id: "loginName", name: "loginName", placeholder: "username@domain" },
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

const error = { boxes: [{ "data-testid": "error" }], at: "bottom" } as const;
const next = () => <button type="submit" data-testid="submit-button">Continue</button>;

const version2 = loginPage(
  "requestId",
  {
    path: () => "/ui/v2/login/loginname",
    rejectsUnknown: true,
    title: "Login with Zitadel",
    above: [() => <h1>Welcome back!</h1>, () => <p>Enter your login data.</p>],
    username: { label: "Loginname", id: "loginName", name: "loginName", "data-testid": "username-text-input" },
    fault: { ...error, text: "User not found in the system" },
    button: next,
  },
  {
    path: () => "/ui/v2/login/password",
    title: "Login with Zitadel",
    above: [() => <h1>Password</h1>, () => <p>Enter your password.</p>, ({ username }) => <p>{username}</p>],
    password: { label: "Password", id: "password", name: "password", "data-testid": "password-text-input" },
    fault: { ...error, text: "Failed to authenticate." },
    button: next,
  },
);

export const zitadelPages = { zitadel: version1, "zitadel-v2": version2 };
