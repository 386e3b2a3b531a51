import type { Metadata } from "next";
import { VerifyEmailForm } from "#components/identity/email-link.tsx";
import { cn } from "#components/ui/cn.ts";
import { UNLISTED } from "../../../metadata.ts";

export const metadata: Metadata = { ...UNLISTED, title: "Confirm your email" };
export const dynamic = "force-dynamic";

type VerifyEmailPageProps = { params: Promise<{ token: string }> };

export default async function VerifyEmailPage({ params }: VerifyEmailPageProps) {
  const { token } = await params;
  return (
    <section className={cn("site-width grid", "min-h-[min(640px,70dvh)] place-content-center py-20 text-center")}>
      <VerifyEmailForm token={token} />
    </section>
  );
}
