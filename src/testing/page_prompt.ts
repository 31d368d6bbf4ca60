/** The pages on which a person is asked something, and how they answer: login, consent, and going on by hand. */

import { press } from "./browser/html_form.ts";
import type { FormButton, FormControl, HtmlForm, Submission } from "./browser/html_form.ts";
import { LogInError } from "./login_error.ts";
import type { Person } from "./persona.ts";

/** What a page asks. */
export interface Question {
  /** In words: the page asks … */
  readonly name: "to go on to the client" | "to consent" | "to log in";
  /**
   * What a person sends for it.
   *
   * @throws {LogInError} When the page does not offer what the person wants.
   */
  answer(person: Person): Submission;
}

/**
 * Reads the question of a page; `undefined` where it asks nothing known.
 *
 * @param leaves Whether an address is the client's, such as the one of a `form_post` answer.
 */
export function questionIn(forms: readonly HtmlForm[], leaves: (url: string) => boolean): Question | undefined {
  const handover = forms.find(({ action }) => leaves(action));
  if (handover !== undefined) {
    return { name: "to go on to the client", answer: () => press(handover, handover.buttons[0]) };
  }
  const consent = forms.find((form) => button(form, "decision") !== undefined);
  if (consent !== undefined) return { name: "to consent", answer: (person) => decide(consent, person) };
  const login = forms.some((form) => button(form, "sub") !== undefined || asks(form, "sub") || asks(form, "subject"));
  return login ? { name: "to log in", answer: (person) => logIn(forms, person) } : undefined;
}

function decide(form: HtmlForm, { deny = false, untick = [] }: Person): Submission {
  const taken = ({ type, name, value }: FormControl) =>
    type === "checkbox" && name === "scope" && untick.includes(value);
  return press(form, button(form, "decision", deny ? "deny" : "allow"), {}, taken);
}

function logIn(forms: readonly HtmlForm[], { as, password, claims, deny = false }: Person): Submission {
  const cancelling = forms.find((form) => button(form, "cancel") !== undefined);
  if (deny && cancelling !== undefined) return press(cancelling, button(cancelling, "cancel"));
  const picking = forms.find((form) => button(form, "sub", as) !== undefined);
  if (picking !== undefined) return press(picking, button(picking, "sub", as));
  const proving = forms.find((form) => asks(form, "password"));
  if (proving !== undefined && password !== undefined) {
    return press(proving, button(proving, ""), { ...as !== undefined && { sub: as }, password });
  }
  const introducing = forms.find((form) => asks(form, "subject"));
  if (introducing !== undefined && as !== undefined && claims !== undefined) {
    return press(introducing, button(introducing, "new"), { subject: as, claims: JSON.stringify(claims) });
  }
  const offered = forms.flatMap(({ buttons }) => buttons.filter(({ name }) => name === "sub"));
  throw new LogInError(
    [
      `The login page cannot be answered as ${as ?? "anybody"}`,
      `picks: ${offered.map(({ value }) => value).join(", ") || "nobody"}`,
      ...proving === undefined ? [] : ["with a password: give password"],
      ...introducing === undefined ? [] : ["somebody new: give as and claims"],
    ].join("\n  "),
  );
}

function button({ buttons }: HtmlForm, name: string, value?: string): FormButton | undefined {
  return buttons.find((one) => one.name === name && (value === undefined || one.value === value));
}

function asks({ controls }: HtmlForm, name: string): boolean {
  return controls.some((control) => control.name === name);
}
