import { expect, test } from "vitest";
import type { RegenerationWire } from "#lib/features/generation/schema.ts";
import { done, draftsOf, openPins } from "#tests/support/component/pins.tsx";
import { taskWire } from "#tests/support/component/wires.ts";

test("R-SRV-01, R-CONST-01 the cost of a new image is shown first, and keeping the current image sends nothing", async () => {
  const { openDetails, calls } = await openPins(draftsOf("Quiet bedroom"));
  const details = await openDetails("Quiet bedroom");
  const press = (name: string) => details.getByRole("button", { name, exact: true }).click();
  await press("Generate new image");
  await expect.element(details.getByText(/^This costs 1 credit\. You have 5\./)).toBeVisible();
  await details.getByRole("radio", { name: "High, 2 credits" }).click();
  await expect.element(details.getByText(/^This costs 2 credits\. You have 5\./)).toBeVisible();
  await press("Keep current image");
  await expect.element(details.getByRole("button", { name: "Generate new image" })).toBeVisible();
  expect(calls.to("ACTION regenerateImageAction")).toEqual([]);
});

test("R-SRV-04 an image that moderation rejects shows the reason, and that the credits were returned", async () => {
  const { openDetails, calls } = await openPins(draftsOf("Quiet bedroom"), {
    answers: { "ACTION regenerateImageAction": done({ kind: "started", groupId: "group_1" }) },
  });
  const details = await openDetails("Quiet bedroom");
  await details.getByRole("button", { name: "Generate new image" }).click();
  const reason = "The image was rejected by moderation.";
  const known: RegenerationWire = {
    group_id: "group_1",
    task: taskWire({ status: "FAILURE", stage: "FAILURE", reason }),
    can_undo: false,
  };
  calls.set({ "ACTION readRegenerationAction": done(known) });
  await details.getByRole("button", { name: "Generate for 1 credit" }).click();
  await expect
    .element(details.getByText(`We couldn't create a new image. ${reason} Your credits were returned.`))
    .toBeVisible();
});

test("another title is suggested, and only Save keeps it", async () => {
  const suggested = "A calmer bedroom";
  const pins = draftsOf("Quiet bedroom");
  const { openDetails, calls } = await openPins(pins, {
    answers: { "ACTION suggestTextAction": done({ text: suggested }), "ACTION editDraftAction": done() },
  });
  const details = await openDetails("Quiet bedroom");
  const press = (name: string) => details.getByRole("button", { name, exact: true }).click();
  const title = details.getByLabelText("Title", { exact: true });
  await press("Edit");
  await press("Suggest another title");
  await expect.element(title).toHaveValue(suggested);
  await press("Undo the suggested title");
  await expect.element(title).toHaveValue("Quiet bedroom");
  await press("Suggest another title");
  await expect.element(title).toHaveValue(suggested);
  await press("Cancel");
  await expect.element(details.getByText("Quiet bedroom").first()).toBeVisible();
  expect(calls.to("ACTION editDraftAction")).toEqual([]);
  await press("Edit");
  await press("Suggest another title");
  await expect.element(title).toHaveValue(suggested);
  await press("Save");
  await expect.poll(() => calls.to("ACTION editDraftAction")[0]?.body).toMatchObject([{ title: suggested }]);
});
