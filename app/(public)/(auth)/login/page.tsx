import type { Metadata } from "next";
import Link from "next/link";
import { AuthPage } from "#components/identity/auth-page.tsx";
import { LoginForm } from "#components/identity/login-form.tsx";

export const metadata: Metadata = { title: "Sign in" };

const PINS = [
  { poster: "still-citrus", x: -24, y: 72, width: 214 },
  { poster: "night", x: 228, y: 168, width: 226 },
  { poster: "lisbon", x: 494, y: 60, width: 214 },
] as const;

export default function LoginPage() {
  return (
    <AuthPage
      title="Welcome back"
      words="Your wall hangs as you left it."
      pins={PINS}
      aside={
        <>
          New here?{" "}
          <Link className="link" href="/register">
            Create an account
          </Link>
        </>
      }
    >
      <LoginForm />
    </AuthPage>
  );
}
