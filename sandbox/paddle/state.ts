import type { Journal } from "../kit/journal.ts";
import { newId } from "./model.ts";
import type { Change, Kind, Notification, PaddleEvent, Records } from "./records.ts";
import type { Paddle } from "./respond.ts";
import { isoMicros } from "./time.ts";

/** Everything the stand-in knows; each map is in the order in which its entities were made. */
type PaddleState = Kept & {
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

/** A change in the making: sees what it has put, and is kept whole or not at all. */
export interface Edit {
  /** When it happens. */
  readonly at: Date;
  /** The moment as text; within a change each is a millisecond later than the one before. */
  stamp(): string;
  get<K extends Kind>(kind: K, id: string): Records[K] | undefined;
  /** Keeps an entity without telling anybody. */
  put<K extends Kind>(kind: K, entity: Records[K]): Records[K];
  /** Keeps an entity with a new `updated_at`, and tells of it under each of these event types. */
  save<K extends DatedKind>(kind: K, entity: Records[K], ...eventTypes: string[]): Records[K];
  /** Tells of something; by itself no change of an entity. */
  emit(eventType: string, data: unknown): PaddleEvent;
}

/** Kinds with `updated_at`. */
type DatedKind = "products" | "prices" | "customers" | "addresses" | "transactions" | "subscriptions" | "adjustments";

/** Runs `work` as one change. What it throws leaves everything as it was. */
export function edit<T>(paddle: Paddle, work: (edit: Edit) => T, at: Date = paddle.clock.now()): T {
  const { store } = paddle;
  const change: Change = { put: {}, events: [] };
  const made = new Map<string, unknown>();
  let lastMs = at.getTime() - 1;
  const stampAfter = (earlier: string | undefined) => {
    lastMs = Math.max(lastMs, earlier === undefined ? 0 : Date.parse(earlier)) + 1;
    return isoMicros(new Date(lastMs));
  };
  const tell = (event_type: string, data: unknown, occurred_at: string): PaddleEvent => {
    const event = { event_id: newId("evt", at), event_type, occurred_at, data };
    change.events.push(event);
    return event;
  };
  const one: Edit = {
    at,
    stamp: () => stampAfter(undefined),
    get: (kind, id) => ownOr(made.get(`${kind} ${id}`), kept(store.state, kind, id)),
    put(kind, entity) {
      made.set(`${kind} ${entity.id}`, entity);
      return entity;
    },
    save(kind, entity, ...eventTypes) {
      let kept = entity;
      for (const eventType of eventTypes.length === 0 ? [undefined] : eventTypes) {
        const before = one.get(kind, entity.id);
        kept = { ...entity, updated_at: before === undefined ? entity.updated_at : stampAfter(before.updated_at) };
        one.put(kind, kept);
        if (eventType !== undefined) tell(eventType, kept, kept.updated_at);
      }
      return kept;
    },
    emit: (eventType, data) => tell(eventType, data, stampAfter(undefined)),
  };
  const result = work(one);
  for (const [key, entity] of made) keep(change.put, key, entity);
  keepNotifications(change, paddle, at);
  store.commit(change);
  paddle.onChange();
  return result;
}

/** A new notification of an event. */
export function toNotification(event: PaddleEvent, origin: Notification["origin"], at: Date): Notification {
  return {
    id: newId("ntf", at),
    eventId: event.event_id,
    status: "not_attempted",
    origin,
    createdAt: isoMicros(at),
    nextAttemptAt: isoMicros(at),
    attempts: [],
  };
}

function keepNotifications(change: Change, { settings, clock }: Paddle, at: Date): void {
  const first = new Date(clock.now().getTime() + settings.webhookDelayMs);
  const made = change.events.map((event) => ({
    ...toNotification(event, "event", at),
    nextAttemptAt: isoMicros(first),
  }));
  if (made.length > 0) change.put.notifications = [...(change.put.notifications ?? []), ...made];
}

function keep(put: Change["put"], key: string, entity: unknown): void {
  const [kind = ""] = key.split(" ", 1);
  const lists = put as Record<string, unknown[]>;
  lists[kind] = [...(lists[kind] ?? []), entity];
}

/** What an edit has put under a kind is of that kind. */
function ownOr<T>(own: unknown, kept: T | undefined): T | undefined {
  return own === undefined ? kept : (own as T);
}

/** An entity with the fields of a request; what names it and dates it stays. */
export function withChanges<T extends { id: string; created_at: string; updated_at: string }>(
  entity: T,
  changes: NoInfer<Partial<T>>,
): T {
  const { id, created_at, updated_at } = entity;
  return { ...entity, ...changes, id, created_at, updated_at };
}
