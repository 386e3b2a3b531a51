import type { Metadata } from "next";
import { AuthHeader } from "#components/identity/auth-copy.tsx";
import { AuthPage } from "#components/identity/auth-page.tsx";
import { VerifyForm } from "#components/identity/verify-form.tsx";

export const metadata: Metadata = { title: "Enter your code", robots: { index: false, follow: false } };

const ROWS = [
  [
    { poster: "fir", x: -18, y: 84, width: 214 },
    { poster: "figs", x: 240, y: 150, width: 222 },
    { poster: "dunes", x: 506, y: 72, width: 214 },
  ],
  [
    { poster: "kitchen", x: -64, y: 520, width: 214 },
    { poster: "ridge", x: 194, y: 600, width: 214 },
    { poster: "paper", x: 452, y: 512, width: 222 },
  ],
] as const;

export default function VerifyPage() {
  return (
    <AuthPage rows={ROWS}>
      <AuthHeader title="Enter your code">Use your authenticator app to finish signing in.</AuthHeader>
      <VerifyForm />
    </AuthPage>
  );
}
