import Link from "next/link";
import { AuthHeader } from "#components/identity/auth-copy.tsx";
import { AuthPage } from "#components/identity/auth-page.tsx";
import { GoogleSignIn } from "#components/identity/google-sign-in.tsx";
import { RegisterForm } from "#components/identity/register-form.tsx";
import { PLANS } from "#lib/features/billing/plans.ts";
import { productFacts } from "../../../facts.ts";
import { pageMetadata } from "../../../metadata.ts";

export const generateMetadata = () => pageMetadata("/register");

const KEYWORDS = ["quiet bedroom", "figs in season", "paper snowflakes", "ridge hikes", "fir or spruce"];

const ROWS = [
  [
    { poster: "bedroom", x: 268, y: 154, width: 222 },
    { poster: "figs", x: 536, y: 68, width: 214 },
  ],
  [
    { poster: "paper", x: -30, y: 520, width: 214 },
    { poster: "ridge", x: 232, y: 604, width: 214 },
    { poster: "fir", x: 492, y: 514, width: 214 },
  ],
] as const;

export default async function RegisterPage() {
  const { hasGoogle } = await productFacts();
  return (
    <AuthPage
      keywords={KEYWORDS}
      rows={ROWS}
      aside={
        <>
          Already have an account?{" "}
          <Link className="link" href="/login">
            Sign in
          </Link>
        </>
      }
    >
      <AuthHeader title="Start with a few keywords">
        Get {PLANS.free.creditsPerPeriod} free credits every month, enough for {PLANS.free.creditsPerPeriod} standard
        pins.
      </AuthHeader>
      <RegisterForm>
        <p className="text-center text-xs text-pretty text-ink-3">
          By creating an account, you confirm that you’re 18 or older and agree to the{" "}
          <Link className="link" href="/terms-of-service">
            terms of service
          </Link>{" "}
          and{" "}
          <Link className="link" href="/privacy-policy">
            privacy policy
          </Link>
          .
        </p>
      </RegisterForm>
      {hasGoogle && <GoogleSignIn mayCreate />}
    </AuthPage>
  );
}
