import { sql } from "drizzle-orm";
import type { FullCtx } from "#lib/context.ts";

const PART = 20_000;

/** Statements of at most `PART` rows, below the statement timeout. */
const inParts = async (rows: number, insert: (first: number, last: number) => Promise<unknown>): Promise<void> => {
  for (let first = 1; first <= rows; first += PART) await insert(first, Math.min(rows, first + PART - 1));
};

/** Inserted rows must not fill the live stream. */
const withoutTriggers = async ({ db }: Pick<FullCtx, "db">, insert: () => Promise<void>): Promise<void> => {
  const tables = ["pins", "generation_groups", "generation_tasks"].map((name) => sql.identifier(name));
  for (const table of tables) await db.execute(sql`alter table ${table} disable trigger user`);
  await insert();
  for (const table of tables) await db.execute(sql`alter table ${table} enable trigger user`);
};

/** Users with one account each: `bench_1`, `bench_2` and so on. */
export const insertUsers = async ({ db }: FullCtx, users: number): Promise<void> => {
  await db.execute(sql`insert into users
    (id, email, email_key, username, username_key, first_name, last_name, password_hash, created_at)
    select 'bench_' || n, 'b' || n, 'b' || n, 'b' || n, 'b' || n, 'B', 'B', '', now()
    from generate_series(1, ${users}::int) as n`);
  await db.execute(sql`insert into pinterest_accounts
    (id, user_id, pinterest_user_id, username, status, connected_at)
    select 'acc_' || n, 'bench_' || n, 'p' || n, 'bench', 'connected', now()
    from generate_series(1, ${users}::int) as n`);
};

/** One running group of waiting tasks for each user. */
export const insertWaitingTasks = async ({ db }: FullCtx, users: number, tasksEach: number): Promise<void> => {
  await db.execute(sql`insert into generation_groups
    (id, user_id, account_id, board_id, quality, total_tasks, created_at)
    select 'run_' || n, 'bench_' || n, 'acc_' || n, '1', 'standard', ${tasksEach}::int, now() - n * interval '1 s'
    from generate_series(1, ${users}::int) as n`);
  await db.execute(sql`insert into generation_tasks
    (id, group_id, user_id, position, keyword, cost_credits, status, wake_at, created_at)
    select 'tsk_' || n || '_' || p, 'run_' || n, 'bench_' || n, p, 'keyword', 1, 'PENDING', now(),
      now() - n * interval '1 s'
    from generate_series(1, ${users}::int) as n, generate_series(0, ${tasksEach}::int - 1) as p`);
};

/** Pins and finished tasks with images of their own, as many of each, spread over the users. */
export const insertPinsAndTasks = async ({ db }: FullCtx, users: number, rows: number): Promise<void> => {
  const at = sql`now() - (n % 5000) * interval '1 minute'`;
  await withoutTriggers({ db }, () =>
    inParts(rows, (first, last) =>
      db.execute(sql`insert into pins
        (id, user_id, account_id, board_id, source, title, image_key, status, created_at, updated_at)
        select 'pin_' || n, 'bench_' || (1 + n % ${users}::int), 'acc_' || (1 + n % ${users}::int), '1', 'ai',
          'A title', 'pins/' || md5('pin' || n) || '.jpg', 'draft', ${at}, ${at}
        from generate_series(${first}::int, ${last}::int) as n`),
    ),
  );
  await insertFinishedGroups({ db }, { prefix: "old", groups: Math.ceil(rows / 10), users, days: 30 });
};

interface FinishedGroups {
  prefix: string;
  groups: number;
  users: number;
  /** How long ago they finished. */
  days: number;
}

/** Ten tasks per group. */
export const insertFinishedGroups = async (
  { db }: Pick<FullCtx, "db">,
  { prefix, groups, users, days }: FinishedGroups,
): Promise<void> => {
  const at = sql`now() - ${days}::int * interval '1 day' - (n % 1000) * interval '1 minute'`;
  const owner = sql`'bench_' || (1 + n % ${users}::int)`;
  await withoutTriggers({ db }, async () => {
    await db.execute(sql`insert into generation_groups
      (id, user_id, account_id, board_id, quality, total_tasks, created_at, finished_at)
      select ${prefix}::text || n, ${owner}, 'acc_' || (1 + n % ${users}::int), '1', 'standard', 10, ${at}, ${at}
      from generate_series(1, ${groups}::int) as n`);
    await inParts(groups * 10, (first, last) =>
      db.execute(sql`insert into generation_tasks
        (id, group_id, user_id, position, keyword, cost_credits, status, image_key, wake_at, created_at, called_at, finished_at)
        select 'tsk_' || ${prefix}::text || m, ${prefix}::text || n, ${owner}, (m - 1) % 10, 'keyword', 1, 'SUCCESS',
          'pins/' || md5(${prefix}::text || m) || '.jpg', ${at}, ${at}, ${at}, ${at}
        from (select m, 1 + (m - 1) / 10 as n from generate_series(${first}::int, ${last}::int) as m) as one`),
    );
  });
};

export const insertOrphans = async ({ db }: FullCtx, prefix: string, images: number): Promise<void> => {
  await db.execute(sql`insert into orphaned_images (key, since)
    select 'pins/' || md5(${prefix}::text || n) || '.jpg', now() - interval '8 days' - n * interval '1 s'
    from generate_series(1, ${images}::int) as n`);
};
