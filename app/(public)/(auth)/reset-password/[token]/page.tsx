import type { Metadata } from "next";
import { AuthPage } from "#components/identity/auth-page.tsx";
import { ResetPasswordForm } from "#components/identity/reset-password-form.tsx";
import { RESET_PINS } from "#components/identity/reset-pins.ts";
import { UNLISTED } from "../../../../metadata.ts";

export const metadata: Metadata = { ...UNLISTED, title: "Choose a new password" };
export const dynamic = "force-dynamic";

type ResetPasswordPageProps = { params: Promise<{ token: string }> };

/** Opened by a link from an email. The token is only checked when the form is sent. */
export default async function ResetPasswordPage({ params }: ResetPasswordPageProps) {
  const { token } = await params;
  return (
    <AuthPage rows={RESET_PINS}>
      <ResetPasswordForm token={token} />
    </AuthPage>
  );
}
