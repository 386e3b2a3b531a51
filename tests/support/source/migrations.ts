/** A migration's file. */
interface Migration {
  name: string;
  text: string;
}

interface Statement {
  /** Lower case, without comments and quoted text, single spaces. */
  text: string;
  /** Whether a comment names the release that stopped using what is removed. */
  isContract: boolean;
}

const NO_TRANSACTION = /^-- no transaction\n/;
const CONTRACT = /^--\s*contract:[ \t]*\S+/m;
/** Running it again changes nothing. */
const REPEATABLE = /\bif (?:not )?exists\b|^(?:update|delete|analyze|comment on)\b|\bvalidate constraint\b/;

/** Changes that break the release that is still running, and those that lock a table while they read all of it. */
const CONTRACTING: readonly { at: RegExp; what: string }[] = [
  { at: /\bdrop table\b/, what: "drops a table" },
  { at: /\bdrop column\b/, what: "drops a column" },
  { at: /\brename (?:column |to )/, what: "renames something" },
  { at: /\brename (?!(?:constraint|column|to)\b)\S+ to\b/, what: "renames something" },
  { at: /\balter (?:column )?\S+ (?:set data )?type\b/, what: "changes a column's type" },
  { at: /\bset not null\b/, what: "makes a column required" },
];

const bare = (sql: string): string =>
  sql
    .replace(/--.*$/gm, " ")
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, " ")
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();

/** Statements within functions are not looked at: they run later. */
const statementsOf = (text: string): Statement[] =>
  text.split("--> statement-breakpoint").flatMap((part) => {
    const isContract = CONTRACT.test(part);
    return bare(part)
      .split(";")
      .map((statement) => ({ text: statement.trim(), isContract }))
      .filter((statement) => statement.text !== "");
  });

const nameIn = (statement: string, before: RegExp): string | undefined => {
  const [, name] =
    new RegExp(`${before.source} (?:if not exists )?(?:only )?"?(?:public"?\\."?)?(\\w+)"?`).exec(statement) ?? [];
  return name;
};

const tableOf = (statement: string): string | undefined =>
  nameIn(statement, /\b(?:create index|create unique index).*? on/) ??
  nameIn(statement, /\balter table(?: if exists)?/);

/** A column added without a default can't be required: rows of the running release lack it. */
const addsRequired = (statement: string): boolean =>
  statement
    .replace(/\([^()]*\)/g, "")
    .split(",")
    .some((part) => /\badd column\b.*\bnot null\b/.test(part) && !/\b(?:default|generated)\b/.test(part));

const indexProblems = (statement: string, isAlone: boolean): string[] => {
  if (!/^create (?:unique )?index\b/.test(statement)) return [];
  const isConcurrent = /^create (?:unique )?index concurrently if not exists\b/.test(statement);
  if (isConcurrent && isAlone) return [];
  return [
    "builds an index that blocks writes: use `create index concurrently if not exists` after `-- no transaction`",
  ];
};

const changeProblems = ({ text, isContract }: Statement): string[] => {
  if (isContract) return [];
  const found = CONTRACTING.filter(({ at }) => at.test(text)).map(({ what }) => what);
  const all = addsRequired(text) ? [...found, "adds a required column without a default"] : found;
  return [...new Set(all)].map((what) => `${what}: say with \`-- contract: <release>\` which release stopped using it`);
};

/**
 * What keeps a migration from running while the previous release still works (CONTRIBUTING, "Change the database").
 * Tables that the migration itself creates may be changed freely.
 */
export const migrationProblems = ({ name, text }: Migration): string[] => {
  const statements = statementsOf(text);
  const created = new Set(statements.map((statement) => nameIn(statement.text, /^create (?:unlogged )?table/)));
  const isAlone = NO_TRANSACTION.test(text);
  const problems = statements.flatMap((statement) => {
    const table = tableOf(statement.text);
    if (table !== undefined && created.has(table)) return [];
    const repeat = isAlone && !REPEATABLE.test(statement.text) ? ["can't run twice, but has no transaction"] : [];
    return [...indexProblems(statement.text, isAlone), ...changeProblems(statement), ...repeat];
  });
  return problems.map((problem) => `${name} ${problem}`);
};
