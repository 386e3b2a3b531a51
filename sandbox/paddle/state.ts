import { randomBytes, randomInt } from "node:crypto";
import type { ControlState } from "../kit/control.ts";
import type { Journal } from "../kit/journal.ts";
import type { Spec } from "../kit/spec.ts";
import type { Kind, Notification, PaddleEvent, Records } from "./model.ts";
import type { PADDLE_SETTINGS } from "./settings.ts";

/** What every route and use case of the stand-in works with. The log also holds the webhooks that went out. */
export interface Paddle extends ControlState<typeof PADDLE_SETTINGS> {
  store: PaddleStore;
  spec: Spec;
  apiKey: string;
  clientToken: string;
  webhook: WebhookTarget;
  /** Page that opens the checkout of a transaction, without its query. */
  checkoutUrl?: string | undefined;
  /** Called after each change: new notifications may wait, and dates may have moved. */
  onChange(): void;
}

/** Where events go, and with what they are signed. */
export interface WebhookTarget {
  url: string;
  secret: string;
  /** The secret before the last rotation, for the fault that still signs with it. */
  previousSecret: string;
}

type Entities = { [K in Kind]: Map<string, Records[K]> };

/** Each map is in the order in which its entities were made. */
type PaddleState = Entities & {
  events: Map<string, PaddleEvent>;
  /** Ids of the notifications that are still to be sent. */
  unsent: Set<string>;
  /** Ids of customers by each email they ever had, in lower case. */
  byEmail: Map<string, string>;
};

/** One line of the journal: entities as they are now, and the events that say so. */
export interface JournalLine {
  put?: { [K in Kind]?: Records[K][] };
  events?: PaddleEvent[];
}

/** State with its journal: nothing changes but through `append`, and a line is kept whole or not at all. */
export interface PaddleStore {
  readonly state: PaddleState;
  append(line: JournalLine): void;
  reset(): void;
}

/** Rebuilds the state from the journal, which is written anew without its past. */
export function createStore(journal: Journal<JournalLine>): PaddleStore {
  let state = emptyState();
  for (const line of journal.entries) apply(state, line);
  if (journal.entries.length > 0) journal.replace(snapshot(state));
  return {
    get state() {
      return state;
    },
    append(line) {
      journal.append(line);
      apply(state, line);
    },
    reset() {
      journal.clear();
      state = emptyState();
    },
  };
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

function apply(state: PaddleState, { put = {}, events = [] }: JournalLine): void {
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

/** Kinds with `updated_at`. */
type DatedKind = Exclude<Kind, "secrets" | "challenges" | "notifications">;

/** A change in the making: it sees what it has put, and is kept whole or not at all. */
export interface Change {
  /** When it happens. */
  readonly at: Date;
  /** The moment as text; within a change each is a millisecond later than the one before. */
  stamp(): string;
  get<K extends Kind>(kind: K, id: string): Records[K] | undefined;
  /** Keeps an entity without an event. */
  put<K extends Kind>(kind: K, entity: Records[K]): Records[K];
  /** Keeps an entity with a new `updated_at`, with an event of each of these types. */
  save<K extends DatedKind>(kind: K, entity: Records[K], ...eventTypes: string[]): Records[K];
  /** Adds an event; by itself no change of an entity. */
  emit(eventType: string, data: unknown): PaddleEvent;
}

/** Runs `work` as one change. What it throws leaves everything as it was. */
export function commit<T>(paddle: Paddle, work: (change: Change) => T, at: Date = paddle.clock.now()): T {
  const { store } = paddle;
  const { change, made, events } = begin(store, at);
  const result = work(change);
  for (const event of events) change.put("notifications", newNotification(event, "event", at));
  const put = Map.groupBy(made.values(), ({ kind }) => kind);
  store.append({
    put: Object.fromEntries([...put].map(([kind, list]) => [kind, list.map(({ entity }) => entity)])),
    events,
  });
  paddle.onChange();
  return result;
}

/** What a change would come to. Nothing is kept. */
export function dryRun<T>({ store, clock }: Paddle, work: (change: Change) => T): T {
  return work(begin(store, clock.now()).change);
}

function begin(store: PaddleStore, at: Date) {
  const made = new Map<string, { kind: Kind; entity: Records[Kind] }>();
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
    stamp: () => stampAfter(),
    get<K extends Kind>(kind: K, id: string) {
      const entities: Entities[K] = store.state[kind];
      // Under a kind's name only entities of this kind are put.
      return (made.get(`${kind} ${id}`)?.entity as Records[K] | undefined) ?? entities.get(id);
    },
    put(kind, entity) {
      made.set(`${kind} ${entity.id}`, { kind, entity });
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
  return { change, made, events };
}

/** A new notification of an event. */
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

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/** An id as Paddle makes them: a prefix, then a lower-case ULID whose first ten characters are the time. */
export function newId(prefix: string, at: Date): string {
  let time = at.getTime();
  let stamp = "";
  for (let place = 0; place < TIME_CHARS; place += 1) {
    stamp = `${ALPHABET[time % ALPHABET.length]}${stamp}`;
    time = Math.floor(time / ALPHABET.length);
  }
  const rest = [...randomBytes(RANDOM_CHARS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return `${prefix}_${stamp}${rest}`;
}

/** A moment as Paddle writes it, with microseconds. */
export function isoMicros(at: Date): string {
  return `${at.toISOString().slice(0, -1)}${String(randomInt(1_000)).padStart(3, "0")}Z`;
}
