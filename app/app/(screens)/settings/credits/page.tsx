import type { Metadata } from "next";
import { HistoryScreen } from "#components/credits/history-screen.tsx";
import { HISTORY_PAGE, HISTORY_TEXTS } from "#lib/features/credits/constants.ts";
import { toHistoryPath, toHistoryWire } from "#lib/features/credits/statement.ts";
import { listCreditEntries } from "#lib/features/generation/groups.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";

export const metadata: Metadata = { title: HISTORY_TEXTS.title };

export default async function CreditsHistoryPage() {
  const user = await requireUser();
  const page = await listCreditEntries(await pageContext(user), { limit: HISTORY_PAGE });
  return (
    <HistoryScreen
      initial={{ ...toHistoryWire(page), olderPath: toHistoryPath(page, HISTORY_PAGE) }}
      timeZone={user.timeZone}
    />
  );
}
