/** Raised when a table changes; an older layout is dropped and made anew, a newer one is refused. */
export const LAYOUT_VERSION = 4;

/**
 * The executor's tables. Memos, events and outputs are text, never jsonb: jsonb refuses \u0000 and reorders keys.
 * All times come from Node's clock, which tests move; nothing defaults to now().
 *
 * `call` is the queue: a row is an answer that the app owes, `claimed_by` the executor that asks for it. `lane` names
 * the function and the values of its concurrency keys: calls of one lane count against the same limits. `rank` is when
 * a run last became ready, by its start or by the end of a sleep: of one lane, who has waited longest goes first, and a
 * run that is nearly done does not queue up behind what became ready after it.
 */
export const TABLES = `
  create table if not exists layout (version int primary key);

  create table if not exists event (
    id text primary key,
    dedupe_id text not null unique,
    name text not null,
    body text not null,
    received_at timestamptz not null,
    routed boolean not null
  );
  create index if not exists event_received_at on event (received_at);
  create index if not exists event_unrouted on event (id) where not routed;

  create table if not exists run (
    id text primary key,
    function_id text not null,
    event_id text not null references event (id),
    lane text not null,
    rank timestamptz not null,
    status text not null check (status in ('running', 'completed', 'failed', 'cancelled')),
    version int not null,
    generation int not null,
    completions int not null,
    started_at timestamptz not null,
    ended_at timestamptz,
    output text,
    problem text,
    parent_run_id text,
    parent_step_id text,
    unique (function_id, event_id)
  );
  create index if not exists run_event on run (event_id);
  create index if not exists run_ended_at on run (ended_at);
  create index if not exists run_running on run (function_id, started_at) where status = 'running';

  create table if not exists step (
    run_id text not null references run (id) on delete cascade,
    id text not null,
    name text not null,
    kind text not null check (kind in ('run', 'sleep', 'wait', 'invoke')),
    is_race boolean not null,
    is_inline boolean not null,
    planned_at timestamptz not null,
    due_at timestamptz,
    timeout_memo text,
    wait_event text,
    wait_if text,
    attempts int not null,
    error text,
    completion int,
    memo text,
    primary key (run_id, id),
    check ((completion is null) = (memo is null))
  );
  create index if not exists step_due on step (due_at) where completion is null and due_at is not null;
  create index if not exists step_wait on step (wait_event) where completion is null and wait_event is not null;

  create table if not exists call (
    run_id text not null references run (id) on delete cascade,
    target text not null,
    generation int not null,
    attempt int not null,
    failures int not null,
    due_at timestamptz not null,
    lane text not null,
    rank timestamptz not null,
    claimed_by text,
    primary key (run_id, target)
  );
  create index if not exists call_ready on call (lane, rank, run_id) where claimed_by is null;
  create index if not exists call_due on call (due_at) where claimed_by is null;
  create index if not exists call_claimed on call (claimed_by, lane) where claimed_by is not null;

  create table if not exists cron_tick (
    function_id text not null,
    cron text not null,
    last_at timestamptz not null,
    primary key (function_id, cron)
  );

  create table if not exists worker (
    id text primary key,
    lock_id bigint not null,
    url text not null,
    started_at timestamptz not null
  );
`;
