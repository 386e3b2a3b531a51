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
import { VoiceSection } from "./voice-section.tsx";

type BrandScreenProps = {
  accounts: AccountOption[];
  /** The kit of the account that is shown first; null without accounts. */
  first: BrandingWire | null;
};

const NO_PINS: readonly string[] = [];

function Brand({ branding: { kit, voice, username } }: { branding: BrandingWire }) {
  return (
    <KitForm first={kit} username={username}>
      <VoiceSection accountId={kit.account_id} first={voice} />
    </KitForm>
  );
}

function OtherBrand({ accountId }: { accountId: string }) {
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
  return <Brand branding={data} />;
}

export function BrandScreen({ accounts, first }: BrandScreenProps) {
  const [accountId, setAccountId] = useState(first?.kit.account_id ?? null);
  // Whoever comes back to the first account may have changed it.
  const [isFirst, setIsFirst] = useState(true);
  const choose = (id: string) => {
    setIsFirst(false);
    setAccountId(id);
  };
  return (
    <>
      <PageHeader
        title="Brand Kit"
        action={<AccountChoice accounts={accounts} value={accountId} onChange={choose} isLabelHidden />}
      >
        Set colors, fonts, a logo, and a voice for each account. Templates and generated text use them.
      </PageHeader>
      {!first && <NoAccount>Connect a Pinterest account first. Each account has its own brand kit.</NoAccount>}
      {first && isFirst && <Brand branding={first} />}
      {accountId && !isFirst && <OtherBrand key={accountId} accountId={accountId} />}
    </>
  );
}
