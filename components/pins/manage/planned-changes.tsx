import { Banner } from "#components/ui/banner.tsx";
import type { PlannedEdit } from "#lib/features/pins/schema.ts";

type Change = PlannedEdit["changes"][number];

type PlannedChangesProps = {
  edits: readonly PlannedEdit[];
  /** The name of a board, or its id while names are not known. */
  nameOf: (boardId: string) => string;
};

const WORDS = { board: "Board", link: "Link", description: "Description" } as const;

/** What is put at the end of a description, and a little of what stands before it. */
const LEAD_CHARACTERS = 40;

const clipped = (text: string): string => (text.length <= LEAD_CHARACTERS ? text : `…${text.slice(-LEAD_CHARACTERS)}`);

/** One change; what is added at the end stands out from what was there. */
function ChangeLine({ change, nameOf }: { change: Change; nameOf: PlannedChangesProps["nameOf"] }) {
  const { field, before, after } = change;
  const isAdded = field === "description" && after.startsWith(before);
  const shown = (value: string) => (field === "board" ? nameOf(value) : value);
  return (
    <>
      <dt>{WORDS[field]}</dt>
      <dd>
        {isAdded ? (
          <>
            {clipped(before)}
            <ins>{after.slice(before.length)}</ins>
          </>
        ) : (
          <>
            {before !== "" && (
              <>
                <del>{shown(before)}</del>{" "}
              </>
            )}
            {after === "" ? <span className="text-ink-3">none</span> : <ins>{shown(after)}</ins>}
          </>
        )}
      </dd>
    </>
  );
}

/** What a change does to each pin, before it is made. Pins that stand against it come first. */
export function PlannedChanges({ edits, nameOf }: PlannedChangesProps) {
  const ordered = edits.toSorted((a, b) => Number(b.problem !== null) - Number(a.problem !== null));
  return (
    <ul className="planned">
      {ordered.map(({ id, title, changes, problem }) => (
        <li key={id}>
          <p className="planned-title">{title}</p>
          {problem === null ? (
            <dl>
              {changes.map((change) => (
                <ChangeLine key={change.field} change={change} nameOf={nameOf} />
              ))}
            </dl>
          ) : (
            <Banner tone="failed">{problem}</Banner>
          )}
          {problem === null && changes.length === 0 && <p className="text-ink-3">Stays as it is</p>}
        </li>
      ))}
    </ul>
  );
}
