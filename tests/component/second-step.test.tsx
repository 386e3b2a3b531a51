import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ConfirmIdentity } from "#components/identity/confirm-identity.tsx";
import { LoginForm } from "#components/identity/login-form.tsx";
import { VerifyForm } from "#components/identity/verify-form.tsx";
import { PasskeysSetting, type PasskeyView } from "#components/settings/passkey-settings.tsx";
import { TwoStepSetting, type TwoStepView } from "#components/settings/two-step-settings.tsx";
import { ERRORS } from "#lib/core/errors.ts";
import { PASSKEYS_MAX } from "#lib/features/sign-in/constants.ts";
import { type Answers, answerCalls, failWith } from "#tests/support/component/calls.ts";
import { catchDownloads } from "#tests/support/component/downloads.ts";
import { render, renderScreen } from "#tests/support/component/render.tsx";
import { visited } from "#tests/support/component/router.ts";

const VERIFY = "POST /api/users/login/verify/";
const ZONE = "Asia/Kathmandu";
const AT = "2026-11-20T10:00:00.000Z";
const CODES = Array.from({ length: 10 }, (_, n) => `1234 5678 900${n}`);

const refusal = (code: string, text: string, more: object = {}) => ({ error: text, message: text, code, ...more });

describe("the second step of a sign-in", () => {
  const open = async (answers: Answers = {}) => {
    const calls = answerCalls(answers);
    const screen = await render(<VerifyForm />, "/login/verify?next=%2Fapp%2Fbrand");
    const code = screen.getByLabelText("Code");
    return { screen, calls, code, send: screen.getByRole("button", { name: "Continue" }) };
  };

  test("a right password leads to the page for the code and keeps the page to open", async () => {
    const { text } = ERRORS.second_step_required;
    answerCalls({
      "POST /api/auth/passkey/options/": failWith(503),
      "POST /api/users/login/": failWith(401, refusal("second_step_required", text, { challenge: "x" })),
    });
    const screen = await render(<LoginForm />, "/login?next=%2Fapp%2Fbrand");
    await screen.getByLabelText("Email").fill("fern@example.com");
    await screen.getByLabelText("Password", { exact: true }).fill("correct horse 1");
    await screen.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect.poll(() => visited().map(({ href }) => href)).toEqual(["/login/verify?next=%2Fapp%2Fbrand"]);
    expect(localStorage.getItem("accessToken")).toBeNull();
  });

  test("what can't be a code is not sent; spaces and hyphens are fine; the code opens the app", async () => {
    const { screen, calls, code, send } = await open({ [VERIFY]: { accessToken: "token.1" } });
    await expect.element(code).toHaveAttribute("autocomplete", "one-time-code");
    await expect.element(code).toHaveAttribute("inputmode", "numeric");
    for (const wrong of ["", "12345", "abcdef", "1234567"]) {
      await code.fill(wrong);
      await send.click();
      await expect
        .element(screen.getByText(/Enter the 6 digits from your app, or a 12-digit recovery code/))
        .toBeVisible();
    }
    expect(calls.to(VERIFY)).toEqual([]);
    await code.fill("1234-5678 9012");
    await send.click();
    await expect.poll(() => visited().map(({ href }) => href)).toEqual(["/app/brand"]);
    expect(calls.to(VERIFY).map(({ body }) => body)).toEqual([{ code: "1234-5678 9012" }]);
    expect(localStorage.getItem("accessToken")).toBe("token.1");
  });

  test("a wrong code is shown at the field, an expired sign-in above the form", async () => {
    const text = "That code isn't right.";
    const { screen, calls, code, send } = await open({
      [VERIFY]: failWith(400, refusal("invalid", text, { fields: { code: [text] } })),
    });
    await code.fill("123456");
    await send.click();
    await expect.element(code).toHaveAccessibleDescription(text);
    await expect.element(code).toHaveFocus();
    expect(screen.getByRole("alert").elements()).toEqual([]);
    calls.set({ [VERIFY]: failWith(401, refusal("unauthenticated", "This sign-in has expired. Please start over.")) });
    await send.click();
    await expect.element(screen.getByRole("alert")).toMatchTextContent("This sign-in has expired. Please start over.");
    await expect
      .element(screen.getByRole("link", { name: "Start over" }))
      .toHaveAttribute("href", "/login?next=%2Fapp%2Fbrand");
    expect(visited()).toEqual([]);
  });
});

describe("signing in with a passkey", () => {
  const OPTIONS = "POST /api/auth/passkey/options/";
  const PASSKEY = "POST /api/auth/passkey/";
  const bytes = new Uint8Array([1, 2, 3]).buffer;
  const credential = {
    id: "AQID",
    rawId: bytes,
    type: "public-key",
    response: { clientDataJSON: bytes, authenticatorData: bytes, signature: bytes, userHandle: bytes },
    getClientExtensionResults: () => ({}),
  };

  /** `offered` and `pressed`: what the browser does for the email field and for the button. */
  const open = async (browser: Record<"offered" | "pressed", () => Promise<unknown>>, answers: Answers = {}) => {
    const available = vi.spyOn(PublicKeyCredential, "isConditionalMediationAvailable").mockResolvedValue(true);
    const get = vi
      .spyOn(navigator.credentials, "get")
      // Only the members that the library reads.
      .mockImplementation(
        (options) => browser[options?.mediation === "conditional" ? "offered" : "pressed"]() as Promise<Credential>,
      );
    onTestFinished(() => {
      available.mockRestore();
      get.mockRestore();
    });
    const calls = answerCalls({
      [OPTIONS]: { token: "t", options: { challenge: "AQID", rpId: "localhost" } },
      ...answers,
    });
    const screen = await render(<LoginForm />, "/login?next=%2Fapp%2Fbrand");
    const press = () => screen.getByRole("button", { name: "Sign in with a passkey" }).click();
    return { screen, calls, get, press, notice: screen.getByTestId("notice") };
  };
  const fail = (name: string) => async () => {
    throw new DOMException("Refused for a test.", name);
  };
  const wait = () => new Promise(() => {});

  test("a passkey picked in the email field opens the page to open", async () => {
    const { calls } = await open(
      { offered: async () => credential, pressed: wait },
      { [PASSKEY]: { accessToken: "token.2" } },
    );
    await expect.poll(() => visited().map(({ href }) => href)).toEqual(["/app/brand"]);
    expect(localStorage.getItem("accessToken")).toBe("token.2");
    expect(calls.to(PASSKEY)[0]?.body).toMatchObject({ token: "t", response: { id: "AQID", type: "public-key" } });
  });

  test("a browser that can't offer passkeys says nothing; what the button meets is shown", async () => {
    const { press, notice, get } = await open({ offered: fail("NotSupportedError"), pressed: fail("NotAllowedError") });
    await expect.poll(() => get.mock.calls.length).toBe(1);
    await press();
    await expect.element(notice).toMatchTextContent("No passkey was used. Try again, or use another method.");
    await expect.poll(() => get.mock.calls.length).toBe(2);
    expect(visited()).toEqual([]);
  });

  test("the server's refusal is shown", async () => {
    const text = "We couldn't sign you in with this passkey.";
    const { press, notice } = await open(
      { offered: wait, pressed: async () => credential },
      { [PASSKEY]: failWith(401, refusal("wrong_login", text)) },
    );
    await press();
    await expect.element(notice).toMatchTextContent(text);
    expect(localStorage.getItem("accessToken")).toBeNull();
  });
});

describe("two-step sign-in in Settings", () => {
  const off: TwoStepView = { onSince: null, recoveryCodesLeft: 0 };
  const open = (state: TwoStepView, answers: Answers) =>
    renderScreen(
      <ConfirmIdentity methods={["password"]}>
        <TwoStepSetting state={state} timeZone={ZONE} />
      </ConfirmIdentity>,
      { path: "/app/settings", answers },
    );
  const setup = { secret: "JBSW Y3DP", uri: "otpauth://totp/x", qr: { size: 25, path: "M0 0h1v1h-1z" } };

  test("shows a QR code and the key, keeps the dialog open after a wrong code, then shows the recovery codes once", async () => {
    const text = "That code isn't right.";
    const { screen, calls } = await open(off, {
      "ACTION setUpAuthenticatorAction": { ok: true, value: setup },
      "ACTION enableAuthenticatorAction": { ok: false, code: "invalid", text, fields: { code: [text] } },
    });
    await screen.getByRole("button", { name: "Set up" }).click();
    const dialog = screen.getByRole("dialog");
    await expect.element(dialog.getByRole("img", { name: "QR code with the setup key below" })).toBeVisible();
    await expect.element(dialog.getByText("JBSW Y3DP")).toBeVisible();
    const code = dialog.getByLabelText("Code from your app");
    await code.fill("12345678 9012");
    await dialog.getByRole("button", { name: "Turn on" }).click();
    await expect.element(dialog.getByText("Enter the 6 digits from your app")).toBeVisible();
    expect(calls.to("ACTION enableAuthenticatorAction")).toEqual([]);
    await code.fill("123 456");
    await dialog.getByRole("button", { name: "Turn on" }).click();
    await expect.element(code).toHaveAccessibleDescription(text);
    calls.set({ "ACTION enableAuthenticatorAction": { ok: true, value: { recoveryCodes: CODES } } });
    await dialog.getByRole("button", { name: "Turn on" }).click();
    const list = screen.getByRole("list", { name: "Recovery codes" });
    await expect.element(list).toBeVisible();
    expect(
      list
        .getByRole("listitem")
        .elements()
        .map((item) => item.textContent),
    ).toEqual(CODES);
    const file = await catchDownloads().next(() => screen.getByRole("button", { name: "Download" }).click());
    expect([file.name, file.text]).toEqual(["recovery-codes.txt", `${CODES.join("\n")}\n`]);
    await screen.getByRole("button", { name: "I've saved them" }).click();
    await expect.element(list).not.toBeInTheDocument();
  });

  test("a setup that is refused says why", async () => {
    const text = "Two-step sign-in is already on.";
    const { screen } = await open(off, {
      "ACTION setUpAuthenticatorAction": { ok: false, code: "wrong_state", text },
    });
    await screen.getByRole("button", { name: "Set up" }).click();
    await expect.element(screen.getByText(text)).toBeVisible();
    expect(screen.getByRole("dialog").elements()).toEqual([]);
  });

  test("warns of few recovery codes; new ones and turning off need a confirmation", async () => {
    const { screen, calls } = await open(
      { onSince: AT, recoveryCodesLeft: 2 },
      {
        "ACTION createRecoveryCodesAction": { ok: true, value: { recoveryCodes: CODES } },
        "ACTION disableAuthenticatorAction": { ok: true, value: null },
      },
    );
    await expect.element(screen.getByText(/2 of 10 recovery codes left\./)).toBeVisible();
    await expect.element(screen.getByText(/You're running out of recovery codes/)).toBeVisible();
    await screen.getByRole("button", { name: "Create new recovery codes" }).click();
    const dialog = screen.getByRole("dialog");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(calls.to("ACTION createRecoveryCodesAction")).toEqual([]);
    await screen.getByRole("button", { name: "Create new recovery codes" }).click();
    await dialog.getByRole("button", { name: "Create codes" }).click();
    await expect.element(screen.getByRole("list", { name: "Recovery codes" })).toBeVisible();
    await screen.getByRole("button", { name: "I've saved them" }).click();
    await screen.getByRole("button", { name: "Turn off" }).click();
    expect(calls.to("ACTION disableAuthenticatorAction")).toEqual([]);
    await dialog.getByRole("button", { name: "Turn off" }).click();
    await expect.element(screen.getByText("Two-step sign-in is off")).toBeVisible();
  });
});

describe("passkeys in Settings", () => {
  const passkey = (n: number): PasskeyView => ({ id: `psk_${n}`, name: `Phone ${n}`, createdAt: AT, lastUsedAt: null });
  const open = (passkeys: PasskeyView[], answers: Answers = {}) =>
    renderScreen(
      <ConfirmIdentity methods={["password"]}>
        <PasskeysSetting passkeys={passkeys} device="Firefox on Linux" timeZone={ZONE} />
      </ConfirmIdentity>,
      {
        path: "/app/settings",
        answers,
      },
    );

  test("a new one is named after this device; what refuses it is shown in the dialog", async () => {
    const { text } = ERRORS.too_many;
    const { screen } = await open([], { "ACTION requestNewPasskeyAction": { ok: false, code: "too_many", text } });
    await screen.getByRole("button", { name: "Add a passkey" }).click();
    const dialog = screen.getByRole("dialog");
    const name = dialog.getByLabelText("Name");
    await expect.element(name).toHaveValue("Firefox on Linux");
    await name.fill(" ");
    await dialog.getByRole("button", { name: "Create passkey" }).click();
    await expect.element(dialog.getByText("Enter a name", { exact: true })).toBeVisible();
    await name.fill("My laptop");
    await dialog.getByRole("button", { name: "Create passkey" }).click();
    await expect.element(dialog.getByRole("alert")).toMatchTextContent(text);
  });

  test("renames and removes the right one", async () => {
    const { screen, calls } = await open([passkey(1), passkey(2)], {
      "ACTION renamePasskeyAction": { ok: true, value: null },
      "ACTION removePasskeyAction": { ok: false, code: "not_found", text: ERRORS.not_found.text },
    });
    await screen.getByRole("button", { name: "Rename Phone 2" }).click();
    const dialog = screen.getByRole("dialog");
    await expect.element(dialog.getByLabelText("Name")).toHaveValue("Phone 2");
    await dialog.getByLabelText("Name").fill("Tablet");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await expect.element(screen.getByText("Passkey renamed")).toBeVisible();
    expect(calls.to("ACTION renamePasskeyAction")[0]?.body).toEqual([{ passkeyId: "psk_2", name: "Tablet" }]);
    await screen.getByRole("button", { name: "Remove Phone 1" }).click();
    await expect.element(dialog.getByText("Remove Phone 1?")).toBeVisible();
    await dialog.getByRole("button", { name: "Remove" }).click();
    await expect.element(screen.getByText(ERRORS.not_found.text)).toBeVisible();
    expect(calls.to("ACTION removePasskeyAction")[0]?.body).toEqual([{ passkeyId: "psk_1" }]);
  });

  test("there is no room for an eleventh", async () => {
    const { screen } = await open(Array.from({ length: PASSKEYS_MAX }, (_, n) => passkey(n)));
    await expect.element(screen.getByText("You have 10 passkeys. Remove one to add another.")).toBeVisible();
    expect(screen.getByRole("button", { name: "Add a passkey" }).elements()).toEqual([]);
  });
});
