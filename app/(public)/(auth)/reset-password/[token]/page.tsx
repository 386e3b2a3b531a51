import type { Metadata } from "next";
import { AuthPage } from "#components/identity/auth-page.tsx";
import { ResetPasswordForm } from "#components/identity/reset-password-form.tsx";
import { RESET_ROWS } from "#components/identity/reset-rows.ts";
import { UNLISTED } from "../../../../metadata.ts";

export const metadata: Metadata = { ...UNLISTED, title: "Choose a new password" };
export const dynamic = "force-dynamic";

type ResetPasswordPageProps = { params: Promise<{ token: string }> };

/** With the token of a mailed link (R-ROUTE-05). Whether it still works is said when it is used. */
export default async function ResetPasswordPage({ params }: ResetPasswordPageProps) {
  const { token } = await params;
  return (
    <AuthPage rows={RESET_ROWS}>
      <ResetPasswordForm token={token} />
    </AuthPage>
  );
}
