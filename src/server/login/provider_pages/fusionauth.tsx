/** @jsxImportSource preact */
/** FusionAuth: its default theme, of which FusionAuth/fusionauth-theme-history has the names, ids and words. */

import { loginPage } from "./login_screen.tsx";

export const fusionauth = loginPage("state", {
  path: () => "/login",
  isInPlace: true,
  title: "Login | FusionAuth",
  above: [() => <h2 aria-level={1}>Login</h2>],
  username: { id: "loginId", name: "loginId", placeholder: "Email", "aria-label": "Email" },
  password: { id: "password", name: "password", placeholder: "Password", "aria-label": "Password" },
  fault: { text: "Invalid login credentials.", as: "p", at: "above", boxes: [{ class: "alert error" }] },
  button: () => <button type="submit" class="blue button">Submit</button>,
});
