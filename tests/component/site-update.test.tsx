import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cleanup } from "vitest-browser-react";
import { ConfirmIdentity } from "#components/identity/confirm-identity.tsx";
import { EmailSetting } from "#components/settings/account-settings.tsx";
import { AfterUpdate } from "#components/shared/after-update.tsx";
import { PasswordField } from "#components/ui/password-field.tsx";
import { RELOAD_EVENT } from "#lib/client/site-update.ts";
import { recordTyping } from "#lib/client/typed-text.ts";
import { answerCalls, failWith } from "#tests/support/component/calls.ts";
import { render } from "#tests/support/component/render.tsx";
import { holdTimers } from "#tests/support/component/timers.ts";

const ACTION = "ACTION requestEmailChangeAction";
const UNKNOWN = failWith(409, null, { "x-nextjs-action-not-found": "1" });
const EMAIL = "fern@example.org";
const PASSWORD = "quiet moss 42";
const RELOADED = "We updated the site, so this page was reloaded. What you typed is still here. Please try again.";

let reloads = 0;
/** The page of a test stays; what would happen to it is counted. */
const stay = (event: Event): void => {
  event.preventDefault();
  reloads += 1;
};
let endRecording = (): void => {};

beforeEach(() => {
  reloads = 0;
  endRecording = recordTyping();
  window.addEventListener(RELOAD_EVENT, stay);
});
afterEach(() => {
  endRecording();
  window.removeEventListener(RELOAD_EVENT, stay);
});

const Notes = ({ text }: { text?: string }) => (
  <label>
    Notes
    <textarea name="notes" defaultValue={text} />
  </label>
);

const openSettings = () =>
  render(
    <>
      <ConfirmIdentity methods={["password"]}>
        <EmailSetting email="old@example.org" isVerified pendingEmail={null} />
      </ConfirmIdentity>
      <PasswordField label="Password" name="password" autoComplete="current-password" />
      <Notes />
      <label>
        Untouched
        <input name="untouched" defaultValue="as before" />
      </label>
      <AfterUpdate />
    </>,
    "/app/settings",
  );

const openDialog = async (screen: Awaited<ReturnType<typeof openSettings>>) => {
  await screen.getByRole("button", { name: "Change email" }).click();
  const dialog = screen.getByRole("dialog");
  return { field: dialog.getByLabelText("New email"), dialog };
};

const sendUnknown = async () => {
  const screen = await openSettings();
  await screen.getByLabelText("Notes").fill("Ask about billing");
  await screen.getByLabelText("Password", { exact: true }).fill(PASSWORD);
  await screen.getByRole("button", { name: "Show password" }).click();
  const { field, dialog } = await openDialog(screen);
  await field.fill(EMAIL);
  await dialog.getByRole("button", { name: "Send link" }).click();
  return dialog;
};

test("an action that the server no longer knows reloads the page once and puts back what was typed, but no password", async () => {
  answerCalls({ [ACTION]: UNKNOWN });
  await sendUnknown();
  await expect.poll(() => reloads).toBe(1);
  const stored = JSON.stringify({ ...sessionStorage });
  expect(stored).toContain(EMAIL);
  expect(stored).toContain("Ask about billing");
  expect(stored).not.toContain(PASSWORD);
  expect(stored).not.toContain("as before");

  await cleanup();
  const again = await openSettings();
  await expect.element(again.getByText(RELOADED)).toBeVisible();
  await expect.element(again.getByLabelText("Notes")).toHaveValue("Ask about billing");
  await expect.element(again.getByLabelText("Password", { exact: true })).toHaveValue("");
  const { field } = await openDialog(again);
  await expect.element(field).toHaveValue(EMAIL);
});

test("a page that was just reloaded and still meets an unknown action says so instead of reloading again", async () => {
  answerCalls({ [ACTION]: UNKNOWN });
  await sendUnknown();
  await expect.poll(() => reloads).toBe(1);
  await cleanup();
  const dialog = await sendUnknown();
  await expect.element(dialog.getByText("We're updating the site. Please try again in a minute.")).toBeVisible();
  expect(reloads).toBe(1);
});

test("text that changed in the meantime is not replaced", async () => {
  answerCalls({ [ACTION]: UNKNOWN });
  await sendUnknown();
  await expect.poll(() => reloads).toBe(1);
  await cleanup();
  const again = await render(
    <>
      <Notes text="Written on another device" />
      <AfterUpdate />
    </>,
    "/app/settings",
  );
  await expect.element(again.getByText(RELOADED)).toBeVisible();
  await expect.element(again.getByRole("textbox")).toHaveValue("Written on another device");
});

test("what was typed on another page is dropped", async () => {
  answerCalls({ [ACTION]: UNKNOWN });
  await sendUnknown();
  await expect.poll(() => reloads).toBe(1);
  await cleanup();
  const other = await render(
    <>
      <Notes />
      <AfterUpdate />
    </>,
    "/app/support",
  );
  await expect.element(other.getByLabelText("Notes")).toHaveValue("");
  expect(sessionStorage.getItem("typedText")).toBeNull();
});

test("a page that stays, because the user chose so, gets its form back", async () => {
  answerCalls({ [ACTION]: UNKNOWN });
  holdTimers();
  const dialog = await sendUnknown();
  await expect.poll(() => reloads).toBe(1);
  await vi.advanceTimersByTimeAsync(5_000);
  await expect.element(dialog.getByText("We're updating the site. Please try again in a minute.")).toBeVisible();
  await expect.element(dialog.getByLabelText("New email")).toBeEnabled();
});
