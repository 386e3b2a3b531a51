import type { Paddle } from "../context.ts";
import type { Notification } from "../records.ts";
import { deliver, unsent } from "./deliver.ts";

/** Sends what waits, one after the other, and tries again what was not answered with a 2xx. */
export interface Sender {
  /** Looks for what is due; called after each change. */
  wake(): void;
  /** Sends what waits in this order, then what comes. */
  reorder(order: (waiting: Notification[]) => Notification[]): void;
  /** Ends when nothing is being sent and nothing is due. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const LONGEST_SLEEP_MS = 60_000;

/** A sender that works as long as it is not closed; its moments are those of the stand-in's clock. */
export function createSender(paddle: Paddle): Sender {
  const closing = new AbortController();
  const queue = createQueue(paddle);
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  const rests = () => paddle.settings.holdWebhooks || closing.signal.aborted;
  const work = async () => {
    let waiting: Notification | undefined;
    let late: Notification | undefined;
    for (let next = queue.take(); next !== undefined && !rests(); next = queue.take(waiting) ?? waiting) {
      const canWait = waiting === undefined && next.id !== late?.id;
      if ((await deliver(paddle, next, canWait, closing.signal)) === "waits") waiting = next;
      else if (waiting !== undefined) {
        // It was waiting for the one that has just been sent: now it goes before all others.
        queue.putBack(waiting);
        [late, waiting] = [waiting, undefined];
      }
    }
    working = undefined;
    sleep();
  };
  /** Until the next retry. The clock may be moved meanwhile, so it is never long. */
  const sleep = () => {
    const waitMs = queue.msToNext();
    if (waitMs === undefined || rests()) return;
    timer = setTimeout(wake, Math.min(waitMs, LONGEST_SLEEP_MS)).unref();
  };
  const wake = () => {
    clearTimeout(timer);
    if (!rests()) working ??= Promise.resolve().then(work);
  };
  return {
    wake,
    reorder(order) {
      queue.putFirst(order([...unsent(paddle)]));
      wake();
    },
    async settled() {
      wake();
      while (working !== undefined) await working;
    },
    async close() {
      closing.abort();
      clearTimeout(timer);
      await working;
    },
  };
}

/** What waits, in the order in which it is sent. */
function createQueue(paddle: Paddle) {
  /** Ids in the order in which they were released, the first one last; they go before all others. */
  let released: string[] = [];
  const dueMs = ({ nextAttemptAt }: Notification) => Date.parse(nextAttemptAt ?? "");
  const takeReleased = (except: Notification | undefined): Notification | undefined => {
    const { notifications, unsent: waiting } = paddle.store.state;
    for (let id = released.pop(); id !== undefined; id = released.pop()) {
      if (waiting.has(id) && id !== except?.id) return notifications.get(id);
    }
    return undefined;
  };
  const firstDue = (except: Notification | undefined): Notification | undefined => {
    const nowMs = paddle.clock.now().getTime();
    for (const one of unsent(paddle)) if (one.id !== except?.id && dueMs(one) <= nowMs) return one;
    return undefined;
  };
  return {
    putFirst(notifications: Notification[]) {
      released = notifications.map(({ id }) => id).toReversed();
    },
    /** The next one, but for one that waits. */
    take: (except?: Notification) => takeReleased(except) ?? firstDue(except),
    putBack({ id }: Notification) {
      released.push(id);
    },
    msToNext(): number | undefined {
      let firstMs = Number.POSITIVE_INFINITY;
      for (const one of unsent(paddle)) firstMs = Math.min(firstMs, dueMs(one));
      return Number.isFinite(firstMs) ? Math.max(1, firstMs - paddle.clock.now().getTime()) : undefined;
    },
  };
}
