import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { ContactForm } from "#components/contact/contact-form.tsx";
import { answerCalls, failWith, pendingResponse } from "#tests/support/component/calls.ts";
import { render } from "#tests/support/component/render.tsx";

const CALL = "POST /api/users/contact/";
const FIELDS = ["Name", "Email", "Subject", "Message"];
const VALUES = ["Fern", "fern@example.com", "A pin", "It hangs askew."];

const open = async () => {
  const screen = await render(<ContactForm />, "/contact-us");
  const fields = FIELDS.map((name) => screen.getByLabelText(name));
  const fill = async () => {
    for (const [at, field] of fields.entries()) await field.fill(VALUES[at] ?? "");
  };
  return { screen, fields, fill, send: screen.getByRole("button", { name: "Send message" }) };
};

test("R-CONT-02, R-CONT-03 sends a message once and disables the fields meanwhile", async () => {
  const held = pendingResponse();
  const calls = answerCalls({ [CALL]: held.hold });
  const { screen, fields, fill, send } = await open();
  await fill();
  await send.click();
  for (const field of fields) await expect.element(field).toBeDisabled();
  await userEvent.keyboard("{Enter}");
  await held.answer({ success: true, message: "We have it." });
  await expect.element(screen.getByRole("heading", { name: "Your message is on its way" })).toHaveFocus();
  await expect.element(screen.getByText("We have it.")).toBeVisible();
  expect(calls.to(CALL).map(({ body }) => body)).toEqual([
    { name: "Fern", email: "fern@example.com", subject: "A pin", message: "It hangs askew." },
  ]);
  await screen.getByRole("button", { name: "Send another message" }).click();
  await expect.element(screen.getByLabelText("Name")).toHaveFocus();
  for (const name of FIELDS) await expect.element(screen.getByLabelText(name)).toHaveValue("");
});

test("R-CONT-04 does not send an empty form; fields and summary show the errors", async () => {
  const calls = answerCalls({});
  const { screen, fields, send } = await open();
  await send.click();
  for (const field of fields) await expect.element(field).toHaveAttribute("aria-invalid", "true");
  await expect
    .element(screen.getByTestId("form-summary"))
    .toHaveTextContent("Please check: Name, Email, Subject, Message.");
  await expect.element(screen.getByLabelText("Name")).toHaveFocus();
  expect(calls.to(CALL)).toEqual([]);
});

test.each([
  [
    "at its field",
    failWith(400, { success: false, message: "No.", errors: { subject: "Not this one.", email: "Nor this." } }),
    ["Not this one.", "Nor this."],
  ],
  [
    "as its message",
    failWith(503, { success: false, message: "Closed for a test.", errors: {} }),
    ["Closed for a test."],
  ],
  ["by the fallback", failWith(500), ["An error occurred. Please try again later."]],
])("R-CONT-04, R-ERR-20 a server error shows %s and keeps the input", async (_, answer, texts) => {
  answerCalls({ [CALL]: answer });
  const { screen, fields, fill, send } = await open();
  await fill();
  await send.click();
  for (const text of texts) await expect.element(screen.getByText(text, { exact: true })).toBeVisible();
  for (const [at, field] of fields.entries()) await expect.element(field).toHaveValue(VALUES[at] ?? "");
});
