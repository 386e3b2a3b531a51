"use client";

import { useState } from "react";
import { type AccountOption, NoAccount } from "#components/accounts/account-choice.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { generatedPostsUrl } from "#lib/core/paths.ts";
import { countOf } from "#lib/core/text.ts";
import { ROWS_MAX } from "#lib/features/spreadsheets/constants.ts";
import type { ImportWire } from "#lib/features/spreadsheets/schema.ts";
import { ReviewImport } from "./review-import.tsx";
import { UploadPanel } from "./upload-panel.tsx";

function CreatedBanner({ accountId, created }: { accountId: string; created: NonNullable<ImportWire["created"]> }) {
  const { drafts, scheduled } = created;
  const parts = [drafts > 0 && countOf(drafts, "draft"), scheduled > 0 && countOf(scheduled, "scheduled pin")];
  const status = scheduled > 0 && drafts === 0 ? "scheduled" : drafts > 0 && scheduled === 0 ? "draft" : "all";
  return (
    <Banner
      tone="success"
      className="mb-5"
      isAnnounced
      action={
        <LinkButton size="sm" href={generatedPostsUrl(status, accountId)}>
          Generated Posts
        </LinkButton>
      }
    >
      We created {parts.filter(Boolean).join(" and ")} from your spreadsheet.
    </Banner>
  );
}

type ImportScreenProps = { accounts: AccountOption[]; open: ImportWire | null };

/** Import Pins: a sheet is uploaded, reviewed row by row, and created at once. */
export function ImportScreen({ accounts, open }: ImportScreenProps) {
  const [importId, setImportId] = useState(open?.id ?? null);
  const [done, setDone] = useState<ImportWire | null>(null);
  const first = open?.id === importId ? open : null;
  return (
    <>
      <PageHeader title="Import Pins">
        Import up to {ROWS_MAX.toLocaleString("en")} pins from a spreadsheet. Check every row first; nothing is created
        until you confirm.
      </PageHeader>
      {done?.created && <CreatedBanner accountId={done.account_id} created={done.created} />}
      {accounts.length === 0 && <NoAccount>Connect a Pinterest account first. Every pin needs a board.</NoAccount>}
      {accounts.length > 0 && importId === null && (
        <UploadPanel
          accounts={accounts}
          onStaged={(id) => {
            setDone(null);
            setImportId(id);
          }}
        />
      )}
      {accounts.length > 0 && importId !== null && (
        <ReviewImport
          key={importId}
          importId={importId}
          first={first}
          onDone={(finished) => {
            setDone(finished);
            setImportId(null);
          }}
        />
      )}
    </>
  );
}
