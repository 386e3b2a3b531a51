import { afterEach, describe, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { ConfirmIdentity } from "#components/identity/confirm-identity.tsx";
import { DeleteSetting, EmailSetting } from "#components/settings/account-settings.tsx";
import { PasswordSetting } from "#components/settings/login-settings.tsx";
import { SecurityActivity, type SecurityEventView } from "#components/settings/security-activity.tsx";
import { api } from "#lib/client/api.ts";
import { getToken, setToken } from "#lib/client/browser-storage.ts";
import type { ConfirmationMethod } from "#lib/features/sign-in/constants.ts";
import { type Answers, answerCalls, failWith, pendingResponse } from "#tests/support/component/calls.ts";
import { render } from "#tests/support/component/render.tsx";
import { holdTimers } from "#tests/support/component/timers.ts";

const CHANGE = "ACTION requestEmailChangeAction";
const CONFIRM = "ACTION confirmByPasswordAction";
const REFUSED = { ok: false, code: "confirm_identity", text: "Please confirm that it's you to continue." };
const WRONG = {
  ok: false,
  code: "invalid",
  text: "Wrong.",
  fields: { password: ["That isn't your current password"] },
};
const EMAIL = "fern@example.org";

/** Asks until the confirmation was answered with success. */
const answersOf = (action: string, value: unknown): Answers => {
  let isConfirmed = false;
  return {
    [action]: () => (isConfirmed ? { ok: true, value } : REFUSED),
    [CONFIRM]: ({ body }) => {
      isConfirmed = JSON.stringify(body).includes("right");
      return isConfirmed ? { ok: true } : WRONG;
    },
  };
};

const openEmail = async (methods: readonly ConfirmationMethod[] = ["password"]) => {
  const screen = await render(
    <ConfirmIdentity methods={methods}>
      <EmailSetting email="old@example.org" isVerified pendingEmail={null} />
    </ConfirmIdentity>,
    "/app/settings",
  );
  await screen.getByRole("button", { name: "Change email" }).click();
  await screen.getByLabelText("New email").fill(EMAIL);
  await screen.getByRole("button", { name: "Send link" }).click();
  return { screen, confirm: screen.getByRole("dialog", { name: "Confirm that it's you" }) };
};

describe("an action that asks for a confirmation", () => {
  test("runs again after the right password, with what was typed", async () => {
    const calls = answerCalls(answersOf(CHANGE, { email: EMAIL }));
    const { screen, confirm } = await openEmail();
    const password = confirm.getByLabelText("Password", { exact: true });
    await expect.element(password).toBeVisible();
    await confirm.getByRole("button", { name: "Confirm" }).click();
    await expect.element(confirm.getByText("Enter your password")).toBeVisible();
    expect(calls.to(CONFIRM)).toEqual([]);
    await password.fill("not it");
    await confirm.getByRole("button", { name: "Confirm" }).click();
    await expect.element(confirm.getByText("That isn't your current password")).toBeVisible();
    await expect.element(password).toHaveFocus();
    await password.fill("the right one");
    await userEvent.keyboard("{Enter}");
    await expect.element(confirm).not.toBeInTheDocument();
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument();
    expect(calls.to(CHANGE).map(({ body }) => body)).toEqual([[{ email: EMAIL }], [{ email: EMAIL }]]);
    expect(calls.to(CONFIRM).map(({ body }) => body)).toEqual([
      [{ password: "not it" }],
      [{ password: "the right one" }],
    ]);
  });

  test.each(["Cancel", "Escape"])("%s keeps what was typed and changes nothing", async (way) => {
    const calls = answerCalls(answersOf(CHANGE, { email: EMAIL }));
    const { screen, confirm } = await openEmail();
    await expect.element(confirm).toBeVisible();
    if (way === "Escape") await userEvent.keyboard("{Escape}");
    else await confirm.getByRole("button", { name: "Cancel" }).click();
    await expect.element(confirm).not.toBeInTheDocument();
    await expect.element(screen.getByLabelText("New email")).toHaveValue(EMAIL);
    await expect.element(screen.getByRole("button", { name: "Send link" })).toHaveFocus();
    await expect.element(screen.getByText(REFUSED.text)).not.toBeInTheDocument();
    expect(calls.to(CHANGE)).toHaveLength(1);
    // It can be sent again.
    await screen.getByRole("button", { name: "Send link" }).click();
    await expect.element(confirm).toBeVisible();
  });

  test("within ten minutes of signing in asks nothing", async () => {
    const calls = answerCalls({ [CHANGE]: { ok: true, value: { email: EMAIL } } });
    const { screen } = await openEmail();
    await expect.element(screen.getByRole("dialog")).not.toBeInTheDocument();
    expect(calls.to(CHANGE)).toHaveLength(1);
  });

  test("without a method that works here leads to signing in again", async () => {
    answerCalls({ [CHANGE]: REFUSED });
    const { confirm } = await openEmail([]);
    await expect.element(confirm.getByText("To confirm that it's you, sign out and sign in again.")).toBeVisible();
    await expect.element(confirm.getByRole("button", { name: "Sign out" })).toBeVisible();
    await confirm.getByRole("button", { name: "Cancel" }).click();
    await expect.element(confirm).not.toBeInTheDocument();
  });

  test("offers other methods next to the quickest one", async () => {
    const calls = answerCalls({
      [CHANGE]: REFUSED,
      "ACTION confirmWithCodeAction": { ok: true },
    });
    const { confirm } = await openEmail(["passkey", "password", "code"]);
    await expect.element(confirm.getByText(/Your browser will ask for your fingerprint/)).toBeVisible();
    await confirm.getByRole("button", { name: "Use your password" }).click();
    await expect.element(confirm.getByLabelText("Password", { exact: true })).toBeVisible();
    await confirm.getByRole("button", { name: "Use a code" }).click();
    await confirm.getByLabelText("Code", { exact: true }).fill("123");
    await confirm.getByRole("button", { name: "Confirm" }).click();
    expect(calls.to("ACTION confirmWithCodeAction")).toEqual([]);
    await confirm.getByLabelText("Code", { exact: true }).fill("123 456");
    await confirm.getByRole("button", { name: "Confirm" }).click();
    await expect.element(confirm).not.toBeInTheDocument();
    expect(calls.to(CHANGE)).toHaveLength(2);
  });

  test("a changed password stores the new access token", async () => {
    answerCalls(answersOf("ACTION changePasswordAction", { endedLogins: 1, accessToken: "after.the.change" }));
    setToken("before.the.change");
    const screen = await render(
      <ConfirmIdentity methods={["password"]}>
        <PasswordSetting />
      </ConfirmIdentity>,
      "/app/settings",
    );
    await screen.getByRole("button", { name: "Change password" }).click();
    const form = screen.getByRole("form", { name: "Change password" });
    await form.getByLabelText("New password", { exact: true }).fill("Fresh-Moss-42!");
    await form.getByLabelText("Confirm new password", { exact: true }).fill("Fresh-Moss-42!");
    await form.getByRole("button", { name: "Change password" }).click();
    const confirm = screen.getByRole("dialog", { name: "Confirm that it's you" });
    await confirm.getByLabelText("Password", { exact: true }).fill("right");
    await confirm.getByRole("button", { name: "Confirm" }).click();
    await expect.element(screen.getByText("Password changed. Signed out of 1 other device.")).toBeVisible();
    expect(getToken()).toBe("after.the.change");
  });

  test("deleting the account asks too, and a cancellation keeps it", async () => {
    const calls = answerCalls(answersOf("ACTION deleteUserAction", null));
    const screen = await render(
      <ConfirmIdentity methods={["password"]}>
        <DeleteSetting hasPlan={false} />
      </ConfirmIdentity>,
      "/app/settings",
    );
    await screen.getByRole("button", { name: "Delete account" }).click();
    await screen.getByRole("button", { name: "Delete my account" }).click();
    await expect.element(screen.getByRole("dialog", { name: "Confirm that it's you" })).toBeVisible();
    await userEvent.keyboard("{Escape}");
    await expect.element(screen.getByRole("dialog", { name: "Delete your account?" })).toBeVisible();
    expect(calls.to("ACTION deleteUserAction")).toHaveLength(1);
  });
});

describe("the access token", () => {
  const ME = "GET /api/users/me/";
  const RENEW = "PUT /api/auth/exchange/";
  const renewing = () => Response.json({}, { headers: { "x-renew-token": "1" } });
  afterEach(() => vi.useRealTimers());

  test("is exchanged by the cookie when the server says so, once for calls at the same time", async () => {
    const pending = pendingResponse();
    const calls = answerCalls({ [ME]: renewing, [RENEW]: pending.hold });
    setToken("of.yesterday");
    await Promise.all([api.get("/api/users/me/"), api.get("/api/users/me/")]);
    await pending.answer({ accessToken: "of.today" });
    await expect.poll(getToken).toBe("of.today");
    expect(calls.to(RENEW).map(({ headers }) => headers.get("authorization"))).toEqual([null]);
  });

  test("of another tab that signed in meanwhile is kept; a failed exchange is tried again later", async () => {
    const calls = answerCalls({ [ME]: renewing, [RENEW]: failWith(500) });
    setToken("of.yesterday");
    await api.get("/api/users/me/");
    await expect.poll(() => calls.to(RENEW)).toHaveLength(1);
    expect(getToken()).toBe("of.yesterday");
    const pending = pendingResponse();
    calls.set({ [RENEW]: pending.hold });
    await expect
      .poll(async () => {
        await api.get("/api/users/me/");
        return calls.to(RENEW).length;
      })
      .toBe(2);
    setToken("of.another.tab");
    await pending.answer({ accessToken: "of.this.tab" });
    await api.get("/api/users/me/");
    expect(getToken()).toBe("of.another.tab");
  });

  test("from before a new password is given a second for the new one to arrive", async () => {
    const outdated = failWith(401, { error: "Please sign in to continue.", code: "token_outdated" });
    const calls = answerCalls({ [ME]: outdated });
    setToken("before.the.change");
    holdTimers();
    const pass = async () => {
      await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0);
      await vi.advanceTimersByTimeAsync(1_000);
    };
    const call = api.get("/api/users/me/");
    await expect.poll(() => calls.to(ME)).toHaveLength(1);
    setToken("after.the.change");
    calls.set({ [ME]: { username: "fern" } });
    await pass();
    expect(await call).toEqual({ username: "fern" });
    expect(calls.to(ME)[1]?.headers.get("authorization")).toBe("Bearer after.the.change");
    calls.set({ [ME]: outdated });
    const refused = expect(api.get("/api/users/me/")).rejects.toMatchObject({ status: 401 });
    await pass();
    await refused;
  });
});

describe("security activity", () => {
  const event = (n: number, more: Partial<SecurityEventView> = {}): SecurityEventView => ({
    id: `sev_${n}`,
    kind: "signed_in",
    device: "Firefox on Linux",
    network: "203.0.113.0/24",
    detail: "password",
    createdAt: `2026-11-20T10:${String(59 - n).padStart(2, "0")}:00.000Z`,
    ...more,
  });

  test("lists what happened, where, and when in the user's zone; older entries on request", async () => {
    await page.viewport(390, 844);
    const events = [
      event(0, { kind: "email_change_requested", detail: EMAIL }),
      event(1, { kind: "login_ended", detail: "", device: "", network: "" }),
      event(2, { kind: "other_logins_ended", detail: "3" }),
      ...Array.from({ length: 9 }, (_, n) => event(n + 3)),
    ];
    const screen = await render(<SecurityActivity events={events} timeZone="Asia/Kathmandu" />, "/app/settings");
    const rows = screen.getByRole("list", { name: "Security activity" }).getByRole("listitem");
    expect(rows.elements()).toHaveLength(8);
    await expect
      .element(rows.nth(0))
      .toHaveTextContent(`Email change to ${EMAIL} requestedNov 20, 2026, 4:44 PM · Firefox on Linux, 203.0.113.0/24`);
    await expect.element(rows.nth(1)).toHaveTextContent("Signed out of another deviceNov 20, 2026, 4:43 PM");
    await expect.element(rows.nth(2)).toMatchTextContent("Signed out of 3 other devices");
    await expect.element(rows.nth(3)).toMatchTextContent("Signed in with your password");
    await screen.getByRole("button", { name: "Show 4 more" }).click();
    expect(rows.elements()).toHaveLength(12);
  });

  test("without entries says so", async () => {
    const screen = await render(<SecurityActivity events={[]} timeZone="UTC" />, "/app/settings");
    await expect.element(screen.getByText("No activity yet.")).toBeVisible();
  });
});
