"use client";

import { useState } from "react";
import type { AccountOption } from "#components/accounts/account-choice.tsx";
import { NoAccount } from "#components/accounts/no-account.tsx";
import { BatchSummary } from "#components/generation/batch-summary.tsx";
import { CreatorForm } from "#components/generation/creator-form.tsx";
import { ProgressPanel } from "#components/generation/progress-panel.tsx";
import { type Quality, useCreatorChoices, useStart } from "#components/generation/use-creator.ts";
import { useKeywordRows } from "#components/generation/use-keyword-rows.ts";
import { useTracking } from "#components/generation/use-tracking.ts";
import { PageHead } from "#components/shell/page-head.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { KEYWORDS_MAX } from "#lib/features/generation/constants.ts";
import type { TrackingWire } from "#lib/features/generation/schema.ts";

const POSTS_PATH = "/app/generated-posts";

/** A group that was running when the page loaded: its panel is there from the first paint. */
export type RunningGroup = { groupId: string; quality: Quality; tracking: TrackingWire };

type CreatorScreenProps = {
  title: string;
  accounts: AccountOption[];
  running: RunningGroup | null;
  /** What the address asks for in the first rows. */
  keywords: readonly string[];
};

/** The AI Pin Creator (R-AIC-01 to R-AIC-12, R-TRK-01 to R-TRK-12). */
export function CreatorScreen({ title, accounts, running, keywords }: CreatorScreenProps) {
  const choices = useCreatorChoices(accounts[0]?.id ?? null);
  const list = useKeywordRows(KEYWORDS_MAX, keywords);
  const [groupId, setGroupId] = useState(running?.groupId ?? null);
  const starting = useStart(choices, setGroupId);
  const first = groupId === running?.groupId ? (running?.tracking ?? null) : null;
  const { tracking, problem, resume } = useTracking(groupId, first);
  const quality = first ? running?.quality : choices.quality;
  const isComplete = tracking !== null && tracking.completed_tasks >= tracking.total_tasks;

  const beginAnother = () => {
    setGroupId(null);
    starting.reset();
    // Rows that the address filled while another batch was running were not sent with it.
    if (!first) list.clear();
  };

  return (
    <>
      <PageHead title={title} action={groupId !== null && <LinkButton href={POSTS_PATH}>Generated Posts</LinkButton>}>
        Each keyword becomes one draft. You choose which of them go up.
      </PageHead>
      {accounts.length === 0 && groupId === null && (
        <NoAccount>Connect a Pinterest account first: drafts belong to one of its boards.</NoAccount>
      )}
      {accounts.length > 0 && groupId === null && (
        <div className="creator-alone">
          <CreatorForm
            accounts={accounts}
            choices={choices}
            list={list}
            isStarting={starting.isStarting}
            problem={starting.problem}
            warning={starting.warning}
            onGenerate={() => starting.start(list.rows)}
          />
        </div>
      )}
      {groupId !== null && (
        <div className="creator-columns">
          <BatchSummary
            tasks={tracking?.tasks ?? []}
            isComplete={isComplete}
            warning={starting.warning}
            postsPath={POSTS_PATH}
            onAnother={beginAnother}
          />
          {tracking && (
            <ProgressPanel
              groupId={groupId}
              tracking={tracking}
              quality={quality ?? "standard"}
              problem={problem}
              onResume={resume}
              onCancelled={resume}
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
        </div>
      )}
    </>
  );
}
