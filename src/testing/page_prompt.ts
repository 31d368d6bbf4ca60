/** Page prompts: what a page asks of the user (login, consent, a form to the client), and the form to submit. */

import { type FormButton, type FormControl, type HtmlForm, type Submission, submitForm } from "../client/html_form.ts";
import { listNames } from "../core/policy/suggest.ts";
import { LoginError } from "./login_error.ts";
import type { Persona } from "./persona.ts";

/**
 * Finds the prompt of a page; `undefined` for an unknown page. Its name completes "the page asks …", and `submit`
 * returns the form that the persona submits; it throws a {@link LoginError} if the page does not offer what the persona
 * needs.
 *
 * @param isClientUrl Whether a URL belongs to the client, such as the action of a `form_post` response.
 */
export function findPagePrompt(forms: readonly HtmlForm[], isClientUrl: (url: string) => boolean) {
  const clientForm = forms.find(({ action }) => isClientUrl(action));
  if (clientForm !== undefined) {
    return { name: "to continue to the client", submit: () => submitForm(clientForm, clientForm.buttons[0]) };
  }
  const consentForm = forms.find((form) => findButton(form, "decision") !== undefined);
  if (consentForm !== undefined) {
    return { name: "to consent", submit: (persona: Persona) => submitConsent(consentForm, persona) };
  }
  const codeForm = forms.find((form) => hasField(form, "user_code"));
  if (codeForm !== undefined) {
    return { name: "for the code of the device", submit: () => submitForm(codeForm, codeForm.buttons[0]) };
  }
  const isLogin = forms.some((form) =>
    findButton(form, "sub") !== undefined || hasField(form, "sub") || hasField(form, "subject")
  );
  if (isLogin) return { name: "to log in", submit: (persona: Persona) => submitLogin(forms, persona) };
  return forms[0] && findProviderPrompt(forms[0]);
}

/** The prompt of the login page of a provider: a form with its fields, or with its buttons alone. */
function findProviderPrompt(form: HtmlForm) {
  const name = form.controls.find(({ type }) => type === "text" || type === "email");
  const password = form.controls.find(({ type }) => type === "password");
  const asked = [name, password].flatMap((control) => control?.name ?? []).join(" and ") || "to approve";
  return {
    name: `for ${asked}`,
    submit(persona: Persona): Submission {
      const { as, password: typed = "any", deny = false } = persona;
      if (name !== undefined && as === undefined) throw new LoginError("The login page asks for a name: set as");
      const fields = { ...name && { [name.name]: as! }, ...password && { [password.name]: typed } };
      const denial = form.buttons.find(({ value }) => deniedValues.includes(value));
      const button = deny ? denial : form.buttons.find((one) => one !== denial);
      return submitForm(form, button, fields);
    },
  };
}

/** The values of the buttons by which users deny at providers. */
const deniedValues = ["0", "cancel", "rejected"];

function submitConsent(form: HtmlForm, { deny = false, denyScopes = [], denyDetails = [] }: Persona): Submission {
  const isDenied = ({ type, name, value }: FormControl) =>
    type === "checkbox" &&
    (name === "scope" && denyScopes.includes(value) ||
      // Its value is the place of the object in the request, and its type.
      name === "detail" && denyDetails.includes(value.slice(value.indexOf(" ") + 1)));
  return submitForm(form, findButton(form, "decision", deny ? "deny" : "allow"), {}, isDenied);
}

function submitLogin(forms: readonly HtmlForm[], { as, password, claims, deny = false }: Persona): Submission {
  const cancelForm = forms.find((form) => findButton(form, "cancel") !== undefined);
  if (deny && cancelForm !== undefined) return submitForm(cancelForm, findButton(cancelForm, "cancel"));
  const accountForm = forms.find((form) => findButton(form, "sub", as) !== undefined);
  if (accountForm !== undefined) return submitForm(accountForm, findButton(accountForm, "sub", as));
  const passwordForm = forms.find((form) => hasField(form, "password"));
  if (passwordForm !== undefined && password !== undefined) {
    return submitForm(passwordForm, findButton(passwordForm, ""), { ...as !== undefined && { sub: as }, password });
  }
  const newUserForm = forms.find((form) => hasField(form, "subject"));
  if (newUserForm !== undefined && as !== undefined && claims !== undefined) {
    return submitForm(newUserForm, findButton(newUserForm, "new"), { subject: as, claims: JSON.stringify(claims) });
  }
  const offered = forms.flatMap(({ buttons }) => buttons.filter(({ name }) => name === "sub"));
  throw new LoginError(
    [
      `The login page offers no way to log in as ${as ?? "any user"}`,
      `users to pick: ${listNames(offered.map(({ value }) => value), ", ") || "none"}`,
      ...passwordForm === undefined ? [] : ["for a login by password: set password"],
      ...newUserForm === undefined ? [] : ["for a new user: set as and claims"],
    ].join("\n  "),
  );
}

function findButton({ buttons }: HtmlForm, name: string, value?: string): FormButton | undefined {
  return buttons.find((button) => button.name === name && (value === undefined || button.value === value));
}

function hasField({ controls }: HtmlForm, name: string): boolean {
  return controls.some((control) => control.name === name);
}
