import Link from "next/link";
import { AuthHeader } from "#components/identity/auth-copy.tsx";
import { AuthPage } from "#components/identity/auth-page.tsx";
import { GoogleSignIn } from "#components/identity/google-sign-in.tsx";
import { LoginForm } from "#components/identity/login-form.tsx";
import { productFacts } from "../../../facts.ts";
import { pageMetadata } from "../../../metadata.ts";

export const generateMetadata = () => pageMetadata("/login");

const ROWS = [
  [
    { poster: "citrus", x: -18, y: 84, width: 214 },
    { poster: "night", x: 240, y: 150, width: 222 },
    { poster: "lisbon", x: 506, y: 72, width: 214 },
  ],
  [
    { poster: "swim", x: -64, y: 520, width: 214 },
    { poster: "wreath", x: 194, y: 600, width: 214 },
    { poster: "bedroom", x: 452, y: 512, width: 222 },
  ],
] as const;

export default async function LoginPage() {
  const { hasGoogle } = await productFacts();
  return (
    <AuthPage
      rows={ROWS}
      aside={
        <>
          New here?{" "}
          <Link className="link" href="/register">
            Create an account
          </Link>
        </>
      }
    >
      <AuthHeader title="Welcome back">Your pins are right where you left them.</AuthHeader>
      <LoginForm />
      {hasGoogle && <GoogleSignIn />}
    </AuthPage>
  );
}
