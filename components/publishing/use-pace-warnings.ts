import { useMemo } from "react";
import { actionValue } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { checkTimesAction } from "#lib/features/planning/actions.ts";
import { warningTexts } from "#lib/features/planning/texts.ts";

/** A pin, a draft or scheduled, and the time that it would get. */
interface TimedPin {
  id: string;
  at: string;
}

const NO_WARNINGS: ReadonlyMap<string, string[]> = new Map();

const readWarnings = async (pins: readonly TimedPin[]): Promise<Map<string, string[]>> => {
  const slots = pins.map(({ id, at }) => ({ post_id: id, due_at: at }));
  const found = await actionValue(checkTimesAction({ slots }));
  return new Map(found.map((warning) => [warning.post_id, warningTexts(warning)]));
};

/** Where the times break the account's safe pace, by pin; empty until it is known, and while the check fails. */
export const usePaceWarnings = (pins: readonly TimedPin[]): ReadonlyMap<string, string[]> => {
  const { data } = useApiQuery(pins.length > 0 ? [...queryKeys.calendar, "pace", pins] : null, () =>
    readWarnings(pins),
  );
  return useMemo(() => data ?? NO_WARNINGS, [data]);
};

/** 'Breaks your safe pace: at most 10 pins a day.' or '3 pins break your safe pace.' */
export const paceNote = (warnings: ReadonlyMap<string, string[]>): string | null => {
  const [first] = warnings.values();
  if (!first) return null;
  return warnings.size === 1 ? first.join(" ") : `${warnings.size} pins break your safe pace.`;
};

/** What to say about moves that were made; null also when the check fails, since the pins have moved either way. */
export const readPaceNote = async (pins: readonly TimedPin[]): Promise<string | null> =>
  pins.length === 0 ? null : readWarnings(pins).then(paceNote, () => null);
