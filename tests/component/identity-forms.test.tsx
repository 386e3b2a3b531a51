import { describe, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { ForgotPasswordForm } from "#components/identity/forgot-password-form.tsx";
import { exchangeToken } from "#components/identity/login-calls.ts";
import { LoginForm } from "#components/identity/login-form.tsx";
import { Protected } from "#components/identity/protected.tsx";
import { RegisterForm } from "#components/identity/register-form.tsx";
import { ResetPasswordForm } from "#components/identity/reset-password-form.tsx";
import { VerifyBanner } from "#components/identity/verify-banner.tsx";
import { NOTICE_MS } from "#components/ui/notice-texts.ts";
import { setToken } from "#lib/client/browser-storage.ts";
import { ERRORS } from "#lib/core/errors.ts";
import { REGISTER_REDIRECT_MS, RESET_REDIRECT_MS } from "#lib/features/identity/constants.ts";
import { type Answers, answerCalls, failWith, pendingResponse } from "#tests/support/component/calls.ts";
import { render } from "#tests/support/component/render.tsx";
import { visited } from "#tests/support/component/router.ts";
import { holdTimers } from "#tests/support/component/timers.ts";

const REGISTER = "POST /api/users/register/";
const LOGIN = "POST /api/users/login/";
const PASSKEY_OPTIONS = "POST /api/auth/passkey/options/";
const RESET = "POST /api/users/password-reset/";
const CONFIRM = "POST /api/users/password-reset-confirm/";
const STRONG = "Ever green 2026!";
const FERN: Record<string, string> = {
  "First name": "Fern",
  "Last name": "Hollow",
  Username: "fern",
  Email: "fern@example.com",
  Password: "correct horse 1",
  "Confirm password": "correct horse 1",
};

/** From now on the test controls the page's timers. */
describe("register", () => {
  const open = async (answers: Answers = {}) => {
    const calls = answerCalls(answers);
    const screen = await render(<RegisterForm>Terms</RegisterForm>, "/register");
    const fill = async () => {
      for (const [label, value] of Object.entries(FERN))
        await screen.getByLabelText(label, { exact: true }).fill(value);
    };
    return {
      screen,
      calls,
      fill,
      send: screen.getByRole("button", { name: "Create account" }),
      notice: screen.getByTestId("notice"),
    };
  };

  test("R-REG-01, R-REG-02, R-REG-04, R-REG-05, R-REG-06, R-REG-08, R-REG-10, R-REG-12 an empty form shows an error at every field and sends nothing", async () => {
    const { screen, calls, send, notice } = await open();
    await send.click();
    await expect.element(notice).toMatchTextContent("Please fix the form errors before submitting.");
    for (const text of [
      "Username is required",
      "First name is required",
      "Last name is required",
      "Email is required",
      "Password is required",
      "Please confirm your password",
    ]) {
      await expect.element(screen.getByText(text, { exact: true })).toBeVisible();
    }
    expect(calls.to(REGISTER)).toEqual([]);
  });

  test("R-NOTE-01, R-NOTE-02, R-TIME-02 the notice is titled in French and closes after 3 seconds", async () => {
    const { send, notice } = await open();
    holdTimers();
    await send.click();
    await expect.element(notice.getByText("Erreur!")).toHaveAttribute("lang", "fr");
    await vi.advanceTimersByTimeAsync(NOTICE_MS - 1);
    await expect.element(notice).toBeVisible();
    await vi.advanceTimersByTimeAsync(1);
    await expect.element(notice).not.toBeInTheDocument();
  });

  test("R-REG-14, R-REG-15, R-TIME-03 success shows the server's message, disables the fields and redirects after 3 seconds", async () => {
    const { screen, fill, send, notice } = await open({
      [REGISTER]: { message: "Registration successful, please verify your email." },
    });
    await fill();
    holdTimers();
    await send.click();
    await expect.element(notice).toMatchTextContent("Registration successful, please verify your email.");
    await expect.element(notice.getByText("Succès!")).toBeVisible();
    await expect.element(screen.getByLabelText("Email")).toBeDisabled();
    await vi.advanceTimersByTimeAsync(REGISTER_REDIRECT_MS - 1);
    expect(visited()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(visited().map(({ href }) => href)).toEqual(["/login"]);
  });

  test("R-REG-15, R-TIME-03 does not redirect after the screen was left", async () => {
    const { screen, fill, send, notice } = await open({ [REGISTER]: { message: "" } });
    await fill();
    holdTimers();
    await send.click();
    await expect.element(notice).toBeVisible();
    await screen.unmount();
    await vi.advanceTimersByTimeAsync(2 * REGISTER_REDIRECT_MS);
    expect(visited()).toEqual([]);
  });

  test.each([
    [
      "R-REG-16 the server's field errors, joined as 'field: first message'",
      failWith(400, {
        username: ["This username is already taken"],
        email: ["An account with this email already exists", "x"],
      }),
      "username: This username is already taken, email: An account with this email already exists",
    ],
    ["R-REG-16, R-ERR-01 the literal fallback", failWith(500), "Registration failed"],
    ["R-REG-14, R-ERR-02 a success without a message", failWith(201, {}), " please verify your email."],
  ])("%s", async (_, answer, text) => {
    const { fill, send, notice } = await open({ [REGISTER]: answer });
    await fill();
    await send.click();
    await expect.poll(() => notice.element().querySelector("p:last-of-type")?.textContent).toBe(text);
  });
});

describe("log in", () => {
  const open = async (answers: Answers = {}, path = "/login") => {
    const calls = answerCalls({ [PASSKEY_OPTIONS]: failWith(503), ...answers });
    const screen = await render(<LoginForm />, path);
    const email = screen.getByLabelText("Email");
    const password = screen.getByLabelText("Password", { exact: true });
    return {
      screen,
      calls,
      email,
      password,
      send: screen.getByRole("button", { name: "Sign in", exact: true }),
      notice: screen.getByTestId("notice"),
    };
  };

  test("R-LOGIN-01, R-LOGIN-03, R-ROUTE-03 empty fields send nothing", async () => {
    const { calls, email, send, notice } = await open();
    await send.click();
    await expect.element(notice).toMatchTextContent("Please fill in all required fields.");
    await email.fill("a@example.com");
    await send.click();
    await expect.element(notice).toMatchTextContent("Please fill in all required fields.");
    expect(calls.to(LOGIN)).toEqual([]);
  });

  test("R-LOGIN-02, A-44 remember me changes neither the request nor what is stored", async () => {
    const seen: unknown[] = [];
    for (const isRemembered of [false, true]) {
      localStorage.clear();
      const { screen, calls, email, password, send } = await open({ [LOGIN]: { accessToken: "token.1" } });
      await email.fill("fern@example.com");
      await password.fill("correct horse 1");
      if (isRemembered) await screen.getByRole("checkbox", { name: /Remember me/ }).click();
      await send.click();
      await expect.poll(() => visited().map(({ href }) => href)).toContain("/app");
      seen.push([calls.to(LOGIN).map(({ body }) => body), Object.entries(localStorage).toSorted()]);
      await screen.unmount();
    }
    expect(seen[1]).toEqual(seen[0]);
    expect(JSON.stringify(seen[0])).toContain("token.1");
  });

  test.each([
    [
      "R-LOGIN-06, A-38 a wrong password",
      failWith(401, { error: "Invalid email or password." }),
      "Invalid email or password.",
    ],
    ["R-ERR-03 a server without words", failWith(502), "An error occurred"],
    [
      "a server that checks too many passwords",
      failWith(503, { error: ERRORS.busy.text, message: ERRORS.busy.text, code: "busy", request_id: "req_1" }),
      "We're very busy right now. Please try again in a few seconds.",
    ],
  ])("%s shows an error and does not count as an expired session", async (_, answer, text) => {
    const { email, password, send, notice } = await open({ [LOGIN]: answer });
    await email.fill("nobody@example.com");
    await password.fill("wrong horse 1");
    await send.click();
    await expect.element(notice).toMatchTextContent(text);
    expect(visited()).toEqual([]);
  });

  test("R-LOGIN-08, A-45 shows a success text from the URL as plain text and clears it", async () => {
    const { notice } = await open({}, "/login?success=%3Cb%3EWell%20done%3C%2Fb%3E");
    await expect.element(notice).toMatchTextContent("<b>Well done</b>");
    await expect.poll(() => location.search).toBe("");
  });
});

describe("a forgotten password", () => {
  const sentText = "If an account exists with fern@example.com, you will receive password reset instructions.";

  test("R-FPW-01, R-FPW-06, R-ERR-21 shows errors at the field, keeps values and sends nothing twice", async () => {
    const calls = answerCalls({});
    const screen = await render(<ForgotPasswordForm />, "/forgot-password");
    const email = screen.getByLabelText("Email");
    const send = screen.getByRole("button", { name: "Send reset link" });
    await send.click();
    await expect.element(screen.getByText("Email is required", { exact: true })).toBeVisible();
    await expect.element(email).toHaveFocus();
    await expect.element(screen.getByTestId("form-summary")).toHaveTextContent("Please check: Email.");
    await email.fill("<script>alert(1)</script>");
    await expect.element(screen.getByText("Invalid email format", { exact: true })).toBeVisible();
    expect(calls.to(RESET)).toEqual([]);

    await email.fill("fern@example.com");
    calls.set({ [RESET]: failWith(500) });
    await send.click();
    await expect.element(screen.getByText("Unable to send reset link. Please try again later.")).toBeVisible();
    await expect.element(email).toHaveValue("fern@example.com");
    calls.set({ [RESET]: failWith(500, { error: "Broken for a test." }) });
    await send.click();
    await expect.element(screen.getByText("Broken for a test.")).toBeVisible();

    const held = pendingResponse();
    calls.set({ [RESET]: held.hold });
    await send.click();
    await expect.element(email).toBeDisabled();
    await userEvent.keyboard("{Enter}");
    expect(held.count()).toBe(1);
    held.answer({ message: "ok" });
    await expect.element(screen.getByText(sentText, { exact: true })).toBeVisible();
    await expect.element(screen.getByRole("heading", { name: "Check your email" })).toHaveFocus();
  });

  test.each([false, true])(
    "R-RPW-07, R-RPW-08, R-TIME-05 redirects 2 seconds after the reset, unless the screen was left (%s)",
    async (isLeft) => {
      const calls = answerCalls({ [CONFIRM]: { message: "" } });
      const screen = await render(<ResetPasswordForm token="a-token" />, "/reset-password/a-token");
      await screen.getByLabelText("New password", { exact: true }).fill(STRONG);
      await screen.getByLabelText("Confirm new password").fill(STRONG);
      holdTimers();
      await screen.getByRole("button", { name: "Change password" }).click();
      await expect.element(screen.getByRole("heading", { name: "Your password has been changed" })).toHaveFocus();
      expect(calls.to(CONFIRM).map(({ body }) => body)).toEqual([{ token: "a-token", new_password: STRONG }]);
      // Waiting for the heading moves the timers a little.
      await vi.advanceTimersByTimeAsync(RESET_REDIRECT_MS - 500);
      expect(visited()).toEqual([]);
      if (isLeft) await screen.unmount();
      await vi.advanceTimersByTimeAsync(500);
      expect(visited().map(({ href }) => href)).toEqual(isLeft ? [] : ["/login"]);
    },
  );

  test("R-RPW-02, R-RPW-03, R-RPW-04, R-RPW-06, R-ERR-22 checks off the rules and does not send weak or different passwords", async () => {
    const calls = answerCalls({});
    const screen = await render(<ResetPasswordForm token="a-token" />, "/reset-password/a-token");
    const [first, second] = [
      screen.getByLabelText("New password", { exact: true }),
      screen.getByLabelText("Confirm new password"),
    ];
    const send = screen.getByRole("button", { name: "Change password" });
    const rules = screen.getByRole("list", { name: "Password requirements" }).getByRole("listitem");
    expect(rules.elements()).toHaveLength(5);
    for (const weak of ["Aa1!aaa", "aaaaaaa1!", "AAAAAAA1!", "Aaaaaaaa!", "Aaaaaaaa1"]) {
      await first.fill(weak);
      await second.fill(weak);
      await send.click();
      await expect
        .element(screen.getByText("Please ensure your password meets all requirements.", { exact: true }))
        .toBeVisible();
      expect(rules.filter({ hasText: "(missing)" }).elements()).toHaveLength(1);
    }
    await first.fill(STRONG);
    await send.click();
    await expect.element(screen.getByText("Passwords do not match.", { exact: true })).toBeVisible();
    expect(rules.filter({ hasText: "(done)" }).elements()).toHaveLength(5);
    expect(calls.to(CONFIRM)).toEqual([]);
  });
});

describe("the app", () => {
  test.each([
    ["the server's message", failWith(500, { error: "Broken for a test." }), "Broken for a test."],
    ["the fallback", failWith(500), "Authentication failed. Please login again."],
  ])(
    "R-AUTH-05, R-ERR-06 another failure of the check shows %s and redirects to the login",
    async (_, answer, text) => {
      answerCalls({ "GET /api/users/checkAuth/": answer });
      setToken("component.token");
      const screen = await render(<Protected>Inside</Protected>, "/app");
      await expect.element(screen.getByTestId("notice")).toMatchTextContent(text);
      await expect.poll(() => visited().map(({ href }) => href)).toContain("/login");
      expect(localStorage.getItem("accessToken")).toBe("component.token");
    },
  );

  test("after a login without scripts, the token of another user is neither sent nor kept", async () => {
    const calls = answerCalls({
      "PUT /api/auth/exchange/": { accessToken: "of.the.cookie" },
      "GET /api/users/checkAuth/": { authenticated: true },
    });
    setToken("of.another.user");
    // biome-ignore lint/suspicious/noDocumentCookie: as the server sets it
    document.cookie = "formlogin=1; Path=/";
    const screen = await render(<Protected>Inside</Protected>, "/app");
    await expect.poll(() => screen.container.querySelector("[data-auth=authenticated]")).not.toBeNull();
    expect(calls.to("PUT /api/auth/exchange/")[0]?.headers.get("authorization")).toBeNull();
    expect(calls.to("GET /api/users/checkAuth/")[0]?.headers.get("authorization")).toBe("Bearer of.the.cookie");
    expect([localStorage.getItem("accessToken"), document.cookie]).toEqual([
      "of.the.cookie",
      expect.not.stringContaining("formlogin"),
    ]);
  });

  test("a call that is refused because another tab signed in keeps that tab's token", async () => {
    const answers: Answers = {
      "POST /api/auth/exchange/": () => {
        setToken("of.another.tab");
        return failWith(401)();
      },
    };
    answerCalls(answers);
    setToken("of.this.tab");
    await expect(exchangeToken(new AbortController().signal)).rejects.toMatchObject({ status: 401, isOutdated: true });
    expect(localStorage.getItem("accessToken")).toBe("of.another.tab");
    answerCalls({ "POST /api/auth/exchange/": failWith(401) });
    await expect(exchangeToken(new AbortController().signal)).rejects.toMatchObject({ isOutdated: false });
    expect(localStorage.getItem("accessToken")).toBeNull();
  });

  test("A-10 the banner resends the verification email and shows the result", async () => {
    const calls = answerCalls({
      "POST /api/users/verify-email/resend/": { message: "We sent you a link less than a minute ago." },
    });
    const screen = await render(<VerifyBanner email="fern@example.com" />, "/app");
    await screen.getByRole("button", { name: "Resend email" }).click();
    await expect.element(screen.getByText("We sent you a link less than a minute ago.")).toBeVisible();
    calls.set({ "POST /api/users/verify-email/resend/": failWith(500) });
    await screen.getByRole("button", { name: "Resend email" }).click();
    await expect.element(screen.getByText("We couldn't send the email. Please try again.")).toBeVisible();
  });

  test("the banner can be put away until the tab is closed, for this address", async () => {
    const first = await render(<VerifyBanner email="fern@example.com" />, "/app");
    await first.getByRole("button", { name: "Hide until I close this tab" }).click();
    await expect.element(first.getByRole("button", { name: "Resend email" })).not.toBeInTheDocument();
    await first.unmount();
    const again = await render(<VerifyBanner email="fern@example.com" />, "/app");
    await expect.element(again.getByRole("button", { name: "Resend email" })).not.toBeInTheDocument();
    await again.unmount();
    const other = await render(<VerifyBanner email="moss@example.com" />, "/app");
    await expect.element(other.getByRole("button", { name: "Resend email" })).toBeVisible();
  });
});
