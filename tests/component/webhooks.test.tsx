import { expect, test } from "vitest";
import { WebhooksScreen } from "#components/webhooks/webhooks-screen.tsx";
import { ENDPOINTS_MAX, TEXTS } from "#lib/features/webhooks/constants.ts";
import type { EndpointWire } from "#lib/features/webhooks/schema.ts";
import type { Answers } from "#tests/support/component/calls.ts";
import { renderScreen } from "#tests/support/component/render.tsx";

const webhookWire = (more: Partial<EndpointWire> = {}): EndpointWire => ({
  ...{ id: "whe_1", url: "https://shop.example/hook", description: "Shop system", events: ["pin.published"] },
  ...{ created_at: "2026-11-20T08:00:00.000Z", enabled: true, disabled_for: null, disabled_at: null },
  ...{ failing_since: null, previous_secret_ends_at: null },
  ...more,
});

const open = (webhooks: EndpointWire[], answers: Answers = {}) =>
  renderScreen(<WebhooksScreen first={{ webhooks }} confirmationMethods={["password"]} timeZone="UTC" />, {
    path: "/app/settings/webhooks",
    answers: { "ACTION listWebhooksAction": { ok: true, value: { webhooks } }, ...answers },
  });

const CREATE = "ACTION createWebhookAction";

test("a webhook is added after confirming who you are, and its secret is shown once", async () => {
  let isConfirmed = false;
  const { screen, calls } = await open([], {
    [CREATE]: () =>
      isConfirmed
        ? { ok: true, value: { ...webhookWire(), secret: "whsec_shown" } }
        : { ok: false, code: "confirm_identity", text: "Please confirm." },
    "ACTION confirmByPasswordAction": () => {
      isConfirmed = true;
      return { ok: true, value: null };
    },
  });
  await screen.getByRole("button", { name: "Add a webhook" }).click();
  await screen.getByRole("button", { name: "Add webhook" }).click();
  await expect.element(screen.getByText(TEXTS.urlInvalid)).toBeVisible();
  await screen.getByLabelText("URL").fill("https://shop.example/hook");
  for (const name of [
    "Pin failed",
    "Generation finished",
    "Account disconnected",
    "Credits low",
    "Link stopped working",
  ])
    await screen.getByRole("checkbox", { name }).click();
  await screen.getByRole("checkbox", { name: "Pin published" }).click();
  await screen.getByRole("button", { name: "Add webhook" }).click();
  await expect.element(screen.getByText(TEXTS.eventsInvalid)).toBeVisible();
  await screen.getByRole("checkbox", { name: "Pin published" }).click();
  await screen.getByRole("button", { name: "Add webhook" }).click();
  await screen.getByLabelText("Password").fill("Fern-Moss-9!");
  await screen.getByRole("button", { name: "Confirm" }).click();
  await expect.element(screen.getByText("whsec_shown")).toBeVisible();
  await screen.getByRole("button", { name: "I've saved it" }).click();
  await expect.element(screen.getByText("whsec_shown")).not.toBeInTheDocument();
  const typed = { url: "https://shop.example/hook", description: "", events: ["pin.published"] };
  expect(calls.to(CREATE).map(({ body }) => body)).toEqual([[typed], [typed]]);
});

test("a server's refusal is shown at its field", async () => {
  const { screen } = await open([webhookWire()], {
    "ACTION updateWebhookAction": { ok: false, code: "invalid", text: "No.", fields: { url: [TEXTS.urlInsecure] } },
  });
  await screen.getByRole("button", { name: "Edit Shop system" }).click();
  await screen.getByLabelText("URL").fill("http://shop.example/hook");
  await screen.getByRole("button", { name: "Save changes" }).click();
  await expect.element(screen.getByText(TEXTS.urlInsecure)).toBeVisible();
});

test("a webhook says whether it fails or was turned off, and there are five at most", async () => {
  const failing = webhookWire({ id: "whe_2", failing_since: "2026-11-20T08:00:00.000Z" });
  const off = webhookWire({ id: "whe_3", enabled: false, disabled_for: "gone", disabled_at: failing.failing_since });
  const { screen } = await open([
    failing,
    off,
    ...Array.from({ length: ENDPOINTS_MAX - 2 }, (_, at) => webhookWire({ id: `whe_${at + 4}` })),
  ]);
  await expect.element(screen.getByText(/^Deliveries have failed since Nov 20, 2026/)).toBeVisible();
  await expect.element(screen.getByText(/^It responded with status 410/)).toBeVisible();
  await expect.element(screen.getByText("You have 5 webhooks. Delete one to add another.")).toBeVisible();
  await expect.element(screen.getByRole("button", { name: "Add a webhook" })).not.toBeInTheDocument();
});

test("turning a webhook off says first that waiting events won't be sent", async () => {
  const { screen, calls } = await open([webhookWire()], {
    "ACTION updateWebhookAction": { ok: true, value: webhookWire({ enabled: false, disabled_for: "user" }) },
  });
  await screen.getByRole("button", { name: "Turn off Shop system" }).click();
  await expect.element(screen.getByText(/^Events that haven't been delivered yet won't be sent/)).toBeVisible();
  await screen.getByRole("button", { name: "Keep it on" }).click();
  expect(calls.to("ACTION updateWebhookAction")).toEqual([]);
  await screen.getByRole("button", { name: "Turn off Shop system" }).click();
  await screen.getByRole("button", { name: "Turn off webhook" }).click();
  await expect.element(screen.getByText("Webhook turned off")).toBeVisible();
  expect(calls.to("ACTION updateWebhookAction").map(({ body }) => body)).toEqual([
    [{ endpointId: "whe_1", enabled: false }],
  ]);
});
