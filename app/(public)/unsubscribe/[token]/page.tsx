import type { Metadata } from "next";
import { UnsubscribeLink } from "#components/notifications/unsubscribe-link.tsx";
import { cn } from "#components/ui/cn.ts";
import { parseUnsubscribeToken } from "#lib/features/notifications/policy.ts";
import { UNLISTED } from "../../../metadata.ts";

export const metadata: Metadata = { ...UNLISTED, title: "Unsubscribe" };
export const dynamic = "force-dynamic";

type UnsubscribePageProps = { params: Promise<{ token: string }> };

export default async function UnsubscribePage({ params }: UnsubscribePageProps) {
  const { token } = await params;
  return (
    <section className={cn("site-width grid", "min-h-[min(640px,70dvh)] place-content-center py-20 text-center")}>
      <UnsubscribeLink token={token} kinds={parseUnsubscribeToken(token)?.kinds ?? []} />
    </section>
  );
}
