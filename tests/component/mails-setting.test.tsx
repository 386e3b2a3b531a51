import { expect, test } from "vitest";
import { MailsSetting } from "#components/notifications/mails-setting.tsx";
import { unreachable } from "#tests/support/component/calls.ts";
import { renderScreen } from "#tests/support/component/render.tsx";

test("R-SRV-04 a switch that is not kept goes back and says so", async () => {
  const { screen, calls } = await renderScreen(<MailsSetting muted={[]} />, {
    path: "/app/settings",
    answers: { "ACTION switchMailAction": unreachable },
  });
  const failed = screen.getByRole("checkbox", { name: "Pins that were not published" });
  await failed.click();
  await expect.element(screen.getByText("The server could not be reached. Please try again.")).toBeVisible();
  await expect.element(failed).toBeChecked();
  expect(calls.to("ACTION switchMailAction").map(({ body }) => body)).toEqual([[{ kind: "pins_failed", isOn: false }]]);
});
