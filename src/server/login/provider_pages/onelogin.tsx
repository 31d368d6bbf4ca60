/** @jsxImportSource preact */
/** OneLogin, two steps, each with a field and one button: public suites fill in `#username` and `#password` at `/login2`. */

import { type LoginForm, loginPage } from "./login_screen.tsx";

const common = {
  isInPlace: true,
  title: "OneLogin",
  above: [() => <h1>Log in</h1>],
  fault: { text: "Invalid username or password." },
  button: () => <button type="submit">Continue</button>,
} satisfies Partial<LoginForm>;

export const onelogin = loginPage(
  "return",
  { ...common, path: () => "/login2/", username: { label: "Username", id: "username", name: "username" } },
  {
    ...common,
    path: () => "/login2/password",
    top: ({ username }) => <p>{username}</p>,
    password: { label: "Password", id: "password", name: "password" },
  },
);
