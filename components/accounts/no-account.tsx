import type { ReactNode } from "react";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";

/** What a screen shows to whoever has connected no account; `children` say what will be there then. */
export function NoAccount({ children }: { children: ReactNode }) {
  return (
    <EmptyState
      title="No account connected yet"
      action={
        <LinkButton variant="primary" href="/app">
          Connect Account
        </LinkButton>
      }
    >
      {children}
    </EmptyState>
  );
}
