import "server-only";
import { sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { requestChecks } from "#lib/features/links/request-checks.ts";
import type { EditedTexts } from "./schema.ts";

/**
 * Gives each of these pins its own texts, in one statement, and asks for checks of their links. What was said of a pin in
 * a review was said of the one before (D9): it counts no more. The caller holds their
 * locks, has checked their states, and announces the checks.
 */
export const writeEdits = async (tx: Ctx, edits: readonly (EditedTexts & { pinId: string })[]): Promise<void> => {
  const rows = edits.map(({ pinId, boardId, link, description }) => ({ id: pinId, board: boardId, link, description }));
  await tx.db.execute(sql`
    update ${pins} set board_id = edit.board, link = edit.link, description = edit.description,
      review = null, reviewed_at = null,
      updated_at = ${tx.now().toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as edit(id text, board text, link text, description text)
    where ${pins.id} = edit.id`);
  await requestChecks(tx, { links: edits.map(({ link }) => link) });
  tx.log.set({ pins_touched: edits.length });
};
