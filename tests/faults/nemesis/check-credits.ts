import type { Violation } from "./checker.ts";
import type { AskHistory, History, ModelCall, Reservation, Transfer } from "./history.ts";

/** A call that began with its reservation may be noted this much after the reservation was settled. */
const CALL_GRACE_MS = 5_000;

const credit = (fault: string, text: string): Violation => ({ kind: "credit", fault, text });

/** Credits: one reservation per task, settled once and rightly; balances that add up; no model call unpaid for. */
export function checkCredits(history: History): Violation[] {
  return [
    ...history.asks.flatMap((ask) => checkTasks(ask, history)),
    ...history.transfers.flatMap(checkTransfer),
    ...checkUsers(history),
    ...checkModelCalls(history),
  ];
}

function checkTasks(ask: AskHistory, { transfers, reservations }: History): Violation[] {
  const found: Violation[] = [];
  for (const task of ask.tasks) {
    const say = (text: string) => found.push(credit(ask.makingFault, `ask ${ask.n}, task ${task.id}: ${text}`));
    const held = reservations.filter(({ reference }) => reference === task.id);
    if (held.length !== 1) say(`${held.length} reservations`);
    const ofTask = transfers.filter(({ cause }) => cause.endsWith(`:${task.id}`));
    const times = (kind: string) => ofTask.filter((transfer) => transfer.kind === kind).length;
    if (times("reserve") !== 1) say(`${times("reserve")} transfers that reserve`);
    if (task.finishedAt === null) continue;
    const wanted = task.status === "SUCCESS" ? { spend: 1, release: 0 } : { spend: 0, release: 1 };
    if (times("spend") !== wanted.spend || times("release") !== wanted.release) {
      say(`${task.status} with ${times("spend")} spent and ${times("release")} refunded`);
    }
    if (held.some(({ settledAt }) => settledAt === null)) say("ended, and its credits are still held");
  }
  return found;
}

const sumOf = (lines: readonly { credits: number }[]): number => lines.reduce((sum, { credits }) => sum + credits, 0);

function checkTransfer({ id, lines }: Transfer): Violation[] {
  const sum = sumOf(lines);
  return sum === 0 ? [] : [credit("", `transfer ${id} sums to ${sum}`)];
}

/** Per user: the lines sum to zero, granted − spent − held = available ≥ 0, and the cached balance says the same. */
function checkUsers({ transfers, balances, reservations }: History): Violation[] {
  const found: Violation[] = [];
  const byUser = Map.groupBy(transfers, ({ userId }) => userId);
  const causes = Map.groupBy(transfers, ({ cause }) => cause);
  for (const [cause, same] of causes)
    if (same.length > 1) found.push(credit("", `${cause} moved ${same.length} times`));
  for (const { userId, available, held } of balances) {
    const say = (text: string) => found.push(credit("", `user ${userId}: ${text}`));
    const lines = (byUser.get(userId) ?? []).flatMap((transfer) => transfer.lines);
    const of = (...accounts: string[]) => sumOf(lines.filter(({ account }) => accounts.includes(account)));
    const open = reservations.filter((one) => one.userId === userId && one.settledAt === null);
    const granted = -of("issued");
    const left = granted - of("spent", "expired") - of("held");
    if (sumOf(lines) !== 0) say(`the lines sum to ${sumOf(lines)}`);
    if (left !== available) say(`granted − spent − held is ${left}, available are ${available}`);
    if (of("allowance", "purchased") !== available) say("the lines and the balance differ");
    if (available < 0) say(`${available} credits are available`);
    if (held !== of("held") || held !== sumOf(open)) say(`${held} credits are held, for open work of ${sumOf(open)}`);
  }
  return found;
}

const isCovered = ({ at }: ModelCall, { createdAt, settledAt }: Reservation): boolean =>
  at >= createdAt && (settledAt === null || at.getTime() <= settledAt.getTime() + CALL_GRACE_MS);

function checkModelCalls({ asks, reservations, modelCalls }: History): Violation[] {
  const byKeyword = new Map(asks.map((ask) => [ask.keyword, ask]));
  const byTask = new Map(reservations.map((one) => [one.reference, one]));
  return modelCalls.flatMap((call) => {
    const ask = byKeyword.get(call.keyword);
    if (!ask) return [credit("", `a model was asked about "${call.keyword}", which nobody asked for`)];
    const held = ask.tasks.flatMap(({ id }) => byTask.get(id) ?? []);
    if (held.some((reservation) => isCovered(call, reservation))) return [];
    return [
      credit(ask.makingFault, `ask ${ask.n}: a model was called at ${call.at.toISOString()} without a reservation`),
    ];
  });
}
