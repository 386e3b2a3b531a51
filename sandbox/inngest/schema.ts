/** Raised when a table changes; an older layout is refused with a sentence, not guessed at. */
export const LAYOUT_VERSION = 1;

/**
 * The executor's tables. Memos, events and outputs are text, never jsonb: jsonb refuses \u0000 and reorders keys.
 * All times come from Node's clock, which tests move; nothing defaults to now().
 */
export const TABLES = `
  create table if not exists layout (version int primary key);

  create table if not exists event (
    id text primary key,
    dedupe_id text not null unique,
    name text not null,
    body text not null,
    received_at timestamptz not null
  );
  create index if not exists event_received_at on event (received_at);

  create table if not exists run (
    id text primary key,
    function_id text not null,
    event_id text not null references event (id),
    status text not null check (status in ('running', 'completed', 'failed')),
    generation int not null,
    completions int not null,
    started_at timestamptz not null,
    ended_at timestamptz,
    output text,
    problem text,
    unique (function_id, event_id)
  );
  create index if not exists run_event on run (event_id);
  create index if not exists run_started_at on run (started_at);
  create index if not exists run_ended_at on run (ended_at);

  create table if not exists step (
    run_id text not null references run (id) on delete cascade,
    id text not null,
    name text not null,
    kind text not null check (kind in ('run', 'sleep')),
    completion int,
    memo text,
    primary key (run_id, id),
    check ((completion is null) = (memo is null))
  );

  create table if not exists call (
    run_id text not null references run (id) on delete cascade,
    target text not null,
    generation int not null,
    attempt int not null,
    failures int not null,
    due_at timestamptz not null,
    primary key (run_id, target)
  );

  create table if not exists slot (
    run_id text not null,
    target text not null,
    key text not null,
    capacity int not null,
    held boolean not null,
    since timestamptz not null,
    primary key (run_id, target, key)
  );
  create index if not exists slot_key on slot (key, held, since);

  create table if not exists cron_tick (
    function_id text not null,
    cron text not null,
    last_at timestamptz not null,
    primary key (function_id, cron)
  );

  create table if not exists worker (
    pool_id text primary key,
    lock_id bigint not null,
    started_at timestamptz not null
  );
`;
