/** Leaves a page that has a button or a link for browsers without script. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="esnext" />

/** Calls it when the page and all that it contains have loaded. */
function whenLoaded(proceed: () => void): void {
  if (document.readyState === "complete") proceed();
  else addEventListener("load", proceed);
}

// Submits an authorization response once: a second use of its code would revoke the tokens of the first. After "Back",
// the page shows its button. A tool that waits for the load event of this page would miss it if the form left earlier.
const response = document.querySelector<HTMLFormElement>("form[data-submit]");
let isSent = false;
response?.addEventListener("submit", (event) => {
  if (isSent) event.preventDefault();
  isSent = true;
});
if (response && history.state !== "sent") {
  whenLoaded(() => {
    // The user may have pressed the button.
    if (isSent) return;
    history.replaceState("sent", "");
    response.requestSubmit();
  });
}

// A button of the form of a provider that is no submit button there. Browsers submit no form
// without one on Enter.
document.querySelectorAll("form [data-submit]").forEach((button) => {
  const form = button.closest("form")!;
  button.addEventListener("click", () => form.requestSubmit());
  if (form.querySelector("[type=submit]")) return;
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && (event.key !== " " || event.target !== button)) return;
    event.preventDefault();
    form.requestSubmit();
  });
});

// Continues after a logout: when the clients in the frames have loaded, or after a time.
const next = document.querySelector<HTMLAnchorElement>("a[data-continue-after]");
if (next) {
  const proceed = (): void => location.replace(next.href);
  whenLoaded(proceed);
  setTimeout(proceed, Number(next.dataset.continueAfter));
}
