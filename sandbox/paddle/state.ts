import { randomInt } from "node:crypto";
import type { ControlState } from "../kit/control.ts";
import { createStore, type Journal, type Store } from "../kit/journal.ts";
import type { Spec } from "../kit/spec.ts";
import { ulid } from "../kit/values.ts";
import type { Kind, Notification, PaddleEvent, Records } from "./model.ts";
import type { PADDLE_SETTINGS } from "./settings.ts";

/** Shared by all routes and use cases. The log also contains the sent webhooks. */
export interface Paddle extends ControlState<typeof PADDLE_SETTINGS> {
  store: PaddleStore;
  spec: Spec;
  apiKey: string;
  clientToken: string;
  webhook: WebhookTarget;
  /** Page that opens the checkout of a transaction, without its query. */
  checkoutUrl?: string | undefined;
  /** Called after each change: there may be new notifications, and due dates may have moved. */
  onChange(): void;
}

/** Where webhooks go, and how they are signed. */
export interface WebhookTarget {
  url: string;
  secret: string;
  /** The secret before the last rotation, for the fault that still signs with it. */
  previousSecret: string;
}

type Entities = { [K in Kind]: Map<string, Records[K]> };

/** Each map is in creation order. */
type PaddleState = Entities & {
  events: Map<string, PaddleEvent>;
  /** Ids of the notifications that are not delivered yet. */
  unsent: Set<string>;
  /** Customer ids by every email they ever had, in lower case. */
  byEmail: Map<string, string>;
};

/** A journal line: entities in their new state, and the events about them. */
export interface JournalLine {
  put?: { [K in Kind]?: Records[K][] };
  events?: PaddleEvent[];
}

/** A line is stored completely or not at all. */
type PaddleStore = Store<PaddleState, JournalLine>;

/** Rebuilds the state from the journal and compacts it. */
export function openStore(journal: Journal<JournalLine>): PaddleStore {
  const store = createStore(journal, emptyState, applyLine);
  if (journal.entries.length > 0) journal.replace(snapshot(store.state));
  return store;
}

function emptyState(): PaddleState {
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
    notifications: new Map(),
    events: new Map(),
    unsent: new Set(),
    byEmail: new Map(),
  };
}

function applyLine(state: PaddleState, { put = {}, events = [] }: JournalLine): void {
  for (const kind of Object.keys(put) as Kind[]) {
    const entities: Map<string, Records[Kind]> = state[kind];
    for (const entity of put[kind] ?? []) entities.set(entity.id, entity);
  }
  for (const event of events) state.events.set(event.event_id, event);
  for (const { id, email } of put.customers ?? []) state.byEmail.set(email.toLowerCase(), id);
  for (const { id, nextAttemptAt } of put.notifications ?? []) {
    if (nextAttemptAt === null) state.unsent.delete(id);
    else state.unsent.add(id);
  }
}

function snapshot({ events, unsent: _, byEmail: __, ...entities }: PaddleState): JournalLine[] {
  const puts = (Object.keys(entities) as Kind[]).flatMap((kind) =>
    [...entities[kind].values()].map((entity) => ({ put: { [kind]: [entity] } })),
  );
  return [...puts, ...[...events.values()].map((event) => ({ events: [event] }))];
}

type DatedKind = Exclude<Kind, "secrets" | "challenges" | "notifications">;

/** An uncommitted change. It reads its own writes, and is committed completely or not at all. */
export interface Change {
  /** The time of the change. */
  readonly at: Date;
  /** The time as text; within a change, each call returns a later millisecond. */
  timestamp(): string;
  get<K extends Kind>(kind: K, id: string): Records[K] | undefined;
  /** Stores an entity without an event. */
  put<K extends Kind>(kind: K, entity: Records[K]): Records[K];
  /** Stores an entity with a new `updated_at`, and emits an event of each type. */
  save<K extends DatedKind>(kind: K, entity: Records[K], ...eventTypes: string[]): Records[K];
  /** Emits an event without changing an entity. */
  emit(eventType: string, data: unknown): PaddleEvent;
}

/** Runs `work` as one change. If it throws, nothing changes. */
export function commit<T>(paddle: Paddle, work: (change: Change) => T, at: Date = paddle.clock.now()): T {
  const { store } = paddle;
  const { change, written, events } = startChange(store, at);
  const result = work(change);
  for (const event of events) change.put("notifications", newNotification(event, "event", at));
  const put = Map.groupBy(written.values(), ({ kind }) => kind);
  store.append({
    put: Object.fromEntries([...put].map(([kind, list]) => [kind, list.map(({ entity }) => entity)])),
    events,
  });
  paddle.onChange();
  return result;
}

/** Runs a change without storing it. */
export function dryRun<T>({ store, clock }: Paddle, work: (change: Change) => T): T {
  return work(startChange(store, clock.now()).change);
}

function startChange(store: PaddleStore, at: Date) {
  const written = new Map<string, { kind: Kind; entity: Records[Kind] }>();
  const events: PaddleEvent[] = [];
  let lastMs = at.getTime() - 1;
  const stampAfter = (earlier = 0) => {
    lastMs = Math.max(lastMs, earlier) + 1;
    return isoMicros(new Date(lastMs));
  };
  const record = (event_type: string, data: unknown, occurred_at: string): PaddleEvent => {
    const event = { event_id: newId("evt", at), event_type, occurred_at, data };
    events.push(event);
    return event;
  };
  const change: Change = {
    at,
    timestamp: () => stampAfter(),
    get<K extends Kind>(kind: K, id: string) {
      const entities: Entities[K] = store.state[kind];
      // Entities are stored under their own kind.
      return (written.get(`${kind} ${id}`)?.entity as Records[K] | undefined) ?? entities.get(id);
    },
    put(kind, entity) {
      written.set(`${kind} ${entity.id}`, { kind, entity });
      return entity;
    },
    save(kind, entity, ...eventTypes) {
      let saved = entity;
      for (const eventType of eventTypes.length === 0 ? [undefined] : eventTypes) {
        const before = change.get(kind, entity.id);
        if (before !== undefined) saved = { ...entity, updated_at: stampAfter(Date.parse(before.updated_at)) };
        change.put(kind, saved);
        if (eventType !== undefined) record(eventType, saved, saved.updated_at);
      }
      return saved;
    },
    emit: (eventType, data) => record(eventType, data, stampAfter()),
  };
  return { change, written, events };
}

export function newNotification(event: PaddleEvent, origin: Notification["origin"], at: Date): Notification {
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

/** An id like Paddle's: a prefix, then a lower-case ULID whose first ten characters are the time. */
export function newId(prefix: string, at: Date): string {
  return `${prefix}_${ulid(at.getTime()).toLowerCase()}`;
}

/** A time as Paddle writes it, with microseconds. */
export function isoMicros(at: Date): string {
  return `${at.toISOString().slice(0, -1)}${String(randomInt(1_000)).padStart(3, "0")}Z`;
}
