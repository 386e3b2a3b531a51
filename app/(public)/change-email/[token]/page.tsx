import type { Metadata } from "next";
import { ChangeEmailLink } from "#components/identity/email-link.tsx";
import { cn } from "#components/ui/cn.ts";
import { UNLISTED } from "../../../metadata.ts";

export const metadata: Metadata = { ...UNLISTED, title: "Confirm your new email" };
export const dynamic = "force-dynamic";

type ChangeEmailPageProps = { params: Promise<{ token: string }> };

export default async function ChangeEmailPage({ params }: ChangeEmailPageProps) {
  const { token } = await params;
  return (
    <section className={cn("site-width grid", "min-h-[min(640px,70dvh)] place-content-center py-20 text-center")}>
      <ChangeEmailLink token={token} />
    </section>
  );
}
