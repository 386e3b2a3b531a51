import { randomBytes } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import { holdCall } from "./support/hold-call.ts";
import { awaitEmail } from "./support/inbox.ts";
import { test } from "./support/test.ts";

const CALL = "**/api/users/contact/";
const button = (page: Page) => page.getByRole("button", { name: "Send message" });
const fieldsOf = (page: Page) => ["Name", "Email", "Subject", "Message"].map((name) => page.getByLabel(name));

test("R-CONT-01, R-CONT-02, R-CONT-03, R-ENT-14, R-ROUTE-14, R-GEN-06 sends a message once, confirms it without quoting it, and disables the fields meanwhile", async ({
  page,
}) => {
  const email = `fern${randomBytes(5).toString("hex")}@example.com`;
  const values = [
    "<b>Fern</b> & Co",
    email,
    `Subject <i>${email}</i>`,
    "Two lines,\n<script>alert(1)</script> and more.",
  ];
  await page.goto("/contact-us");
  const main = page.getByRole("main");
  await expect(main.getByText("Mon-Fri 9AM-5PM GMT")).toBeVisible();
  await expect(main.getByText("within 24 hours")).toBeVisible();
  const fields = fieldsOf(page);
  await expect(page.getByLabel("Email")).toHaveAttribute("type", "email");
  for (const [index, field] of fields.entries()) {
    await expect(field).toHaveAttribute("required");
    await field.fill(values[index] ?? "");
  }
  const held = await holdCall(page, CALL);
  await button(page).click();
  for (const field of fields) await expect(field).toBeDisabled();
  await button(page).click({ force: true });
  await expect.poll(held.count).toBe(1);
  held.release();
  await expect(page.getByRole("heading", { name: "Your message is on its way" })).toBeFocused();
  expect(held.count()).toBe(1);

  const receipt = await awaitEmail(page, email, ({ subject }) => subject.startsWith("We received your message"));
  expect(`${receipt.text}${receipt.html}`).not.toMatch(/Fern|alert|Two lines/);
  await page.getByRole("button", { name: "Send another message" }).click();
  await expect(page.getByLabel("Name")).toBeFocused();
  for (const field of fieldsOf(page)) await expect(field).toHaveValue("");
});
