"use client";

import type { AccountOption } from "#components/accounts/account-choice.tsx";
import { NoAccount } from "#components/accounts/no-account.tsx";
import { BulkFormFields } from "#components/pins/bulk/bulk-form.tsx";
import { CreatedBanner } from "#components/pins/bulk/created-banner.tsx";
import { useBulkForm } from "#components/pins/bulk/use-bulk-form.ts";
import { useBulkSend } from "#components/pins/bulk/use-bulk-send.ts";
import { CreatedLinks } from "#components/pins/created-links.tsx";
import { PageHead } from "#components/shell/page-head.tsx";

type BulkScreenProps = { userId: string; accounts: AccountOption[] };

/** Pins from one's own images, many at a time (R-ROUTE-21, A-02, R-BULK-01 to R-BULK-11). */
export function BulkScreen({ userId, accounts }: BulkScreenProps) {
  const state = useBulkForm({ userId, accounts });
  const sending = useBulkSend(state.form, state.clear);
  return (
    <>
      <PageHead title="Manual Pin Creation">
        Your own images, many at a time. Each becomes a draft, for no credits; you choose which of them go up.
      </PageHead>
      {sending.created && <CreatedBanner created={sending.created} />}
      <CreatedLinks posts={sending.created?.posts ?? []} />
      {accounts.length === 0 ? (
        <NoAccount>Connect a Pinterest account first: drafts belong to one of its boards.</NoAccount>
      ) : (
        <BulkFormFields accounts={accounts} state={state} sending={sending} />
      )}
    </>
  );
}
