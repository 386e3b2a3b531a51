"use client";

import Download from "lucide-react/icons/download";
import { useMemo } from "react";
import { useBoards } from "#components/accounts/boards.tsx";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { Tabs, tabId } from "#components/ui/tabs.tsx";
import { downloadBlob } from "#lib/client/files.ts";
import { DIMENSIONS, type Dimension } from "#lib/features/analytics/constants.ts";
import type { ReportWire, ResultRowWire } from "#lib/features/analytics/schema.ts";
import { FindingBoard } from "./finding.tsx";
import { GatherLine } from "./gather-line.tsx";
import { DIMENSION_NAMES, DIMENSION_WORDS, rowLabel } from "./judge-report.tsx";
import { Part } from "./part.tsx";
import { PartTrouble } from "./part-trouble.tsx";
import { ReportTable } from "./report-table.tsx";
import { fileName, reportCsv } from "./result-files.ts";
import { daysText } from "./result-words.ts";
import type { Report } from "./use-report.ts";
import { useSteadyReport } from "./use-steady-report.ts";

const HEADING = "results-report";
const PANEL = "results-by";

type ReportPartProps = {
  account: { id: string; username: string };
  by: Dimension;
  onBy: (by: Dimension) => void;
  state: Report;
  now: Date;
  timeZone: string;
  creatorPath: string;
};

/** How the table is to be read. */
function Reading({ by }: { by: Dimension }) {
  return (
    <p className="max-w-[84ch] text-xs/[1.55] text-ink-3 text-pretty">
      Click rate: outbound clicks for each impression. The bar shows where the true rate lies, nineteen times in twenty,
      and the order goes by its lower end, so that luck with few impressions does not win.
      {(by === "weekday" || by === "hour") && " Days and hours are those of your own clock when a pin was published."}
    </p>
  );
}

function NothingPublished({ creatorPath }: { creatorPath: string }) {
  return (
    <EmptyState
      title="Nothing published yet"
      action={
        <LinkButton variant="primary" href={creatorPath}>
          Make pins from keywords
        </LinkButton>
      }
    >
      Once pins of yours are on Pinterest, this says which keyword earned the click. The first figures come two days
      later.
    </EmptyState>
  );
}

/** What is still shown when its successor could not be read. */
function Left({ report: { start_date, end_date, by } }: { report: ReportWire }) {
  return (
    <p className="font-[550] text-ink num" role="status">
      Still showing {daysText({ firstDay: start_date, lastDay: end_date })}, by {DIMENSION_WORDS[by].one}.
    </p>
  );
}

type FoundProps = Pick<ReportPartProps, "account" | "creatorPath"> & {
  report: ReportWire;
  /** An earlier state of it while somebody reads. */
  headline: ReportWire;
  /** Whether it is what was asked for, with all its names. */
  canSave: boolean;
  labelOf: (row: ResultRowWire) => string;
};

function Found({ account, report, headline, canSave, labelOf, creatorPath }: FoundProps) {
  const save = () => {
    const { by, rows, start_date: firstDay, end_date: lastDay } = report;
    const file = new Blob([reportCsv(report, DIMENSION_NAMES[by], rows.map(labelOf))], {
      type: "text/csv;charset=utf-8",
    });
    downloadBlob(file, fileName(account.username, `results by ${by}`, { firstDay, lastDay }, "csv"));
  };
  return (
    <>
      <FindingBoard accountId={account.id} report={headline} labelOf={labelOf} creatorPath={creatorPath} />
      <ReportTable
        key={report.by}
        report={report}
        labelOf={labelOf}
        creatorPath={creatorPath}
        tools={
          <Button size="sm" disabled={!canSave} onClick={save}>
            <Download aria-hidden="true" />
            CSV<span className="sr-only"> of this table</span>
          </Button>
        }
      />
      <Reading by={report.by} />
    </>
  );
}

function Waiting() {
  return (
    <div aria-busy="true" className="grid gap-5">
      <span className="sr-only">The results are loading.</span>
      <Skeleton shape="panel" className="h-75" />
      <Skeleton shape="card" className="h-130" />
    </div>
  );
}

/** What earned the click: pins by what they were made of. From figures that are kept for at most a day (D8). */
export function ReportPart(props: ReportPartProps) {
  const { account, by, onBy, state, now, timeZone, creatorPath } = props;
  const { report, isStale, error, asking, isReloading, reload } = state;
  const boards = useBoards(by === "board" || report?.by === "board" ? account.id : null);
  const { table, headline, listeners } = useSteadyReport(report);
  const isNaming = report?.by === "board" && boards.items === null && boards.problem === null;
  const names = useMemo(() => new Map(boards.items?.map(({ id, name }) => [id, name])), [boards.items]);
  const labelOf = (row: ResultRowWire): string => rowLabel(row, isNaming ? null : names);
  const isLeft = isStale && error !== null;
  const isEmpty = report !== null && report.gather.published === 0;
  const isOff = report?.gather.state === "off";
  return (
    <Part
      headingId={HEADING}
      title="What earned the click"
      note={
        !isEmpty &&
        !isOff &&
        `What went together with clicks, not what caused them: pins of one ${DIMENSION_WORDS[by].one} differ in much else as well.`
      }
    >
      {error !== null && (
        <PartTrouble
          what="These results"
          accountId={account.id}
          error={error}
          headingId={HEADING}
          isRetrying={isReloading}
          onRetry={reload}
        />
      )}
      {isEmpty && <NothingPublished creatorPath={creatorPath} />}
      {!isEmpty && (report || error === null) && (
        <>
          {!isOff && (
            <Tabs
              label="Group pins by"
              panelId={PANEL}
              tabs={DIMENSIONS.map((value) => ({ value, label: DIMENSION_NAMES[value] }))}
              value={by}
              onChange={onBy}
            />
          )}
          {report && (
            <GatherLine
              accountId={account.id}
              gather={report.gather}
              asking={asking}
              headingId={HEADING}
              now={now}
              timeZone={timeZone}
            />
          )}
          {boards.problem && (
            <Banner
              tone="low"
              isAnnounced
              action={
                <Button size="sm" onClick={boards.reload}>
                  Try again<span className="sr-only">: names of boards</span>
                </Button>
              }
            >
              Pinterest did not tell the boards’ names, so they are shown by their numbers. The figures are not touched
              by it.
            </Banner>
          )}
          <div
            id={PANEL}
            role="tabpanel"
            aria-labelledby={isOff ? undefined : tabId(PANEL, by)}
            aria-label={isOff ? "Results" : undefined}
            aria-busy={error === null && (isStale || report === null)}
            className={cn(
              "grid gap-5.5 transition-[opacity] duration-(--dur-hover) ease-out delay-[120ms]",
              "data-[stale=true]:opacity-55",
            )}
            data-stale={isStale && !isLeft}
            {...listeners}
          >
            {report === null && <Waiting />}
            {table && headline && !isOff && (
              <>
                {isLeft && <Left report={table} />}
                <Found
                  account={account}
                  report={table}
                  headline={headline}
                  canSave={!isStale && !isNaming}
                  labelOf={labelOf}
                  creatorPath={creatorPath}
                />
              </>
            )}
          </div>
        </>
      )}
    </Part>
  );
}
