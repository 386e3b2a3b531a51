"use client";

import { actionValue } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { readPaceAction } from "#lib/features/planning/actions.ts";
import { copySpacingText } from "#lib/features/planning/texts.ts";

/** How far apart the account's pace keeps copies of a pin, in words; null until it has loaded. */
export const useCopySpacing = (accountId: string | null): string | null => {
  const { data } = useApiQuery(accountId === null ? null : queryKeys.pace(accountId), () =>
    actionValue(readPaceAction({ accountId: accountId ?? "" })),
  );
  return data && copySpacingText(data.numbers);
};
