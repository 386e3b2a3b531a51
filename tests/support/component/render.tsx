import type { ReactNode } from "react";
import { expect } from "vitest";
import { render as renderInBrowser } from "vitest-browser-react";
import { AppShell } from "#components/shell/app-shell.tsx";
import { NoticeProvider } from "#components/ui/notice.tsx";
import { Toaster } from "#components/ui/toaster.tsx";
import { setToken } from "#lib/client/browser-storage.ts";
import { LIVE_PATH } from "#lib/features/realtime/constants.ts";
import { type Answers, answerCalls } from "./calls.ts";
import { liveStream } from "./live-stream.ts";
import { openAt } from "./router.ts";

const PRODUCT = {
  name: "Evertack",
  creatorPath: "/app/evertack-creator",
  creatorLabel: "Evertack AI Pin Creator",
  supportEmail: "support@example.com",
  supportPhone: "+1 555 0100",
  postalAddress: "1 Example Street, Example Town",
};

/** Renders a component at a path, inside the providers of the root layout. */
export const render = async (children: ReactNode, path = "/") => {
  openAt(path);
  return renderInBrowser(
    <NoticeProvider>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Toaster />
    </NoticeProvider>,
  );
};

type ScreenOptions = {
  path: string;
  answers?: Answers;
  credits?: number;
  isFreePlan?: boolean;
  isAllowanceTaken?: boolean;
};

/**
 * Renders a screen in the app shell. The shell's own requests (login, credits, stream) are answered. `calls` gives access
 * to the requests, and `live` sends events.
 */
export const renderScreen = async (
  children: ReactNode,
  { path, answers = {}, credits = 5, isFreePlan = true, isAllowanceTaken = false }: ScreenOptions,
) => {
  const live = liveStream();
  const calls = answerCalls({
    "GET /api/health/": { degraded: false },
    "GET /api/users/checkAuth/": { authenticated: true },
    "GET /api/users/credits/": () => ({ available_credits: credits }),
    "ACTION countOverdueAction": { ok: true, value: 0 },
    "ACTION countProposalsAction": { ok: true, value: 0 },
    [`GET ${LIVE_PATH}`]: live.answer,
    ...answers,
  });
  setToken(`component.${crypto.randomUUID()}`);
  openAt(path);
  const screen = await renderInBrowser(
    <NoticeProvider>
      <AppShell
        product={PRODUCT}
        sandboxServices={[]}
        planName={isFreePlan ? "Free" : "Basic"}
        isFreePlan={isFreePlan}
        initialCredits={credits}
        isAllowanceTaken={isAllowanceTaken}
        livePosition={0}
        disconnectedAccounts={[]}
        unverifiedEmail={undefined}
        browserTimeZone={null}
      >
        {children}
      </AppShell>
    </NoticeProvider>,
  );
  await expect.poll(() => screen.container.querySelector("[inert]")).toBeNull();
  return { screen, calls, live };
};
