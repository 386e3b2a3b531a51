"use client";

import Check from "lucide-react/icons/check";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { useState } from "react";
import { type AccountOption, NoAccount } from "#components/accounts/account-choice.tsx";
import { BuyCreditsLink } from "#components/credits/credits.tsx";
import { ResendEmail } from "#components/identity/resend-email.tsx";
import { shortDay } from "#components/publishing/moments.ts";
import { PageHeader } from "#components/shared/page-header.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { type CreatorStart, calendarUrl, GENERATED_POSTS_PATH } from "#lib/core/paths.ts";
import { KEYWORDS_MAX, type Variants } from "#lib/features/generation/constants.ts";
import { needsConfirmation, taskName } from "#lib/features/generation/policy.ts";
import type { TaskWire, TrackingWire } from "#lib/features/generation/schema.ts";
import { CreatorForm } from "./creator-form.tsx";
import { hasPreview, ProgressPanel } from "./progress-panel.tsx";
import { TaskPreview } from "./task-preview.tsx";
import { type Quality, useCreatorChoices, useKeywordRows, useSentRows, useStart } from "./use-creator.ts";
import { useImageRights } from "./use-image-rights.ts";
import { useTracking } from "./use-tracking.ts";

type BatchSummaryProps = {
  /** In the order of the keywords. */
  tasks: readonly TaskWire[];
  isComplete: boolean;
  warning: string | null;
  pinsPath: string;
  /** The calendar with the days for these pins; null without such days. */
  calendarPath: string | null;
  onAnother: () => void;
};

function TaskMark({ task }: { task: TaskWire }) {
  if (task.status === "SUCCESS") return <Check aria-label="Complete" role="img" className="text-[var(--published)]" />;
  if (task.status === "FAILURE" || task.status === "REVOKED") {
    return <TriangleAlert aria-label="Failed" role="img" className="text-[var(--failed)]" />;
  }
  return <span />;
}

function BatchSummary({ tasks, isComplete, warning, pinsPath, calendarPath, onAnother }: BatchSummaryProps) {
  return (
    <section
      className="rounded-card bg-surface shadow-card sticky top-6 grid gap-[18px] p-5.5 max-xl:static max-xl:order-2"
      aria-labelledby="batch"
    >
      <h2 className="title-3" id="batch">
        This batch
      </h2>
      {warning && (
        <Banner
          tone="low"
          action={
            <span className="flex flex-wrap items-center gap-3">
              {needsConfirmation(warning) && <ResendEmail />}
              <BuyCreditsLink />
            </span>
          }
        >
          {warning}
        </Banner>
      )}
      <ol
        className={cn(
          "text-sm/[1.35] border-t border-line",
          "[&_li]:grid [&_li]:grid-cols-[24px_minmax(0,1fr)_16px] [&_li]:gap-1.5 [&_li]:items-baseline",
          "[&_li]:pt-[9px] [&_li]:pb-2 [&_li]:px-0 [&_li]:wrap-anywhere [&_li]:border-b [&_li]:border-line",
          "[&_small]:truncate [&_small]:block [&_small]:text-micro [&_small]:text-ink-3",
          "[&_svg]:size-[15px] [&_svg]:self-center num",
        )}
      >
        {tasks.map((task, at) => (
          <li key={task.task_id}>
            <span className="text-xs text-ink-3">{at + 1}</span>
            <span>
              {taskName(task)}
              {task.url && <small>{task.url.replace(/^https?:\/\//, "")}</small>}
            </span>
            <TaskMark task={task} />
          </li>
        ))}
      </ol>
      {isComplete && (
        <div className="grid gap-2">
          {calendarPath && (
            <LinkButton variant="primary" href={calendarPath}>
              Plan in calendar
            </LinkButton>
          )}
          <LinkButton variant={calendarPath ? "secondary" : "primary"} href={pinsPath}>
            Choose and schedule
          </LinkButton>
          <Button onClick={onAnother}>Make another batch</Button>
        </div>
      )}
    </section>
  );
}

/** A group that was running when the page loaded. Its panel shows from the first paint. */
type RunningGroup = {
  groupId: string;
  quality: Quality;
  accountId: string;
  boardId: string;
  tracking: TrackingWire;
};

type CreatorScreenProps = {
  title: string;
  accounts: AccountOption[];
  running: RunningGroup | null;
  /** Initial keywords from the page's URL. */
  keywords: readonly string[];
  /** Other initial values from there. */
  start: CreatorStart;
  /** Whose images the user said they may use. */
  confirmedSites?: readonly string[];
  /** By account: how many pins per keyword its last generation had. */
  variants?: Readonly<Record<string, Variants>>;
};

export function CreatorScreen(props: CreatorScreenProps) {
  const { title, accounts, running, keywords, start, confirmedSites = [], variants = {} } = props;
  const own = accounts.find(({ id }) => id === start.accountId);
  const choices = useCreatorChoices({
    accountId: own?.id ?? accounts[0]?.id ?? null,
    boardId: own ? start.boardId : null,
    // Keywords that come along cost what their sender said: one pin each.
    variants: keywords.length > 0 ? {} : variants,
  });
  const list = useKeywordRows(KEYWORDS_MAX, keywords, start.url ?? "");
  // Each row costs what its sender said: one pin.
  useSentRows(list.fill, () => choices.setVariants(1));
  const [groupId, setGroupId] = useState(running?.groupId ?? null);
  const starting = useStart(choices, setGroupId);
  const rights = useImageRights(confirmedSites, list.rows);
  const first = groupId === running?.groupId ? (running?.tracking ?? null) : null;
  const { tracking, problem, resume } = useTracking(groupId, first);
  // The choices stay as they were at the start while a batch is shown.
  const { quality, accountId, boardId } = (first && running) ?? choices;
  // A batch that was running before isn't the one in the URL.
  const days = first ? null : start.days;
  const [previewedId, setPreviewedId] = useState<string | null>(null);
  const previewed = tracking?.tasks.find((task) => task.task_id === previewedId && hasPreview(task)) ?? null;
  const isComplete = tracking !== null && tracking.completed_tasks >= tracking.total_tasks;

  const generate = async () => {
    if (await rights.confirm()) await starting.start(list.rows);
  };

  const startAnother = () => {
    setGroupId(null);
    starting.reset();
    // Keywords from the URL that were not part of the running batch stay.
    if (!first) list.clear();
  };

  return (
    <>
      <PageHeader
        title={title}
        action={groupId !== null && <LinkButton href={GENERATED_POSTS_PATH}>Generated Posts</LinkButton>}
      >
        Keywords become drafts. You choose which ones to publish.
      </PageHeader>
      {accounts.length === 0 && groupId === null && (
        <NoAccount>Connect a Pinterest account first. Every draft needs a board.</NoAccount>
      )}
      {accounts.length > 0 && groupId === null && (
        <div className="max-w-190">
          {days && (
            <Banner className="mb-5">
              Publish these pins from {shortDay(days.from)} to {shortDay(days.to)}, before searches peak. When your
              drafts are ready, you can fill your free slots on those days.
            </Banner>
          )}
          <CreatorForm
            accounts={accounts}
            choices={choices}
            list={list}
            isStarting={starting.isStarting}
            problem={starting.problem}
            warning={starting.warning}
            rights={rights}
            onGenerate={() => void generate()}
          />
        </div>
      )}
      {groupId !== null && (
        <div className="grid grid-cols-[360px_minmax(0,1fr)] gap-7 items-start max-xl:grid-cols-1">
          <BatchSummary
            tasks={tracking?.tasks ?? []}
            isComplete={isComplete}
            warning={starting.warning}
            pinsPath={GENERATED_POSTS_PATH}
            calendarPath={days && accountId && calendarUrl(accountId, { days })}
            onAnother={startAnother}
          />
          {tracking && (
            <ProgressPanel
              groupId={groupId}
              tracking={tracking}
              quality={quality ?? "standard"}
              problem={problem}
              onResume={resume}
              onCanceled={resume}
              onPreview={setPreviewedId}
            />
          )}
          {!tracking && problem && (
            <Banner
              tone="failed"
              isAnnounced
              action={
                <Button size="sm" onClick={resume}>
                  Try again
                </Button>
              }
            >
              {problem}
            </Banner>
          )}
          <TaskPreview
            task={previewed}
            username={accounts.find(({ id }) => id === accountId)?.username ?? ""}
            accountId={accountId}
            boardId={boardId}
            onClose={() => setPreviewedId(null)}
          />
        </div>
      )}
    </>
  );
}
