import { momentLabel } from "./moments.ts";

/** `from` and `to` are times, or null for drafts. */
export interface PinMove {
  id: string;
  from: string | null;
  to: string | null;
}

export interface MovePlan {
  moves: readonly PinMove[];
  /** Why it can't be done. */
  problem: string | null;
  /** What clock changes do to a time. */
  note: string | null;
  /** Which rule of the safe pace it breaks, where the user saw that already; else it is looked up. */
  pace?: string | null;
  /** Refused when another pin took one of the slots meanwhile. */
  requiresFreeSlots?: true;
}

/** Moves that were planned on top of others, which did not happen. Those that lead back to where a pin is are left out. */
export const withoutMoves = (moves: readonly PinMove[], refused: readonly PinMove[]): PinMove[] => {
  const starts = new Map(refused.map(({ id, from, to }) => [id, { from, to }]));
  const from = (move: PinMove): string | null => {
    const start = starts.get(move.id);
    return start && start.to === move.from ? start.from : move.from;
  };
  return moves.map((move) => ({ ...move, from: from(move) })).filter((move) => move.from !== move.to);
};

const countLabel = (count: number): string => (count === 1 ? "Pin" : `${count} pins`);

/** What the toast says after a move. */
export const doneText = ({ moves, note }: Pick<MovePlan, "moves" | "note">, zone: string): string => {
  const [first] = moves.toSorted((a, b) => (a.to ?? "").localeCompare(b.to ?? ""));
  const what = countLabel(moves.length);
  if (!first) return "Nothing to move";
  if (first.to === null) return `${what} moved back to drafts`;
  const how = first.from === null ? "scheduled for" : "moved to";
  const when = momentLabel(first.to, zone);
  const done = moves.length === 1 ? `${what} ${how} ${when}` : `${what} ${how} ${when} and later`;
  return note ? `${done}. ${note}` : done;
};
