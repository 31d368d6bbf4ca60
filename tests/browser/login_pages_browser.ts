/**
 * The login pages of providers in Chromium, filled in as public test suites do it: each piece has the locators of one
 * suite, in the words of this file. Cypress refuses to act on two elements; Selenium, Puppeteer and TestCafe take the
 * first one.
 */

import { assertEquals, assertMatch } from "@std/assert";
import { after, test } from "node:test";
import type { ElementHandle, Page } from "playwright-core";
import type { LatchkeyOptions } from "../../src/mod.ts";
import { closeBrowser, executablePath, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";
import type { LoginPageName } from "../../src/server/config/login_page_names.ts";
import { latchkey } from "./server.ts";

const skip = executablePath === undefined;

/** The application: its page after the callback has a text and nothing else. */
const application = Deno.serve(
  { port: 0, hostname: "localhost", onListen: () => {} },
  () => new Response("<!doctype html><title>App</title><h1>Welcome</h1>", { headers: { "content-type": "text/html" } }),
);
const callback = `http://localhost:${application.addr.port}/callback`;
after(async () => {
  await closeBrowser();
  await application.shutdown();
});

const name = "alice@app.example";
const password = "correct horse";

/** Fills in the login page, at the authorization request `start`; the browser must then be at the application. */
type Suite = (page: Page, start: string) => Promise<unknown>;

/** As Cypress: `get` refuses to type into or click two elements. */
const cypress = (page: Page) => ({
  type: (css: string, text: string) => page.locator(css).fill(text),
  click: (css: string) => page.locator(css).click(),
});

/** As Selenium, Puppeteer and TestCafe: the first element. */
const selenium = (page: Page) => ({
  type: (css: string, text: string) => page.locator(css).first().fill(text),
  click: (css: string) => page.locator(css).first().click(),
});

/** An element by XPath: the first one, as in Selenium. */
const xpath = (page: Page, path: string) => page.locator(`xpath=${path}`).first();

async function serve(options: LatchkeyOptions) {
  const as = await latchkey({
    login: "interactive",
    clients: [{
      ...{ client_id: "shop", client_name: "The shop", client_secret: "a-secret-of-the-shop" },
      ...{ redirect_uris: [callback], post_logout_redirect_uris: [callback] },
    }],
    users: [
      { sub: "u1", name: "Alice Adams", preferred_username: "alice", email: name, password },
      { sub: "u2", name: "Bob Brown", preferred_username: "bob", email: "bob@app.example" },
    ],
    ...options,
  });
  await as.listen({ port: 0 });
  const { origin, pathname } = new URL(as.issuer);
  const documents = [`${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, "")}`];
  documents.push(`${as.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  const responses = await Promise.all(documents.map((url) => fetch(url)));
  const metadata = await responses.find(({ ok }) => ok)!.json();
  const request = new URLSearchParams({ response_type: "code", client_id: "shop", redirect_uri: callback, state: "s" });
  if (options.profile !== "github") request.set("scope", "openid");
  return { as, metadata, start: `${metadata.authorization_endpoint}?${request}` };
}

interface Suites {
  /** The settings besides `loginPage`. */
  readonly options?: LatchkeyOptions;
  /** Whether the page is as a person sees it: the screens of one step each are looked at by the pieces. */
  readonly pieces: Readonly<Record<string, Suite>>;
}

/** The pieces by `loginPage`, then by the suite or the documentation that has them. */
const suites: Readonly<Record<Exclude<LoginPageName, "latchkey">, Suites>> = {
  keycloak: {
    options: { profile: "keycloak" },
    pieces: {
      "labels, and Enter in each field (VNG-Realisatie/DIWI)": async (page) => {
        await page.getByLabel("Username or email").fill("alice");
        await page.getByLabel("Username or email").press("Enter");
        await page.locator("#input-error-username").waitFor();
        assertEquals(await page.getByLabel("Username or email").inputValue(), "alice");
        await page.getByLabel("Password", { exact: true }).fill(password);
        await page.getByLabel("Password", { exact: true }).press("Enter");
      },
      "ids, the button by name, and the error by id (redhat-developer/rhdh)": async (page) => {
        for (const secret of ["wrong", password]) {
          await page.click("#username");
          await page.fill("#username", name);
          await page.fill("#password", secret);
          await page.click("[name=login]");
          if (secret === "wrong") {
            assertEquals(await page.locator("#input-error").textContent(), "Invalid username or password.");
          }
        }
      },
      "roles (keycloak/keycloak js/apps/admin-ui)": async (page) => {
        await page.getByLabel("Username").fill("alice");
        await page.getByLabel("Password", { exact: true }).fill(password);
        await page.getByRole("button", { name: "Sign In" }).click();
      },
      "ids of Selenium (Epic-Breakfast-Productions/OpenQuarterMaster)": async (page) => {
        await selenium(page).type("#username", "bob");
        await selenium(page).type("#password", "anything");
        await selenium(page).click("#kc-login");
      },
      "Cypress, with heading and form id": async (page) => {
        assertEquals(await page.locator("#kc-page-title").textContent(), "Sign in to your account");
        await cypress(page).type("#kc-form-login input[name=username]", "alice");
        await cypress(page).type("input[type=password]", password);
        await cypress(page).click("form#kc-form-login button[type=submit]");
      },
    },
  },
  "keycloak-identifier-first": {
    options: { profile: "keycloak" },
    pieces: {
      "labels of two pages, and their errors": async (page) => {
        for (const typed of ["nobody", "alice"]) {
          await page.getByLabel("Username or email").fill(typed);
          await page.getByRole("button", { name: "Sign In" }).click();
          if (typed === "nobody") {
            await page.locator("#input-error-username").getByText("Invalid username or").waitFor();
          }
        }
        assertEquals(await page.locator("#kc-attempted-username").inputValue(), "alice");
        for (const secret of ["wrong", password]) {
          await page.getByLabel("Password", { exact: true }).fill(secret);
          await page.locator("#kc-login").click();
          if (secret === "wrong") await page.locator("#input-error-password").getByText("Invalid password.").waitFor();
        }
      },
    },
  },
  "keycloak-v1": {
    options: { profile: "keycloak" },
    pieces: {
      "the title, and the first form (quarkusio/quarkus)": async (page) => {
        assertEquals(await page.title(), "Sign in to myrealm");
        await selenium(page).type("form:first-of-type input[name=username]", "alice");
        await selenium(page).type("form:first-of-type input[name=password]", password);
        await selenium(page).click("form:first-of-type input[name=login]");
      },
      "XPath of the button's value": async (page) => {
        await xpath(page, "//input[@id='username']").fill("alice");
        await xpath(page, "//input[@id='password']").fill(password);
        await selenium(page).click("#kc-content-wrapper #kc-form-buttons");
      },
    },
  },
  "keycloak-v1-identifier-first": {
    options: { profile: "keycloak" },
    pieces: {
      "XPath of the button's value, twice": async (page) => {
        for (const [id, typed] of [["username", "alice"], ["password", password]] as const) {
          await xpath(page, `//input[@id='${id}']`).fill(typed);
          await xpath(page, "//input[@value='Sign In']").click();
        }
      },
    },
  },
  entra: {
    options: { profile: "entra" },
    pieces: {
      "one visible submit button on each page, and the answer No (alpacamundo)": async (page) => {
        await cypress(page).type('input[type="email"]', name);
        await cypress(page).click('input[type="submit"]');
        await cypress(page).type('input[type="password"]', password);
        await cypress(page).click('input[type="submit"]');
        await cypress(page).click("#idBtn_Back");
      },
      "all classes of fields and buttons": async (page) => {
        const classes = "win-button button_primary high-contrast-overrides button ext-button primary ext-primary";
        const field = "input.form-control.ltr_override.input.ext-input.text-box.ext-text-box";
        await selenium(page).type(field, name);
        await xpath(page, `//*[@class='${classes}']`).click();
        await page.waitForSelector("#i0118");
        await selenium(page).type(field, password);
        await xpath(page, `//*[@class='${classes}']`).click();
        await xpath(page, `//input[@class='${classes.replaceAll("primary", "secondary")}']`).click();
      },
      "labels and roles (Arunkavin007/Playwright)": async (page) => {
        await page.getByLabel("Enter your email, phone, or").fill(name);
        await page.getByRole("button", { name: "Next" }).click();
        await page.locator("#i0118").waitFor();
        await page.getByPlaceholder("Password").fill(password);
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByRole("button", { name: "Yes" }).click();
      },
      "MSAL.js waits for the link of a forgotten password (TestUtils.ts)": async (page) => {
        await page.waitForSelector("#i0116");
        await page.waitForSelector("#idSIButton9");
        await page.type("#i0116", name);
        await page.click("#idSIButton9");
        await page.waitForSelector("#idA_PWD_ForgotPassword");
        await page.type("#i0118", password);
        await page.click("#idSIButton9");
        await page.waitForSelector("#kmsiTitle");
        await page.waitForSelector("#KmsiCheckboxField");
        await page.click("#idSIButton9");
      },
      "test ids, two answers of one size, and the name as typed": async (page) => {
        await page.getByPlaceholder("Email, phone, or Skype").fill(name);
        await page.getByRole("button", { name: "Next" }).click();
        await page.getByTestId("i0118").fill(password);
        await page.getByTestId("textButtonContainer").getByRole("button", { name: "Sign in" }).click();
        await page.getByTestId("checkboxField").check();
        assertEquals(await page.locator("#displayName").textContent(), name);
        const [no, yes] = await Promise.all(
          ["No", "Yes"].map((value) => page.locator(`[value=${value}]`).boundingBox()),
        );
        assertEquals([no!.y, no!.height], [yes!.y, yes!.height]);
        await page.getByTestId("textButtonContainer").getByRole("button", { name: "Yes" }).click();
      },
      "the texts of errors, with the name kept": async (page) => {
        await page.locator("input[name=loginfmt]").fill("nobody@app.example");
        await page.locator("input#idSIButton9").click();
        await page.getByText("This username may be incorrect").waitFor();
        assertEquals(await page.locator("input[name=loginfmt]").inputValue(), "nobody@app.example");
        await page.locator("input[name=loginfmt]").fill(name);
        await page.keyboard.press("Enter");
        await page.locator("input[name=passwd]").fill("wrong");
        await page.keyboard.press("Enter");
        assertMatch((await page.locator("#passwordError").textContent())!, /^Your account or password is incorrect/);
        assertEquals(await page.locator("#displayName").textContent(), name);
        await page.locator("input[name=passwd]").fill(password);
        await page.keyboard.press("Enter");
        await page.getByText("Stay signed in?").waitFor();
        await page.locator("input[value=No]").click();
      },
      "the choice of an account (#otherTile, data-test-id), after a login": async (page) => {
        const logIn = async (user: string, secret: string) => {
          await page.locator("#i0116").fill(user);
          await page.locator("#idSIButton9").click();
          await page.locator("#i0118").fill(secret);
          await page.locator("#idSIButton9").click();
          await page.locator("#idBtn_Back").click();
          await page.waitForURL((url) => url.href.startsWith(callback));
        };
        const choice = `${page.url()}&prompt=select_account`;
        await logIn(name, password);
        await page.goto(choice);
        await page.locator("#otherTile").click();
        await logIn("bob@app.example", "any");
        await page.goto(choice);
        const tiles = page.locator("#tilesHolder > .tile-container > .row.tile > .table > .table-row > .table-cell");
        assertEquals(await tiles.locator("div:first-child").allTextContents(), ["bob@app.example", name]);
        await xpath(page, `//*[@id="tilesHolder"]/div/div/div//div[text()="${name}"]`).click();
        await page.locator("#i0118").fill(password);
        await page.locator("#idSIButton9").click();
        await page.locator("#idSIButton9").click();
        await page.waitForURL((url) => url.href.startsWith(callback));
        // Whoever is logged in already is asked for nothing more.
        await page.goto(choice);
        await page.click(`div[data-test-id="${name}"]`);
      },
      "the logo, the texts of empty fields, and the link for help": async (page) => {
        await page.getByRole("img", { name: "Microsoft" }).waitFor();
        await page.getByRole("link", { name: "Can’t access your account?" }).waitFor();
        await page.locator("#idSIButton9").click();
        await page.locator("#usernameError").getByText("Enter a valid email address, phone number").waitFor();
        await page.getByRole("textbox", { name: "Enter your email" }).fill(name);
        await page.getByRole("button", { name: "Next" }).click();
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.locator("#passwordError").getByText("Please enter your password.").waitFor();
        await page.getByRole("textbox", { name: "Enter the password" }).fill(password);
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByRole("button", { name: "No" }).click();
      },
      "login_hint skips to the password; XPath of the buttons": async (page, start) => {
        await xpath(page, '//*[@data-report-event="Signin_Submit"][@value="Next"]').waitFor();
        await page.goto(`${start}&login_hint=${name}`);
        await page.fill("#i0118", password);
        for (const value of ["Sign in", "Yes"]) {
          const button = `input[@data-report-value='Submit'][@value='${value}']`;
          await xpath(page, `//div[@class='inline-block button-item ext-button-item']/${button}`).click();
          if (value === "Sign in") await page.waitForURL(/\/login\?/);
        }
      },
      "XPath of headings": async (page) => {
        await xpath(page, "//div[text()='Sign in']").waitFor();
        await xpath(page, "//*[@name='loginfmt']").fill(name);
        await xpath(page, "//input[@id='idSIButton9']").click();
        await xpath(page, "//*[@id='i0118']").fill(password);
        await xpath(page, "//input[@type='submit']").click();
        await xpath(page, "//div[text()='Stay signed in?']").waitFor();
        await xpath(page, "//input[@value='Yes']").click();
      },
    },
  },
  "entra-no-kmsi": {
    options: { profile: "entra" },
    pieces: {
      "a tenant that does not ask to stay signed in": async (page) => {
        await cypress(page).type('input[type="email"]', name);
        await cypress(page).click('input[type="submit"]');
        await cypress(page).type('input[type="password"]', password);
        await cypress(page).click('input[type="submit"]');
      },
    },
  },
  "entra-b2c": {
    options: { profile: "entra" },
    pieces: {
      "placeholders and the button (AzureAD/microsoft-identity-web)": async (page) => {
        await page.getByPlaceholder("Email Address").fill(name);
        await page.getByPlaceholder("Password").fill(password);
        await page.getByRole("button", { name: "Sign in" }).click();
      },
      "ids": async (page) => {
        await cypress(page).type("#email", name);
        await cypress(page).type("#password", "wrong");
        await cypress(page).click("#next");
        await page.locator('.error.pageLevel[role="alert"]').getByText("Your password is incorrect").waitFor();
        await page.locator("#forgotPassword").waitFor();
        await page.getByRole("link", { name: "Sign up now" }).and(page.locator("#createAccount")).waitFor();
        await cypress(page).type("#password", password);
        await cypress(page).click(".buttons");
      },
    },
  },
  "entra-b2c-logonidentifier": {
    options: { profile: "entra" },
    pieces: {
      "MSAL.js (b2cLocalAccountEnterCredentials)": async (page) => {
        await page.waitForSelector("#logonIdentifier");
        await page.type("#logonIdentifier", name);
        await page.type("#password", password);
        await page.click("#next");
      },
    },
  },
  "entra-b2c-signinname": {
    options: { profile: "entra" },
    pieces: {
      "ids of custom policies": async (page) => {
        for (const secret of ["wrong", password]) {
          await page.locator("input#signInName").fill(name);
          await page.locator("input#password").fill(secret);
          await page.locator("button#next").click();
          if (secret === "wrong") await xpath(page, "//p[contains(text(),'password is incorrect')]").waitFor();
        }
      },
    },
  },
  auth0: {
    options: { profile: "auth0" },
    pieces: {
      "ids, and a button that says Continue alone (DionNuijens/Brewing-Buddies)": async (page) => {
        await cypress(page).type("#username", name);
        await cypress(page).type("#password", password);
        await page.locator('button[type="submit"]', { hasText: /^Continue$/ }).click();
      },
      "ids, and Enter (tobmaster/cypress_schulung)": async (page) => {
        await cypress(page).type("#username", name);
        await cypress(page).type("#password", password);
        await page.locator("#password").press("Enter");
      },
      "labels, and what a wrong password shows": async (page) => {
        assertMatch(page.url(), /\/u\/login\?state=/);
        for (const secret of ["wrong", password]) {
          await page.getByLabel("Email address").fill(name);
          await page.getByLabel("Password").fill(secret);
          await page.getByRole("button", { name: "Continue", exact: true }).click();
          if (secret === "wrong") {
            await page.locator('span[data-error-code="wrong-email-credentials"]').getByText("Wrong email").waitFor();
          }
        }
      },
      "the labels by their ids, the link and the button by all attributes": async (page) => {
        await page.locator("#username-label").waitFor();
        await page.getByRole("link", { name: "Forgot password?" }).waitFor();
        await page.locator("#password-label").waitFor();
        await page.getByRole("link", { name: "Sign up" }).waitFor();
        await cypress(page).click("button._button-login");
        await page.locator("div#error-cs-username-required").waitFor();
        await page.locator("div#error-cs-password-required").waitFor();
        await cypress(page).type("#username", "nobody");
        await cypress(page).type("#password", password);
        await cypress(page).click("button._button-login");
        await page.locator("#error-cs-email-invalid").waitFor();
        await cypress(page).type("#username", name);
        await cypress(page).click('button[type="submit"][name="action"][value="default"]');
        await page.locator("#error-cs-password-required").waitFor();
        await cypress(page).type("#password", password);
        await cypress(page).click("button._button-login");
      },
      "one primary button by its attribute": async (page) => {
        await page.locator("input[name='username'], input[name='email'], input[type='email']").fill(name);
        await page.locator("input[name='password'], input[type='password']").fill(password);
        await page.locator("button[data-action-button-primary='true']").click();
      },
    },
  },
  "auth0-identifier-first": {
    options: { profile: "auth0" },
    pieces: {
      "two pages, each with one primary button (auth0/nextjs-auth0)": async (page) => {
        await page.getByRole("link", { name: "Sign up" }).waitFor();
        await page.fill('input[id="username"]', name);
        await page.locator('button[data-action-button-primary="true"]').click();
        await page.waitForURL(/\/u\/login\/password/);
        await page.fill('input[id="password"]', password);
        await page.locator("form._form-login-password button._button-login-password").click();
      },
      "by label": async (page) => {
        await page.getByRole("button", { name: "Continue" }).click();
        await page.locator("#error-cs-username-required").waitFor();
        await page.getByLabel("Email address").fill(name);
        await page.getByRole("button", { name: "Continue" }).click();
        await page.getByRole("button", { name: "Continue" }).click();
        await page.locator("#error-cs-password-required").waitFor();
        await page.getByLabel("Password").fill("wrong");
        await page.getByRole("button", { name: "Continue" }).click();
        await page.getByText("Wrong email or password").waitFor();
        await page.getByLabel("Password").fill(password);
        await page.getByRole("button", { name: "Continue" }).click();
      },
    },
  },
  "auth0-classic": {
    options: { profile: "auth0" },
    pieces: {
      "fields in the widget (epam/ai-dial-chat)": async (page) => {
        await page.locator('.auth0-lock-widget-container [name="email"]').fill(name);
        await page.locator('.auth0-lock-widget-container [name="password"]').fill(password);
        await page.locator('.auth0-lock-widget-container [name="submit"]').click();
      },
      "tabs, wrappers, and errors below the fields": async (page) => {
        const form = page.locator("#auth0-lock-container-1 .auth0-lock-center .auth0-lock-content-body-wrapper");
        await form.locator('.auth0-lock-tabs li[class="auth0-lock-tabs-current"]').getByText("Log In").waitFor();
        await page.locator(".auth0-lock-submit").click();
        await page.locator("#auth0-lock-error-msg-password").getByText("Password can't be blank").waitFor();
        await xpath(page, "//*[@class='auth0-lock-input-block auth0-lock-input-email']//input").fill("nobody");
        await page.locator(".auth0-lock-submit").click();
        const hint = page.locator("#auth0-lock-error-msg-email div[class='auth0-lock-error-invalid-hint']");
        await hint.getByText("Email is invalid").waitFor();
        await page.fill("[name=email]", name);
        await page.fill("[name=password]", "wrong");
        await page.locator(".auth0-lock-submit").click();
        await xpath(page, "//span[@class='animated fadeInUp']/span[contains(., 'Wrong email')]").waitFor();
        await page.fill("[name=password]", password);
        await page.locator(".auth0-lock-submit").click();
      },
      "classes, ids and links of the lock, after a wrong password": async (page) => {
        await page.locator("form .auth0-lock-input[name=email]").fill(name);
        await page.getByPlaceholder("your password").fill("wrong");
        await page.locator(".auth0-lock-submit").click();
        await page.locator(".auth0-global-message-error span").getByText("Wrong email or password").waitFor();
        await page.locator(".auth0-lock-form a.auth0-lock-alternative-link").waitFor();
        await page.locator(".auth0-lock-input-email > .auth0-lock-input-wrap > .auth0-lock-input").fill(name);
        await page.locator(".auth0-lock-input-show-password .auth0-lock-input-password input").fill(password);
        await page.locator('[id="1-submit"]').click();
      },
    },
  },
  "auth0-classic-username": {
    options: { profile: "auth0" },
    pieces: {
      "a field with the name of the user": async (page) => {
        await selenium(page).type("[name=username]", "alice");
        await selenium(page).type("[name=password]", password);
        await selenium(page).click(".auth0-lock-submit");
      },
    },
  },
  okta: {
    options: { profile: "okta" },
    pieces: {
      "one page, or two (okta/okta-auth-js, signinOIE)": async (page) => {
        await page.locator('form[data-se="o-form"]').waitFor();
        await page.locator('[name="identifier"]').fill(name);
        if (!await page.locator('[name="credentials.passcode"]').isVisible()) {
          await page.locator('[data-type="save"]').click();
        }
        await page.locator('[name="credentials.passcode"]').fill(password);
        await page.locator('[data-type="save"]').click();
      },
      "labels, and the error": async (page) => {
        await xpath(page, "//h2[contains(text(),'Sign In')]").waitFor();
        await page.getByLabel("Keep me signed in").check();
        await page.locator('label[data-se-for-name="rememberMe"]').click();
        await page.locator('a[data-se="forgot-password"]').getByText("Forgot password?").waitFor();
        for (const secret of ["wrong", password]) {
          await page.getByLabel("Username").fill(name);
          await page.getByLabel("Password").fill(secret);
          await page.getByRole("button", { name: "Sign in" }).click();
          if (secret === "wrong") await page.locator(".infobox-error[role=alert]").getByText("Unable to").waitFor();
        }
      },
    },
  },
  "okta-gen3": {
    options: { profile: "okta" },
    pieces: {
      "ids that are the names, after a wrong password": async (page) => {
        for (const secret of ["wrong", password]) {
          await page.fill("#identifier", name);
          await page.locator('[id="credentials.passcode"]').fill(secret);
          await page.click('button[data-se="save"]');
          if (secret === "wrong") await page.getByRole("alert").getByText("Unable to sign in").waitFor();
        }
      },
    },
  },
  "okta-gen3-identifier-first": {
    options: { profile: "okta" },
    pieces: {
      "data-se of fields and buttons": async (page) => {
        await cypress(page).type("#identifier", name);
        await cypress(page).click('button[data-se="save"]');
        await cypress(page).type('input[data-se="credentials.passcode"]', password);
        await cypress(page).click('button[data-se="save"]');
      },
    },
  },
  "okta-classic": {
    options: { profile: "okta" },
    pieces: {
      "ids (emissary-ingress/emissary)": async (page) => {
        await page.waitForSelector("#okta-signin-submit", { state: "visible" });
        await page.type("#okta-signin-username", name);
        await page.type("#okta-signin-password", password);
        await xpath(page, "//label[.='Remember me']").click();
        await page.getByText("Need help signing in?").waitFor();
        await page.getByText("Powered by").waitFor();
        assertEquals(await page.locator("[type=submit]").inputValue(), "Sign In");
        await page.click("#okta-signin-submit");
      },
      "focus in the first field, and Enter": async (page) => {
        await page.locator("#okta-signin-username:focus").waitFor();
        await page.type("#okta-signin-username", name);
        await page.type("#okta-signin-password", "wrong");
        await page.keyboard.press("Enter");
        await xpath(page, "//form/div/div[contains(@class,'o-form-has-errors')]/div/div/p").waitFor();
        assertEquals(await page.locator("div.okta-form-infobox-error > p").textContent(), "Unable to sign in");
        await xpath(page, ".//input[@id='okta-signin-password']").fill(password);
        await xpath(page, ".//input[@id='okta-signin-submit']").click();
      },
    },
  },
  "okta-classic-identifier-first": {
    options: { profile: "okta" },
    pieces: {
      "ids of two pages, and the elements around the field": async (page) => {
        await selenium(page).type("#idp-discovery-username", name);
        await page.getByLabel("Remember me").check();
        await selenium(page).click("#idp-discovery-submit");
        await selenium(page).type('span[data-se="o-form-input-password"] input', password);
        await selenium(page).click("#okta-signin-submit");
      },
    },
  },
  "okta-classic-passwordless": {
    options: { profile: "okta" },
    pieces: {
      "the password on a page of its own": async (page) => {
        await selenium(page).type("#okta-signin-username", name);
        await xpath(page, "//input[@id='okta-signin-submit'][@value='Next']").click();
        await selenium(page).type(".mfa-verify input[name=password]", password);
        await xpath(page, "//input[@value='Verify']").click();
      },
    },
  },
  "okta-identifier-first": {
    options: { profile: "okta" },
    pieces: {
      "data-se of the fields, buttons by their text": async (page) => {
        await page.locator('[data-se="o-form-input-identifier"] input').fill(name);
        await page.locator(".button").getByText("Next").click();
        await page.locator('[data-se="o-form-input-credentials.passcode"] input').fill(password);
        await page.locator(".button").getByText("Verify").click();
      },
      "values of the buttons of two pages, after a wrong password": async (page) => {
        await xpath(page, "//input[@id='input28']").fill(name);
        await xpath(page, "//input[@value='Next']").click();
        for (const secret of ["wrong", password]) {
          await xpath(page, "//input[@name='credentials.passcode']").fill(secret);
          await xpath(page, "//input[@value='Verify']").click();
          if (secret === "wrong") await page.locator("div.okta-form-infobox-error > p").waitFor();
        }
      },
      "paths from the ids of the forms": async (page) => {
        await selenium(page).type("[name=identifier]", name);
        await xpath(page, "//*[@id='form20']/div[2]/input").click();
        await selenium(page).type("[name='credentials.passcode']", password);
        await xpath(page, "//*[@id='form53']/div[2]/input").click();
      },
    },
  },
  cognito: {
    options: { profile: "cognito" },
    pieces: {
      "the order of all children (reapit/foundations)": async (page) => {
        const form = ":nth-child(2) > :nth-child(1) > :nth-child(1) > .cognito-asf";
        await cypress(page).type(`${form} > :nth-child(3) > #signInFormUsername`, name);
        await cypress(page).type(`${form} > :nth-child(5) > #signInFormPassword`, password);
        await cypress(page).click(`${form} > .btn`);
      },
      "the copy of wide windows": async (page) => {
        await cypress(page).type(".visible-lg #signInFormUsername", name);
        await page.locator(".visible-lg span").getByText("Sign in with your username and password").waitFor();
        await cypress(page).type(".visible-lg #signInFormPassword", password);
        await cypress(page).click(".visible-lg .btn-primary");
      },
      "the visible copy, after a wrong password, without stylesheets": async (page) => {
        await page.route("**/*.css", (route) => route.fulfill({ contentType: "text/css", body: "" }));
        const form = page.locator('form[name="cognitoSignInForm"]:visible');
        for (const secret of ["wrong", password]) {
          await form.getByText("Forgot your password?").waitFor();
          await form.locator('input[name="username"]').fill(name);
          await form.locator('input[name="password"]').fill(secret);
          await form.locator('input[name="signInSubmitButton"]').click();
          if (secret === "wrong") await page.locator("p#loginErrorMessage:visible").waitFor();
        }
      },
      "the second copy by XPath": async (page) => {
        await page.locator("xpath=(//input[@id='signInFormUsername'])[2]").fill(name);
        await page.locator("xpath=(//input[@id='signInFormPassword'])[2]").fill(password);
        await page.locator("xpath=(//input[@value='Sign in'])[2]").click();
      },
      "the first copy in a narrow window": async (page) => {
        await page.setViewportSize({ width: 800, height: 600 });
        await selenium(page).type("#signInFormUsername", name);
        await selenium(page).type("#signInFormPassword", password);
        await selenium(page).click("input[name=signInSubmitButton]");
      },
    },
  },
  "cognito-managed": {
    options: { profile: "cognito" },
    pieces: {
      "two pages, buttons by their text (TheVeteranDev/psu-capstone-selenium)": async (page) => {
        await selenium(page).type("[name=username]", name);
        await xpath(page, "//*[text()='Next']").click();
        await selenium(page).type("[name=password]", password);
        await xpath(page, "//*[text()='Continue']").click();
      },
      "labels and error texts": async (page) => {
        const next = page.getByText("Next");
        const proceed = page.getByText("Continue");
        await next.click();
        await page.getByText("Missing username.").waitFor();
        await page.getByLabel("Username").fill(name);
        await next.click();
        for (const [secret, fault] of [["", "Missing password."], ["wrong", "Incorrect username or"]] as const) {
          await page.getByLabel("Password").fill(secret);
          await proceed.click();
          await page.getByText(fault).waitFor();
        }
        await page.getByLabel("Password").fill(password);
        await proceed.click();
      },
    },
  },
  "cognito-managed-one-page": {
    options: { profile: "cognito" },
    pieces: {
      "names": async (page) => {
        await page.fill("[name=username]", name);
        await page.fill("[name=password]", password);
        await page.click("[type=submit]");
      },
    },
  },
  google: {
    options: { profile: "google" },
    pieces: {
      "buttons with the text Next (recipher/fluffy-meme)": async (page) => {
        await page.fill("input[type=email]", name);
        await page.click('button:has-text("Next")');
        await page.fill("input[type=password]", password);
        await page.click('button:has-text("Next")');
      },
      "ids, and what is inside of them": async (page) => {
        await page.locator('input[name="identifier"]').fill("nobody@app.example");
        await page.locator("#identifierNext").click();
        await page.getByText("find your Google Account").waitFor();
        await page.locator("#identifierId").fill(name);
        await page.locator(".qhFLie #identifierNext > div > button > div.VfPpkd-RLmnJb").click();
        await page.locator("#password > div.aCsJod.oJeWuf > div > div.Xb9hP > input.whsOnd").fill("wrong");
        await page.locator("#passwordNext").click();
        await xpath(page, "//div[@class='o6cuMc']/span[contains(text(), 'Wrong password')]").waitFor();
        await page.locator('input[name="Passwd"]').fill(password);
        await page.locator("#passwordNext button, button:has-text('Next')").click();
      },
      "classes of the buttons, and a field that has the focus": async (page) => {
        const inside = ".VfPpkd-dgl2Hf-ppHlrf-sM5MNb > .VfPpkd-LgbsSe > .VfPpkd-vQzf8d";
        // Not waitForFunction: what it repeats in the page, the Content-Security-Policy forbids.
        await page.locator("[type=email]:focus").waitFor();
        await page.keyboard.type(name);
        await cypress(page).click(`#identifierNext > ${inside}`);
        await page.locator("[type=password]:focus").waitFor();
        await page.keyboard.type(password);
        await cypress(page).click(`#passwordNext > ${inside}`);
      },
      "the choice of an account, and another one": async (page, start) => {
        const logIn = async () => {
          await page.locator('#identifierNext span[jsname="V67aGc"]').waitFor();
          await page.fill("#identifierId", name);
          await page.click("#identifierNext");
          await page.fill("input[type=password]", password);
          await page.click("#passwordNext");
          await page.waitForURL((url) => url.href.startsWith(callback));
        };
        await logIn();
        await page.goto(`${start}&prompt=select_account`);
        await xpath(page, "//div[text()='Use another account']").click();
        await logIn();
        await page.goto(`${start}&prompt=select_account`);
        await page.click("[data-authuser='0']");
      },
      "labels and roles": async (page) => {
        await page.getByRole("textbox", { name: "Email or phone" }).fill(name);
        await page.getByRole("button", { name: "Next" }).click();
        await page.getByRole("textbox", { name: "Enter your password" }).fill(password);
        await page.getByRole("button", { name: "Next" }).click();
      },
    },
  },
  "google-consent": {
    options: { profile: "google" },
    pieces: {
      "the button inside of an element with an id": async (page) => {
        await page.fill("#identifierId", name);
        await page.click("#identifierNext");
        await page.fill("input[type=password]", password);
        await page.click("#passwordNext");
        await page.locator("#submit_approve_access > div > button > div").click();
      },
    },
  },
  "google-2019": {
    options: { profile: "google" },
    pieces: {
      "XPath of what is inside of the buttons, and around the field": async (page) => {
        await selenium(page).type("[name=identifier]", name);
        await xpath(page, '//*[@id="identifierNext"]/span/span').click();
        await xpath(page, '//*[@id="password"]/div[1]/div/div[1]/input').fill("wrong");
        await xpath(page, '//*[@id="passwordNext"]/span/span').click();
        await selenium(page).type("[name=password]", password);
        await selenium(page).click('[role="button"]#passwordNext');
      },
    },
  },
  "google-2021": {
    options: { profile: "google" },
    pieces: {
      "paths to the buttons": async (page) => {
        await selenium(page).type("[name=identifier]", name);
        await xpath(page, "//*[@id='identifierNext']/div/button").click();
        await selenium(page).type("[name=password]", password);
        await xpath(page, "//*[@id='passwordNext']/div/button").click();
      },
    },
  },
  "github-no-consent": {
    options: { profile: "github" },
    pieces: {
      "no consent page": async (page) => {
        await page.fill("#login_field", "alice");
        await page.fill("#password", password);
        await page.click(".btn");
      },
    },
  },
  github: {
    options: { profile: "github" },
    pieces: {
      "the first button of that name": async (page) => {
        await selenium(page).type("#login_field", "alice");
        await selenium(page).type("#password", password);
        await selenium(page).click("[name=commit]");
        await selenium(page).click("button[name='authorize']");
      },
      "labels, after a wrong password (nabinupreti/playwright-github-automation)": async (page) => {
        await page.getByLabel("Username or email address").fill("alice");
        await page.getByLabel("Password").fill("wrong");
        await page.getByRole("link", { name: "Forgot password?" }).waitFor();
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await page.locator("#js-flash-container div").click();
        await page.getByLabel("Password").fill(password);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await page.locator('[data-octo-click="oauth_application_authorization"]').click();
      },
      "a popup (redhat-developer/rhdh)": async (page) => {
        await page.click("#login_field");
        await page.fill("#login_field", "alice");
        await page.click("#password");
        await page.fill("#password", password);
        await page.click("[type='submit'][value='Sign in']:not(webauthn-status *)");
        await page.click("button.js-oauth-authorize-btn");
      },
      "children of the form, down to its button": async (page) => {
        await page.click("#login_field");
        await page.keyboard.type("alice");
        await page.click("#password");
        await page.keyboard.type(password);
        await selenium(page).click("#login > div.auth-form-body.mt-3 > form > div.position-relative > input.btn");
        await page.click("#js-oauth-authorize-btn");
      },
      "names, and the button only if the page says Authorize": async (page) => {
        await cypress(page).type('input[name="login"]', "alice");
        await cypress(page).type('input[name="password"]', password);
        await cypress(page).click('input[name="commit"]');
        await page.waitForURL(/\/login\/oauth\/authorize/);
        if ((await page.textContent("body"))!.includes("Authorize")) {
          await cypress(page).click("#js-oauth-authorize-btn");
        }
      },
    },
  },
  apple: {
    options: { profile: "apple" },
    pieces: {
      "ids of two steps": async (page) => {
        await selenium(page).type("#account_name_text_field", name);
        await selenium(page).click("#sign-in");
        await selenium(page).type("#password_text_field", password);
        await selenium(page).click("#sign-in");
      },
      "Enter in each field": async (page) => {
        await page.locator("#account_name_text_field").fill(name);
        await page.keyboard.press("Enter");
        await page.locator("#password_text_field").fill(password);
        await page.keyboard.press("Enter");
      },
    },
  },
  dex: {
    options: { paths: { authorization_endpoint: "/auth", token_endpoint: "/token" } },
    pieces: {
      "the approval, whose first button grants (VNG-Realisatie/nlx)": async (page) => {
        await selenium(page).type("#login", name);
        await selenium(page).type("#password", password);
        await selenium(page).click("#submit-login");
        await page.waitForURL(/\/approval/);
        await selenium(page).click('button[type="submit"]');
      },
      "labels, after a wrong password": async (page) => {
        for (const secret of ["wrong", password]) {
          await page.getByLabel("Email Address").fill(name);
          await page.getByLabel("Password").fill(secret);
          await page.getByRole("button", { name: "Login" }).click();
          if (secret === "wrong") await page.locator("#login-error").getByText("Invalid Email Address and p").waitFor();
        }
        await page.getByRole("button", { name: "Grant Access" }).click();
      },
    },
  },
  "dex-no-approval": {
    options: { paths: { authorization_endpoint: "/auth", token_endpoint: "/token" } },
    pieces: {
      "no approval (kubermatic/dashboard)": async (page) => {
        await cypress(page).type("input#login", name);
        await cypress(page).type("input#password", password);
        await cypress(page).click("button#submit-login");
      },
    },
  },
  "dex-connectors": {
    options: { paths: { authorization_endpoint: "/auth", token_endpoint: "/token" } },
    pieces: {
      "the choice of a connector (Kubeflow)": async (page) => {
        await xpath(page, "(//span[@class='dex-btn-text'])[1]").click();
        await xpath(page, "(//input[@class='theme-form-input'])[1]").fill(name);
        await xpath(page, "(//input[@class='theme-form-input'])[2]").fill(password);
        await xpath(page, "//button[contains(@class, 'dex-btn')]").click();
      },
    },
  },
  "oidc-provider": {
    options: { paths: { authorization_endpoint: "/auth", token_endpoint: "/token" } },
    pieces: {
      "names and one class of two pages (auth0/express-openid-connect)": async (page) => {
        for (const secret of ["wrong", password]) {
          await page.locator("[name=login]").fill("alice");
          await page.locator("[name=password]").fill(secret);
          await page.locator(".login-submit").click();
        }
        await page.getByText("Authorize").first().waitFor();
        await page.locator(".login-submit").click();
      },
    },
  },
  "mock-oauth2-server": {
    options: { users: "any" },
    pieces: {
      "fields, and the button by its value (antonycc/submit.diyaccounting.co.uk)": async (page) => {
        await page.locator('input[type="submit"][value="Sign-in"]').waitFor();
        await page.locator('input[name="username"]').fill("somebody-new");
        await page.locator('textarea[name="claims"]').fill('{"email":"new@app.example"}');
        await page.locator('input[type="submit"][value="Sign-in"]').click();
      },
      "a subject that exists": async (page) => {
        await page.getByPlaceholder("Enter any user/subject").fill("somebody-new");
        await page.locator("textarea.claims").fill('{"email":"newer@app.example"}');
        await page.getByRole("button", { name: "Sign-in" }).click();
      },
    },
  },
  identityserver4: {
    pieces: {
      "the title, and XPath of the button's value (ctoec/data-collection)": async (page) => {
        assertEquals(await page.title(), "IdentityServer4");
        await selenium(page).type("#Username", "alice");
        await selenium(page).type("#Password", password);
        await xpath(page, "//*/button[contains(@value,'login')]").click();
      },
    },
  },
  duende: {
    pieces: {
      "ids of the Razor page": async (page) => {
        for (const secret of ["wrong", password]) {
          await page.locator("#Input_Username").fill("alice");
          await page.locator("#Input_Password").fill(secret);
          await page.getByRole("button", { name: "Login" }).click();
          if (secret === "wrong") {
            await page.locator(".alert-danger .validation-summary-errors li").getByText("Invalid username").waitFor();
          }
        }
      },
      "placeholders": async (page) => {
        await page.getByPlaceholder("Username").fill("bob");
        await page.getByPlaceholder("Password").fill("bob");
        await page.locator('button[name="Input.Button"][value="login"]').click();
      },
    },
  },
  authentik: {
    pieces: {
      "shadow roots (goauthentik/authentik tests/e2e/utils.py)": async (page) => {
        const field = async (stage: string, css: string): Promise<ElementHandle> => {
          const root = (name: string) => `querySelector("${name}").shadowRoot.`;
          const found = await page.evaluateHandle(
            `document.${root("ak-flow-executor")}${root(stage)}querySelector("${css}")`,
          );
          return found as unknown as ElementHandle;
        };
        const identifier = await field("ak-stage-identification", "input[name=uidField]");
        await identifier.click();
        await identifier.type("alice");
        await identifier.press("Enter");
        await page.locator("ak-stage-password").waitFor({ state: "attached" });
        const secret = await field("ak-stage-password", "input[name=password]");
        await secret.type(password);
        await secret.press("Enter");
      },
      "locators that look into shadow roots": async (page) => {
        await page.getByPlaceholder("Email or Username").fill(name);
        await page.getByRole("button", { name: "Log in" }).click();
        await page.getByPlaceholder("Please enter your password").fill("wrong");
        await page.getByRole("button", { name: "Continue" }).click();
        await page.getByText("Invalid password").waitFor();
        assertEquals(
          await page.evaluate(
            `["ak-flow-executor", "ak-stage-password", "ak-flow-input-password > ak-form-element"]
              .reduce((root, css) => root.querySelector(css).shadowRoot, document)
              .querySelector("p.pf-c-form__helper-text").textContent`,
          ),
          "Invalid password",
        );
        await page.getByLabel("Password").fill(password);
        await page.getByRole("button", { name: "Continue" }).click();
      },
    },
  },
  "authentik-one-page": {
    pieces: {
      "both fields on one page": async (page) => {
        await page.locator('input[name="uidField"]').fill(name);
        await page.locator('input[name="password"]').fill(password);
        await page.locator('button[type="submit"]').click();
      },
    },
  },
  adfs: {
    pieces: {
      "ids, and a button that is none": async (page) => {
        for (const secret of ["wrong", password]) {
          await selenium(page).type("#userNameInput", name);
          await selenium(page).type("#passwordInput", secret);
          await selenium(page).click("span#submitButton");
          if (secret === "wrong") await page.locator("#errorText").getByText("Incorrect user ID or password").waitFor();
        }
      },
      "names, and Enter": async (page) => {
        await page.fill("[name=UserName]", name);
        await page.fill("[name=Password]", password);
        await page.keyboard.press("Enter");
      },
    },
  },
  "adfs-paginated": {
    pieces: {
      "ids of two pages": async (page) => {
        await selenium(page).type("#userNameInput", name);
        await selenium(page).click("#nextButton");
        await selenium(page).type("#passwordInput", password);
        await selenium(page).click("#submitButton");
      },
      "Enter in each field": async (page) => {
        await page.fill("#userNameInput", name);
        await page.keyboard.press("Enter");
        await page.fill("#passwordInput", password);
        await page.keyboard.press("Enter");
      },
    },
  },
  pingone: {
    pieces: {
      "placeholders and roles (ForgeRock/forgerock-javascript-sdk)": async (page) => {
        for (const secret of ["wrong", password]) {
          await page.getByPlaceholder("Username").fill(name);
          await page.getByRole("textbox", { name: "Password" }).fill(secret);
          await page.getByRole("button", { name: "Sign On" }).click();
          if (secret === "wrong") await page.getByRole("alert").getByText("Incorrect username or").waitFor();
        }
      },
    },
  },
  pingfederate: {
    pieces: {
      "names, and a link with all its classes": async (page) => {
        for (const secret of ["wrong", password]) {
          await page.fill('input[name="pf.username"]', name);
          await page.fill('input[name="pf.pass"]', secret);
          await xpath(page, "//a[@class='ping-button normal allow']").click();
          if (secret === "wrong") await page.locator("div.ping-error").waitFor();
        }
      },
      "ids, and Enter": async (page) => {
        await page.fill("#username", name);
        await page.fill("#password", password);
        await page.keyboard.press("Enter");
      },
    },
  },
  "pingfederate-identifier-first": {
    pieces: {
      "one class of two buttons (iTwin/auth-clients)": async (page) => {
        await page.fill("#identifierInput", name);
        await page.click(".allow");
        await page.waitForSelector("#password");
        await page.fill("#password", password);
        await page.click(".allow");
      },
    },
  },
  "zitadel-v2": {
    pieces: {
      "test ids of two pages": async (page) => {
        await page.waitForURL(/\/ui\/v2\/login\/loginname/);
        await page.getByTestId("username-text-input").fill(name);
        await page.getByTestId("submit-button").click();
        for (const secret of ["wrong", password]) {
          await page.getByTestId("password-text-input").fill(secret);
          await page.getByTestId("submit-button").click();
          if (secret === "wrong") await page.getByTestId("error").getByText("Failed to authenticate").waitFor();
        }
      },
    },
  },
  zitadel: {
    pieces: {
      "two pages (ost-cas-fee-adv-22-23)": async (page) => {
        await page.getByPlaceholder("username@domain").fill(name);
        await page.getByText("next").click();
        await page.locator('input[name="password"]').fill(password);
        await page.getByText("next").click();
      },
    },
  },
};

for (const [loginPage, { options, pieces }] of Object.entries(suites)) {
  test(`[UI-31] ${loginPage}: suites fill in the page, in Chromium`, { skip }, async (t) => {
    const { as, start } = await serve({ ...options, loginPage: loginPage as LoginPageName });
    await using _as = as;
    await t.test("each screen is a page without a problem", async () => {
      await using opened = await openPage(start, { widths: [390, 1440] });
      for (let screen = 1; !opened.page.url().startsWith(callback); screen++) {
        // Only pages with values to copy announce something. Entra's headings are no h1, Okta's is an h2. Cognito has its
        // form twice. The examination itself puts styles into the shadow roots of authentik.
        const accepted =
          /^0 of (?:h1|\[role=status\])|^h0 is followed by h2|^id signInForm\w+ twice|^Applying inline style/;
        const problems = (await findPageProblems(opened)).filter((one) => !accepted.test(one));
        assertEquals(problems, []);
        await takeScreenshot(opened, `login-page-${loginPage}-${screen}`);
        const { page } = opened;
        for (const field of await page.locator("input[type=text]:visible, input[type=email]:visible").all()) {
          await field.fill("bob@app.example");
        }
        for (const field of await page.locator("input[type=password]:visible").all()) await field.fill("any");
        // On the page of Dex's connectors, the button is inside a link.
        await page.locator("form :is([type=submit], [data-submit]):visible, a > button").last().click();
        await page.waitForLoadState();
        if (screen > 4) throw new Error("more screens than a login has");
      }
    });
    for (const [title, suite] of Object.entries(pieces)) {
      await t.test(title, async () => {
        await using opened = await openPage(start);
        const { page, problems } = opened;
        page.setDefaultTimeout(8000);
        await suite(page, start);
        await page.waitForURL((url) => url.href.startsWith(callback));
        assertMatch(page.url(), /[?&]code=/);
        assertEquals(problems, []);
      });
    }
  });
}
