import type { ReactNode } from "react";
import { AppShell } from "#components/shell/app-shell.tsx";
import { readBalance } from "#lib/features/credits/read-balance.ts";
import { PLANS } from "#lib/features/identity/constants.ts";
import { pageContext, requireUser } from "#lib/server/actor.ts";
import { product } from "#lib/server/product.ts";
import { chosenTheme } from "../../theme.ts";

export default async function ScreensLayout({ children }: { children: ReactNode }) {
  const user = await requireUser();
  const [balance, theme] = await Promise.all([readBalance(await pageContext(user)), chosenTheme()]);
  return (
    <AppShell
      product={product()}
      planName={PLANS[user.plan].name}
      initialCredits={balance.availableCredits}
      theme={theme}
      unverifiedEmail={user.emailVerified ? undefined : user.email}
      timeZone={user.timeZone}
    >
      {children}
    </AppShell>
  );
}
