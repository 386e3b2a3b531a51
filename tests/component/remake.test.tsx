import { expect, test } from "vitest";
import type { RemakeWire } from "#lib/features/generation/schema.ts";
import { done, draftsOf, openPosts } from "#tests/support/component/posts.tsx";
import { taskWire } from "#tests/support/component/wires.ts";

test("R-SRV-01, R-CONST-01 a new picture's cost stands there first, and keeping the picture asks for nothing", async () => {
  const { openDetails, calls } = await openPosts(draftsOf("Quiet bedroom"));
  const details = await openDetails("Quiet bedroom");
  const press = (name: string) => details.getByRole("button", { name, exact: true }).click();
  await press("Make a new picture");
  await expect.element(details.getByText(/^It costs 1 credit; you have 5\./)).toBeVisible();
  await details.getByRole("radio", { name: "High, 2 credits" }).click();
  await expect.element(details.getByText(/^It costs 2 credits; you have 5\./)).toBeVisible();
  await press("Keep the picture");
  await expect.element(details.getByRole("button", { name: "Make a new picture" })).toBeVisible();
  expect(calls.to("ACTION remakePictureAction")).toEqual([]);
});

test("R-SRV-04 a picture that moderation refuses: the reason, and the credits are back", async () => {
  const { openDetails, calls } = await openPosts(draftsOf("Quiet bedroom"), {
    answers: { "ACTION remakePictureAction": done({ kind: "started", groupId: "group_1" }) },
  });
  const details = await openDetails("Quiet bedroom");
  await details.getByRole("button", { name: "Make a new picture" }).click();
  const reason = "The picture was refused by moderation.";
  const known: RemakeWire = {
    group_id: "group_1",
    task: taskWire({ status: "FAILURE", stage: "FAILURE", reason }),
    can_undo: false,
  };
  calls.set({ "ACTION readRemakeAction": done(known) });
  await details.getByRole("button", { name: "Make it for 1 credit" }).click();
  await expect.element(details.getByText(`No new picture: ${reason} The credits are back.`)).toBeVisible();
});

test("DESIGN 5.4 other words are suggested, and only Save keeps them", async () => {
  const suggested = "A calmer bedroom";
  const posts = draftsOf("Quiet bedroom");
  const { openDetails, calls } = await openPosts(posts, {
    answers: { "ACTION suggestWordsAction": done({ text: suggested }), "ACTION editDraftAction": done() },
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
