import { FUNCTION_FAILED } from "./protocol.ts";

/** Incremented when a table changes. An older schema is dropped and recreated, a newer one is refused. */
export const SCHEMA_VERSION = 5;

/**
 * JSON is text, because jsonb rejects \u0000 and reorders keys. Times come from Node's clock, which tests move. `lane`
 * is the queue key, `rank` when the run last became ready: in a queue the oldest goes first.
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
    status text not null check (status in ('running', 'completed', 'failed')),
    version int not null,
    generation int not null,
    completions int not null,
    started_at timestamptz not null,
    ended_at timestamptz,
    output text,
    problem text,
    unique (function_id, event_id)
  );
  create index if not exists run_event on run (event_id);
  create index if not exists run_ended_at on run (ended_at);
  create index if not exists run_running on run (function_id, started_at) where status = 'running';

  create table if not exists step (
    run_id text not null references run (id) on delete cascade,
    id text not null,
    name text not null,
    kind text not null check (kind in ('run', 'sleep')),
    is_inline boolean not null,
    planned_at timestamptz not null,
    due_at timestamptz,
    attempts int not null,
    error text,
    completion int,
    memo text,
    primary key (run_id, id),
    check ((completion is null) = (memo is null))
  );
  create index if not exists step_due on step (due_at) where completion is null and due_at is not null;

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

/** Starts runs with their first calls. A function that already has a run for the event gets no second one. */
const START_RUNS = `
  create or replace function start_runs(wanted json, moment timestamptz) returns int language sql as $$
    with given as (
      select * from json_to_recordset(wanted)
        as g(id text, "functionId" text, "eventId" text, "queueKey" text, "dueAt" timestamptz, place int)
    ), started as (
      insert into run (id, function_id, event_id, lane, rank, status, version, generation, completions, started_at)
      select id, "functionId", "eventId", "queueKey", "dueAt" + place * interval '1 microsecond', 'running', 0, 1, 0, moment
      from given
      on conflict (function_id, event_id) do nothing returning id, lane, rank
    ), called as (
      insert into call (run_id, target, generation, attempt, failures, due_at, lane, rank)
      select started.id, 'step', 1, 0, 0, given."dueAt", started.lane, started.rank from started join given using (id)
      returning 1
    )
    select count(*)::int from called
  $$;
`;

/** Writes a decision about a run; returns false if its `version` has changed since it was read, or it has ended. */
const SAVE_RUN = `
  create or replace function save_run(patch json) returns boolean language plpgsql as $$
  declare
    this text := patch->>'id';
    moment timestamptz := (patch->>'at')::timestamptz;
  begin
    update run set version = version + 1, generation = (patch->>'generation')::int,
      completions = (patch->>'completions')::int, problem = patch->>'problem',
      status = patch->>'status', output = patch->>'output',
      ended_at = case when patch->>'status' = 'running' then null else moment end
    where id = this and status = 'running' and version = (patch->>'version')::int;
    if not found then return false; end if;
    delete from call where run_id = this
      and (patch->>'status' <> 'running' or target = patch->>'closed');
    if patch->>'status' <> 'running' then delete from step where run_id = this and completion is null; end if;
    if json_array_length(patch->'steps') > 0 then
      insert into step (run_id, id, name, kind, is_inline, planned_at, due_at, attempts, error, completion, memo)
      select this, id, name, kind, "isInline", moment, "dueAt", attempts, error, completion, memo
      from json_to_recordset(patch->'steps') as s(id text, name text, kind text, "isInline" boolean,
        "dueAt" timestamptz, attempts int, error text, completion int, memo text)
      on conflict (run_id, id) do update set completion = excluded.completion, memo = excluded.memo,
        attempts = greatest(step.attempts, excluded.attempts), error = coalesce(excluded.error, step.error)
        where step.completion is null;
    end if;
    if json_array_length(patch->'calls') > 0 then
      insert into call (run_id, target, generation, attempt, failures, due_at, lane, rank, claimed_by)
      select this, c.target, c.generation, c.attempt, c.failures, c."dueAt", run.lane, run.rank, c."claimedBy"
      from json_to_recordset(patch->'calls') as c(target text, generation int, attempt int, failures int,
        "dueAt" timestamptz, "claimedBy" text) join run on run.id = this
      on conflict (run_id, target) do update set generation = excluded.generation, attempt = excluded.attempt,
        failures = excluded.failures, due_at = excluded.due_at, claimed_by = excluded.claimed_by;
    end if;
    if patch->>'failureEvent' is not null then
      insert into event (id, dedupe_id, name, body, received_at, routed)
      values (this, this, '${FUNCTION_FAILED}', patch->>'failureEvent', moment, false) on conflict do nothing;
    end if;
    return true;
  end $$;
`;

/** Ends due sleeps and continues their runs, except those locked by others. Returns the number of runs. */
const END_DUE_SLEEPS = `
  create or replace function wake_due(moment timestamptz, most int) returns int language plpgsql as $$
  declare
    runs text[];
  begin
    select array_agg(locked.id) into runs from (
      select run.id from run where run.status = 'running' and run.id = any(array(
        select run_id from step where completion is null and due_at <= moment
          and (select status from run where run.id = step.run_id) = 'running'
        order by due_at limit most
      )) for update skip locked
    ) locked;
    -- Another executor may have ended these steps before the lock was taken: such a run is left alone.
    with woken as (
      update step set memo = '{"data":null}', completion = run.completions + due.place
      from (
        select run_id, id, row_number() over (partition by run_id order by due_at, id)::int as place
        from step where run_id = any(runs) and completion is null and due_at <= moment
      ) due join run on run.id = due.run_id
      where step.run_id = due.run_id and step.id = due.id
      returning step.run_id
    ) select array_agg(distinct run_id) into runs from woken;
    if runs is null then return 0; end if;
    update run set rank = (select max(due_at) from step where run_id = run.id and completion > run.completions)
    where id = any(runs);
    insert into call (run_id, target, generation, attempt, failures, due_at, lane, rank)
    select run.id, 'step', run.generation + 1, 0, 0, moment, run.lane, run.rank from run
    where run.id = any(runs)
      and not exists (select 1 from step where run_id = run.id and completion is null and not is_inline)
    on conflict (run_id, target) do update set generation = excluded.generation, attempt = 0, failures = 0,
      due_at = excluded.due_at, rank = excluded.rank, claimed_by = null;
    update run set version = version + 1, generation = generation + 1,
      completions = (select max(completion) from step where run_id = run.id)
    where id = any(runs);
    return cardinality(runs);
  end $$;
`;

export const PROCEDURES = `${START_RUNS}${SAVE_RUN}${END_DUE_SLEEPS}`;
