import { expect, test } from "vitest";
import { EmailsSetting } from "#components/notifications/emails-setting.tsx";
import { unreachable } from "#tests/support/component/calls.ts";
import { renderScreen } from "#tests/support/component/render.tsx";

test("R-SRV-04 a failed change is reverted with an error", async () => {
  const { screen, calls } = await renderScreen(<EmailsSetting muted={[]} />, {
    path: "/app/settings",
    answers: { "ACTION switchEmailAction": unreachable },
  });
  const failed = screen.getByRole("checkbox", { name: "Pins that failed to publish" });
  await failed.click();
  await expect.element(screen.getByText("We couldn't reach the server. Please try again.")).toBeVisible();
  await expect.element(failed).toBeChecked();
  expect(calls.to("ACTION switchEmailAction").map(({ body }) => body)).toEqual([
    [{ kind: "pins_failed", isOn: false }],
  ]);
});
