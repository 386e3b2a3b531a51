import type { Metadata } from "next";
import Link from "next/link";
import { AuthPage } from "#components/identity/auth-page.tsx";
import { RegisterForm } from "#components/identity/register-form.tsx";
import { PLANS } from "#lib/features/identity/constants.ts";

export const metadata: Metadata = { title: "Create an account" };

const KEYWORDS = ["quiet bedroom", "figs in season", "paper snow"];

const PINS = [
  { poster: "bedroom", x: 288, y: 150, width: 226 },
  { poster: "figs", x: 560, y: 52, width: 214 },
] as const;

export default function RegisterPage() {
  return (
    <AuthPage
      title="Start with a few keywords"
      words={`${PLANS.free.creditsPerPeriod} free credits every month, one for each standard pin.`}
      keywords={KEYWORDS}
      pins={PINS}
      aside={
        <>
          Already have an account?{" "}
          <Link className="link" href="/login">
            Sign in
          </Link>
        </>
      }
    >
      <RegisterForm />
    </AuthPage>
  );
}
