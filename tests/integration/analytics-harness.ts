import { afterAll, beforeAll } from "vitest";
import type { FullCtx } from "#lib/context.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { readReport } from "#lib/features/analytics/report.ts";
import { type ReportWire, reportInput } from "#lib/features/analytics/schema.ts";
import { toReportWire } from "#lib/features/analytics/serializers.ts";
import { finalDay, seedAccount } from "#tests/support/analytics-seed.ts";
import { createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";

/** A Sunday, four weeks after summer time ended in Europe and three after it did in America. */
const SUNDAY = new Date("2026-11-22T12:00:00Z");

/** A user with an account whose pins are seeded. */
export interface Publisher {
  ctx: FullCtx;
  accountId: AccountId;
}

/** A harness for the calling file, at noon on a Sunday. */
export const analyticsHarness = () => {
  const database = databaseForFile();
  let opened: TestHarness | undefined;
  const harness = (): TestHarness => {
    if (!opened) throw new Error("The harness exists from beforeAll on.");
    return opened;
  };
  beforeAll(async () => {
    opened = createTestHarness({ databaseUrl: database().url, storageDir: "/nonexistent" });
    await opened.moveClock(SUNDAY.getTime() - Date.now());
  });
  afterAll(() => harness().close());
  return {
    harness,
    publisher: async (): Promise<Publisher> => {
      const { ctx } = await createUser(harness());
      return { ctx, accountId: await seedAccount(ctx) };
    },
  };
};

/** The report response; by default for the last seven final days by keyword. */
export const report = async (
  { ctx, accountId }: { ctx: FullCtx; accountId: string },
  query: Record<string, string> = {},
): Promise<ReportWire> => {
  const days = { start_date: finalDay(ctx, 6), end_date: finalDay(ctx) };
  return toReportWire(await readReport(ctx, reportInput.parse({ accountId, ...days, ...query })), ctx);
};
