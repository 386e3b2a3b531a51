"use client";

import { AccountChoice, type AccountOption, NoAccount } from "#components/accounts/account-choice.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { useNow } from "#components/shared/use-now.ts";
import { type UrlForm, useUrlView } from "#components/shared/use-url-view.ts";
import { Tabs, tabId } from "#components/ui/tabs.tsx";
import { api } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { dayOf } from "#lib/features/analytics/policy.ts";
import type { KeywordListsWire } from "#lib/features/keywords/schema.ts";
import { type KeywordsQuery, LISTS_PATH, PANEL, readKeywordsQuery, writeKeywordsQuery } from "./keywords-query.ts";
import { ListsSection } from "./lists-section.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { TrendsSection } from "./trends-section.tsx";
import { useKeywordSelection } from "./use-selection.ts";

/** Only the other view gets its own history entry; filters are changed too often. */
const URL_FORM: UrlForm<KeywordsQuery> = {
  read: readKeywordsQuery,
  write: writeKeywordsQuery,
  isNewView: (before, after) => before.view !== after.view,
};

type KeywordsScreenProps = {
  accounts: AccountOption[];
  /** The server-rendered state. */
  first: { accountId: string | null; query: KeywordsQuery; lists: KeywordListsWire };
  /** ISO 8601: when the server rendered the page. */
  paintedAt: string;
  /** The user's. */
  timeZone: string;
  creatorPath: string;
};

/** The Keywords screen: what people search for on Pinterest, and the user's lists. */
export function KeywordsScreen({ accounts, first, paintedAt, timeZone, creatorPath }: KeywordsScreenProps) {
  const { query, change, ...view } = useUrlView(first, accounts, URL_FORM);
  const account = accounts.find(({ id }) => id === view.accountId) ?? accounts[0] ?? null;
  const { now } = useNow(new Date(paintedAt));
  const selection = useKeywordSelection();
  const { data } = useApiQuery(queryKeys.keywordLists, (signal) => api.get<KeywordListsWire>(LISTS_PATH, signal), {
    initialData: first.lists,
  });
  const lists = (data ?? first.lists).lists;
  const tabs = [
    { value: "trends" as const, label: "Trends" },
    { value: "lists" as const, label: "Lists", count: lists.length },
  ];
  return (
    <>
      <PageHeader
        title="Keywords"
        action={
          <AccountChoice accounts={accounts} value={account?.id ?? null} onChange={view.setAccountId} isLabelHidden />
        }
      >
        See what people search for on Pinterest, and when to publish pins for it.
      </PageHeader>
      <Tabs
        label="Keywords"
        className="mb-5"
        tabs={tabs}
        value={query.view}
        onChange={(value) => change({ view: value })}
        panelId={PANEL}
      />
      <div
        id={PANEL}
        role="tabpanel"
        tabIndex={-1}
        className="focus:outline-none"
        aria-labelledby={tabId(PANEL, query.view)}
      >
        {query.view === "lists" && (
          <ListsSection
            accountId={account?.id ?? null}
            lists={lists}
            openId={query.list}
            onOpen={(list) => change({ list })}
            selection={selection}
            onTrends={() => change({ view: "trends" })}
          />
        )}
        {query.view === "trends" && account && (
          <TrendsSection
            key={account.id}
            accountId={account.id}
            query={query}
            onChange={change}
            selection={selection}
            today={dayOf(now)}
            timeZone={timeZone}
          />
        )}
        {query.view === "trends" && !account && (
          <NoAccount>Connect a Pinterest account to see what people search for.</NoAccount>
        )}
      </div>
      {selection.keywords.size > 0 && (
        <SelectionBar
          selection={selection}
          lists={lists}
          creatorPath={creatorPath}
          accountId={account?.id ?? null}
          today={dayOf(now)}
        />
      )}
    </>
  );
}
