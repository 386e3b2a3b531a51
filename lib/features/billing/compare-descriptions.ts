import "server-only";

/** A description of something at the provider's. */
interface Description {
  asOf: Date;
  status: string;
}

/** The order in which statuses can follow one another within one millisecond. */
const RANK: Readonly<Record<string, number>> = {
  draft: 0,
  ready: 1,
  billed: 2,
  past_due: 3,
  paid: 4,
  completed: 5,
  trialing: 1,
  active: 2,
  paused: 4,
  canceled: 6,
  pending_approval: 0,
  rejected: 1,
  approved: 2,
  reversed: 3,
};

/**
 * Which of two descriptions of the same thing is the newer one: positive when the first is. Descriptions arrive in any
 * order and more than once; what decides is their own time, then how far they are along, then their text, so that all
 * orders end with the same one.
 */
export const compareDescriptions = (one: Description, other: Description): number => {
  const byTime = one.asOf.getTime() - other.asOf.getTime();
  if (byTime !== 0) return byTime;
  const byRank = (RANK[one.status] ?? 0) - (RANK[other.status] ?? 0);
  if (byRank !== 0) return byRank;
  const [text, otherText] = [JSON.stringify(one), JSON.stringify(other)];
  return text === otherText ? 0 : text > otherText ? 1 : -1;
};
