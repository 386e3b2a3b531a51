import { delay } from "./bounded.ts";
import type { Fault, FaultContext } from "./fault.ts";
import { type PinRequest, readPins } from "./requests.ts";
import { callAs } from "./users.ts";

/** Times in ms from now: soon again, at once, a moment ago (which means now), and too far back (which is refused). */
const TARGETS_MS = [3_000, 1_500, 0, -50_000, -120_000];
const ROUNDS = 8;
const ROUND_MS = 1_000;
/** By how much the clocks of the processes may differ. */
const SKEW_MS = 1_000;

/** Moves of scheduled pins at the moment at which they come due. */
export const moveFaults: readonly Fault[] = [
  {
    name: "moved-while-due",
    what: "pins are moved again and again while they come due: later, earlier, and to the past",
    phase: "publishing",
    isLocal: true,
    inject: async (context) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await moveScheduled(context);
        await delay(ROUND_MS);
      }
    },
  },
];

type Row = Awaited<ReturnType<typeof readPins>>[number];

/** Moves each pin that is still scheduled, spread over a second, so that some moves race with its publishing. */
async function moveScheduled(context: FaultContext): Promise<void> {
  const { stack, pinRequests, random } = context;
  const rows = new Map((await readPins(stack, pinRequests)).map((row) => [row.link, row]));
  const moves = pinRequests.flatMap((pinRequest) => {
    const row = rows.get(pinRequest.url);
    if (row?.status !== "scheduled") return [];
    return [
      { pinRequest, row, afterMs: random.below(ROUND_MS), byMs: TARGETS_MS[random.below(TARGETS_MS.length)] ?? 0 },
    ];
  });
  await Promise.all(
    moves.map(async ({ pinRequest, row, afterMs, byMs }) => {
      await delay(afterMs);
      await movePin(context, pinRequest, row, byMs);
    }),
  );
}

/** A move is obeyed exactly, or refused with a reason and without a change. */
async function movePin({ stack, injected, complain }: FaultContext, pinRequest: PinRequest, row: Row, byMs: number) {
  const to = new Date(stack.clocks.now().getTime() + byMs);
  const move = { post_id: row.id, from: row.scheduledAt?.toISOString(), to: to.toISOString() };
  const answer = await callAs(pinRequest.testUser.user, "/api/users/pinterest/move-pins/", { moves: [move] });
  const latest = Math.max(to.getTime(), stack.clocks.now().getTime() + SKEW_MS);
  const [after] = await readPins(stack, [pinRequest]);
  const at = after?.scheduledAt ?? null;
  const report = (problem: string) => complain(`request ${pinRequest.n} (${row.id}): ${problem}`);
  injected();
  if (answer.status === 200) {
    if (!at || at < to || at.getTime() > latest) report(`moved to ${move.to}, but is due ${at?.toISOString()}`);
    pinRequest.wantedAt = at;
  } else {
    const { error } = Object(answer.json);
    if (![400, 409].includes(answer.status) || !error) report(`a move was answered with ${answer.status}: ${error}`);
    if (at?.getTime() !== row.scheduledAt?.getTime()) report("a refused move changed its time");
  }
}
