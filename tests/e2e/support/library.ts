import type { Page } from "@playwright/test";
import { createId } from "#lib/core/ids.ts";
import { makeDrafts } from "./drafts.ts";
import { withDatabase } from "./live.ts";

const INSERT_MAX = 1_000;

/** What of a pin a test of the library tells apart. */
export interface WallPin {
  title: string;
  keyword?: string | null;
  status?: "draft" | "scheduled" | "published" | "failed";
}

/**
 * Hangs pins on an account's wall, the first of them on top: one is made over the documented call, the others are
 * written beside it with its picture, a second apart.
 */
export const fillWall = async (
  page: Page,
  account: { token: string; accountId: string },
  wanted: readonly WallPin[],
): Promise<void> => {
  await makeDrafts(page, account, ["The pattern"]);
  await withDatabase(async (sql) => {
    const [row] = await sql<{ pin: Record<string, string> }[]>`
      select to_jsonb(pins) as pin from pins where account_id = ${account.accountId} and title = 'The pattern'`;
    if (!row) throw new Error("There is no pin to copy.");
    const firstMs = Date.parse(String(row.pin.created_at));
    const rows = wanted.map(({ title, keyword = null, status = "draft" }, at) => {
      const time = new Date(firstMs - at * 1_000).toISOString();
      return {
        ...row.pin,
        id: createId("pin", new Date()),
        title,
        keyword,
        status,
        created_at: time,
        published_at: status === "published" ? time : null,
        scheduled_at: status === "scheduled" ? new Date(Date.now() + 86_400_000 + at * 60_000).toISOString() : null,
      };
    });
    for (let from = 0; from < rows.length; from += INSERT_MAX) {
      const part = sql.json(rows.slice(from, from + INSERT_MAX));
      await sql`insert into pins select * from jsonb_populate_recordset(null::pins, ${part})`;
    }
    await sql`delete from pins where id = ${String(row.pin.id)}`;
  });
};

/** So many drafts: 'Draft 1' is on top. */
export const drafts = (count: number): WallPin[] =>
  Array.from({ length: count }, (_, n) => ({ title: `Draft ${n + 1}` }));
