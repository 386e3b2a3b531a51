"use client";

import { useState } from "react";
import { AccountChoice, type AccountOption, NoAccount } from "#components/accounts/account-choice.tsx";
import { KitForm } from "#components/branding/kit-form.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { BrandingWire } from "#lib/features/branding/schema.ts";
import { useBranding } from "./previews.tsx";

type BrandScreenProps = {
  accounts: AccountOption[];
  /** The kit of the account that is shown first; null without accounts. */
  first: BrandingWire | null;
};

const NO_PINS: readonly string[] = [];

function OtherKit({ accountId }: { accountId: string }) {
  const { data, problem, reload } = useBranding(accountId, NO_PINS);
  if (problem !== null) {
    return (
      <Banner
        tone="failed"
        isAnnounced
        action={
          <Button size="sm" onClick={reload}>
            Try again
          </Button>
        }
      >
        {problem}
      </Banner>
    );
  }
  if (!data) return <Skeleton className="h-80 w-full" />;
  return <KitForm first={data.kit} username={data.username} />;
}

export function BrandScreen({ accounts, first }: BrandScreenProps) {
  const [accountId, setAccountId] = useState(first?.kit.account_id ?? null);
  return (
    <>
      <PageHeader
        title="Brand Kit"
        action={<AccountChoice accounts={accounts} value={accountId} onChange={setAccountId} isLabelHidden />}
      >
        Set colors, fonts, and a logo for each account. Templates use them to add text to your images.
      </PageHeader>
      {!first && <NoAccount>Connect a Pinterest account first. Each account has its own brand kit.</NoAccount>}
      {first && accountId === first.kit.account_id && <KitForm first={first.kit} username={first.username} />}
      {first && accountId && accountId !== first.kit.account_id && <OtherKit key={accountId} accountId={accountId} />}
    </>
  );
}
