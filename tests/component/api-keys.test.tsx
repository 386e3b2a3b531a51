import { describe, expect, test } from "vitest";
import { ApiKeysScreen } from "#components/api-keys/api-keys-screen.tsx";
import { ERRORS } from "#lib/core/errors.ts";
import type { ApiKeyView, KeyUseView } from "#lib/features/api-keys/schema.ts";
import type { Answers } from "#tests/support/component/calls.ts";
import { renderScreen } from "#tests/support/component/render.tsx";

const AT = "2026-11-20T10:00:00.000Z";
const SECRET = "evertack_Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF000000";

const keyOf = (name: string, more: Partial<ApiKeyView> = {}): ApiKeyView => ({
  ...{
    id: `key_${name}`,
    name,
    scopes: ["pins:read"],
    secretStart: "evertack_Ab3d",
    isApp: false,
    state: "active",
    dailyCredits: 50,
  },
  ...{ createdAt: AT, expiresAt: null, lastUsedAt: null, ...more },
});

const USE: KeyUseView = {
  ...{ id: "1", keyName: "Script", call: "GET /api/v1/pins", status: 200, network: "203.0.113.0/24" },
  ...{ calls: 1_234, lastAt: AT },
};

const open = (keys: ApiKeyView[], answers: Answers = {}, uses: KeyUseView[] = []) =>
  renderScreen(<ApiKeysScreen keys={keys} uses={uses} confirmationMethods={["password"]} timeZone="Asia/Kathmandu" />, {
    path: "/app/settings/api-keys",
    answers,
  });

describe("creating a key", () => {
  test("needs a name and a permission, and shows the secret once", async () => {
    const { screen, calls } = await open([], { "ACTION createApiKeyAction": { ok: true, value: { secret: SECRET } } });
    await expect.element(screen.getByText("No API keys yet")).toBeVisible();
    await screen.getByRole("button", { name: "Create an API key" }).click();
    const dialog = screen.getByRole("dialog");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await expect.element(dialog.getByText("Choose at least one permission.").first()).toBeVisible();
    expect(calls.to("ACTION createApiKeyAction")).toEqual([]);
    await dialog.getByLabelText("Name").fill("  Nightly export ");
    await dialog.getByRole("checkbox", { name: /^analytics:read/ }).click();
    await dialog.getByRole("checkbox", { name: /^pins:read/ }).click();
    await dialog.getByLabelText("Daily credit limit").fill("many");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await expect.element(dialog.getByText(/Enter a whole number from 0 to 10,000/).first()).toBeVisible();
    await dialog.getByLabelText("Daily credit limit").fill("25");
    await dialog.getByLabelText("Expires").selectOptions("In 1 year");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await expect.element(screen.getByText(SECRET)).toBeVisible();
    expect(calls.to("ACTION createApiKeyAction").map(({ body }) => body)).toEqual([
      [{ name: "Nightly export", scopes: ["pins:read", "analytics:read"], dailyCredits: 25, lifetimeDays: 365 }],
    ]);
    await screen.getByRole("button", { name: "I've saved it" }).click();
    await expect.poll(() => screen.getByText(SECRET).elements()).toEqual([]);
  });

  test("keeps what was entered when the plan's limit is reached", async () => {
    const { text } = ERRORS.plan_limit;
    const { screen } = await open([], { "ACTION createApiKeyAction": { ok: false, code: "plan_limit", text } });
    await screen.getByRole("button", { name: "Create an API key" }).click();
    const dialog = screen.getByRole("dialog");
    await dialog.getByLabelText("Name").fill("Export");
    await dialog.getByRole("checkbox", { name: /^pins:read/ }).click();
    await dialog.getByRole("button", { name: "Create key" }).click();
    await expect.element(dialog.getByRole("alert")).toMatchTextContent(text);
    await expect.element(dialog.getByLabelText("Name")).toHaveValue("Export");
  });
});

describe("the list", () => {
  test("says what each key may do; ended ones can't be changed", async () => {
    const { screen } = await open(
      [keyOf("Script", { expiresAt: "2027-01-01T00:00:00.000Z", lastUsedAt: AT }), keyOf("Old", { state: "revoked" })],
      {},
      [USE],
    );
    await expect.element(screen.getByText("Revoked")).toBeVisible();
    await expect.element(screen.getByRole("button", { name: "Revoke Script" })).toBeVisible();
    expect(screen.getByRole("button", { name: "Revoke Old" }).elements()).toEqual([]);
    await expect.element(screen.getByRole("row", { name: /GET \/pins.*Script.*200.*1,234/ })).toBeVisible();
    const sides = [...screen.container.querySelectorAll("tbody td")].map((cell) => getComputedStyle(cell).textAlign);
    expect(sides).toEqual(["left", "right", "right", "left", "right"]);
  });

  test("the activity of several keys can be narrowed to one", async () => {
    const other = { ...USE, id: "2", keyName: "Export" };
    const { screen } = await open([keyOf("Script")], {}, [USE, other]);
    const rows = () => screen.getByRole("row").elements().length - 1;
    expect(rows()).toBe(2);
    await screen.getByLabelText("Key or app").selectOptions("Export");
    await expect.poll(rows).toBe(1);
    await expect.element(screen.getByRole("row", { name: /Export/ })).toBeVisible();
  });

  test("a new secret and a revocation ask first, and name the key", async () => {
    const { screen, calls } = await open([keyOf("Script")], {
      "ACTION rotateApiKeyAction": { ok: true, value: { secret: SECRET } },
      "ACTION revokeApiKeyAction": { ok: true, value: null },
    });
    await screen.getByRole("button", { name: "Replace secret for Script" }).click();
    await expect.element(screen.getByText("Replace the secret for Script?")).toBeVisible();
    await screen.getByRole("button", { name: "Replace secret", exact: true }).click();
    await expect.element(screen.getByText(SECRET)).toBeVisible();
    await screen.getByRole("button", { name: "I've saved it" }).click();
    await screen.getByRole("button", { name: "Revoke Script" }).click();
    await screen.getByRole("button", { name: "Revoke", exact: true }).click();
    await expect.element(screen.getByText("Key revoked")).toBeVisible();
    expect(calls.to("ACTION revokeApiKeyAction")[0]?.body).toEqual([{ keyId: "key_Script" }]);
  });
});
