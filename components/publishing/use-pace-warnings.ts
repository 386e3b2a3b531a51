import { actionValue } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { checkTimesAction } from "#lib/features/planning/actions.ts";
import { warningCountText, warningText } from "#lib/features/planning/texts.ts";

/** A pin, a draft or scheduled, and the time that it would get. */
interface TimedPin {
  id: string;
  at: string;
}

/** Why times break the account's safe pace, by pin. */
type Warnings = ReadonlyMap<string, string>;

const readWarnings = async (pins: readonly TimedPin[]): Promise<Warnings> => {
  const slots = pins.map(({ id, at }) => ({ post_id: id, due_at: at }));
  const found = await actionValue(checkTimesAction({ slots }));
  return new Map(found.map((warning) => [warning.post_id, warningText(warning)]));
};

/** Null until it is known, and when the check fails. */
export const usePaceWarnings = (pins: readonly TimedPin[]): Warnings | null => {
  const key = pins.length > 0 ? [...queryKeys.calendar, "pace", pins] : null;
  return useApiQuery(key, () => readWarnings(pins)).data;
};

/** 'Doesn't follow your safe pace: at most 10 pins a day.' or '3 pins don't follow your safe pace.' */
export const paceNote = (warnings: Warnings): string | null => {
  const [first] = warnings.values();
  return first === undefined || warnings.size === 1 ? (first ?? null) : warningCountText(warnings.size);
};

const NOTE_MS = 1_500;

/** For pins that move either way: null when the check fails, or takes so long that the user would wait for it. */
export const readPaceNote = async (pins: readonly TimedPin[]): Promise<string | null> => {
  if (pins.length === 0) return null;
  const tooLate = new Promise<null>((resolve) => setTimeout(resolve, NOTE_MS, null));
  return Promise.race([readWarnings(pins).then(paceNote, () => null), tooLate]);
};
