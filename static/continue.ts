/** Leaves a page that has a button or a link for browsers without script. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="esnext" />

// Submits an authorization response once: a second use of its code would revoke the tokens of the first. After "Back",
// the page shows its button.
const response = document.querySelector<HTMLFormElement>("form[data-submit]");
let isSent = false;
response?.addEventListener("submit", (event) => {
  if (isSent) event.preventDefault();
  isSent = true;
});
if (response && history.state !== "sent") {
  history.replaceState("sent", "");
  response.requestSubmit();
}

// Continues after a logout: when the clients in the frames have loaded, or after a time.
const next = document.querySelector<HTMLAnchorElement>("a[data-continue-after]");
if (next) {
  const proceed = (): void => location.replace(next.href);
  if (document.readyState === "complete") proceed();
  addEventListener("load", proceed);
  setTimeout(proceed, Number(next.dataset.continueAfter));
}
