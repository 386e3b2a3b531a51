import { expect, test } from "vitest";
import { Reference } from "#components/developers/reference.tsx";
import type { Specification } from "#components/developers/specification.ts";
import { answerCalls, failWith, unreachable } from "#tests/support/component/calls.ts";
import { render } from "#tests/support/component/render.tsx";
import released from "#tests/support/released-openapi.json" with { type: "json" };

const ACCOUNTS = "GET /api/v1/accounts";
const WEBHOOKS = "POST /api/v1/webhooks";

/** Opens the form of a call. */
const openForm = async (summary: string) => {
  const screen = await render(<Reference specification={released as unknown as Specification} />, "/developers");
  const call = screen.getByRole("region", { name: summary, exact: true });
  await call.getByText(/^Try it/).click();
  return { call, key: call.getByLabelText("API key"), send: call.getByRole("button", { name: "Send" }) };
};

test("a call is tried with a key, and its response shown; without a key or a connection it says so", async () => {
  const calls = answerCalls({ [ACCOUNTS]: { data: [{ username: "fern" }] } });
  const { call, key, send } = await openForm("List accounts");
  await send.click();
  await expect.element(call.getByText("Enter an API key.")).toBeVisible();
  await expect.element(key).toHaveFocus();
  expect(calls.to(ACCOUNTS)).toEqual([]);
  await key.fill("evertack_secret");
  await send.click();
  await expect.element(call.getByText("Response: 200")).toBeVisible();
  await expect.element(call.getByRole("region", { name: "Response" })).toMatchTextContent("fern");
  calls.set({ [ACCOUNTS]: failWith(403, { error: "forbidden" }) });
  await send.click();
  await expect.element(call.getByText("Response: 403")).toBeVisible();
  const [sent] = calls.to(ACCOUNTS);
  expect(sent?.headers.get("authorization")).toBe("Bearer evertack_secret");
  expect(sent?.headers.has("idempotency-key")).toBe(false);
  calls.set({ [ACCOUNTS]: unreachable });
  await send.click();
  await expect.element(call.getByText(/The call couldn't be sent/)).toBeVisible();
});

test("a write starts with an example body, and each press is a request of its own", async () => {
  const calls = answerCalls({ [WEBHOOKS]: failWith(400, { error: "invalid" }) });
  const { call, key, send } = await openForm("Create a webhook");
  await expect.element(call.getByText(/^This is a real call: it changes your own data/)).toBeVisible();
  await key.fill("evertack_secret");
  await send.click();
  await expect.element(call.getByText("Response: 400")).toBeVisible();
  const body = { url: "https://hooks.example.com/pins", events: ["pin.published"] };
  await call.getByLabelText("Body").fill(JSON.stringify(body));
  calls.set({ [WEBHOOKS]: failWith(201, { secret: "whsec_1" }) });
  await send.click();
  await expect.element(call.getByText("Response: 201")).toBeVisible();
  await expect.element(call.getByRole("region", { name: "Response" })).toMatchTextContent("whsec_1");
  const sent = calls.to(WEBHOOKS);
  expect(sent.map((one) => Object.keys(Object(one.body)).toSorted())).toEqual([
    expect.arrayContaining(["events", "url"]),
    ["events", "url"],
  ]);
  expect(sent.at(-1)?.body).toEqual(body);
  const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
  expect(keys.every((one) => /^[0-9a-f-]{36}$/.test(one ?? ""))).toBe(true);
  expect(new Set(keys).size).toBe(2);
});
