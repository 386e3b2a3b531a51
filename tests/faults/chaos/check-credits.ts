import type { Violation } from "./checker.ts";
import type { History, ModelCall, PinRequestHistory, Reservation, Transfer } from "./history.ts";

/** A call that started with its reservation may be recorded this much after the reservation was settled. */
const CALL_GRACE_MS = 5_000;

const credit = (fault: string, text: string): Violation => ({ kind: "credit", fault, text });

/** Checks credits: one reservation per task, settled once and correctly; consistent balances; no unpaid model calls. */
export function checkCredits(history: History): Violation[] {
  return [
    ...history.pinRequests.flatMap((pinRequest) => checkTasks(pinRequest, history)),
    ...history.transfers.flatMap(checkTransfer),
    ...checkUsers(history),
    ...checkModelCalls(history),
  ];
}

function checkTasks(pinRequest: PinRequestHistory, { transfers, reservations }: History): Violation[] {
  const found: Violation[] = [];
  for (const task of pinRequest.tasks) {
    const report = (text: string) =>
      found.push(credit(pinRequest.generationFault, `request ${pinRequest.n}, task ${task.id}: ${text}`));
    const held = reservations.filter(({ reference }) => reference === task.id);
    if (held.length !== 1) report(`${held.length} reservations`);
    const ofTask = transfers.filter(({ cause }) => cause.endsWith(`:${task.id}`));
    const times = (kind: string) => ofTask.filter((transfer) => transfer.kind === kind).length;
    if (times("reserve") !== 1) report(`${times("reserve")} reserve transfers`);
    if (task.finishedAt === null) continue;
    const expected = task.status === "SUCCESS" ? { spend: 1, release: 0 } : { spend: 0, release: 1 };
    if (times("spend") !== expected.spend || times("release") !== expected.release) {
      report(`${task.status} with ${times("spend")} spent and ${times("release")} refunded`);
    }
    if (held.some(({ settledAt }) => settledAt === null)) report("ended, but its credits are still held");
  }
  return found;
}

const sumOf = (lines: readonly { credits: number }[]): number => lines.reduce((sum, { credits }) => sum + credits, 0);

function checkTransfer({ id, lines }: Transfer): Violation[] {
  const sum = sumOf(lines);
  return sum === 0 ? [] : [credit("", `transfer ${id} sums to ${sum}`)];
}

/** Per user: lines sum to zero, granted − spent − held = available ≥ 0, and the cached balance agrees. */
function checkUsers({ transfers, balances, reservations }: History): Violation[] {
  const found: Violation[] = [];
  const byUser = Map.groupBy(transfers, ({ userId }) => userId);
  const causes = Map.groupBy(transfers, ({ cause }) => cause);
  for (const [cause, same] of causes)
    if (same.length > 1) found.push(credit("", `${cause} moved ${same.length} times`));
  for (const { userId, available, held } of balances) {
    const report = (text: string) => found.push(credit("", `user ${userId}: ${text}`));
    const lines = (byUser.get(userId) ?? []).flatMap((transfer) => transfer.lines);
    const of = (...accounts: string[]) => sumOf(lines.filter(({ account }) => accounts.includes(account)));
    const open = reservations.filter((item) => item.userId === userId && item.settledAt === null);
    const granted = -of("issued");
    const left = granted - of("spent", "expired") - of("held");
    if (sumOf(lines) !== 0) report(`the lines sum to ${sumOf(lines)}`);
    if (left !== available) report(`granted − spent − held is ${left}, but ${available} are available`);
    if (of("allowance", "purchased") !== available) report("the lines and the balance differ");
    if (available < 0) report(`${available} credits are available`);
    if (held !== of("held") || held !== sumOf(open))
      report(`${held} credits are held, for open work of ${sumOf(open)}`);
  }
  return found;
}

const isCovered = ({ at }: ModelCall, { createdAt, settledAt }: Reservation): boolean =>
  at >= createdAt && (settledAt === null || at.getTime() <= settledAt.getTime() + CALL_GRACE_MS);

function checkModelCalls({ pinRequests, reservations, modelCalls }: History): Violation[] {
  const byKeyword = new Map(pinRequests.map((pinRequest) => [pinRequest.keyword, pinRequest]));
  const byTask = new Map(reservations.map((item) => [item.reference, item]));
  return modelCalls.flatMap((call) => {
    const pinRequest = byKeyword.get(call.keyword);
    if (!pinRequest) return [credit("", `a model was called for "${call.keyword}", which was not requested`)];
    const held = pinRequest.tasks.flatMap(({ id }) => byTask.get(id) ?? []);
    if (held.some((reservation) => isCovered(call, reservation))) return [];
    return [
      credit(
        pinRequest.generationFault,
        `request ${pinRequest.n}: a model was called at ${call.at.toISOString()} without a reservation`,
      ),
    ];
  });
}
