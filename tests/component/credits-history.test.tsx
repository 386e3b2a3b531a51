import { expect, test } from "vitest";
import { HistoryScreen } from "#components/credits/history-screen.tsx";
import { HISTORY_CALL, HISTORY_PAGE, HISTORY_TEXTS } from "#lib/features/credits/constants.ts";
import type { EntryWire, HistoryWire } from "#lib/features/credits/schema.ts";
import { failWith } from "#tests/support/component/calls.ts";
import { renderScreen } from "#tests/support/component/render.tsx";

const HISTORY = `GET ${HISTORY_CALL}`;
const OLDER = `${HISTORY_CALL}?limit=${HISTORY_PAGE}&cursor=c1`;

const entry = (n: number): EntryWire => ({
  id: `entry_${n}`,
  created_at: "2026-11-01T10:00:00Z",
  kind: "granted",
  text: `Entry ${n}`,
  detail: null,
  credits: n,
  balance_after: n,
});
const newest = Array.from({ length: HISTORY_PAGE }, (_, at) => entry(at + 3)).toReversed();
const oldest = [entry(2), entry(1)];
const answer = (entries: EntryWire[], next: string | null): Response =>
  Response.json({ entries } satisfies HistoryWire, next ? { headers: { link: `<${next}>; rel="next"` } } : undefined);

const open = async (first: () => unknown) => {
  const shown = await renderScreen(<HistoryScreen initial={{ entries: newest, olderPath: OLDER }} timeZone="UTC" />, {
    path: "/app/settings/credits",
    answers: { [HISTORY]: ({ query }) => (query.has("cursor") ? answer(oldest, null) : first()) },
  });
  const rows = () => shown.screen.getByRole("table", { name: "Credits" }).getByRole("row").elements().slice(1);
  return { ...shown, rows, older: shown.screen.getByRole("button", { name: "Show older entries" }) };
};

test("loads older entries page by page, once each, and keeps the keyboard focus", async () => {
  const { screen, rows, older } = await open(() => answer(newest, OLDER));
  expect(rows()).toHaveLength(HISTORY_PAGE);
  await older.click();
  await expect.poll(rows).toHaveLength(HISTORY_PAGE + 2);
  const texts = rows().map((row) => row.children[1]?.textContent);
  expect(new Set(texts).size).toBe(HISTORY_PAGE + 2);
  await expect.element(screen.getByText(HISTORY_TEXTS.begins)).toHaveFocus();
  expect(older.elements()).toEqual([]);
});

test("shows an error over the rendered entries when the call fails, with a retry", async () => {
  let isBroken = true;
  const { screen, rows } = await open(() => (isBroken ? failWith(500)() : answer(newest, OLDER)));
  await expect.element(screen.getByRole("alert")).toMatchTextContent(HISTORY_TEXTS.loadFailed);
  expect(rows()).toHaveLength(HISTORY_PAGE);
  isBroken = false;
  await screen.getByRole("button", { name: "Try again" }).click();
  await expect.element(screen.getByRole("alert")).not.toBeInTheDocument();
});

test("shows an error for older entries that cannot be loaded and keeps the list", async () => {
  const { screen, calls, rows, older } = await open(() => answer(newest, OLDER));
  calls.set({ [HISTORY]: failWith(500) });
  await older.click();
  await expect.element(screen.getByRole("alert")).toHaveTextContent(HISTORY_TEXTS.olderFailed);
  expect(rows()).toHaveLength(HISTORY_PAGE);
});
