import type { Journal } from "../kit/journal.ts";
import type { Change, Kind, PaddleEvent, Records } from "./records.ts";

/** Everything the stand-in knows; each map is in the order in which its entities were made. */
export type PaddleState = Kept & {
  events: Map<string, PaddleEvent>;
  /** Ids of the notifications that are still to be sent. */
  unsent: Set<string>;
  /** Ids of customers by each address they ever had, in lower case. */
  byEmail: Map<string, string>;
};

type Kept = { [K in Kind]: Map<string, Records[K]> };

/** State with its journal: nothing changes but through `commit`, and a change is kept whole or not at all. */
export interface PaddleStore {
  readonly state: PaddleState;
  commit(change: Partial<Change>): void;
  reset(): void;
}

/** Rebuilds the state from the journal, which is written anew without its past. */
export function createStore(journal: Journal<Partial<Change>>): PaddleStore {
  let state = freshState();
  for (const change of journal.entries) apply(state, change);
  if (journal.entries.length > 0) journal.replace(snapshot(state));
  return {
    get state() {
      return state;
    },
    commit(change) {
      journal.append(change);
      apply(state, change);
    },
    reset() {
      journal.clear();
      state = freshState();
    },
  };
}

/** An entity of one kind. */
export function kept<K extends Kind>(state: Kept, kind: K, id: string): Records[K] | undefined {
  const entities: Map<string, Records[K]> = state[kind];
  return entities.get(id);
}

function freshState(): PaddleState {
  return {
    products: new Map(),
    prices: new Map(),
    customers: new Map(),
    addresses: new Map(),
    transactions: new Map(),
    subscriptions: new Map(),
    adjustments: new Map(),
    secrets: new Map(),
    challenges: new Map(),
    portalSessions: new Map(),
    balances: new Map(),
    notifications: new Map(),
    events: new Map(),
    unsent: new Set(),
    byEmail: new Map(),
  };
}

function apply(state: PaddleState, { put = {}, events = [] }: Partial<Change>): void {
  for (const kind of kindsIn(put)) putAll(state[kind], put[kind]);
  for (const event of events) state.events.set(event.event_id, event);
  for (const { id, email } of put.customers ?? []) state.byEmail.set(email.toLowerCase(), id);
  for (const { id, nextAttemptAt } of put.notifications ?? []) {
    if (nextAttemptAt === null) state.unsent.delete(id);
    else state.unsent.add(id);
  }
}

function putAll(kept: Map<string, Records[Kind]>, entities: Records[Kind][] = []): void {
  for (const entity of entities) kept.set(entity.id, entity);
}

function kindsIn(put: Change["put"]): Kind[] {
  return Object.keys(put) as Kind[];
}

function* snapshotLines(state: PaddleState): Generator<Partial<Change>> {
  const { events, unsent: _, byEmail: __, ...kinds } = state;
  for (const kind of Object.keys(kinds) as Kind[]) {
    for (const entity of state[kind].values()) yield { put: { [kind]: [entity] } };
  }
  for (const event of events.values()) yield { events: [event] };
}

function snapshot(state: PaddleState): Partial<Change>[] {
  return [...snapshotLines(state)];
}
